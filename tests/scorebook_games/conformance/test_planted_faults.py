"""Faults planted in a small kind (`scorebook_games.conformance.template`) are all found and named."""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, TypedDict

import pytest

from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance import suite
from scorebook_games.conformance.declared import KIND_PROMISES
from scorebook_games.conformance.game import PLAYING, Game, Story, Tally, walk
from scorebook_games.conformance.hidden import shown_to_others
from scorebook_games.conformance.play import Table, notation
from scorebook_games.conformance.promises import PROMISES
from scorebook_games.conformance.shrink import shrink
from scorebook_games.conformance.suite import check_kind_promise
from scorebook_games.conformance.template import kind as template
from scorebook_games.conformance.template.rules import HighestCard, State
from scorebook_games.contract import Event, IllegalMove, Option, Outcome, placings
from scorebook_games.fields import Card
from scorebook_games.presentation.base import MoveLabel, Presentation
from scorebook_games.registry import KINDS

Rules = Any
GOOD = HighestCard()
LEAK = "nobody_learns_what_is_hidden"
PROMISES_BY_NAME = {promise.__name__: promise for promise in PROMISES}


class Faulty(HighestCard):
    """The small kind, with one fault in one of its methods."""

    def __init__(self, **faults: Any) -> None:
        for name, fault in faults.items():
            setattr(self, name, fault)


def offer(monkeypatch: pytest.MonkeyPatch, rules: Rules, **parts: Any) -> None:
    """Add the small kind to the loaded kinds."""
    notation.cache_clear()  # which other rules of this name have filled
    monkeypatch.setitem(KINDS, "highest_card", replace(template.KIND, rules=rules, **parts))


def found_by(promises: Any, table: Table) -> set[str]:
    """Return the names of the promises that are broken in a few games."""
    for seed in range(6):
        failures = walk(Story(table, seed, closely=True), promises)
        if failures:
            return {failure.promise for failure in failures}
    return set()


# -- one fault for each promise of a game


def decides(change: Callable[[State, int, int, list[Event]], list[Event] | None]) -> dict[str, Any]:
    """Return `decide` with its events changed."""

    def decide(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
        events = GOOD.decide(state, seat, action, dealer)
        return change(state, seat, action, events) or events

    return {"decide": decide}


def applies(change: Callable[[State, Event], None]) -> dict[str, Any]:
    """Return `apply` with an additional change of the state."""

    def apply(state: State, event: Event) -> None:
        GOOD.apply(state, event)
        change(state, event)

    return {"apply": apply}


def observes(change: Callable[[State, int | None], dict[str, Any]]) -> dict[str, Any]:
    """Return `observation` with additional content."""
    return {"observation": lambda state, seat: {**GOOD.observation(state, seat), **change(state, seat)}}


def says_nothing_useful(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
    try:
        return GOOD.decide(state, seat, action, dealer)
    except IllegalMove as error:
        raise IllegalMove(error.code, "HC-99", "You may not do that.") from None


def counts_refusals(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
    try:
        return GOOD.decide(state, seat, action, dealer)
    except IllegalMove:
        state.turns += 1
        raise


def hides_in_the_log(event: Event, seat: int | None) -> Event:
    if event[0] == "ended":
        event[1] += "!"
    return GOOD.redact(event, seat)


def deals_twice(state: State, dealer: Any) -> list[Event]:
    dealer.shuffle("deal", range(52))
    return GOOD.start(state, dealer)


def deals_by_its_own_chance(state: State, dealer: Any) -> list[Event]:
    return GOOD.start(state, SeedDealer(os.urandom(32)))


def takes_long(state: State, seat: int) -> list[int]:
    sum(len("") for _ in range(250_000))
    return GOOD.legal_actions(state, seat)


def never_returns(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
    while True:
        pass


class Counted(HighestCard):
    """A kind that counts its games and deals another card in each."""

    def __init__(self) -> None:
        self.count = 0

    def start(self, state: State, dealer: Any) -> list[Event]:
        self.count += 1
        [[_, hands]] = GOOD.start(state, dealer)
        turned = self.count % len(hands)
        return [["dealt", hands[turned:] + hands[:turned]]]


class InBeats(HighestCard):
    """A kind that is played in beats, and in which no move ends a bundle."""

    paces = ("beats",)

    def ends_bundle(self, state: State, action: int) -> bool:
        return False

    def pace_limit(self, state: State, seat: int, action: int) -> int:
        return 0

    def starts_pace(self, event: Event, seat: int) -> bool:
        return False


class BadBot:
    """A bot that does not play the small kind by its rules."""

    name = "sensible"
    kinds = frozenset({"highest_card"})
    looks = True

    def recalls(self, kind: str) -> bool:
        return False

    def move(self, view: Any, legal: list[str], rng: Any) -> str:
        return "pass"


class OtherFields(TypedDict):
    """Fields that differ from those that the small kind shows."""

    hand: Annotated[list[Card], "Your cards."]


def same_words(text: str, view: Any) -> MoveLabel:
    return MoveLabel("Play a card")


FAULTS: dict[str, dict[str, Any]] = {
    "a_game_ends_within_its_limit": {"outcome": lambda state: Outcome("rules", (5, 0), (1, 2))},
    "exactly_the_legal_moves_are_accepted": {"legal_actions": lambda state, seat: GOOD.legal_actions(state, seat)[:1]},
    "listed_moves_and_draws_agree_with_all_legal_moves": {
        "listed_actions": lambda state, seat: list(range(52)),
        "open_action": lambda state, seat: None,
        "sample_action": lambda state, seat, draw: GOOD.legal_actions(state, seat)[0],
    },
    "writing_a_move_down_and_reading_it_gives_the_same_action": {
        "parse_move": lambda state, text: GOOD.parse_move(state, text) ^ 1
    },
    "a_refused_move_names_a_clause_and_says_why": {"decide": says_nothing_useful},
    "nobody_moves_before_the_start_or_after_the_end": {
        "legal_actions": lambda state, seat: GOOD.legal_actions(state, seat) if state.on else [0]
    },
    "deciding_leaves_the_state_as_it_was_even_when_it_refuses": {"decide": counts_refusals},
    "only_a_seat_that_nobody_waits_for_may_pass_without_an_event": {"awaited": lambda state: []},
    "a_seat_knows_whether_it_may_act_itself": {"to_act_seen": lambda state, viewer: []},
    "folding_the_log_gives_the_live_state_at_every_version": decides(
        lambda state, seat, action, events: vars(state).update(leader=seat) or None
    ),
    "a_copy_and_its_original_go_their_own_ways": applies(lambda state, event: SHARED.append(len(SHARED))),
    "the_first_event_of_a_decision_tells_who_decided_what": {"action_of": lambda state, event: (0, event[2])},
    "the_same_seed_and_moves_make_the_same_events_to_the_byte": {"start": deals_by_its_own_chance},
    "every_label_is_drawn_once": {"start": deals_twice},
    "the_rules_have_no_chance_clock_input_or_output": decides(
        lambda state, seat, action, events: [*events] if time.time() else None
    ),
    "a_question_to_the_rules_is_answered_soon": {"legal_actions": takes_long},
    "events_and_observations_are_plain_json": observes(lambda state, seat: {"tricks": tuple(state.tricks)}),
    "redacting_leaves_the_log_as_it_was_and_every_event_its_place": {"redact": hides_in_the_log},
    "nobody_learns_what_is_hidden": observes(
        lambda state, seat: {"next": max(map(max, filter(None, state.hands)), default=0)}
    ),
    "every_event_reads_well_redacted_or_not": {"readable": lambda event: {"type": event[0]}},
    "results_are_whole_and_placings_count_from_one": {
        "standing": lambda state: (tuple(each / 2 for each in state.tricks), GOOD.standing(state)[1])
    },
    "a_better_score_never_has_a_worse_place": {
        "standing": lambda state: (tuple(state.tricks), placings(state.tricks, best="lowest"))
    },
    PLAYING: {"start": lambda state, dealer: GOOD.start(state.nothing, dealer)},
}
SHARED: list[int] = []


class Unpickled(State):
    """A state with something that cannot be pickled."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._key = lambda card: card


class Forgetful(State):
    """A state whose plain data lack a fact."""

    def copy(self) -> State:
        return copy.deepcopy(self)

    def plain(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self.copy()).items() if name != "leader"}


class Sharing(State):
    """A state with a list that its copies share."""

    def plain(self) -> dict[str, Any]:
        return {**super().plain(), "shared": SHARED[:]}

    def copy(self) -> State:
        return copy.copy(self)


@pytest.mark.parametrize("promise", sorted({*FAULTS, *(promise.__name__ for promise in PROMISES)}))
def test_a_broken_promise_of_a_game_is_named(promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each promise of the suite has a planted fault here."""
    faults = FAULTS.get(promise, {})
    parts: dict[str, Any] = {}
    rules: Rules = Faulty(**faults)
    if promise == "a_copy_and_its_original_go_their_own_ways":
        rules = Faulty(initial=lambda seats, options: Sharing(seats, options), **faults)
    elif promise == "a_state_can_be_pickled":
        rules = Faulty(initial=Unpickled)
    elif promise == "the_plain_data_have_every_fact":
        rules = Faulty(initial=Forgetful)
    elif promise == "bundles_may_arrive_in_any_order":
        rules = InBeats()
    elif promise == "games_do_not_touch_each_other":
        rules = Counted()
    elif promise == "words_are_made_for_whatever_happens":
        words = Presentation()
        monkeypatch.setattr(words, "move_label", same_words)
        parts = {"presentation": words}
    elif promise == "observations_have_the_fields_that_the_kind_describes":
        parts = {"observation": OtherFields}
    elif promise == "the_kinds_bots_play_legal_moves":
        monkeypatch.setitem(BUILTIN_BOTS, "sensible", BadBot())
    offer(monkeypatch, rules, **parts)
    assert promise in found_by(PROMISES, Table("highest_card", 2))


def test_the_small_kind_keeps_every_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, GOOD)
    assert found_by(PROMISES, Table("highest_card", 3)) == set()
    for promise in KIND_PROMISES:
        if promise.__name__ != "a_new_process_plays_the_same_games":  # it would have to be installed
            promise("highest_card")


def test_a_step_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, Faulty(decide=never_returns))
    [failure] = walk(Story(Table("highest_card", 2), 0), PROMISES, tally=Tally(step_seconds=0.1))
    assert failure.promise == PLAYING
    assert "did not come to an end" in failure.sentence
    assert "test_planted_faults.py" in failure.sentence


def test_a_step_that_never_ends_within_a_promise_ends_the_check_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
        while action not in GOOD.legal_actions(state, seat):
            pass
        return GOOD.decide(state, seat, action, dealer)

    monkeypatch.setattr(suite, "DECLARED", ())
    offer(monkeypatch, Faulty(decide=decide))
    report = suite.check_kind("highest_card", 0.5, lambda *_: None)
    [failure] = report.failures
    assert failure.promise == "exactly_the_legal_moves_are_accepted"
    assert "did not come to an end" in failure.sentence
    assert report.tally.games == 1


# -- what is hidden


def shows_next_hand(state: State, seat: int | None) -> dict[str, Any]:
    owner = 0 if seat is None else (seat + 1) % state.seats
    return {"peek": sorted(state.hands[owner])[:1]}


def sorts_by_the_other_hand(state: State, seat: int) -> list[int]:
    actions = GOOD.legal_actions(state, seat)
    return sorted(actions, reverse=bool(actions) and sum(state.hands[seat - 1]) % 2 == 0)


def refuses_with_what_others_hold(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
    try:
        return GOOD.decide(state, seat, action, dealer)
    except IllegalMove as error:
        if action in state.hands[seat - 1]:
            raise IllegalMove("held_by_another", "HC-4", "Another player holds this card.") from None
        raise error


def shows_the_deal(event: Event, seat: int | None) -> Event:
    return event if event[0] == "dealt" else GOOD.redact(event, seat)


LEAKS = {
    "observation": (observes(shows_next_hand), "observation"),
    "events": (
        {"redact": shows_the_deal},
        "is shown at the start the event",
    ),
    "legal": ({"legal_actions": sorts_by_the_other_hand}, "list of legal moves"),
    "answers": ({"decide": refuses_with_what_others_hold}, "by the answer to"),
}


@pytest.mark.parametrize("leak", sorted(LEAKS))
def test_a_leak_is_found_in_whatever_tells_it(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faults, sentence = LEAKS[leak]
    offer(monkeypatch, Faulty(**faults))
    for seed in range(20):
        for failure in walk(Story(Table("highest_card", 2), seed), PROMISES):
            assert failure.promise == "nobody_learns_what_is_hidden"
            assert sentence in failure.sentence
            return
    pytest.fail("The leak was not found.")


def test_hands_that_events_and_observation_both_show_are_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = observes(lambda state, seat: {"hands": [sorted(hand) for hand in state.hands]})
    offer(
        monkeypatch,
        Faulty(**everything, redact=lambda event, seat: event if event[0] != "no_such_event" else ["redacted"]),
    )
    [failure] = check_kind_promise("highest_card", KIND_PROMISES[-1], Tally())
    assert failure.promise == "players_who_know_more_have_secrets"
    assert "is told too, but the presentation says that it hides" in failure.sentence


# -- before any game


SPEC = GOOD.spec
DECLARED = {
    "the_spec_is_complete": replace(SPEC, options=SPEC.options[:1]),
    "every_value_of_an_option_opens_a_game": replace(
        SPEC, options=(*SPEC.options, Option("hand_size_too", "int", None, "A number.", 1, 2))
    ),
    "wrong_options_are_refused": None,
}


@pytest.mark.parametrize("promise", sorted(DECLARED))
def test_a_broken_promise_of_a_kind_is_named(promise: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules: Rules = Faulty()
    rules.spec = DECLARED[promise] or SPEC
    if promise == "wrong_options_are_refused":
        rules.resolve = lambda seats, options: {**SPEC.resolve(2, {}), **options}
    offer(monkeypatch, rules)
    [asked] = [each for each in KIND_PROMISES if each.__name__ == promise]
    assert [failure.promise for failure in check_kind_promise("highest_card", asked, Tally())] == [promise]


# -- the shortest game


def test_a_failure_is_made_short_and_can_be_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    late = applies(lambda state, event: state.hands[0].clear() if event[0] == "taken" and state.turns > 5 else None)
    offer(monkeypatch, Faulty(**late))
    table = Table("highest_card", 3, (("hand_size", 8),))
    [failure, *_] = [each for seed in range(3) for each in walk(Story(table, seed), PROMISES)]
    short = shrink(failure, PROMISES, seconds=10.0)
    assert short.promise == failure.promise
    assert short.story is not None
    assert short.story.table.seats == 2
    assert len(short.story.moves or ()) <= 7
    found = Story.decode("highest_card", short.story.encode())
    assert found == short.story
    assert failure.promise in {each.promise for each in walk(found, PROMISES)}


# -- what needs more than a few random games


def late_peek(state: State, seat: int | None) -> dict[str, Any]:
    """In the last trick, the first player's card is shown to the others before it is played."""
    left = [hand for hand in state.hands if hand]
    return {"peek": left[0] if all(len(hand) == 1 for hand in state.hands) else []}


def test_a_leak_at_the_end_of_a_game_is_found_and_told_with_its_moment_and_twin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offer(monkeypatch, Faulty(**observes(late_peek)))
    table = Table("highest_card", 2, (("hand_size", 4),))
    failures = [each for seed in range(6) for each in walk(Story(table, seed), [PROMISES_BY_NAME[LEAK]])]
    assert failures
    for failure in failures:
        assert "at move 6 by its observation: peek[0]" in failure.sentence
        assert failure.story
        assert len(failure.story.moves or ()) == 6, "no moves after the moment"
        found = Story.decode("highest_card", failure.story.encode())
        assert found == failure.story
        assert [each.sentence for each in walk(found, [PROMISES_BY_NAME[LEAK]])] == [failure.sentence]


def passes_for_ever(state: State, seat: int, action: int, dealer: Any) -> list[Event]:
    return [["passed", seat]] if action == 52 else GOOD.decide(state, seat, action, dealer)


def test_passes_that_are_no_turns_never_come_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """In random games somebody plays a card soon, so seats that always pass are tried, too."""
    passing = {
        "decide": passes_for_ever,
        "legal_actions": lambda state, seat: [*cards, 52] if (cards := GOOD.legal_actions(state, seat)) else [],
        "move_text": lambda state, action: "pass" if action == 52 else GOOD.move_text(state, action),
        "parse_move": lambda state, text: 52 if text == "pass" else GOOD.parse_move(state, text),
    }
    offer(monkeypatch, Faulty(**passing))
    monkeypatch.setattr(suite, "tables", lambda kind: [])
    asked = [PROMISES_BY_NAME["a_game_ends_within_its_limit"]]
    found = {
        story.habit: [each.sentence for each in walk(story, asked, most=most)]
        for story, _, most in suite.plan("highest_card")
        if not story.closely
    }
    assert not found[""]
    assert "The game has 240 moves and goes on" in found["last"][0]


def test_a_seed_plays_other_games_and_more_games_dig_deeper(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, GOOD)
    usual, other = ([story for story, _, _ in suite.plan("highest_card", seed)] for seed in (0, 1))
    assert len(usual) == len(other)
    assert not set(usual) & set(other)
    further = suite.further("highest_card")
    assert not {next(further)[0] for _ in range(20)} & set(usual)
    report = suite.check_kind("highest_card", 60, lambda *_: None, "every_label_is_drawn_once", games=len(usual) + 4)
    assert report.tally.games > len(usual) - suite.RESULTS * 4


def test_the_check_tells_who_is_shown_what(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that events and observation both show by mistake can be found in no other way."""
    offer(monkeypatch, GOOD)
    table = Table("highest_card", 2)
    assert list(shown_to_others(Game(Story(table, 0)))) == ["whole: ended, played, taken", "in part: dealt"]
