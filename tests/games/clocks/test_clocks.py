"""Clocks, which the server decides (docs/how-to/play.md): banks, days, hours, the cost of being late, and outages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games import tasks as games_tasks
from games.clocks import outages, vacations
from games.clocks import services as clocks
from games.clocks.models import Heartbeat, PlatformOutage
from games.clocks.reckoning import NETWORK_GRACE
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import Deal, Game, PendingBundle, Player
from games.play import beats
from games.play import services as play_services
from games.visibility import observe
from games.workers import runner
from replays.export import verification
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.terms import TERMS_SCHEMA, ZONES, terms_of
from tests.games.conftest import BuiltInBot, Person, at_once
from tests.games.racing_kind import Wink

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
MONDAY = datetime(2026, 1, 12, 12, tzinfo=UTC)


def open_game(
    players: list[Player],
    at: datetime = MONDAY,
    kind: str = "chinese_ten",
    options: dict[str, Any] | None = None,
    **terms: Any,
) -> Game:
    with clock.frozen_at(at):
        deal = Deal.objects.create(seed=bytes(range(32)))
        return play_services.open_game(
            kind=kind, players=players, options=options or {}, terms={"rated": False, **terms}, deal=deal
        )


@pytest.fixture
def two(person: Person) -> list[Player]:
    return [person("Martha"), person("Laura")]


@pytest.fixture
def three(person: Person) -> list[Player]:
    return [person(name) for name in ("Martha", "Laura", "Otto")]


def play(game: Game, at: datetime, seat: int | None = None, text: str | None = None) -> int:
    """Play a move at this time, by default the first legal one of the player whose turn it is. Return the seat."""
    fold = play_services.load_game(game)
    seat = fold.awaited()[0] if seat is None else seat
    with clock.frozen_at(at):
        text = text or visibility.legal_moves(fold, seat)[0]
        play_services.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
    return seat


def expire(game: Game, at: datetime) -> bool:
    game.refresh_from_db()
    with clock.frozen_at(at):
        return play_services.expire_clocks(game=game)


def events_of(game: Game) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)]


def expired(game: Game) -> list[int]:
    return [event[1] for event in events_of(game) if event[0] == ev.EXPIRED]


def seat_clock(game: Game, seat: int, at: datetime, viewer: visibility.Viewpoint = None) -> dict[str, Any]:
    facts: dict[str, Any] = clocks.clock_data(
        game, eventlog.read_log(game.stream_id), play_services.load_game(game), viewer, at
    )["seats"][seat]
    return facts


def refusal(call: Callable[[], object]) -> DomainError:
    with pytest.raises(DomainError) as caught:
        call()
    assert caught.value.sentence.endswith(".")
    return caught.value


# -- terms


def test_every_term_has_its_default_and_help_in_one_place() -> None:
    assert terms_of({}).plain() == {term.name: term.default for term in TERMS_SCHEMA}
    assert terms_of(terms_of({"move_seconds": 30}).plain()).move_seconds == 30
    assert all(term.help.endswith((".", "`.")) for term in TERMS_SCHEMA)
    assert {"Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC"} <= set(ZONES)


@pytest.mark.parametrize(
    ("terms", "option"),
    [
        ({"move_seconds": 60, "move_days": 1}, "move_days"),
        ({"bank_seconds": 60, "move_days": 1}, "bank_seconds"),
        ({"bank_seconds": -1}, "bank_seconds"),
        ({"move_days": 61}, "move_days"),
        ({"vacation_days": 5}, "vacation_days"),
        ({"weekend_pause": True, "move_seconds": 60}, "weekend_pause"),
        ({"zone": "Berlin"}, "zone"),
        ({"expiry": "nothing"}, "expiry"),
        ({"may_abort": True}, "may_abort"),
        ({"rated": None}, "rated"),
    ],
)
def test_terms_that_do_not_go_together_are_refused_by_name(
    two: list[Player], terms: dict[str, Any], option: str
) -> None:
    error = refusal(lambda: play_services.open_game(kind="plates", players=two, terms=terms))
    assert (error.code, error.extra["option"]) == ("bad_option", option)


def test_days_for_a_move_are_not_for_live_games(grab: str, two: list[Player]) -> None:
    error = refusal(lambda: play_services.open_game(kind=grab, players=two, terms={"pace": "live", "move_days": 1}))
    assert error.extra["option"] == "move_days"


# -- live: seconds for a move, and a bank


def test_a_bank_is_used_up_over_many_short_thinks(two: list[Player]) -> None:
    """There are ten seconds for a move and a minute in the bank. Martha takes 25 s each time, so her fifth move is her
    last."""
    game = open_game(two, move_seconds=10, bank_seconds=60)
    at = MONDAY
    thinks = 0
    while thinks < 4:
        slow = play_services.load_game(game).awaited() == [0]
        thinks += slow
        at += SECOND * (25 if slow else 1)
        play(game, at)
        assert seat_clock(game, 0, at)["bank_ms"] == 60_000 - 15_000 * thinks
    assert seat_clock(game, 1, at)["bank_ms"] == 60_000
    while play_services.load_game(game).awaited() != [0]:
        at += SECOND
        play(game, at)

    assert game.deadline == at + 10 * SECOND
    assert not expire(game, at + 10 * SECOND)
    assert expire(game, at + 10 * SECOND + NETWORK_GRACE)
    assert game.outcome
    assert game.outcome["placings"] == [2, 1]


def test_time_that_is_left_of_a_move_is_not_saved(two: list[Player]) -> None:
    game = open_game(two, move_seconds=10, bank_seconds=60)
    at = MONDAY
    for _ in range(6):
        at += SECOND
        play(game, at)
    assert [seat_clock(game, seat, at)["bank_ms"] for seat in (0, 1)] == [60_000, 60_000]
    assert game.deadline == at + 70 * SECOND


def test_a_bank_alone_is_the_time_of_the_whole_game(two: list[Player]) -> None:
    game = open_game(two, bank_seconds=60)
    play(game, MONDAY + 20 * SECOND)
    assert seat_clock(game, 0, MONDAY + 20 * SECOND)["bank_ms"] == 40_000
    while play_services.load_game(game).awaited() != [0]:
        play(game, MONDAY + 21 * SECOND)
    assert game.deadline == MONDAY + (21 + 40) * SECOND


def test_a_clock_counts_down_its_move_and_then_its_bank(two: list[Player]) -> None:
    game = open_game(two, move_seconds=10, bank_seconds=60)
    at = MONDAY + 4 * SECOND
    assert seat_clock(game, 0, at) == {
        "seat": 0,
        "running": True,
        "move_ms": 6_000,
        "bank_ms": 60_000,
        "deadline": MONDAY + 70 * SECOND,
        "paused": "",
    }
    assert (seat_clock(game, 0, MONDAY + 15 * SECOND)["move_ms"], seat_clock(game, 1, at)["running"]) == (0, False)
    assert seat_clock(game, 0, MONDAY + 15 * SECOND)["bank_ms"] == 55_000
    assert seat_clock(game, 0, MONDAY + 99 * SECOND)["bank_ms"] == 0


def test_who_moves_again_has_the_time_of_a_move_again_and_others_do_not(grab: str, two: list[Player]) -> None:
    """If several may act, each has a separate clock."""
    game = open_game(two, kind=grab, move_seconds=10, bank_seconds=5)
    play(game, MONDAY + 8 * SECOND, 0, "grab 1")

    assert seat_clock(game, 0, MONDAY + 8 * SECOND)["deadline"] == MONDAY + 23 * SECOND
    assert seat_clock(game, 1, MONDAY + 8 * SECOND)["deadline"] == MONDAY + 15 * SECOND == game.deadline
    play(game, MONDAY + 12 * SECOND, 1, "grab 2")
    assert seat_clock(game, 1, MONDAY + 12 * SECOND)["bank_ms"] == 3_000
    assert game.deadline == MONDAY + 23 * SECOND


def test_several_seats_whose_time_is_up_expire_together_in_the_order_in_which_it_was(
    grab: str, person: Person, three: list[Player]
) -> None:
    game = open_game([*three, person("Ines")], kind=grab, move_seconds=10)
    play(game, MONDAY + 5 * SECOND, 0, "grab 1")
    play(game, MONDAY + 2 * SECOND + 5 * SECOND, 2, "grab 2")

    assert expire(game, MONDAY + 16 * SECOND)
    assert expired(game) == [1, 3, 0]
    assert len({entry.ms for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.EXPIRED}) == 1
    assert game.status == Game.Status.PLAYING
    assert game.deadline == MONDAY + 17 * SECOND


def test_a_move_that_comes_after_the_time_is_answered_so_and_the_expiry_is_stored(two: list[Player]) -> None:
    game = open_game(two, move_seconds=10)
    error = refusal(lambda: play(game, MONDAY + 11 * SECOND))

    assert (error.status, error.code) == (409, "clock_expired")
    assert expired(game) == [0]
    assert Game.objects.get(pk=game.pk).status == Game.Status.FINISHED
    again = refusal(lambda: play(game, MONDAY + 12 * SECOND, 0, "lay K"))
    assert again.code == "game_over"


def test_a_live_move_may_be_on_its_way_for_a_moment(two: list[Player]) -> None:
    game = open_game(two, move_seconds=10, bank_seconds=1)
    late = MONDAY + 11 * SECOND + NETWORK_GRACE - timedelta(milliseconds=1)
    assert not expire(game, late)
    assert play(game, late) == 0
    assert seat_clock(game, 0, late)["bank_ms"] == 0


def test_a_machine_whose_clock_goes_back_gives_nobody_time(two: list[Player]) -> None:
    """Times in a log never decrease, so a player's clock does not run back either."""
    game = open_game(two, move_seconds=10, bank_seconds=60)
    play(game, MONDAY + 20 * SECOND)
    play(game, MONDAY + 5 * SECOND)
    assert [turn for turn in reckoned(game).turns if turn.ended < turn.begun] == []
    assert seat_clock(game, 0, MONDAY + 20 * SECOND)["bank_ms"] == 50_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", range(3))
def test_of_a_move_and_the_end_of_its_time_at_one_instant_exactly_one_counts(
    person: Person, three: list[Player], number: int
) -> None:
    game = open_game(three, at=clock.now() - timedelta(minutes=5), move_seconds=10)
    due = game.opened_at + 10 * SECOND
    fold = play_services.load_game(game)
    text = visibility.legal_moves(fold, 0)[0]

    def moving() -> object:
        own = Game.objects.get(pk=game.pk)
        with clock.frozen_at(due):
            return play_services.play_move(game=own, seat=0, text=text, expected_version=fold.version)

    def sweeping() -> object:
        own = Game.objects.get(pk=game.pk)
        with clock.frozen_at(due + NETWORK_GRACE):
            return play_services.expire_clocks(game=own)

    moved, swept = at_once(moving, sweeping)
    if isinstance(moved, DomainError):
        assert (moved.code, swept, expired(game)) == ("clock_expired", True, [0])
    else:
        assert (swept, expired(game)) == (False, [])
    assert len(eventlog.stored_batches(game.stream_id)) == 2


# -- what it costs


@pytest.mark.parametrize("expiry", ["random", "built_in_bot"])
def test_the_terms_may_let_a_move_be_made_in_place_of_who_ran_out(two: list[Player], expiry: str) -> None:
    game = open_game(two, move_seconds=10, bank_seconds=20, expiry=expiry)
    assert expire(game, MONDAY + 31 * SECOND)

    marks = [event[0] for event in events_of(game)]
    assert expired(game) == [0]
    assert marks.index(ev.EXPIRED) < len(marks) - 1
    assert ev.LEFT not in marks
    assert game.status == Game.Status.PLAYING
    assert seat_clock(game, 0, MONDAY + 31 * SECOND)["bank_ms"] == 0
    assert not expire(game, MONDAY + 31 * SECOND)
    assert play(game, MONDAY + 32 * SECOND) in (0, 1)


def test_a_late_move_is_told_that_another_was_made_in_its_place(grab: str, two: list[Player]) -> None:
    """The move would still be legal, but its time is over."""
    game = open_game(two, kind=grab, move_seconds=10, expiry="random")
    fold = play_services.load_game(game)
    free = [f"point {number}" for number in range(1, 10)]
    assert expire(game, MONDAY + 11 * SECOND)
    legal = next(text for text in free if text in visibility.legal_moves(play_services.load_game(game), 0))
    error = refusal(lambda: move_at(game, legal, fold.version, MONDAY + 22 * SECOND))

    assert error.code == "clock_expired"


def move_at(game: Game, text: str, version: int, at: datetime) -> None:
    with clock.frozen_at(at):
        play_services.play_move(game=game, seat=0, text=text, expected_version=version)


@pytest.mark.slow
def test_games_go_to_their_end_when_nobody_ever_moves(three: list[Player]) -> None:
    game = open_game(three, kind="plates", options={"rounds": 1}, move_seconds=10, expiry="built_in_bot")
    at = MONDAY
    while game.status == Game.Status.PLAYING:
        assert game.deadline
        at = game.deadline + NETWORK_GRACE
        assert expire(game, at)
    assert game.outcome
    assert game.outcome["termination"] == "rules"
    assert verification.check_game(game.pk) == []


# -- beats


def give(game: Game, seat: int, moves: list[str], at: datetime, beat: int = 1) -> beats.BundleReceipt:
    with clock.frozen_at(at):
        return beats.give_bundle(game=game, seat=seat, beat=beat, moves=moves)


def test_in_beats_a_bundle_stops_the_clock_and_what_it_cost_is_told_with_the_beat(
    grab: str, three: list[Player]
) -> None:
    game = open_game(three, kind=grab, pace="beats", move_seconds=10, bank_seconds=20)
    give(game, 0, ["grab 1"], MONDAY + 5 * SECOND)
    give(game, 1, ["grab 2"], MONDAY + 14 * SECOND)
    give(game, 1, ["grab 3"], MONDAY + 25 * SECOND)  # it replaces the first bundle, which ended the turn
    game.refresh_from_db()
    assert game.deadline == MONDAY + 30 * SECOND
    give(game, 2, ["grab 4"], MONDAY + 29 * SECOND)

    assert [event for event in events_of(game) if event[0] == ev.CHARGED] == [
        [ev.CHARGED, 1, 4_000],
        [ev.CHARGED, 2, 19_000],
    ]
    at = MONDAY + 29 * SECOND
    assert [seat_clock(game, seat, at)["bank_ms"] for seat in range(3)] == [20_000, 16_000, 1_000]
    assert game.deadline == at + 11 * SECOND


def test_nobody_but_the_table_learns_whose_bundle_is_there(grab: str, three: list[Player]) -> None:
    game = open_game(three, kind=grab, pace="beats", move_seconds=10)
    give(game, 0, ["grab 1"], MONDAY + 5 * SECOND)
    at = MONDAY + 6 * SECOND

    assert [seat_clock(game, seat, at, 1)["running"] for seat in range(3)] == [False, True, True]
    assert [seat_clock(game, seat, at)["running"] for seat in range(3)] == [True, True, True]


def test_a_bundle_that_comes_too_late_is_told_so(grab: str, three: list[Player]) -> None:
    game = open_game(three, kind=grab, pace="beats", move_seconds=10)
    error = refusal(lambda: give(game, 0, ["grab 1"], MONDAY + 11 * SECOND))
    assert error.code == "clock_expired"
    assert expired(game) == [0, 1, 2]
    assert not PendingBundle.objects.exists()


def test_bots_give_the_bundles_of_all_who_ran_out_and_the_beat_is_taken(
    grab: str, person: Person, built_in: BuiltInBot
) -> None:
    players = [person("Martha"), person("Laura"), built_in("random"), person("Otto")]
    game = open_game(players, kind=grab, pace="beats", move_seconds=10, expiry="random")
    give(game, 0, ["grab 7"], MONDAY + 5 * SECOND)
    assert expire(game, MONDAY + 11 * SECOND)

    assert expired(game) == [1, 3]
    took = events_of(game)
    assert [ev.BEAT, 1] in [event[:2] for event in took]
    grabbed = {event[1] for event in took if event[0] == "grabbed"}
    assert 0 in grabbed
    assert grabbed <= {0, 1, 2, 3}
    assert not PendingBundle.objects.exists()
    assert game.deadline == MONDAY + 21 * SECOND


def test_who_ran_out_first_in_a_beat_has_a_bundle_and_the_others_their_banks_still(
    grab: str, three: list[Player]
) -> None:
    game = open_game(three, kind=grab, pace="beats", move_seconds=10, bank_seconds=20, expiry="random")
    give(game, 1, ["grab 1"], MONDAY + 1 * SECOND)
    give(game, 2, ["grab 2"], MONDAY + 1 * SECOND)
    give(game, 0, ["grab 3"], MONDAY + 28 * SECOND)
    began = MONDAY + 28 * SECOND
    assert seat_clock(game, 0, began)["bank_ms"] == 2_000

    assert expire(game, began + 12 * SECOND + NETWORK_GRACE)
    assert expired(game) == [0]
    assert PendingBundle.objects.get().seat == 0
    assert game.deadline == began + 30 * SECOND
    assert not expire(game, began + 13 * SECOND)
    legal = visibility.legal_moves(play_services.load_game(game), 1)[0]
    give(game, 1, [legal], began + 14 * SECOND, beat=2)
    assert give(game, 2, [legal], began + 15 * SECOND, beat=2).waiting_for == []
    assert [event[1] for event in events_of(game) if event[0] == ev.BEAT] == [1, 2]
    assert [ev.CHARGED, 0, 2_000] in events_of(game)


# -- live pace, races, secrets


def test_live_clocks_begin_with_go(grab: str, two: list[Player]) -> None:
    game = open_game(two, kind=grab, pace="live", move_seconds=10)
    assert (
        clocks.clock_data(game, eventlog.read_log(game.stream_id), play_services.load_game(game), 0, MONDAY)["deadline"]
        == game.deadline
    )
    while not play_services.load_game(game).go:
        assert game.deadline
        go = game.deadline
        assert expire(game, go)
    assert game.deadline == go + 10 * SECOND
    assert seat_clock(game, 1, go)["running"]


def test_whoever_is_absent_in_a_live_game_loses_the_seat_while_the_others_play(grab: str, three: list[Player]) -> None:
    game = open_game(three, kind=grab, pace="live", move_seconds=10)
    for _ in range(2):
        assert game.deadline
        go = game.deadline
        expire(game, go)
    for seconds, number in ((4, 1), (8, 2), (12, 3)):
        with clock.frozen_at(go + SECOND * seconds):
            play_services.expire_clocks(game=game)
            for seat, what in ((0, f"grab {number}"), (1, f"point {number}")):
                play_services.play_move(game=game, seat=seat, text=what, expected_version=game.version)
    assert expired(game) == [2]
    assert game.seats.get(seat=2).left == "forfeited"


def test_a_secret_chance_has_no_clock_and_nobody_sees_one(wink: Wink, three: list[Player]) -> None:
    """Clocks are the same with and without a secret chance to act, such as that of PA-16."""
    found = []
    for wink.owner in (-1, 1):
        game = open_game(three, kind="wink", move_seconds=10, bank_seconds=5)
        at = MONDAY + SECOND
        before = [
            clocks.clock_data(game, eventlog.read_log(game.stream_id), play_services.load_game(game), viewer, at)
            for viewer in (0, 1, 2, None)
        ]
        play(game, at, 0, "grab 1")
        found.append(
            [
                before,
                [
                    clocks.clock_data(
                        game, eventlog.read_log(game.stream_id), play_services.load_game(game), viewer, at
                    )
                    for viewer in (0, 1, 2, None)
                ],
            ]
        )
    assert found[0] == found[1]


def test_the_public_sees_clocks_with_the_delay_with_which_it_watches(two: list[Player]) -> None:
    game = open_game(two, move_seconds=60, watch_delay=30)
    play(game, MONDAY + 20 * SECOND)
    with clock.frozen_at(MONDAY + 40 * SECOND):
        mine, theirs = observe.game_facts(game, 0)["clock"], observe.game_facts(game)["clock"]
    assert theirs["at"] == MONDAY + 10 * SECOND
    assert theirs["seats"][0]["move_ms"] == 50_000
    assert mine["at"] == MONDAY + 40 * SECOND
    assert mine["deadline"] == MONDAY + 80 * SECOND


def test_the_end_of_a_game_shows_in_its_clocks_no_sooner_than_elsewhere(two: list[Player]) -> None:
    game = open_game(two, move_seconds=60, watch_delay=30)
    with clock.frozen_at(MONDAY + 5 * SECOND):
        play_services.leave_game(game=game, seat=0, how="resigned")
    with clock.frozen_at(MONDAY + 34 * SECOND):
        assert observe.game_facts(game)["clock"]["seats"][0]["running"]
    with clock.frozen_at(MONDAY + 36 * SECOND):
        assert observe.game_facts(game)["clock"]["kind"] is None


def test_bots_beside_people_have_no_clock_and_cost_them_no_time(person: Person, built_in: BuiltInBot) -> None:
    with clock.frozen_at(MONDAY):
        game = open_game([built_in("random"), person("Martha")], move_seconds=60, bank_seconds=10)
    assert game.deadline is None
    with clock.frozen_at(MONDAY + HOUR):
        runner.play_due_games("one")
    game.refresh_from_db()
    assert game.deadline == MONDAY + HOUR + 70 * SECOND
    assert seat_clock(game, 1, MONDAY + HOUR)["bank_ms"] == 10_000


# -- correspondence


def berlin(**terms: Any) -> dict[str, Any]:
    return {"move_days": 1, "zone": "Europe/Berlin", **terms}


@pytest.mark.parametrize(
    ("begun", "terms", "due"),
    [
        ("2026-01-12 12:00", {}, "2026-01-13 12:00"),
        ("2026-01-16 12:00", {"weekend_pause": True}, "2026-01-19 12:00"),
        ("2026-01-12 12:00", {"playing_from": 8, "playing_to": 22}, "2026-01-13 12:00"),
        ("2026-01-12 23:00", {"playing_from": 8, "playing_to": 22}, "2026-01-13 21:00"),
        # clocks go forward on 29 March: with playing hours local time decides, without them a day has 24 hours
        ("2026-03-28 12:00", {"playing_from": 8, "playing_to": 22}, "2026-03-29 11:00"),
        ("2026-03-28 12:00", {}, "2026-03-29 12:00"),
        # clocks go back on 25 October
        ("2026-10-24 12:00", {"playing_from": 8, "playing_to": 22}, "2026-10-25 13:00"),
        ("2026-10-23 12:00", {"playing_from": 8, "playing_to": 22, "weekend_pause": True}, "2026-10-26 13:00"),
    ],
)
def test_days_for_a_move_end_when_the_hours_of_the_place_say(
    two: list[Player], begun: str, terms: dict[str, Any], due: str
) -> None:
    game = open_game(two, at=datetime.fromisoformat(begun + "+00:00"), **berlin(**terms))
    assert game.deadline == datetime.fromisoformat(due + "+00:00")
    assert not expire(game, game.deadline - timedelta(milliseconds=1))
    assert expire(game, game.deadline)


def test_outside_of_hours_a_clock_says_why_it_stands(two: list[Player]) -> None:
    game = open_game(two, **berlin(playing_from=8, playing_to=22, weekend_pause=True))
    for at, why in (("2026-01-12 20:00", ""), ("2026-01-12 22:00", "playing_hours"), ("2026-01-17 12:00", "weekend")):
        found = seat_clock(game, 0, datetime.fromisoformat(at + "+00:00"))
        assert (found["running"], found["paused"]) == (True, why)


def take(player: Player, start: date, end: date, at: datetime = MONDAY) -> Any:
    assert player.user
    with clock.frozen_at(at):
        return vacations.announce_vacation(user=player.user, start=start, end=end, zone="UTC")


def test_a_vacation_that_begins_in_mid_turn_stops_the_clock_of_that_person(two: list[Player]) -> None:
    """There are two days for a move. After half a day Martha is away for three days, and then has one and a half days
    left."""
    game = open_game(two, move_days=2, vacation_days=10)
    other = open_game(two, move_days=2)
    assert game.deadline == MONDAY + timedelta(days=2)
    take(two[0], date(2026, 1, 13), date(2026, 1, 15))

    game.refresh_from_db()
    other.refresh_from_db()
    assert game.deadline == MONDAY + timedelta(days=5)
    assert other.deadline == MONDAY + timedelta(days=2)
    away = seat_clock(game, 0, MONDAY + timedelta(days=1))
    assert (away["paused"], away["move_ms"]) == ("vacation", 1000 * 60 * 60 * 36)
    assert not expire(game, MONDAY + timedelta(days=4))
    play(game, MONDAY + timedelta(days=2))
    assert game.to_act == [0] or game.deadline == MONDAY + timedelta(days=4)  # Laura is not away


def test_a_vacation_that_is_cut_short_ends_with_the_day_and_clocks_run_again(two: list[Player]) -> None:
    game = open_game(two, move_days=2, vacation_days=10)
    vacation = take(two[0], date(2026, 1, 13), date(2026, 1, 20))
    assert two[0].user
    with clock.frozen_at(datetime(2026, 1, 14, 9, tzinfo=UTC)):
        cut = vacations.cut_short(user=two[0].user, vacation_id=vacation.pk)
    assert cut
    assert cut.end == date(2026, 1, 14)
    game.refresh_from_db()
    assert game.deadline == MONDAY + timedelta(days=4)


def test_a_vacation_that_has_not_begun_is_called_off_and_one_that_is_over_stays(two: list[Player]) -> None:
    game = open_game(two, move_days=2, vacation_days=10)
    user = two[0].user
    assert user
    vacation = take(two[0], date(2026, 1, 13), date(2026, 1, 14))
    with clock.frozen_at(MONDAY):
        assert vacations.cut_short(user=user, vacation_id=vacation.pk) is None
    game.refresh_from_db()
    assert game.deadline == MONDAY + timedelta(days=2)
    past = take(two[0], date(2026, 1, 13), date(2026, 1, 14))
    with clock.frozen_at(MONDAY + timedelta(days=9)):
        assert refusal(lambda: vacations.cut_short(user=user, vacation_id=past.pk)).code == "over"
        assert refusal(lambda: vacations.cut_short(user=user, vacation_id=0)).code == "not_found"


@pytest.mark.parametrize(
    ("start", "end", "code"),
    [
        (date(2026, 1, 12), date(2026, 1, 14), "too_late"),
        (date(2026, 1, 14), date(2026, 1, 13), "bad_days"),
        (date(2026, 2, 1), date(2027, 3, 1), "bad_days"),
        (date(2026, 2, 1), date(2026, 3, 3), "no_days_left"),
        (date(2026, 1, 20), date(2026, 1, 20), "overlapping"),
    ],
)
def test_a_vacation_is_taken_ahead_and_from_what_is_left_of_the_year(
    two: list[Player], start: date, end: date, code: str
) -> None:
    take(two[0], date(2026, 1, 19), date(2026, 1, 21))
    error = refusal(lambda: take(two[0], start, end))
    assert error.code == code


def test_a_vacation_over_new_year_takes_days_of_both_years(two: list[Player]) -> None:
    december = datetime(2026, 12, 1, tzinfo=UTC)
    take(two[0], date(2026, 12, 17), date(2027, 1, 15), december)
    error = refusal(lambda: take(two[0], date(2027, 2, 1), date(2027, 2, 16), december))
    assert (error.code, error.extra) == ("no_days_left", {"year": 2027, "days_left": 15})
    take(two[0], date(2027, 2, 1), date(2027, 2, 15), december)


def test_a_game_honours_as_many_days_of_a_year_as_its_terms_say(two: list[Player]) -> None:
    game = open_game(two, move_days=2, vacation_days=2)
    take(two[0], date(2026, 1, 13), date(2026, 1, 20))
    game.refresh_from_db()
    assert game.deadline == MONDAY + timedelta(days=4)


@pytest.mark.django_db(transaction=True)
def test_of_two_vacations_asked_for_at_once_only_what_is_left_is_given(two: list[Player]) -> None:
    answers = at_once(
        lambda: take(two[0], date(2026, 2, 1), date(2026, 2, 20)),
        lambda: take(two[0], date(2026, 3, 1), date(2026, 3, 20)),
    )
    assert [answer.code for answer in answers if isinstance(answer, DomainError)] == ["no_days_left"]


def test_who_is_away_when_a_game_is_opened_has_the_whole_time_afterwards(two: list[Player]) -> None:
    take(two[0], date(2026, 1, 13), date(2026, 1, 14))
    game = open_game(two, at=datetime(2026, 1, 13, 6, tzinfo=UTC), move_days=1, vacation_days=5)
    assert game.deadline == datetime(2026, 1, 16, tzinfo=UTC)


# -- outages of the platform


def signs(part: str, start: datetime, seconds: Iterable[int]) -> None:
    for each in seconds:
        outages.record_heartbeat(part, start + SECOND * each)


def test_an_outage_costs_nobody_time_and_live_clocks_stand_a_minute_longer(two: list[Player]) -> None:
    """There is no tick for twenty minutes, in the middle of Martha's minute."""
    game = open_game(two, move_seconds=60)
    signs(outages.BEAT_PART, MONDAY - 30 * SECOND, (0, 10, 20, 30, 40))
    back = MONDAY + timedelta(minutes=20)
    assert not expire(game, back)  # the outage is not recorded yet, but nobody loses time
    with clock.frozen_at(back):
        games_tasks.tick()

    game.refresh_from_db()
    assert expired(game) == []
    assert game.deadline == back + timedelta(seconds=60 - 10 + 60)
    assert seat_clock(game, 0, back)["paused"] == "outage"
    assert seat_clock(game, 0, back)["move_ms"] == 50_000
    assert PlatformOutage.objects.get().settled
    assert "beat" in Incident.objects.get().sentence
    signs(outages.BEAT_PART, back, range(10, 110, 10))
    assert not expire(game, game.deadline)
    assert expire(game, game.deadline + NETWORK_GRACE)


def test_correspondence_is_put_off_by_as_long_as_the_outage_was(two: list[Player]) -> None:
    game = open_game(two, move_days=1)
    signs(outages.WEB_PART, MONDAY, (0, 3 * 60 * 60))
    assert clocks.settle_outages() == 1
    assert clocks.settle_outages() == 0
    game.refresh_from_db()
    assert game.deadline == MONDAY + timedelta(hours=27)


def test_a_web_that_does_not_answer_is_an_outage_as_well(two: list[Player]) -> None:
    game = open_game(two, move_seconds=60)
    signs(outages.WEB_PART, MONDAY, (0,))
    signs(outages.BEAT_PART, MONDAY, range(0, 130, 10))
    assert not expire(game, MONDAY + 130 * SECOND)
    signs(outages.WEB_PART, MONDAY, (130,))
    assert not expire(game, MONDAY + 131 * SECOND)
    assert game.deadline == MONDAY + timedelta(seconds=130 + 60 + 60)


def test_a_move_in_an_outage_of_the_worker_counts_and_costs_no_bank(two: list[Player]) -> None:
    game = open_game(two, move_seconds=10, bank_seconds=60)
    signs(outages.BEAT_PART, MONDAY, (0,))
    play(game, MONDAY + 100 * SECOND)
    signs(outages.BEAT_PART, MONDAY, (110,))
    assert seat_clock(game, 0, MONDAY + 110 * SECOND)["bank_ms"] == 60_000


def test_a_short_silence_is_no_outage_and_a_sign_from_the_past_changes_nothing() -> None:
    signs(outages.BEAT_PART, MONDAY, (0, 5, 60, 30))
    assert not PlatformOutage.objects.exists()
    assert Heartbeat.objects.get().at == MONDAY + 60 * SECOND
    assert not outages.is_outage_at(MONDAY + 120 * SECOND)
    assert outages.is_outage_at(MONDAY + 121 * SECOND)


def test_a_beat_that_is_taken_while_the_worker_is_away_costs_no_bank(grab: str, two: list[Player]) -> None:
    game = open_game(two, kind=grab, pace="beats", move_seconds=10, bank_seconds=60)
    signs(outages.BEAT_PART, MONDAY, (0,))
    give(game, 0, ["grab 1"], MONDAY + 5 * SECOND)
    give(game, 1, ["grab 2"], MONDAY + 300 * SECOND)
    events = [event[0] for event in events_of(game)]
    assert ev.BEAT in events
    assert ev.CHARGED not in events


@pytest.mark.django_db(transaction=True)
def test_of_two_that_come_back_at_once_one_writes_the_outage_down() -> None:
    signs(outages.WEB_PART, MONDAY, (0,))
    at_once(*[lambda: outages.record_heartbeat(outages.WEB_PART, MONDAY + HOUR)] * 3)
    assert PlatformOutage.objects.count() == 1


# -- a fold of the log


def reckoned(game: Game) -> Any:
    found = clocks.clocks_of(Game.objects.get(pk=game.pk), eventlog.read_log(game.stream_id))
    assert found
    return found.reckoning


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    thinks=st.lists(st.tuples(st.integers(0, 45_000), st.integers(0, 1)), min_size=1, max_size=14),
    pace=st.sampled_from([(5, 100), (None, 300), (30, 0)]),
)
def test_no_time_is_lost_or_made(
    grab: str, person: Person, thinks: list[tuple[int, int]], pace: tuple[int | None, int]
) -> None:
    """The charged time is the time for which the clock ran. A bank never grows. The row agrees with the log however
    often the log is folded."""
    players = [Player.objects.create(name=name) for name in ("Martha", "Laura")]
    game = open_game(players, kind=grab, move_seconds=pace[0], bank_seconds=pace[1])
    at, banks = MONDAY, [pace[1] * 1000] * 2
    for ms, seat in thinks:
        at += timedelta(milliseconds=ms)
        fold = play_services.load_game(game)
        if fold.outcome() or (game.deadline and at > game.deadline + NETWORK_GRACE):
            break
        legal = visibility.legal_moves(fold, seat)[-1]
        play(game, at, seat, legal)
        shown = clocks.clock_data(game, eventlog.read_log(game.stream_id), play_services.load_game(game), None, at)
        now = [shown["seats"][each]["bank_ms"] for each in (0, 1)]
        assert all(later <= earlier for later, earlier in zip(now, banks, strict=True))
        banks = now

    found = clocks.clocks_of(game, eventlog.read_log(game.stream_id))
    assert found
    last = eventlog.read_events(game.stream_id)[-1].ms
    for seat in (0, 1):
        turns = [turn.ended - turn.begun for turn in found.reckoning.turns if turn.seat == seat]
        assert sum(turns) + last - found.reckoning.running.get(seat, last) == last
        allowance = (pace[0] or 0) * 1000
        spent = sum(max(0, each - allowance) for each in turns)
        assert found.bank(seat) == timedelta(milliseconds=max(0, pace[1] * 1000 - spent))
    for seat in found.reckoning.running:
        left = [found.clock(seat, at + SECOND * later) for later in (0, 1, 7, 40, 400)]
        sums = [each.move + each.bank for each in left]
        assert sums == sorted(sums, reverse=True)
        assert all(each.deadline == left[0].deadline for each in left)
    if game.status == Game.Status.PLAYING:
        assert game.deadline == found.deadline()
        before = game.deadline
        clocks.renew_deadline(game)
        assert game.deadline == before
