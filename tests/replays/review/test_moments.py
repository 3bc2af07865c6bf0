"""The moments that mattered: which they are, at which step they stand, and in which words. No database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from replays.frames import replay
from replays.review.moments import Moment, Place, chosen_words, moments_of, words_of
from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog.events import BEAT, RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.visibility import ALL
from scorebook_games.luck.games import play
from scorebook_games.luck.ledger import CHANCE, DECISION
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
        words = chosen_words(fold, entry, seat, NAMES)
        assert words.startswith(f"{NAMES[seat]} chose “")
        _seat, action = fold.rules.action_of(fold.state, entry.event)
        other = fold.rules.decide(fold.state.copy(), seat, action, other_chance)[0]
        redrawn += other != entry.event
        assert chosen_words(fold, entry._replace(event=other), seat, NAMES) == words
    assert redrawn or kind != "plate_spinner", "there, most moves are told with the dice that came"


def test_a_draw_is_told_by_what_came_and_a_decision_at_the_same_event_by_what_was_chosen() -> None:
    log = log_of("plate_spinner")
    rolled = next(entry for entry in log if entry.event[0] == "rolled")
    seat = rolled.event[1]
    found = words_of(log, [Place(rolled.version, seat), Place(rolled.version, None)], NAMES)
    frame = next(frame for frame in replay.frames(log, ALL) if frame.version == rolled.version)
    assert found[Place(rolled.version, None)][1] == "".join(
        part if isinstance(part, str) else NAMES[part["seat"]] for part in frame.parts
    )
    assert "rolled" not in found[Place(rolled.version, seat)][1]


def test_a_market_and_the_rolls_on_go_are_one_draw_and_told_together() -> None:
    log = log_of("plate_spinner")
    go = next(entry for entry in log if entry.event[0] == "go")
    steps = {frame.version: frame for frame in replay.frames(log, ALL)}
    words = words_of(log, [Place(go.version, None)], NAMES)[Place(go.version, None)]
    told = [plain_text(steps[each].parts, NAMES) for each in (go.version - 1, go.version)]
    assert words == (go.version, " ".join(told))


def test_a_seat_that_let_a_beat_pass_is_told_to_have_chosen_nothing() -> None:
    """The ledger counts it at an event that is not the seat's: the lot of the beat, or another seat's move."""
    log = log_of("plate_spinner")
    rolled = next(entry for entry in log if entry.event[0] == "rolled")
    beat = next(entry for entry in log if entry.event[0] == BEAT)
    gains = [0.1, -0.1]
    passed = [(beat.version, DECISION, 0, gains), (rolled.version, DECISION, 1 - rolled.event[1], gains)]
    assert moments_of(passed, log, NAMES) == []
    [moment] = moments_of([*passed, (rolled.version, DECISION, rolled.event[1], gains)], log, NAMES)
    assert moment.seat == rolled.event[1]


def test_each_step_is_one_that_the_list_and_the_viewer_have() -> None:
    """A beat's lot has no step of its own. The first move that it let through shows it."""
    log = log_of("plate_spinner")
    steps = {frame.version for frame in replay.frames(log, ALL)}
    lots = [Place(entry.version, None) for entry in log if entry.event[0] == BEAT and len(entry.event[2]) == 2]
    found = words_of(log, lots, NAMES)
    assert lots
    for lot in lots:
        step, words = found[lot]
        assert step in steps
        assert step == min(each for each in steps if each > lot.version)
        order = [NAMES[seat] for seat in log[lot.version - 1].event[2]]
        assert words == f"The lot decided who moves first. The order was: {', '.join(order)}."


def test_moments_are_the_largest_draws_and_decisions_and_nothing_that_nobody_decided() -> None:
    log = log_of("chinese_ten")
    made = [(entry.version, seat) for _fold, entry, seat in decisions(log)]
    (one, seat), (other, _), (third, _), (fourth, _) = made[:4]
    loser = 1 - seat
    found = moments_of(
        [
            (one, DECISION, seat, [0.04 if each == seat else -0.2 for each in (0, 1)]),
            (other, CHANCE, None, [0.05, -0.05]),
            (other, CHANCE, None, [0.05, -0.05]),
            (third, "unexplained", None, [0.5, -0.5]),
            (third, DECISION, loser, [0.0, 0.0]),
            (fourth, CHANCE, None, [0.004, -0.004]),
        ],
        log,
        NAMES,
    )
    assert [(each.version, each.seat, each.whose, round(each.gain, 3)) for each in found] == [
        (one, seat, seat, 0.04),
        (other, None, 0, 0.1),
    ]
    assert all(isinstance(each, Moment) and each.words for each in found)
