"""The director on a real database: every step happens once, whole or not at all, whoever calls it and how often."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from weakref import WeakSet

import pytest
from django.apps import apps
from django.db import connection

from config.celery import app
from config.logs import ContextFilter, record_ids
from games.common import clock
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.models import BotVersion, Game, Player, Seat
from games.play import services as play_services
from scorebook_games.presentation.coded_text import text
from tests.factories import worlds
from tests.tournaments.club import BEGIN, Start, play, play_all, play_season
from tournaments import tasks as league_tasks
from tournaments.director import close_rounds, director, open_rounds, record_results
from tournaments.ratings import rated_events
from tournaments.ratings.models import Rating, RatingChange, RatingPool
from tournaments.seasons.models import Bye, Entrant, League, Match, MatchEntrant, MatchGame, Round, Season
from tournaments.seasons.row_writer import SeasonRows
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)  # for tests that need commits: threads, messages, deaths

CALLERS = 6


def events(season: Season, kind: str) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] == kind]


def at_once(call: Callable[[], Any]) -> list[Any]:
    """Return the results of `call` for six simultaneous callers, each with a connection of its own."""
    start = threading.Barrier(CALLERS)
    answers: list[Any] = []
    failed: list[Exception] = []

    def one() -> None:
        try:
            with clock.frozen_at(BEGIN):
                start.wait()
                answers.append(call())
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=one) for _ in range(CALLERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    return answers


def everything() -> dict[str, str]:
    """Return table → a digest of its rows, for the games' and the league's tables. The query is prepared, because
    planning takes far longer than running it."""
    with connection.cursor() as cursor:
        if connection.connection not in prepared:
            models = [model for model in apps.get_models() if model.__module__.startswith(("games.", "tournaments."))]
            asked = " UNION ALL ".join(
                f"SELECT '{table}', md5(coalesce(string_agg(row::text, '|' ORDER BY row::text), '')) FROM {table} row"
                for table in sorted(model._meta.db_table for model in models if model is not Incident)
            )
            cursor.execute(f"PREPARE everything AS {asked}")
            prepared.add(connection.connection)
        cursor.execute("EXECUTE everything")
        return dict(cursor.fetchall())


prepared: WeakSet[Any] = WeakSet()  # connections with the statement of `everything`


class Killed(BaseException):
    """The exception that stands for the death of a process."""


@contextmanager
def killed_after_writes(number: int) -> Iterator[None]:
    """Kill the block at its first statement to the database after so many that write (0 …). The end of a savepoint
    counts as one, because rows may have been copied into a table before."""
    written = 0

    def count(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal written
        if written == number:
            raise Killed
        written += sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE", "WITH", "RELEASE"))
        return execute(sql, *rest)

    with connection.execute_wrapper(count):
        yield


def assert_whole_or_not_at_all(step: Callable[[], Any]) -> None:
    """Kill `step` before its first statement, and after each that writes: nothing of it remains, until all of it does.
    Between two of them, the database holds the same.

    A step that is killed after its commit is done; only messages follow.
    """
    before = everything()
    for number in range(200):
        try:
            with killed_after_writes(number):
                assert step()
        except Killed:
            if everything() == before:
                continue
        assert number > 5
        assert not step()
        return
    raise AssertionError("The step does not end.")


def test_round_is_opened_with_its_pairings_and_games(running: Start) -> None:
    season = running(5)
    with clock.frozen_at(BEGIN):
        assert open_rounds.open_round(division=season.divisions.get())
    assert (Round.objects.count(), Match.objects.count(), Bye.objects.count(), Game.objects.count()) == (1, 2, 1, 4)
    [[_, division, number, tables, byes, closes]] = events(season, "round_paired")
    assert (division, number, len(byes), closes) == (1, 1, 1, None)
    for match_id, entrants, reason, games, _slot in tables:
        match = Match.objects.get(pk=match_id)
        assert [one.entrant.number for one in match.entrants.all()] == entrants
        assert [one.game_id for one in match.games.all()] == games
        assert reason == match.reason
        assert match.reason_text


def test_seats_rotate_from_game_to_game(running: Start) -> None:
    season = running(3, kind="plates", table_size=3, options={"rounds": 1, "turn_limit": 20})
    with clock.frozen_at(BEGIN):
        director.advance()
    match = Match.objects.get()
    first = [one.entrant.player_id for one in match.entrants.all()]
    seated = [list(one.game.seats.values_list("player", flat=True)) for one in match.games.all()]
    assert seated == [first, first[1:] + first[:1], first[2:] + first[:2]]
    assert season.games_a_match == 3


def test_games_are_opened_with_the_seasons_options_and_terms(running: Start) -> None:
    running(2, options={"packs": 1}, terms={"rated": False})
    with clock.frozen_at(BEGIN):
        director.advance()
    for game in Game.objects.all():
        assert game.options == {"packs": 1, "turn_limit": 400}
        assert game.terms["rated"] is False


def test_next_round_opens_at_its_time_and_not_before(running: Start) -> None:
    season = running(4, calendar={"seconds": 60})
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(seconds=59)):
        assert director.advance() == 0
        assert not open_rounds.open_round(division=season.divisions.get())
    with clock.frozen_at(BEGIN + timedelta(seconds=60)):
        director.advance()
    assert list(Round.objects.values_list("number", "status")) == [(1, "closed"), (2, "open")]


def test_round_waits_for_its_last_game(running: Start) -> None:
    running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        first, last = Game.objects.order_by("pk")
        play(first, random.Random(1))
        director.advance()
        assert Round.objects.get().status == "open"
        assert Match.objects.get().finished_at is None
        assert not close_rounds.close_round(round=Round.objects.get())
        play(last, random.Random(1))
        director.advance()
    assert Round.objects.get().status == "closed"
    assert Match.objects.get().finished_at == BEGIN
    assert sum(one.points or 0 for one in MatchEntrant.objects.all()) == 1


def test_result_goes_into_the_seasons_log_with_the_head_of_the_games(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    for (_, match, number, result), one in zip(events(season, "game_recorded"), MatchGame.objects.all(), strict=True):
        assert (match, number, result["game"]) == (one.match_id, one.number, one.game_id)
        assert result["head"] == bytes(one.game.stream.head).hex()
        assert result["scores"] == [seat.score for seat in one.game.seats.all()]
        assert result["placings"] == [seat.placing for seat in one.game.seats.all()]
        assert result["seats"] == ([1, 2] if one.game.seats.get(seat=0).player.entries.get().number == 1 else [2, 1])


@pytest.mark.slow
def test_whole_season_is_played_to_its_end(running: Start) -> None:
    season = play_season(running(4))
    assert season.finished_at is not None
    assert [
        len(events(season, kind)) for kind in ("round_paired", "game_recorded", "round_closed", "season_finished")
    ] == [6, 24, 6, 1]
    places = dict(Standing.objects.values_list("entrant__number", "place"))
    ranked = sorted(places.items(), key=lambda item: item[1])
    assert events(season, "season_finished") == [["season_finished", 1, [list(item) for item in ranked]]]
    assert sorted(places.values()) == [1, 2, 3, 4]
    assert sum(Rating.objects.values_list("rating", flat=True)) == pytest.approx(4 * 1500)
    with clock.frozen_at(BEGIN + timedelta(days=9)):
        assert director.advance() == 0


def test_swiss_season_is_played_to_its_end_and_a_bye_is_a_win(running: Start) -> None:
    season = play_season(running(5, format="swiss", games_a_match=1))
    assert season.points["bye"] == 1
    paired = events(season, "round_paired")
    assert len(paired) == 3
    met = [frozenset(entrants) for _, _, _, tables, *_ in paired for _, entrants, *_ in tables]
    assert len(set(met)) == len(met) == 6
    resting = [entrant for _, _, _, _, byes, *_ in paired for entrant, *_ in byes]
    assert len(set(resting)) == 3
    assert all(text(reason).endswith(".") for _, _, _, tables, *_ in paired for _, _, reason, *_ in tables)


def test_rounds_are_rated_when_they_close_in_schedule_order(running: Start) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        record_results.record_results(season=season)
        assert not RatingChange.objects.exists()
        director.advance()
    pool = RatingPool.objects.get()
    assert (pool.kind, pool.pool) == ("chinese_ten", "bots")
    scheduled = list(MatchGame.objects.order_by("match__table", "number").values_list("game", flat=True))
    assert [entry.event[1] for entry in eventlog.read_events(pool.stream_id)] == scheduled
    for player in Rating.objects.all():
        changes = list(RatingChange.objects.filter(player=player.player))
        assert changes[0].before == 1500
        assert changes[1].before == changes[0].after
        assert player.rating == changes[-1].after


@pytest.mark.slow
def test_season_whose_terms_say_so_is_not_rated(running: Start) -> None:
    play_season(running(2, terms={"rated": False}))
    assert not RatingPool.objects.exists()
    assert Standing.objects.count() == 2


@pytest.mark.slow
def test_same_seed_pairs_the_same(running: Start, league: League) -> None:
    def paired(season: Season) -> list[Any]:
        return [[table[1] for table in event[3]] for event in events(play_season(season), "round_paired")]

    once = {"format": "round_robin", "games_a_match": 1}
    assert paired(running(4, name="One", **once)) == paired(running(4, name="Two", **once))


def test_results_of_open_rounds_are_recorded_without_a_look_at_ratings(
    running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(4)
    looked: list[Any] = []
    monkeypatch.setattr(rated_events, "rated_games", lambda _division, match: looked.append(match))
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        assert record_results.record_results(season=season) == 4
    assert looked == []


def test_a_row_of_a_result_reads_its_own_entrants_only(running: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    season = running(6)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all(match_game__match__table=2)
        read: list[Any] = []
        remember = SeasonRows._remember

        def remembered(rows: SeasonRows, model: Any, ids: Any) -> None:
            known = list(ids)
            read.extend(key for key, _pk in known if model is Entrant)
            remember(rows, model, known)

        monkeypatch.setattr(SeasonRows, "_remember", remembered)
        assert record_results.record_results(season=season) == 2
    seated = Entrant.objects.filter(matches__match__table=2).values_list("number", flat=True)
    assert sorted(read) == sorted(seated)


def test_a_due_game_that_is_in_no_log_is_not_recorded_again_and_again(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        record_results.record_results(season=season)
        before = events(season, "game_recorded")
        unknown = worlds.finished_game()
        MatchGame.objects.create(match=Match.objects.get(), number=3, replay=0, game=unknown)
        for _again in range(2):
            with pytest.raises(AssertionError, match="Rebuild the season"):
                record_results.record_results(season=season)
    assert events(season, "game_recorded") == before


@pytest.mark.slow
def test_aborted_game_is_played_again_in_the_same_seats(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        gone = MatchGame.objects.get(number=2)
        play_services.abort_game(game=gone.game, reason="the lights went out")
        director.advance()
    again = MatchGame.objects.get(number=2, replay=1)
    assert events(season, "game_replayed") == [["game_replayed", gone.match_id, 2, gone.game_id, again.game_id]]
    players = [list(one.game.seats.values_list("player", flat=True)) for one in (gone, again)]
    assert players[0] == players[1]
    play_season(season)
    assert len(events(season, "game_recorded")) == 4
    assert gone.game_id not in RatingChange.objects.values_list("game", flat=True)


def test_leaver_loses_the_game_and_it_is_told(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_services.leave_game(game=Game.objects.earliest("pk"), seat=0, how="forfeited")
        director.advance()
    [event] = events(season, "game_recorded")
    assert (event[3]["termination"], event[3]["placings"], event[3]["left"]) == ("forfeited", [2, 1], [0])


def test_result_waits_until_the_deal_is_known(running: Start) -> None:
    """docs/explanation/event-log.md: the head is as secret as the log, and another table may still play the deal."""
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        game = Game.objects.earliest("pk")
        twin = play_services.open_game(kind=game.kind, players=[s.player for s in game.seats.all()], deal=game.deal)
        play(game, random.Random(1))
        assert record_results.record_results(season=season) == 0
        play(twin, random.Random(1))
        assert record_results.record_results(season=season) == 1


@committed
def test_each_round_is_opened_once_however_many_call(running: Start) -> None:
    season = running(5)
    division = season.divisions.get()
    assert sum(at_once(lambda: open_rounds.open_round(division=division))) == 1
    assert (Round.objects.count(), Game.objects.count(), len(events(season, "round_paired"))) == (1, 4, 1)


@committed
def test_each_result_is_recorded_once_however_many_call(running: Start) -> None:
    season = running(5)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
    assert sum(at_once(lambda: record_results.record_results(season=season))) == 4
    assert Counter(event[3]["game"] for event in events(season, "game_recorded")) == dict.fromkeys(
        Game.objects.values_list("pk", flat=True), 1
    )


@committed
def test_each_round_is_closed_and_rated_once_however_many_call(running: Start) -> None:
    season = running(5)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        record_results.record_results(season=season)
    round = Round.objects.select_related("division").get()
    assert sum(at_once(lambda: close_rounds.close_round(round=round))) == 1
    assert len(events(season, "round_closed")) == 1
    assert RatingChange.objects.count() == 8


@committed
def test_each_aborted_game_is_replaced_once_however_many_call(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_services.abort_game(game=Game.objects.earliest("pk"), reason="the lights went out")
    assert sum(at_once(lambda: record_results.record_results(season=season))) == 1
    assert MatchGame.objects.filter(replay=1).count() == 1


@committed
def test_successor_is_opened_once_however_many_call(running: Start, league: League) -> None:
    play_season(running(2, repeats=True))
    at_once(director.advance)
    at_once(director.advance)
    assert league.seasons.count() == 2


@pytest.mark.slow
@committed
def test_two_seasons_share_a_pool_however_they_close(running: Start) -> None:
    for name in ("One", "Two"):
        running(4, name=name)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
    at_once(director.advance)
    with clock.frozen_at(BEGIN):
        director.advance()
    assert Round.objects.filter(status="closed").count() == 2
    pool = RatingPool.objects.select_related("stream").get()
    assert pool.stream.version == len(set(RatingChange.objects.values_list("position", flat=True))) == 8
    assert sum(Rating.objects.values_list("games", flat=True)) == 16


@pytest.mark.slow
@committed
def test_whole_season_runs_under_many_directors(running: Start) -> None:
    once = {"format": "round_robin", "games_a_match": 1}
    season = running(4, calendar={"seconds": 1}, starts_at=BEGIN - timedelta(hours=1), **once)
    for turn in range(40):
        at_once(director.advance)
        play_all(turn)
        season.refresh_from_db()
        if season.status == Season.Status.FINISHED:
            break
    at_once(director.advance)  # a call after its end changes nothing
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    assert [
        len(events(season, kind)) for kind in ("round_paired", "game_recorded", "round_closed", "season_finished")
    ] == [3, 6, 3, 1]


@committed
def test_opening_a_round_is_whole_or_not_at_all(running: Start) -> None:
    division = running(5).divisions.get()
    with clock.frozen_at(BEGIN):
        assert_whole_or_not_at_all(lambda: open_rounds.open_round(division=division))


@committed
def test_recording_results_is_whole_or_not_at_all(running: Start) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_services.abort_game(game=Game.objects.earliest("pk"), reason="the lights went out")
        play_all()
        assert_whole_or_not_at_all(lambda: record_results.record_results(season=season))


@committed
def test_closing_the_last_round_is_whole_or_not_at_all(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
        play_all()
        record_results.record_results(season=season)
        round = Round.objects.select_related("division").get(number=2)
        assert_whole_or_not_at_all(lambda: close_rounds.close_round(round=round))
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED


def test_season_that_fails_holds_up_no_other_and_is_told_once(running: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.handler.addFilter(ids := ContextFilter())
    broken, sound = running(2, name="Broken"), running(2, name="Sound")
    Season.objects.filter(pk=broken.pk).update(kind="bridge")
    with clock.frozen_at(BEGIN):
        director.advance()
        director.advance()
    assert set(Round.objects.values_list("division__season", flat=True)) == {sound.pk}
    division = broken.divisions.get()
    assert Incident.objects.get().sentence == f"The league’s step open_round failed for Division {division.pk}."
    caplog.handler.removeFilter(ids)
    records = [record for record in caplog.records if record.name == "tournaments.director.director"]
    assert {record_ids(record)["season"] for record in records} == {director.season_path(broken)}


def test_a_league_in_which_nothing_is_due_is_asked_by_one_query(running: Start, django_assert_num_queries: Any) -> None:
    running(2)
    with clock.frozen_at(BEGIN - timedelta(minutes=1)):
        director.advance()
    with clock.frozen_at(BEGIN):
        assert director.advance() == 1
        with django_assert_num_queries(1):
            assert director.advance() == 0


def test_an_entrant_who_cannot_be_withdrawn_holds_up_no_other(running: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    season = running(2)
    entrant = season.entries.latest("pk")

    def leave_season(**_what: Any) -> None:
        raise RuntimeError

    BotVersion.objects.filter(player=entrant.player).update(state=BotVersion.State.TAKEN_DOWN)
    monkeypatch.setattr("tournaments.entries.services.leave_season", leave_season)
    with clock.frozen_at(BEGIN):
        director.advance()
    assert Round.objects.count() == 1
    assert Incident.objects.get().sentence == f"The league’s step leave_season failed for Entrant {entrant.pk}."


@committed
def test_message_delivered_twice_does_nothing_twice(running: Start) -> None:
    season = running(2)
    with clock.frozen_at(BEGIN):
        app.tasks["tournaments.advance"]()
        app.tasks["tournaments.advance"]()
        play_all()
        app.tasks["tournaments.advance"]()
        app.tasks["tournaments.advance"]()
    assert [len(events(season, kind)) for kind in ("round_paired", "game_recorded", "round_closed")] == [1, 2, 1]


def messages() -> int:
    """Return how many messages wait for a worker in the short queue."""
    with app.connection_for_read() as broker:
        return int(broker.default_channel.queue_declare("short", passive=False).message_count)


@committed
def test_last_game_of_a_round_hurries_the_league(running: Start) -> None:
    running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        first, last = Game.objects.order_by("pk")
        before = messages()
        play(first, random.Random(1))
        assert messages() == before
        play(last, random.Random(1))
        assert messages() == before + 1


@committed
def test_game_of_no_league_hurries_nobody(bots: list[Player]) -> None:
    before = messages()
    game = play_services.open_game(kind="chinese_ten", players=bots[:2])
    play(game, random.Random(1))
    assert messages() == before
    assert Seat.objects.filter(game=game, placing__isnull=False).count() == 2
    league_tasks.request_advance([game.pk])
    assert messages() == before


def test_the_result_of_a_delayed_game_is_recorded_when_everybody_may_know_it(running: Start) -> None:
    """Standings and ratings would reveal it."""
    season = running(2, terms={"watch_delay": 600})
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
    with clock.frozen_at(BEGIN + timedelta(seconds=599)):
        assert record_results.record_results(season=season) == 0
        assert not record_results.due_results().exists()
    with clock.frozen_at(BEGIN + timedelta(seconds=601)):
        assert record_results.record_results(season=season) == 2
