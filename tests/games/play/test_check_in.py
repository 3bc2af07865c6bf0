"""Games with a start time: no cards are dealt until everybody has checked in or the grace period is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import continuation
from games.play import services as play
from games.play.turn import turn_of
from games.workers import runner
from replays.export.verification import check_game
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot, Person, at_once

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
EIGHT = NOW + timedelta(minutes=30)
GRACE_END = EIGHT + timedelta(minutes=10)
COUNTDOWN = [ev.COUNTDOWN, COUNTDOWN_SECONDS]


def appointment(*players: Player, kind: str = "chinese_ten", **terms: Any) -> Game:
    """Return a live game between these players, opened at half past seven, that begins at eight."""
    wanted = {"move_seconds": 30, "check_in_minutes": 30, "rated": False, **terms}
    deal = Deal.objects.create(seed=bytes(range(32)))
    with clock.frozen_at(NOW):
        return play.open_game(kind=kind, players=players, terms=wanted, deal=deal, begins=EIGHT)


def comes(game: Game, seat: int, at: datetime) -> None:
    with clock.frozen_at(at):
        play.mark_ready(game=game, seat=seat)


def passes(game: Game, at: datetime) -> bool:
    """Check the clocks at this time, as the platform does every second. Return whether anything happened."""
    game.refresh_from_db()
    with clock.frozen_at(at):
        return play.expire_clocks(game=game)


def events(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)][1:]


@pytest.fixture
def two(person: Person) -> Game:
    return appointment(person("Martha"), person("Laura"))


def test_nothing_is_dealt_and_nobody_awaited_before_the_game_begins(two: Game) -> None:
    assert events(two) == [[ev.APPOINTED, 30 * 60 * 1000]]
    assert (two.begins_at, two.deadline, two.to_act, two.awaits_worker) == (EIGHT, GRACE_END, [], False)
    assert not passes(two, EIGHT)
    with clock.frozen_at(EIGHT), pytest.raises(DomainError) as refused:
        play.play_move(game=two, seat=0, text="lay K", expected_version=2)
    assert refused.value.code == "not_started"


def test_when_both_have_checked_in_the_game_begins_at_its_time(two: Game) -> None:
    comes(two, 1, NOW + timedelta(minutes=5))
    comes(two, 1, NOW + timedelta(minutes=6))  # a repeated check-in changes nothing
    assert turn_of(play.load_unit(two), 0)["before_go"] == {"ready": [1], "countdown": False, "begins_at": EIGHT}
    comes(two, 0, NOW + timedelta(minutes=20))
    assert two.deadline == EIGHT
    assert not passes(two, EIGHT - timedelta(seconds=1))
    assert passes(two, EIGHT)
    assert passes(two, EIGHT + timedelta(seconds=COUNTDOWN_SECONDS))
    assert events(two)[:5] == [[ev.APPOINTED, 1_800_000], [ev.READY, 1], [ev.READY, 0], COUNTDOWN, [ev.GO]]
    two.refresh_from_db()
    assert two.begins_at is None
    assert two.to_act
    assert two.deadline == EIGHT + timedelta(seconds=COUNTDOWN_SECONDS + 30)  # the clock runs from GO on


def test_who_comes_within_the_grace_is_waited_for_and_the_game_begins_at_once(two: Game) -> None:
    comes(two, 0, NOW)
    late = EIGHT + timedelta(minutes=9)
    assert not passes(two, late)
    comes(two, 1, late)
    assert events(two)[-1] == COUNTDOWN
    assert two.deadline == late + timedelta(seconds=COUNTDOWN_SECONDS)


def test_who_does_not_come_forfeits_a_game_for_two(two: Game) -> None:
    comes(two, 1, NOW)
    assert passes(two, GRACE_END)
    two.refresh_from_db()
    assert two.outcome
    assert (two.outcome["termination"], two.outcome["placings"]) == ("no_show", [2, 1])
    assert [seat.left for seat in two.seats.all()] == ["forfeited", ""]
    assert not passes(two, GRACE_END + timedelta(minutes=1))
    with clock.frozen_at(GRACE_END), pytest.raises(DomainError) as refused:
        play.mark_ready(game=two, seat=0)
    assert refused.value.code == "game_over"


def test_nobody_is_better_for_it_where_nobody_comes(two: Game) -> None:
    assert passes(two, GRACE_END)
    two.refresh_from_db()
    assert two.outcome
    assert two.outcome["placings"] == [1, 1]
    assert [seat.left for seat in two.seats.all()] == ["forfeited", "forfeited"]


def test_a_built_in_bot_plays_for_who_does_not_come_where_the_terms_say_so(person: Person) -> None:
    game = appointment(person("Martha"), person("Laura"), no_show="built_in_bot")
    comes(game, 0, NOW)
    assert passes(game, GRACE_END)
    assert events(game)[-3:] == [[ev.LEFT, 1, "forfeited"], [ev.TAKEN_OVER, 1, "sensible"], COUNTDOWN]
    assert passes(game, GRACE_END + timedelta(seconds=COUNTDOWN_SECONDS))
    with pytest.raises(DomainError) as refused:
        comes(game, 1, GRACE_END + timedelta(seconds=1))
    assert refused.value.code == "not_your_seat"
    with clock.frozen_at(GRACE_END + timedelta(seconds=4)):
        while game.status == Game.Status.PLAYING:
            runner.play_due_games("test")
            game.refresh_from_db()
            if game.status == Game.Status.PLAYING:
                fold = play.load_game(game)
                text = visibility.legal_moves(fold, 0)[0]
                play.play_move(game=game, seat=0, text=text, expected_version=fold.version)
    assert game.outcome
    assert game.outcome["placings"] == [1, 2]  # placed last, whatever the bot's result
    assert list(check_game(game.pk)) == []


def test_bots_need_not_check_in(person: Person, built_in: BuiltInBot) -> None:
    alone = appointment(built_in("random"), built_in("sensible"))
    assert alone.begins_at is None
    assert alone.awaits_worker
    mixed = appointment(built_in("random"), person("Martha"))
    comes(mixed, 1, NOW)
    assert mixed.deadline == EIGHT
    absent = appointment(built_in("random"), person("Otto"))
    assert passes(absent, GRACE_END)
    absent.refresh_from_db()
    assert absent.outcome
    assert absent.outcome["placings"] == [1, 2]


@pytest.mark.parametrize("leaver", ["built_in_bot", "end"])
def test_three_play_on_without_the_fourth_as_the_terms_have_it_for_leavers(person: Person, leaver: str) -> None:
    game = appointment(*map(person, ("Martha", "Laura", "Otto")), kind="plates", leaver=leaver)
    comes(game, 0, NOW)
    comes(game, 2, NOW)
    assert passes(game, GRACE_END)
    game.refresh_from_db()
    if leaver == "end":
        assert game.outcome
        assert game.outcome["placings"][1] == 3
    else:
        assert events(game)[-2:] == [[ev.TAKEN_OVER, 1, "sensible"], COUNTDOWN]


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("kind", "come"),
    [
        pytest.param(kind, come, marks=pytest.mark.slow if come == (0,) and kind != "plates" else ())
        for kind in sorted(KINDS)
        for come in ((), (0,), (0, 1))
    ],
)
def test_every_kind_waits_and_is_seen_and_verified(person: Person, kind: str, come: tuple[int, ...]) -> None:
    game = appointment(person("Martha"), person("Laura"), kind=kind)
    for seat in come:
        comes(game, seat, NOW)
    for viewer in (visibility.PUBLIC, 0, 1):
        assert visibility.observation(play.load_game(game), viewer)["ready"] == list(come)
    assert passes(game, EIGHT if len(come) == 2 else GRACE_END)
    if len(come) == 2:
        assert passes(game, EIGHT + timedelta(seconds=COUNTDOWN_SECONDS))
        play.leave_game(game=game, seat=0, how="resigned")
    game.refresh_from_db()
    assert game.status == Game.Status.FINISHED
    assert list(check_game(game.pk)) == []


def test_a_game_that_was_appointed_can_be_played_on_from(two: Game, person: Person) -> None:
    for seat in (0, 1):
        comes(two, seat, NOW)
    passes(two, EIGHT)
    passes(two, EIGHT + timedelta(seconds=COUNTDOWN_SECONDS))
    play.leave_game(game=two, seat=0, how="resigned")
    two.refresh_from_db()
    game, _ = continuation.continue_from(two, two.version - 2, 0, person("Otto"))
    assert game.begins_at is None
    play.leave_game(game=game, seat=0, how="resigned")
    assert list(check_game(game.pk)) == []


@pytest.mark.django_db(transaction=True)
def test_who_comes_at_the_very_last_moment_is_there_or_not_and_once(person: Person) -> None:
    game = appointment(person("Martha"), person("Laura"))
    comes(game, 0, NOW)

    def come() -> None:
        comes(Game.objects.get(pk=game.pk), 1, GRACE_END)

    def look() -> None:
        passes(Game.objects.get(pk=game.pk), GRACE_END)

    at_once(come, look, look)
    kinds = [event[0] for event in events(game)]
    assert kinds.count(ev.COUNTDOWN) + kinds.count(ev.ENDED) == 1
    assert (ev.LEFT in kinds) == (ev.ENDED in kinds)
