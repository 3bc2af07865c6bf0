"""The moments that mattered: which they are, at which step they stand, and in which words. No database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replays.review.moments import Moment, Place, StoredEntry, decision_words, moments_of, words_of
from scorebook_games.chance import SeedDealer
from scorebook_games.frames import replay
from scorebook_games.gamelog.events import BEAT, RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import ALL
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, DECISION, TABLE, UNEXPLAINED, ledger_of
from scorebook_games.presentation.sentences import plain_text
from scorebook_games.registry import KINDS

NAMES = ("Martha", "Laura")


def log_of(kind: str) -> list[RecordedEvent]:
    events = play(kind, [0.1, 0.1], bytes(32))
    events[0][1]["terms"] = {"sealed": False, "pace": "turns", **events[0][1]["terms"]}
    return [RecordedEvent(number + 1, number, event) for number, event in enumerate(events)]


def decisions(log: list[RecordedEvent]) -> Iterator[tuple[Fold, RecordedEvent, int]]:
    """Yield the event of each decision with its seat, and the game before it."""
    fold = Fold(log[0].event)
    value = KINDS[fold.opened["kind"]].value
    assert value
    for entry in log[1:]:
        seat = value.decider(fold.state, entry.event)
        if seat is not None and entry.event[0] != BEAT:
            yield fold, entry, seat
        fold.apply(entry.event)


@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_is_told_by_what_was_chosen_and_never_by_what_came_of_it(kind: str) -> None:
    """The same move with other cards or dice has the same words."""
    other_chance, redrawn = SeedDealer(bytes(range(32))), 0
    for fold, entry, seat in decisions(log_of(kind)):
        words = decision_words(fold, entry, seat, NAMES)
        assert words.startswith(f"{NAMES[seat]} chose “")
        _seat, action = fold.rules.action_of(fold.state, entry.event)
        other = fold.rules.decide(fold.state.copy(), seat, action, other_chance)[0]
        redrawn += other != entry.event
        assert decision_words(fold, entry._replace(event=other), seat, NAMES) == words
    assert redrawn or kind != "plate_spinner", "there, most moves are told with the dice that came"


@pytest.mark.parametrize("kind", KINDS)
def test_a_decision_is_told_with_what_is_usual_there(kind: str) -> None:
    """The moves are those that the ledger compared it with, as buttons name them."""
    log = log_of(kind)
    made = ledger_of((entry.event for entry in log), KINDS[kind].value)
    told = [StoredEntry(each.version, each.sort, each.seat, each.gains, each.usual) for each in made.entries]
    usual = {Place(*each[:3]): each.usual for each in told if each.sort == DECISION}
    words = words_of(log, usual, NAMES)
    assert usual
    assert all(moves for moves in usual.values())
    assert all(" instead of the usual “" in sentence for _step, sentence in words.values())


def test_up_to_three_usual_moves_are_named() -> None:
    fold, entry, seat = next(decisions(log_of("chinese_ten")))
    _seat, action = fold.rules.action_of(fold.state, entry.event)
    made = fold.rules.move_text(fold.state, action)
    others = [f"lay {rank}" for rank in "23456"]
    told = [decision_words(fold, entry, seat, NAMES, [made, *others[:count]]) for count in (0, 1, 3, 5)]
    assert [words.partition(" instead of the usual ")[2] for words in told] == [
        "",
        "“Lay the 2”.",
        "“Lay the 2”, “Lay the 3” or “Lay the 4”.",
        "“Lay the 2”, “Lay the 3” or 3 others.",
    ]


def test_a_draw_is_told_by_what_came_and_a_decision_at_the_same_event_by_what_was_chosen() -> None:
    log = log_of("plate_spinner")
    rolled = next(entry for entry in log if entry.event[0] == "rolled")
    decision, draw = Place(rolled.version, DECISION, rolled.event[1]), Place(rolled.version, CHANCE)
    found = words_of(log, {decision: [], draw: []}, NAMES)
    frame = next(frame for frame in replay.frames(log, ALL) if frame.version == rolled.version)
    assert found[draw] == (rolled.version, plain_text(frame.parts, NAMES))
    assert "rolled" not in found[decision][1]


def test_a_market_and_the_rolls_on_go_are_one_draw_in_which_each_has_its_sentence() -> None:
    log = log_of("plate_spinner")
    go = next(entry for entry in log if entry.event[0] == "go")
    steps = {frame.version: frame for frame in replay.frames(log, ALL)}
    draw = Place(go.version, CHANCE)
    step, words = words_of(log, {draw: []}, NAMES)[draw]
    market, dice, both = words.split(". ")
    names = plain_text(steps[go.version - 1].parts, NAMES).removeprefix("New in the market: ").rstrip(".")
    assert step == go.version
    assert all(name in market for name in names.replace(", and the rims", " and").split(" and ")[0].split(", "))
    assert market.startswith("The market brought ")
    assert dice.startswith("The dice on GO were Martha ")
    assert both == "Both are counted together."


def test_the_end_of_a_round_is_told_by_the_cards_that_became_known() -> None:
    log = log_of("plates")
    scored = next(entry for entry in log if entry.event[0] == "scored" and any(hand[2] for hand in entry.event[3]))
    draw = Place(scored.version, CHANCE)
    step, words = words_of(log, {draw: []}, NAMES)[draw]
    assert step == scored.version
    assert words.startswith("The round ended, and its face-down cards were shown: ")
    assert "Points" not in words


def test_a_seat_that_let_a_beat_pass_is_told_to_have_played_nothing() -> None:
    """The ledger counts it at an event that is not the seat's: the lot of the beat, or another seat's move."""
    log = log_of("plate_spinner")
    rolled = next(entry for entry in log if entry.event[0] == "rolled")
    other = 1 - rolled.event[1]
    passed = StoredEntry(rolled.version, DECISION, other, [0.1, -0.1], ["roll 44"])
    [moment] = moments_of([passed], log, NAMES)
    assert (moment.version, moment.whose) == (rolled.version, other)
    assert moment.words.startswith(f"No move of {NAMES[other]} was played, instead of the usual “Roll ")


def test_each_step_is_one_that_the_list_and_the_viewer_have() -> None:
    """A beat's lot has no step of its own. The first move that it let through shows it."""
    log = log_of("plate_spinner")
    steps = {frame.version for frame in replay.frames(log, ALL)}
    lots = [Place(entry.version, CHANCE) for entry in log if entry.event[0] == BEAT and len(entry.event[2]) == 2]
    found = words_of(log, dict.fromkeys(lots, ()), NAMES)
    assert lots
    for lot in lots:
        step, words = found[lot]
        assert step in steps
        assert step == min(each for each in steps if each > lot.version)
        order = [NAMES[seat] for seat in log[lot.version - 1].event[2]]
        assert words == f"The lot decided who moves first. The order was: {', '.join(order)}."


def test_moments_are_the_largest_changes_of_whatever_sort() -> None:
    log = log_of("chinese_ten")
    made = [(entry.version, seat) for _fold, entry, seat in decisions(log)]
    (one, seat), (other, _), (third, _), (fourth, _) = made[:4]
    loser = 1 - seat
    entries = [
        StoredEntry(one, DECISION, seat, [0.04 if each == seat else -0.2 for each in (0, 1)]),
        StoredEntry(other, CHANCE, None, [0.05, -0.05]),
        StoredEntry(other, CHANCE, None, [0.05, -0.05]),
        StoredEntry(third, UNEXPLAINED, None, [0.5, -0.5]),
        StoredEntry(third, DECISION, loser, [0.0, 0.0]),
        StoredEntry(fourth, CHANCE, None, [0.004, -0.004]),
    ]
    found = moments_of(entries, log, NAMES)
    assert [(each.version, each.sort, each.whose, round(each.gain, 3)) for each in found] == [
        (one, DECISION, seat, 0.04),
        (other, CHANCE, 0, 0.1),
        (third, UNEXPLAINED, 0, 0.5),
    ]
    assert all(isinstance(each, Moment) and each.words for each in found)
    assert found[2].words.endswith(" Before or after this, the program misjudged who was ahead.")
    [left] = moments_of([StoredEntry(third, TABLE, None, [-0.3, 0.3])], log, NAMES)
    frame = next(frame for frame in replay.frames(log, ALL) if frame.version == third)
    assert (left.sort, left.words) == (TABLE, plain_text(frame.parts, NAMES))
