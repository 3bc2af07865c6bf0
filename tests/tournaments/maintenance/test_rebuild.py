"""`rebuild` finds no difference after a normal season, and finds every planted one (docs/explanation/event-log.md)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock, page_cache
from games.common.table_changes import tables_version
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Game, Seat
from games.play import game_rows
from tests.fixtures.saved_rows import restored
from tests.parameters import mostly_slow
from tests.tournaments.club import BEGIN, Start, play, play_all, play_season
from tournaments.activity import audit_log
from tournaments.director import director, record_results
from tournaments.maintenance import rebuild as rebuild_module
from tournaments.maintenance.rebuild import find_differences
from tournaments.maintenance.recorded_results import recorded_results
from tournaments.ratings import elo
from tournaments.ratings.models import Rating, RatingChange, RatingPool, Strength
from tournaments.seasons.events.registry import read_event
from tournaments.seasons.models import Bye, Division, Match, MatchEntrant, MatchGame, Round, Season
from tournaments.seasons.stream import append_events
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def played(transactional_db: None, request: pytest.FixtureRequest) -> Season:
    """Return the second of two finished seasons."""
    restored("played", lambda: play_both(request.getfixturevalue("running")))
    return Season.objects.latest("pk")


def play_both(running: Start) -> None:
    play_season(running(3, name="Plates", kind="plates", table_size=3, options={"rounds": 1, "turn_limit": 20}))
    play_season(running(4))


def check() -> tuple[int, list[str]]:
    """Return (exit code, lines) of a comparison."""
    return rebuild("--check")


def rebuild(*options: str) -> tuple[int, list[str]]:
    """Run the command, and return (exit code, lines)."""
    out, code = StringIO(), 0
    try:
        call_command("rebuild", *options, stdout=out, stderr=StringIO())
    except SystemExit as left:
        code = int(left.code or 0)
    return code, out.getvalue().splitlines()


def test_honest_seasons_have_no_differences(played: Season) -> None:
    assert check() == (0, ["no differences"])


def test_season_in_the_middle_of_a_round_has_no_differences(running: Start) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        record_results.record_results(season=season)
    assert check() == (0, ["no differences"])


@pytest.mark.slow
def test_cup_with_a_round_half_played_has_no_differences(running: Start) -> None:
    running(8, format="knockout")
    for minutes in (0, 0, 1):
        with clock.frozen_at(BEGIN + timedelta(minutes=minutes)):
            director.advance()
            if not Round.objects.filter(number=2).exists():
                play_all()
    chooser = random.Random(0)
    for one in Match.objects.get(round__number=2, table=1).games.select_related("game"):
        play(one.game, chooser)
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
    over = Match.objects.filter(round__number=2).values_list("finished_at", flat=True)
    assert any(over)
    assert not all(over)
    assert check() == (0, ["no differences"])


def plant_points(season: Season) -> None:
    Standing.objects.filter(entrant__division__season=season, place=1).update(points=F("points") + 1)


def plant_arithmetic(season: Season) -> None:
    standing = Standing.objects.filter(entrant__division__season=season).earliest("pk")
    standing.row["lines"][0]["result"] = "W?"
    standing.save()


def plant_missing_standing(season: Season) -> None:
    Standing.objects.filter(entrant__division__season=season).earliest("pk").delete()


def plant_rows_out_of_order(season: Season) -> None:
    last = Standing.objects.filter(division__season=season).latest("position")
    Standing.objects.filter(pk=last.pk).update(position=0)


def plant_standing_elsewhere(season: Season) -> None:
    """Move a row to the table of another division."""
    other = Division.objects.exclude(season=season).earliest("pk")
    Standing.objects.filter(division__season=season, position=2).update(division=other)


def plant_match_points(season: Season) -> None:
    one = MatchEntrant.objects.filter(match__round__division__season=season).earliest("pk")
    MatchEntrant.objects.filter(pk=one.pk).update(points=7)


def plant_rating(season: Season) -> None:
    Rating.objects.filter(pool__kind=season.kind).update(rating=F("rating") + 0.01)


def plant_change(season: Season) -> None:
    change = RatingChange.objects.filter(pool__kind=season.kind).earliest("pk")
    RatingChange.objects.filter(pk=change.pk).update(after=1999)


def plant_missing_change(season: Season) -> None:
    RatingChange.objects.filter(pool__kind=season.kind).earliest("pk").delete()


def plant_strength(season: Season) -> None:
    Strength.objects.filter(entrant__division__season=season, place=1).update(rating=F("rating") + 1)


def plant_missing_strength(season: Season) -> None:
    Strength.objects.filter(entrant__division__season=season).earliest("pk").delete()


def plant_chances(season: Season) -> None:
    one = Strength.objects.filter(entrant__division__season=season).earliest("pk")
    one.chances[0][1] += 0.01
    one.save()


def plant_status(season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(status="running")


def plant_pool(season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(pool="people")


def plant_round(season: Season) -> None:
    Round.objects.filter(division__season=season, number=1).update(status="open")


def plant_delay(season: Season) -> None:
    Season.objects.filter(pk=season.pk).update(delay_seconds=60)


def plant_entrant(season: Season) -> None:
    season.entries.filter(number=1).update(status="withdrawn", away=[3])


def plant_game(season: Season) -> None:
    game = Game.objects.filter(match_game__match__round__division__season=season).earliest("pk")
    Game.objects.filter(pk=game.pk).update(status="playing", version=3, outcome=None, finished_at=None)


def plant_seat(season: Season) -> None:
    game = Game.objects.filter(match_game__match__round__division__season=season).earliest("pk")
    Seat.objects.filter(game=game, seat=1).update(score=None, placing=7, left="resigned")


Plant = Callable[[Season], None]
REPAIRABLE: dict[Plant, str] = {
    plant_game: "its row says version 3, its log ",
    plant_seat: "the row of seat 1 says score None, its log ",
    plant_points: ", standing ",
    plant_arithmetic: ": row differs from the log.",
    plant_missing_standing: ": the row is missing.",
    plant_rows_out_of_order: ": position is 0 in the row, ",
    plant_standing_elsewhere: ": division_id is ",
    plant_match_points: "points is 7.0 in the row, ",
    plant_rating: " games, not ",
    plant_change: "→ 1999.000, not 1500.000 →",
    plant_missing_change: "has no change, not 1500.000 →",
    plant_strength: ": rating is ",
    plant_missing_strength: ": the row is missing.",
    plant_chances: ": chances ",
    plant_status: "status is 'running' in the row, 'finished' by the log.",
    plant_pool: "pool is 'people' in the row, 'bots' by the log.",
    plant_delay: "delay_seconds is 60 in the row, 0 by the log.",
    plant_entrant: "entrant 1: status is 'withdrawn' in the row, 'in' by the log.",
    plant_round: "round 1, 1, 0: status is 'open' in the row, 'closed' by the log.",
}


# Planted together, because each comparison reads everything: in no group does one hide another.
PLANTED = {
    "a row of each table": (
        *(plant_game, plant_points, plant_match_points, plant_rating, plant_change),
        *(plant_strength, plant_status, plant_entrant, plant_round),
    ),
    "other columns, and missing rows": (plant_seat, plant_arithmetic, plant_missing_change, plant_missing_strength),
    "a missing row of the standings": (plant_missing_standing, plant_chances, plant_pool, plant_delay),
    "the order of rows": (plant_rows_out_of_order,),
    "a row elsewhere": (plant_standing_elsewhere,),
}


def test_each_difference_is_planted() -> None:
    assert Counter(plant for plants in PLANTED.values() for plant in plants) == Counter(REPAIRABLE.keys())


@pytest.mark.some(1)
@pytest.mark.parametrize("plants", mostly_slow(PLANTED.values(), [*PLANTED.values()][::2]), ids=PLANTED)
def test_planted_differences_are_found_named_and_repaired(played: Season, plants: Sequence[Plant]) -> None:
    for plant in plants:
        plant(played)
    code, lines = check()
    assert code == 1
    assert [plant for plant in plants if not any(REPAIRABLE[plant] in line for line in lines[:-1])] == [], lines
    assert lines[-1].startswith("differences: ")
    code, lines = rebuild()
    assert (code, lines[-1].endswith("; the rows are corrected")) == (0, True)
    assert check() == (0, ["no differences"])


def test_result_that_the_games_own_log_does_not_bear_out_is_found(played: Season) -> None:
    """A forged result stands in the season's log. The log itself is not repaired."""
    first = next(entry.event for entry in eventlog.read_events(played.stream_id) if entry.event[0] == "game_recorded")
    forged = [*first[:3], first[3] | {"scores": [999, 0]}]
    append_events(played.stream, [read_event(forged)], BEGIN)
    code, lines = check()
    assert code == 1
    public_id = Game.objects.get(pk=first[3]["game"]).public_id
    assert any(f"({public_id}): the season's log has the scores [999, 0]" in line for line in lines)


def exchange_seats(season: Season) -> None:
    one, other = Seat.objects.filter(game__match_game__match__round__division__season=season).order_by("game", "seat")[
        :2
    ]
    for seat, player in ((one, other.player_id), (other, one.player_id)):
        Seat.objects.filter(pk=seat.pk).update(player=player)


def exchange_entrants(season: Season) -> None:
    """Append a forged result to the season's log, in which the entrants of the two seats are exchanged."""
    first = next(entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] == "game_recorded")
    forged = [*first[:3], first[3] | {"seats": first[3]["seats"][::-1]}]
    append_events(season.stream, [read_event(forged)], BEGIN)


def exchange_sides(season: Season) -> None:
    one, other = MatchEntrant.objects.filter(match__round__division__season=season).order_by("match_id", "order")[:2]
    MatchEntrant.objects.filter(pk=one.pk).update(order=9)
    MatchEntrant.objects.filter(pk=other.pk).update(order=one.order)
    MatchEntrant.objects.filter(pk=one.pk).update(order=other.order)


def exchange_games(season: Season) -> None:
    one, other = MatchGame.objects.filter(match__round__division__season=season).order_by("match_id", "number")[:2]
    MatchGame.objects.filter(pk=one.pk).update(number=9)
    MatchGame.objects.filter(pk=other.pk).update(number=one.number)
    MatchGame.objects.filter(pk=one.pk).update(number=other.number)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exchange", "found"),
    [
        (exchange_seats, "by the season's log the players"),
        pytest.param(exchange_entrants, "by the season's log the players", marks=pytest.mark.slow),
        pytest.param(exchange_sides, "order is 1 in the row, 0 by the log.", marks=pytest.mark.slow),
        (exchange_games, "number is 2 in the row, 1 by the log."),
    ],
)
def test_exchanged_players_are_found(played: Season, exchange: Plant, found: str) -> None:
    exchange(played)
    code, lines = check()
    assert code == 1
    assert any(found in line for line in lines), lines


def damage(stream: Stream) -> None:
    """Make the stream's first batch unreadable, as a bad disk would."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE batch DISABLE TRIGGER batch_is_append_only")
        cursor.execute("UPDATE batch SET body = 'x' WHERE stream_id = %s AND seq = 0", [stream.pk])
        cursor.execute("ALTER TABLE batch ENABLE TRIGGER batch_is_append_only")


def test_damaged_logs_are_told_and_the_others_are_put_right(played: Season) -> None:
    other = Season.objects.earliest("pk")
    game = Game.objects.filter(match_game__match__round__division__season=played).earliest("pk")
    damage(other.stream)
    damage(game.stream)
    plant_points(played)
    code, lines = rebuild()
    assert code == 1
    assert f"Game {game.public_id}: its log can't be read (ValueError: " in lines[0]
    assert f"{other}: it can't be computed from its log (ValueError: " in lines[1]
    assert any(", standing " in line for line in lines)
    assert "; 2 logs can't be read: `verify --all` says where; the rows are corrected" in lines[-1]
    code, lines = check()
    assert any(f"game 1 ({game.public_id}): its own log can't be read (ValueError: " in line for line in lines)
    assert "; 2 logs can't be read: `verify --all` says where" in lines[-1]
    assert (code, len(lines)) == (1, 4), "the two logs, the result that can't be compared, and what it came to"


@pytest.mark.slow
def test_a_pools_damaged_log_is_told(played: Season) -> None:
    damage(RatingPool.objects.get(kind="plates").stream)
    code, lines = check()
    assert code == 1
    assert "Rating pool Plates: bots: it can't be computed from its log (ValueError: " in lines[0]
    assert lines[1:] == ["differences: 1; 1 log can't be read: `verify --all` says where"]


@pytest.mark.slow
def test_rated_game_that_no_round_calls_for_is_found(played: Season) -> None:
    pool = RatingPool.objects.select_related("stream").get(kind="chinese_ten")
    twice = eventlog.read_events(pool.stream_id)[0].event
    append_events(pool.stream, [elo.read_rating_event(twice)], BEGIN)
    code, lines = check()
    assert code == 1
    assert f"the event {twice} stands in its log and no closed round calls for it." in lines[0]


def test_a_rated_game_that_a_pool_lacks_is_found(running: Start) -> None:
    play_season(running(2))
    pool = RatingPool.objects.select_related("stream").get()
    lost, *events = [entry.event for entry in eventlog.read_events(pool.stream_id)]
    stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=BEGIN)
    append_events(stream, [elo.read_rating_event(event) for event in events], BEGIN)
    RatingPool.objects.filter(pk=pool.pk).update(stream=stream)
    assert f"a closed round calls for the event {lost}; its log lacks it." in check()[1][0]


def test_games_rated_out_of_order_are_found(running: Start) -> None:
    play_season(running(2))
    pool = RatingPool.objects.select_related("stream").get()
    events = [elo.read_rating_event(entry.event) for entry in eventlog.read_events(pool.stream_id)]
    stream = eventlog.create(subject=Stream.Subject.RATING_POOL, at=BEGIN)
    append_events(stream, events[::-1], BEGIN)
    RatingPool.objects.filter(pk=pool.pk).update(stream=stream)
    assert "rated out of the order of their rounds: [4, 3, 2, 1]" in check()[1][0]


@pytest.mark.slow
def test_lost_pool_is_found(played: Season) -> None:
    for rows in (RatingChange, Rating, RatingPool):
        rows.objects.filter(**{"kind" if rows is RatingPool else "pool__kind": "plates"}).delete()
    assert check()[1][0] == "Rating pool plates, bots is missing; 6 games belong to it."


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (
            lambda season: Match.objects.filter(round__division__season=season).update(slot="W9"),
            "slot is 'W9' in the row, '' by the log.",
        ),
        (
            lambda season: Bye.objects.filter(round__division__season=season).delete(),
            ": the row is missing.",
        ),
        (lambda season: season.entries.filter(number=3).update(number=9), "entrant 3: the row is missing."),
        (
            lambda season: Season.objects.filter(pk=season.pk).update(settings={**season.settings, "max_no_shows": 2}),
            "settings is {'max_no_shows': 2} in the row, {'max_no_shows': 0} by the log.",
        ),
    ],
    ids=["slot", "bye", "entrant", "settings"],
)
def test_row_changed_by_hand_is_found_and_repaired(running: Start, plant: Plant, found: str) -> None:
    season = running(3)
    with clock.frozen_at(BEGIN):
        director.advance()
    plant(season)
    assert any(found in line for line in check()[1])
    rebuild()
    assert check() == (0, ["no differences"])


def as_others_read(season: Season) -> list[Any]:
    """Return what the API says about a season, read over another connection to the database, and not from a cache."""
    caches[page_cache.CACHE].clear()

    def read() -> list[Any]:
        parts = ("", "entrants/", "rounds/", "standings/")
        try:
            return [Client().get(f"/api/v1/seasons/{season.pk}/{part}").json() for part in parts]
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        return other.submit(read).result()


def test_whoever_reads_during_a_rebuild_sees_all_of_before_or_all_of_after(
    played: Season, monkeypatch: pytest.MonkeyPatch
) -> None:
    after = as_others_read(played)
    for plant in (plant_status, plant_entrant, plant_round, plant_points):  # the first and the last tables written
        plant(played)
    before = as_others_read(played)
    assert all(one != other for one, other in zip(before, after, strict=True))
    during = []

    def last_step(season: Season, *_log: Any, **_how: Any) -> list[str]:
        """Read as others do when all other rows of the season are written."""
        during.append(as_others_read(played))
        return []

    monkeypatch.setattr(audit_log, "action_differences", last_step)
    assert len(list(find_differences(write=True))) >= 4
    assert during == [before, before], "of both seasons"
    assert as_others_read(played) == after


def test_a_rebuild_renders_pages_again(played: Season) -> None:
    before = tables_version()
    assert list(find_differences()) == []
    assert tables_version() == before
    assert list(find_differences(write=True)) == []
    assert tables_version() != before


@pytest.mark.parametrize("plant", [plant_game, plant_points, plant_rating], ids=lambda plant: plant.__name__)
def test_a_rebuild_that_is_stopped_after_a_repair_renders_pages_again(played: Season, plant: Plant) -> None:
    plant(played)
    before = tables_version()
    next(find_differences(write=True))
    assert tables_version() != before


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let several processes have something to do in a small database."""
    monkeypatch.setattr(game_rows, "GAMES_AT_ONCE", 5)
    monkeypatch.setattr(rebuild_module, "PART_GAMES", 2)
    monkeypatch.setattr(rebuild_module, "MATCH_BATCH_SIZE", 1)


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_pieces")
def test_several_processes_find_the_same_differences_in_the_same_order_and_repair_them(played: Season) -> None:
    for plant in (plant_game, plant_seat, plant_points, plant_arithmetic, plant_rating, plant_missing_change):
        plant(played)
    damage(Season.objects.earliest("pk").stream)
    alone = list(find_differences())
    assert len(alone) > 8
    assert list(find_differences(processes=3)) == alone
    repaired = list(find_differences(write=True, processes=3))
    assert sorted(repaired) == sorted(alone)
    assert [type(each).__name__ for each in find_differences(processes=3)] == ["UnreadableLog"]


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("processes", [1, 3])
def test_a_fault_in_any_part_of_a_season_is_found(
    played: Season, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    last, recorded = Match.objects.filter(round__division__season=played).latest("pk").pk, recorded_results

    def failing(season: Season, state: Any, matches: Sequence[Any]) -> Any:
        if any(match.id == last for match in matches):
            raise KeyError("entrant")
        return recorded(season, state, matches)

    monkeypatch.setattr(rebuild_module, "recorded_results", failing)
    assert [type(each).__name__ for each in find_differences(processes=processes)] == ["UnreadableLog"]


@pytest.mark.slow
@pytest.mark.usefixtures("in_small_pieces")
def test_all_processes_see_the_database_as_it_stood_at_one_moment(played: Season) -> None:
    """What others write meanwhile is no difference: neither in this process nor in those that it starts."""
    changed = False

    def write(_progress: str) -> None:
        nonlocal changed
        if not changed:
            changed = True
            with ThreadPoolExecutor(1) as other:
                other.submit(in_another_session, plant_points, played).result()

    assert list(find_differences(progress=write, processes=2)) == []
    assert any(", standing " in each for each in find_differences())


def in_another_session(plant: Plant, season: Season) -> None:
    try:
        plant(season)
    finally:
        connection.close()


def test_the_log_of_each_game_is_read_once(played: Season) -> None:
    """Its rows and the result in the season's log are compared after one reading."""
    with CaptureQueriesContext(connection) as asked:
        assert list(find_differences()) == []
    of_games = [query["sql"] for query in asked if "FROM batch WHERE stream_id = ANY" in query["sql"]]
    streams = Counter(stream for sql in of_games for stream in re.findall(r"\{(.*?)\}", sql)[0].split(","))
    assert set(streams.values()) == {1}
    assert len(streams) == Game.objects.count()


def test_nothing_is_written_without_being_asked_to(played: Season) -> None:
    plant_points(played)
    before = list(Standing.objects.values_list())
    check()
    assert list(Standing.objects.values_list()) == before


def test_ratings_are_the_fold_of_the_pools_stream(played: Season) -> None:
    for pool in RatingPool.objects.all():
        folded, changes = elo.fold_ratings(
            elo.read_rating_event(entry.event) for entry in eventlog.read_events(pool.stream_id)
        )
        rows = Rating.objects.filter(pool=pool)
        assert {row.player_id: (row.rating, row.games) for row in rows} == {
            player: (one.rating, one.games) for player, one in folded.items()
        }
        assert RatingChange.objects.filter(pool=pool).count() == len(changes)


def test_database_is_read_as_it_stood_at_one_moment(played: Season) -> None:
    seen = []

    def look(what: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_isolation")
            seen.append(cursor.fetchone()[0])

    assert list(find_differences(progress=look)) == []
    assert set(seen) == {"repeatable read"}
