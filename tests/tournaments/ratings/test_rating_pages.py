"""Pages of ratings: leaderboards, a player's chart, provisional figures, the official table, and supposed results."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.models import Game
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, Start, builtin_bot, let_play, play, play_all
from tests.tournaments.season_pages.test_pages import address, get
from tournaments.director import director, record_results
from tournaments.ratings import elo, pools
from tournaments.ratings import selectors as rating_selectors
from tournaments.ratings.models import Rating, RatingChange, RatingPool, Strength
from tournaments.rulings import services as rulings
from tournaments.seasons.models import Entrant, League, Match, Season
from tournaments.standings import what_if_views

pytestmark = pytest.mark.django_db


@pytest.fixture
@world
def board(db: None) -> RatingPool:
    """Return the pool of Plates among bots, with three settled ratings and a provisional one."""
    pool = pools.lock_pool("plates", "bots")
    for name, rating, games in (("Auk", 1620, 30), ("Bittern", 1580, 19), ("Coot", 1500, 20), ("Auklet", 1400, 64)):
        Rating.objects.create(pool=pool, player=builtin_bot(name), rating=rating, games=games)
    return pool


def rows(page: Page) -> list[str]:
    """Return the names in the order of the table."""
    return [name for name in page.text.split() if name in ("Auk", "Bittern", "Coot", "Auklet")]


def test_a_leaderboard_lists_the_best_first_and_marks_who_is_provisional(client: Client, board: RatingPool) -> None:
    page = get(client, "/ratings/")
    assert rows(page) == ["Auk", "Bittern", "Coot", "Auklet"]
    assert "Plates, bots" in page.text
    assert "2 Bittern v1 BOT 1580? provisional 19" in page.text
    assert "3 Coot v1 BOT 1500 20" in page.text


def test_a_name_is_found_with_its_rank_in_the_whole_pool(client: Client, board: RatingPool) -> None:
    page = get(client, "/ratings/", q="auk")
    assert rows(page) == ["Auk", "Auklet"]
    assert "4 Auklet v1 BOT" in page.text
    assert "No rated player has this name." in get(client, "/ratings/", q="zebra").text


def test_each_kind_and_pool_has_its_own_and_the_largest_comes_first(client: Client, board: RatingPool) -> None:
    other = pools.lock_pool("palace", "people")
    Rating.objects.create(pool=other, player=builtin_bot("Dunlin"), rating=1700, games=40)
    assert "Dunlin" not in get(client, "/ratings/").text
    page = get(client, "/ratings/", pool="palace-people")
    assert "Palace, people" in page.text
    assert "1 Dunlin" in page.text
    assert client.get("/ratings/", {"pool": "palace-bots"}).status_code == 404


def test_a_long_leaderboard_has_pages_and_ranks_go_on(
    client: Client, board: RatingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating_selectors, "ROWS_PER_PAGE", 2)
    assert rows(get(client, "/ratings/", page=2)) == ["Coot", "Auklet"]
    assert "3 Coot" in get(client, "/ratings/", page=2).text
    assert client.get("/ratings/", {"page": 9}).status_code == 404
    assert client.get("/ratings/", {"page": "x"}).status_code == 404


def test_before_anything_is_rated_the_page_says_so(client: Client) -> None:
    assert "The first ratings appear when the first rated round closes." in get(client, "/ratings/").text


def test_a_leaderboard_costs_the_same_whatever_its_size(client: Client, board: RatingPool) -> None:
    def queries(**asked: str) -> int:
        with CaptureQueriesContext(connection) as caught:
            get(client, "/ratings/", **asked)
        return len(caught)

    few = queries(), queries(q="auk")
    for number in range(40):
        Rating.objects.create(pool=board, player=builtin_bot(f"Auk {number}"), rating=1500 + number, games=number)
    assert (queries(), queries(q="auk")) == few
    assert max(few) <= 6  # two of them for the version of the page, before and after


def test_a_player_has_a_chart_of_each_rating_and_its_rank(client: Client, running: Start) -> None:
    running(4)
    let_play(2)
    rating = Rating.objects.order_by("-rating").first()
    assert rating
    page = get(client, f"/players/{rating.player_id}/")
    assert f"{rating.rating:.0f}? provisional 1st of 4 in Chinese Ten, 4 games" in page.text
    assert "Elo after each of the last 4 rated games" in page.text
    assert client.get(f"/players/{rating.player_id}/").content.count(b'<svg class="chart') == 2
    assert client.get(f"/players/{rating.player_id}/", {"pool": "99999"}).status_code == 404


def test_a_chart_goes_through_every_change_and_ends_at_the_rating(running: Start) -> None:
    running(2)
    let_play(1)
    rating = Rating.objects.select_related("pool").first()
    assert rating
    steps = rating_selectors._steps(rating)
    changes = RatingChange.objects.filter(player=rating.player_id).order_by("position")
    assert [value for value, _ in steps] == [1500, *[change.after for change in changes]]
    assert steps[-1][0] == rating.rating


def test_a_round_that_was_undone_has_no_place_in_the_chart_of_a_season(running: Start) -> None:
    season = running(4)
    let_play(2)
    division = season.divisions.get()
    with clock.frozen_at(BEGIN + timedelta(hours=1)):
        rulings.undo_round(division=division, number=2, by=season.league.club.owner, note="The list was wrong.")
    shown = rating_selectors.ratings_part(season, division)
    assert shown
    assert shown.rounds == 1
    ratings = dict(Rating.objects.values_list("player", "rating"))
    assert {row.player.pk: row.now for row in shown.rows} == ratings


def open_round(season: Season, turn: int) -> list[Game]:
    """Open the next round, and return its games by table."""
    with clock.frozen_at(BEGIN + timedelta(minutes=turn)):
        director.advance()
    games = Game.objects.filter(match_game__match__round__division__season=season, status=Game.Status.PLAYING)
    return list(games.order_by("match_game__match__table", "match_game__number"))


@pytest.mark.slow
def test_games_of_an_open_round_make_a_provisional_figure_until_it_closes(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1)
    games = open_round(season, 1)
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        for number, game in enumerate(games[:2]):
            play(game, random.Random(number))
        record_results.record_results(season=season)
    players = list(games[0].seats.values_list("player", flat=True))
    found = rating_selectors.pending_ratings(players)
    pool = RatingPool.objects.get()
    assert {player for player, _ in found} <= set(players)
    page = get(client, address(season, "standings/"))
    assert "“So far” includes the finished games of the open round and is provisional until it closes." in page.text
    assert "games that are not rated yet, provisional" in get(client, f"/players/{players[0]}/").text
    with clock.frozen_at(BEGIN + timedelta(minutes=3)):
        for number, game in enumerate(games[2:]):
            play(game, random.Random(number))
        director.advance()
    for player in players:  # these two met only each other, so the figure was exact
        assert Rating.objects.get(player=player).rating == pytest.approx(found[player, pool.pk].now)
    assert rating_selectors.pending_ratings(players) == {}
    assert "provisional until it closes" not in get(client, address(season, "standings/")).text


def test_the_provisional_figure_takes_in_what_others_have_done_before(running: Start) -> None:
    """All games of the round but the last are over. The figures follow from the rating events of these games in the
    order of the tables, and do not depend on the players that are asked for."""
    season = running(4, games_a_match=3)
    let_play(1)
    games = open_round(season, 1)
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        for number, game in enumerate(games[:-1]):
            play(game, random.Random(number))
        record_results.record_results(season=season)
    everybody = list(Rating.objects.values_list("player", flat=True))
    found = rating_selectors.pending_ratings(everybody)
    alone = {key: figure for each in everybody for key, figure in rating_selectors.pending_ratings([each]).items()}
    assert alone == found, "one's own figure hangs on nothing that is left out"
    before = {row.player_id: elo.PlayerRating(row.rating, row.games) for row in Rating.objects.all()}
    listed = [
        elo.Rated.of(game.pk, [(seat.player_id, seat.placing or 0) for seat in game.seats.order_by("seat")])
        for game in games[:-1]
    ]
    after = elo.fold_ratings(listed, before)[0]
    assert {player: figure.now for (player, _), figure in found.items()} == pytest.approx(
        {player: after[player].rating for player, _ in found}
    )


@pytest.mark.slow
def test_the_provisional_figure_is_of_games_as_they_count(running: Start, league: League) -> None:
    """One finished game is annulled, and another is adjudicated: its winner, or the first of equals, has lost."""
    season = running(2, games_a_match=3)
    let_play(1)
    games = open_round(season, 1)
    with clock.frozen_at(BEGIN + timedelta(minutes=2)):
        for number, game in enumerate(games[:2]):
            play(game, random.Random(number))
        record_results.record_results(season=season)
        match = games[0].match_game.match
        rulings.annul_game(match=match, game=1, by=league.club.owner, note="Both agreed.")
        winner = games[1].seats.order_by("placing", "seat")[0].player_id
        players = list(match.entrants.order_by("order").values_list("entrant__player", flat=True))
        places = [2 if player == winner else 1 for player in players]
        rulings.adjudicate(match=match, game=2, places=places, by=league.club.owner, note="Both agreed.")
    found = rating_selectors.pending_ratings(players)
    for row in Rating.objects.all():
        assert (found[row.player_id, row.pool_id].now < row.rating) == (row.player_id == winner)
    with clock.frozen_at(BEGIN + timedelta(minutes=3)):
        play(games[2], random.Random(7))
        director.advance()
    changes = RatingChange.objects.filter(game__in=games).order_by("position")
    assert {change.game_id for change in changes} == {games[1].pk, games[2].pk}
    first = {change.player_id: change.after for change in changes if change.game_id == games[1].pk}
    assert {player: figure.now for (player, _), figure in found.items()} == pytest.approx(first)
    assert [figure.games for figure in found.values()] == [1, 1]


def test_a_correction_stands_in_the_chart_where_it_was_made(running: Start) -> None:
    season = running(2)
    let_play(2)
    pool = pools.lock_pool("chinese_ten", "bots")
    first = RatingChange.objects.order_by("position").first()
    assert first
    pools.append_rating_events(pool, [elo.Corrected.of(first.game_id)])
    sheet = rating_selectors.ratings_part(season, season.divisions.get())
    assert sheet
    for row in sheet.rows:
        assert row.now == Rating.objects.get(player=row.player).rating
        assert row.start == 1500


def test_the_rows_stand_in_the_order_of_the_ratings_that_they_show(running: Start) -> None:
    """Another season may have moved the ratings of the pool since."""
    season = running(4)
    let_play(3)
    sheet = rating_selectors.ratings_part(season, season.divisions.get())
    assert sheet
    Rating.objects.filter(player=sheet.rows[-1].player).update(rating=3000)
    again = rating_selectors.ratings_part(season, season.divisions.get())
    assert again
    assert [row.player.pk for row in again.rows] == [row.player.pk for row in sheet.rows]


def test_the_official_table_stands_before_elo_on_the_page_of_a_season_of_bots(client: Client, running: Start) -> None:
    season = running(4)
    let_play(3)
    page = get(client, address(season, "standings/"))
    table = list(Strength.objects.select_related("entrant__player"))
    for row in table:
        places = str(row.low) if row.low == row.high else f"{row.low}–{row.high}"
        note = "" if row.won and row.lost else " Never ahead of anyone." if row.lost else " Never behind anyone."
        figures = f"{row.rating:.0f} ± {row.half:.0f} {places} {row.games}"
        assert f"{row.entrant.player.name} v1 BOT{note} {figures}" in page.text
    decided = sum(row.low == row.high for row in table)
    assert f"{decided} of 4 places are certain at 95 %." in page.text
    assert page.text.index("Official strengths") < page.text.index("Live: Elo")
    one, other = table[0], table[1]
    assert round(100 * one.chances[0][1]) + round(100 * other.chances[0][1]) in (99, 100, 101)
    assert f"1 {one.entrant.player.name} v1 · {round(100 * one.chances[0][1])}" in page.text


def test_who_has_never_won_is_said_to_be_held_by_the_imaginary_draw(client: Client, running: Start) -> None:
    season = running(3)
    let_play(3)
    Strength.objects.filter(pk=Strength.objects.latest("place").pk).update(won=False, lost=True)
    Strength.objects.update(connected=False)
    page = get(client, address(season, "standings/"))
    assert "Never ahead of anyone." in page.text
    assert "Some values depend only on the virtual draw" in page.text


def test_what_if_is_a_link_until_it_is_asked(client: Client, running: Start) -> None:
    season = running(4)
    open_round(season, 0)
    page = get(client, address(season, "standings/"))
    assert "What if a game ends like this?" in page.text
    assert "Show table" not in page.text
    assert f"{address(season, 'standings/')}?suppose=1#what-if" in page.links()


def test_supposed_ends_change_the_table_by_a_plain_form(client: Client, running: Start) -> None:
    season = running(4)
    open_round(season, 0)
    match = Match.objects.order_by("table").first()
    assert match
    seated = list(match.entrants.select_related("entrant__player").order_by("order"))
    names = [f"g{match.pk}-1", f"g{match.pk}-2"]
    asked = {"suppose": "1", names[0]: "2.1", names[1]: "1.2"}  # seats change over: both games to the second
    page = get(client, address(season, "standings/"), **asked)
    assert f"1 {seated[1].entrant.player.name} v1 BOT 1 0" in page.text
    assert f"{seated[1].entrant.player.name} wins" in page.text
    assert get(client, address(season, "standings/"), part="what-if", **asked).text in page.text


def test_an_end_that_cannot_be_is_404(client: Client, running: Start) -> None:
    season = running(2)
    open_round(season, 0)
    match = Match.objects.get()
    for end in ("1.3", "x", "1.2.3", "1..2", "2.2"):
        assert client.get(address(season, "standings/"), {"suppose": "1", f"g{match.pk}-1": end}).status_code == 404, (
            end
        )


def test_a_game_that_has_ended_meanwhile_is_just_not_supposed_any_more(client: Client, running: Start) -> None:
    season = running(2)
    open_round(season, 0)
    match = Match.objects.get()
    with clock.frozen_at(BEGIN):
        play_all()
        record_results.record_results(season=season)
    assert get(client, address(season, "standings/"), suppose=1, **{f"g{match.pk}-1": "1.2"})


def test_large_divisions_are_not_reckoned_while_somebody_waits(
    client: Client, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(4)
    monkeypatch.setattr("tournaments.standings.what_if_views.MAX_WHAT_IF_ENTRANTS", 3)
    assert (
        "This division has too many entrants for this calculation."
        in get(client, address(season, "standings/"), suppose=1).text
    )


def test_my_own_games_come_first_in_the_form(client: Client, running: Start) -> None:
    season = running(6)
    open_round(season, 0)
    last = Match.objects.order_by("-table").first()
    assert last
    me = Entrant.objects.get(pk=last.entrants.first().entrant_id).player_id  # type: ignore[union-attr]
    sheet = what_if_views.what_if_part(season, season.divisions.get(), {"suppose": "1"}, me)
    assert [choice.game.match for choice in sheet.choices[:2]] == [last.pk, last.pk]


@pytest.mark.slow
def test_the_page_of_a_season_of_bots_costs_the_same_after_every_round(client: Client, running: Start) -> None:
    """The same holds with the form of supposed results."""
    season = running(4)

    def queries(**query: str) -> int:
        with CaptureQueriesContext(connection) as caught:
            get(client, address(season, "standings/"), **query)
        return len(caught)

    let_play(1, open_next=True)
    few = queries(), queries(suppose="1")
    let_play(3, open_next=True)
    assert (queries(), queries(suppose="1")) == few
