"""Duplicate deals where a round does not go as planned: results are decided, games are played again, rounds undone,
people leave, the season pauses. Nobody learns a card that is still in play, and `rebuild` agrees all the way.

Martha, Laura, Otto and Ines play two at a table with the same cards; Niamh organises.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from games.common import clock
from games.models import Game, Seat
from games.play.roster import ensure_builtin_bot
from games.visibility import observe
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, Start, play_all
from tests.tournaments.director.test_deals import (
    SCORE_TEXTS,
    begun,
    by_number,
    check_in,
    everything,
    finish,
    mark,
    of,
    person,
)
from tests.tournaments.director.test_short_tables import paired
from tests.tournaments.rulings.test_rulings import written
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.maintenance.rebuild import find_differences
from tournaments.matches.rows import match_row, matches_for_rows
from tournaments.ratings.models import RatingChange
from tournaments.rulings import services as rulings
from tournaments.seasons.models import League, Match, MatchEntrant, MatchGame, Season

pytestmark = pytest.mark.django_db(transaction=True)
WHY = "The clock was wrong."
NAMES = ("Martha", "Laura", "Otto", "Ines")
LIVE = {"move_seconds": 30, "bank_seconds": 60, "check_in_minutes": 30}


def go(minutes: int) -> None:
    with clock.frozen_at(BEGIN + timedelta(minutes=minutes)):
        director.advance()


@pytest.fixture
def niamh(league: League) -> User:
    assert league.club.owner
    return league.club.owner


@pytest.fixture
@world
def season(league: League) -> Season:
    return begun(league, [person(name) for name in NAMES], games_a_match=1, tie_breaks=["datum", "lots"])


@pytest.fixture
@world
def tables(season: Season) -> tuple[MatchGame, MatchGame]:
    """Return two tables: table 1 has ended its game, table 2 still plays the same cards."""
    one, other = by_number(season)[1]
    assert one.game.deal_id == other.game.deal_id
    with clock.frozen_at(BEGIN):
        finish(one.game)
    go(1)
    return one, other


def assert_sealed(season: Season, one: MatchGame, reader: str) -> None:
    """Check that nothing that is named after the game shows the reader its result, not even an organiser.
    `test_deals.py` asks for all other addresses."""
    game = Game.objects.get(pk=one.game_id)
    rows = list(game.seats.values_list("pk", "score"))
    outcome = game.outcome
    mark(game)
    answers = everything(season, game, of(reader), naming=True)
    assert f"/matches/{one.match_id}/" in answers
    assert not [address for address, answer in answers.items() if any(word in answer for word in SCORE_TEXTS)]
    assert not [address for address, answer in answers.items() if answer.startswith("500")]
    Game.objects.filter(pk=game.pk).update(outcome=outcome)
    for pk, score in rows:
        Seat.objects.filter(pk=pk).update(score=score)


def datum(season: Season) -> list[float]:
    """Return the entrants' scores above the mean of the same cards, in the order of entry."""
    return [entrant.standing.row["tie_breaks"][0]["value"] for entrant in season.entries.order_by("number")]


def scores(game: Game) -> list[int | None]:
    return list(game.seats.order_by("seat").values_list("score", flat=True))


def live(league: League) -> tuple[Season, MatchGame, MatchGame]:
    """Return a season whose players check in for two games a match, one after the other. Both first games are
    running."""
    season = begun(league, [person(name) for name in NAMES], games_a_match=2, terms=LIVE)
    one, other = by_number(season)[1]
    with clock.frozen_at(BEGIN + timedelta(minutes=30)):
        check_in(one.game)
        check_in(other.game)
    return season, one, other


def numbers(season: Season) -> list[tuple[int, int]]:
    """Return (table, number) of the games of round 1, without those that were replaced."""
    rows = MatchGame.objects.filter(match__round__division__season=season, match__round__number=1)
    return sorted(set(rows.values_list("match__table", "number")))


def deals(match: Match) -> list[Any]:
    """Return the deals of the recorded games of a match."""
    return [event[3]["deal"] for event in written(match.round.division.season, "game_recorded") if event[1] == match.pk]


# played again


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["otto", pytest.param("niamh", marks=pytest.mark.slow)])
def test_a_game_that_is_ordered_anew_has_a_deal_that_nobody_else_has_and_the_old_one_stays_sealed(
    reader: str, season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    """Its players have seen the old cards, and Otto and Ines still hold them."""
    one, other = tables
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        rulings.order_replay(match=one.match, game=1, by=niamh, note=WHY)
    again = MatchGame.objects.get(match=one.match, replay=1).game
    assert Game.objects.filter(deal=again.deal_id).count() == 1
    assert [seat.player_id for seat in again.seats.all()] == [seat.player_id for seat in one.game.seats.all()]
    assert again.terms["sealed"]
    assert observe.is_sealed(Game.objects.get(pk=one.game_id))
    assert_sealed(season, one, reader)
    finish(other.game)
    assert not observe.is_sealed(Game.objects.get(pk=one.game_id))
    assert observe.is_sealed(again)
    assert list(find_differences()) == []


@pytest.mark.slow
def test_what_was_played_with_other_cards_is_compared_with_nobody(
    season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    one, other = tables
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        rulings.order_replay(match=one.match, game=1, by=niamh, note=WHY)
        finish(other.game, 1)
        finish(MatchGame.objects.get(match=one.match, replay=1).game, 2)
    go(3)
    [own], [others] = deals(one.match), deals(other.match)
    assert own != others
    assert datum(season) == [0, 0, 0, 0]
    assert list(find_differences()) == []


def test_in_a_round_that_goes_as_planned_the_same_cards_are_compared(
    season: Season, tables: tuple[MatchGame, MatchGame]
) -> None:
    """It shows that the zeros above mean something: the scores of two players in a seat are equally far above and below
    their mean."""
    one, other = (each.game for each in tables)
    for seed in range(1, 20):  # the cards are random: some games with them end alike
        with transaction.atomic():
            finish(other, seed)
            if scores(other) != scores(one):
                break
            transaction.set_rollback(True)
    else:
        pytest.fail("All games with these cards came to the same.")
    go(3)
    assert sum(datum(season)) == 0
    assert any(datum(season))


# decided, annulled


@pytest.mark.parametrize(
    "reader", [pytest.param("otto", marks=pytest.mark.slow), pytest.param("martha", marks=pytest.mark.slow), "niamh"]
)
def test_a_decision_while_the_cards_are_in_play_tells_the_decision_and_nothing_of_the_game(
    reader: str, season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    one, other = tables
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        rulings.adjudicate(match=one.match, places=(2, 1), by=niamh, note=WHY)
    assert written(season, "game_recorded") == []
    assert list(MatchEntrant.objects.filter(match=one.match).values_list("points", flat=True)) == [0, 1]
    assert_sealed(season, one, reader)
    assert Game.objects.get(pk=one.game_id).deal.revealed_at is None
    finish(other.game)
    go(3)
    assert datum(season) == [0, 0, 0, 0]
    assert list(find_differences()) == []


def test_an_annulled_game_keeps_its_cards_secret_until_the_last_table_has_ended(league: League, niamh: User) -> None:
    """Three tables play the same cards: table 1 is annulled, table 2 plays to the end, and then table 3 is annulled."""
    season = begun(league, [person(name) for name in (*NAMES, "Bram", "Wren")], games_a_match=1)
    one, two, three = by_number(season)[1]
    assert one.game.deal_id == two.game.deal_id == three.game.deal_id
    reader = User.objects.get(player__seats__game=three.game, player__seats__seat=0)

    def readable(*tables: MatchGame) -> list[bool]:
        return [bool(observe.allowed_viewpoints(Game.objects.get(pk=table.game_id), reader)) for table in tables]

    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        rulings.annul_game(match=one.match, game=1, by=niamh, note=WHY)
        finish(two.game)
        director.advance()
        one.game.refresh_from_db()
        assert one.game.status == Game.Status.ABORTED
        assert readable(one, two) == [False, False]
        assert written(season, "game_recorded") == []
        rulings.annul_game(match=three.match, game=1, by=niamh, note=WHY)
        director.advance()
    assert readable(one, two) == [True, True]
    assert [event[1] for event in written(season, "game_recorded")] == [two.match_id]
    assert list(find_differences()) == []


@pytest.mark.slow
def test_a_table_that_waits_for_the_others_has_no_points_yet_and_rebuild_finds_no_difference(
    league: League, niamh: User
) -> None:
    """The game of table 1 was the last of its deal. The next one is opened after table 2 has finished its replay."""
    season, one, other = live(league)
    with clock.frozen_at(BEGIN + timedelta(minutes=31)):
        rulings.order_replay(match=other.match, game=1, by=niamh, note=WHY)
        finish(one.game)
        director.advance()
        assert numbers(season) == [(1, 1), (2, 1)]
        assert [event[1] for event in written(season, "game_recorded")] == [one.match_id]
        assert not MatchEntrant.objects.exclude(points=None).exists()
        assert not Match.objects.exclude(finished_at=None).exists()
        assert list(find_differences()) == []
        again = MatchGame.objects.get(match=other.match, replay=1).game
    with clock.frozen_at(BEGIN + timedelta(minutes=62)):
        check_in(again)
        finish(again)
        director.advance()
    assert numbers(season) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert len({each.game.deal_id for each in by_number(season)[2]}) == 1
    assert list(find_differences()) == []


@pytest.mark.slow
def test_a_match_that_is_decided_as_a_whole_lets_the_other_tables_go_on(league: League, niamh: User) -> None:
    """Otherwise the other tables would wait for ever. The decided match plays no second game itself."""
    season, one, other = live(league)
    with clock.frozen_at(BEGIN + timedelta(minutes=31)):
        finish(one.game)
        director.advance()
        assert numbers(season) == [(1, 1), (2, 1)]
        rulings.adjudicate(match=other.match, places=(1, 2), by=niamh, note=WHY)
        director.advance()
        assert numbers(season) == [(1, 1), (1, 2), (2, 1)]
        assert list(find_differences()) == []
    with clock.frozen_at(BEGIN + timedelta(minutes=62)):
        last = MatchGame.objects.get(number=2).game
        check_in(last)
        finish(last)
        director.advance()
    assert not Match.objects.filter(round__number=1, finished_at=None).exists()
    assert list(find_differences()) == []


@pytest.mark.slow
def test_a_match_that_is_decided_as_a_whole_and_then_played_again_in_part_does_not_grow(
    league: League, niamh: User
) -> None:
    """Its second game was annulled before it was opened, and stays annulled."""
    season, one, other = live(league)
    with clock.frozen_at(BEGIN + timedelta(minutes=31)):
        rulings.adjudicate(match=other.match, places=(1, 2), by=niamh, note=WHY)
        rulings.order_replay(match=other.match, game=1, by=niamh, note=WHY)
        finish(one.game)
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(minutes=62)):
        again = MatchGame.objects.get(match=other.match, replay=1).game
        check_in(again)
        finish(again)
        director.advance()
    assert numbers(season) == [(1, 1), (1, 2), (2, 1)]
    other.match.refresh_from_db()
    assert other.match.finished_at
    assert list(find_differences()) == []


@pytest.mark.slow
def test_an_annulled_game_holds_up_no_table(league: League, niamh: User) -> None:
    season, one, other = live(league)
    with clock.frozen_at(BEGIN + timedelta(minutes=31)):
        finish(one.game)
        director.advance()
        rulings.annul_game(match=other.match, game=1, by=niamh, note=WHY)
        director.advance()
    assert numbers(season) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert len({each.game.deal_id for each in by_number(season)[2]}) == 1
    assert list(find_differences()) == []


# undone


def test_a_round_that_is_paired_anew_has_other_cards(
    season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    """Its games are over for everybody, so its cards may be public."""
    one, _other = tables
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        rulings.undo_round(division=one.match.round.division, number=1, by=niamh, note=WHY)
        assert observe.is_result_public(Game.objects.get(pk=one.game_id))
        rulings.pair_again(division=one.match.round.division, by=niamh, note=WHY)
        director.advance()
    dealt_again = {game.deal_id for game in Game.objects.filter(status=Game.Status.PLAYING)}
    assert len(dealt_again) == 1
    assert one.game.deal_id not in dealt_again
    assert list(find_differences()) == []


# people leave, the season pauses, its time is up


def test_who_withdraws_leaves_the_game_and_its_cards_stay_sealed_for_the_others(season: Season) -> None:
    one, other = by_number(season)[1]
    gone = one.match.entrants.get(order=0).entrant
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        entries.withdraw_entrant(entrant=gone, why="asked")
        director.advance()
        one.game.refresh_from_db()
        assert one.game.status == Game.Status.FINISHED
        assert observe.is_sealed(one.game)
        assert written(season, "game_recorded") == []
        finish(other.game)
        director.advance()
    assert len(written(season, "game_recorded")) == 2
    assert list(find_differences()) == []


def test_a_pause_opens_no_seal_and_keeps_no_result(
    season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    one, other = tables
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        running.pause_season(season=season, by=niamh, note=WHY)
        director.advance()
        assert observe.is_sealed(Game.objects.get(pk=one.game_id))
        finish(other.game)
        director.advance()
    assert len(written(season, "game_recorded")) == 2
    assert list(find_differences()) == []


def test_when_the_time_of_a_round_is_up_its_tables_end_together_and_all_is_told(league: League, niamh: User) -> None:
    """An extension keeps the seal as long as anybody plays."""
    season = begun(league, [person(name) for name in NAMES], games_a_match=1, on_round_deadline="forfeit")
    one, other = by_number(season)[1]
    round = one.match.round
    assert round.closes_at == BEGIN + timedelta(minutes=1)
    with clock.frozen_at(BEGIN):
        finish(one.game)
        running.extend_round(round=round, until=BEGIN + timedelta(days=1), by=niamh, note=WHY)
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        director.advance()
        assert observe.is_sealed(Game.objects.get(pk=one.game_id))
    with clock.frozen_at(BEGIN + timedelta(days=1, minutes=1)):
        director.advance()
        director.advance()
    other.game.refresh_from_db()
    assert observe.is_result_public(other.game)
    assert len(written(season, "game_recorded")) == 2
    assert list(find_differences()) == []


def test_a_season_that_is_abandoned_opens_all_that_was_sealed(
    season: Season, tables: tuple[MatchGame, MatchGame], niamh: User
) -> None:
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        running.abandon_season(season=season, how="stands", by=niamh, note=WHY)
    assert all(observe.is_result_public(Game.objects.get(pk=each.game_id)) for each in tables)
    assert list(find_differences()) == []


# divisions


@pytest.mark.slow
def test_each_division_has_deals_of_its_own(running: Start) -> None:
    """No player of one division may hear of the cards of another, which may play its round later."""
    season = running(
        8,
        format="round_robin",
        games_a_match=2,
        deals="duplicate",
        divisions=[{"name": "First", "max_entrants": 4}, {}],
    )
    go(0)
    held = {
        number: set(
            Game.objects.filter(match_game__match__round__division__number=number).values_list("deal", flat=True)
        )
        for number in (1, 2)
    }
    assert [len(each) for each in held.values()] == [1, 1]
    assert held[1].isdisjoint(held[2])
    assert Game.objects.count() == 8
    play_all()
    go(1)
    assert list(find_differences()) == []
    assert len(written(season, "game_recorded")) == 8


# tables that the platform fills


@pytest.mark.slow
def test_a_filled_table_that_is_decided_counts_for_its_entrants_and_is_rated_for_nobody(
    running: Start, niamh: User
) -> None:
    season = paired(running, 6, "built_in_bot", games_a_match=2)
    match = Match.objects.get(round__number=1, table=1)
    assert match.entrants.count() == 3
    play_all()
    go(0)
    before = set(RatingChange.objects.values_list("game", flat=True))
    rulings.adjudicate(match=match, places=(3, 1, 2), game=2, by=niamh, note=WHY)
    [event] = written(season, "game_adjudicated")
    seated = dict(zip(event[3]["seats"], event[3]["placings"], strict=True))
    assert [seated[each.entrant.number] for each in match.entrants.order_by("order")] == [3, 1, 2]
    assert seated[0] == 4, "The built-in bot is behind everybody."
    line = match_row(matches_for_rows().get(pk=match.pk))
    assert line.scores == [each.points for each in line.entrants]
    rulings.order_replay(match=match, game=1, by=niamh, note=WHY)
    again = MatchGame.objects.get(match=match, replay=1).game
    old = MatchGame.objects.get(match=match, number=1, replay=0).game
    assert [s.player_id for s in again.seats.all()] == [s.player_id for s in old.seats.all()]
    assert not again.terms["rated"]
    play_all()
    go(1)
    assert set(RatingChange.objects.values_list("game", flat=True)) == before == set()
    assert list(find_differences()) == []
    assert of("niamh").get(f"/matches/{match.pk}/").status_code == 200


def test_the_platform_seats_no_bot_that_plays_the_season_itself(running: Start, bots: list[Any]) -> None:
    """It also seats no bot twice at a table."""
    bots[0] = ensure_builtin_bot("sensible")
    season = paired(running, 5, "built_in_bot")
    tables = [list(one.game.seats.values_list("player__name", flat=True)) for one in by_number(season)[1]]
    assert [len(set(names)) for names in tables] == [4, 4]
    assert sum(names.count("Sensible") for names in tables) == 1
    assert sorted(sum(name.startswith("Sensible ") for name in names) for names in tables) == [1, 2]
