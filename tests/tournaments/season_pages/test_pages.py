"""The pages of leagues show what the rows hold, without scripts, at the same cost for any size."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.common.labels import ordinal
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play_services
from games.play.openings import Opening
from tests.assertions.page import Page
from tests.factories.games import play_game
from tests.tournaments.club import BEGIN, NAMES, Start, builtin_bot, let_play, play
from tournaments import views as league_views
from tournaments.clubs.models import Club
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.ratings.models import Rating, RatingChange
from tournaments.scoring.points import parse_points_system
from tournaments.season_pages import format_panels, overview
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import Bye, League, Match, MatchEntrant, Round, Season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db


def address(season: Season, page: str = "") -> str:
    return f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/{page}"


def get(client: Client, path: str, **query: Any) -> Page:
    response = client.get(path, query)
    assert response.status_code == 200
    return Page.of(response)


# home, watch, clubs


def test_the_first_page_shows_what_is_played_now_and_what_ended_last(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1, open_next=True)
    page = get(client, "/")
    assert "Lantern Street Card Club" in page.text
    assert "All 4 games" in page.text
    assert address(season) in page.links()
    finished = Game.objects.filter(status="finished")
    assert {f"/games/{game.public_id}/" for game in finished} <= set(page.links("/games/"))
    for game in finished:
        assert game.outcome is not None
        assert "–".join(str(score) for score in game.outcome["scores"]) in page.text


def test_the_first_page_of_an_empty_platform_says_what_is_not_there_yet(client: Client) -> None:
    page = get(client, "/")
    assert "No league is in progress yet." in page.text
    assert "No games are in progress." in page.text
    assert "No game has finished yet." in page.text


def test_a_game_that_waits_for_a_worker_says_so_and_one_that_is_claimed_is_playing(
    client: Client, running: Start
) -> None:
    running(2)
    let_play(0, open_next=True)
    assert get(client, "/watch/").marks() == ["wait", "wait"]
    Game.objects.update(leased_by="worker one")
    assert get(client, "/watch/").marks() == ["live", "live"]


def test_a_game_that_failed_is_marked_as_stuck(client: Client, running: Start) -> None:
    running(2)
    let_play(0, open_next=True)
    Game.objects.update(failures=2)
    page = get(client, "/watch/")
    assert page.marks() == ["stuck", "stuck"]
    assert "Stuck, being retried" in page.text


def test_watching_shows_the_table_as_the_public_sees_it(client: Client, running: Start) -> None:
    running(2)
    let_play(0, open_next=True)
    Game.objects.exclude(pk=Game.objects.order_by("pk")[0].pk).update(status="aborted")
    game = Game.objects.get(status="playing")
    spots = play_services.load_game(game).state.plain()["spots"]
    page = get(client, "/watch/")
    heaps = [attrs["class"] for _tag, attrs in page.tags if attrs.get("class", "").startswith("heap of-")]
    assert "On the spots:" in page.text
    assert (
        heaps == ["heap of-cards"] * 2 + ["heap of-pile"] + ["heap of-cards"] * (len(spots) - 2) + ["heap of-hand"] * 2
    )


def test_a_club_asks_for_the_tables_of_its_own_games_alone(client: Client, running: Start) -> None:
    season = running(2)
    let_play(0, open_next=True)
    slug = season.league.club.slug
    part = f"/?part=tables&club={slug}"
    assert part in client.get(f"/clubs/{slug}/").content.decode().replace("&amp;", "&")
    assert get(client, "/", part="tables", club=slug).marks() == ["wait", "wait"]
    assert get(client, "/", part="tables", club="another").marks() == []


def test_games_in_progress_are_sent_again_only_when_something_has_moved(client: Client, running: Start) -> None:
    running(2)
    let_play(0, open_next=True)
    for part in ("/?part=tables", "/watch/?part=watch"):
        first = client.get(part, headers={"accept-encoding": "gzip"})
        assert first["Content-Encoding"] == "gzip"
        known = {"accept-encoding": "gzip", "if-none-match": first["ETag"]}
        assert client.get(part, headers=known).status_code == 304
        play_game(Game.objects.filter(status="playing")[0], moves=1)
        assert client.get(part, headers=known).status_code == 200


def test_a_sealed_game_shows_neither_its_table_nor_its_result(client: Client, bots: list[Player]) -> None:
    deal = Deal.objects.create()
    opening = Opening("chinese_ten", bots[:2], {"packs": 1}, {"sealed": True}, deal)
    over, on = (play_services.open_game(**opening._asdict()) for _ in range(2))
    play(over, random.Random(1))
    over.refresh_from_db()
    assert over.outcome is not None
    assert on.status == "playing"
    score = "–".join(str(score) for score in over.outcome["scores"])
    home, watch = get(client, "/"), get(client, "/watch/")
    assert "Sealed" in home.text
    assert score not in home.text
    assert "On the spots" not in home.text + watch.text
    player = get(client, f"/players/{bots[0].pk}/")
    assert score not in player.text
    play(on, random.Random(2))
    assert score in get(client, "/").text


def test_a_delayed_game_is_still_played_for_the_public_until_its_time_has_passed(
    client: Client, bots: list[Player]
) -> None:
    with clock.frozen_at(BEGIN):
        game = play_services.open_game(
            kind="chinese_ten", players=bots[:2], options={"packs": 1}, terms={"watch_delay": 600}
        )
        play(game, random.Random(1))
    game.refresh_from_db()
    assert game.outcome is not None
    score = "–".join(str(score) for score in game.outcome["scores"])
    with clock.frozen_at(BEGIN + timedelta(seconds=599)):
        page = get(client, f"/players/{bots[0].pk}/")
        assert score not in page.text
        assert page.marks() == ["live"]
        assert (
            league_views.latest_finished_games(AnonymousUser()) == []
        )  # a place among the latest results would tell that it is over
        assert league_views.live_games_shown(AnonymousUser()).count == 1  # and so would the number of running games
    with clock.frozen_at(BEGIN + timedelta(seconds=601)):
        assert score in get(client, "/").text


def test_clubs_are_listed_with_how_many_seasons_are_under_way(client: Client, running: Start) -> None:
    running(2)
    page = get(client, "/clubs/")
    assert "Lantern Street Card Club" in page.text
    assert "1 season" in page.text
    assert "/clubs/lantern/" in page.links()


def test_a_club_shows_its_seasons_and_its_latest_matches(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1)
    page = get(client, "/clubs/lantern/")
    assert page.headings[0] == (1, "Lantern Street Card Club")
    assert address(season) in page.links()
    assert "4 bots" in page.text
    finished = Match.objects.filter(finished_at__isnull=False)
    assert finished.count() == 2
    assert {f"/matches/{match.pk}/" for match in finished} == set(page.links("/matches/"))


# a season


def test_a_season_prints_its_head(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1, open_next=True)
    page = get(client, address(season))
    assert page.headings[0] == (1, "Chinese Ten League, Autumn 2026")
    assert "Format Double round robin 6 rounds, 4 bots" in page.text
    assert "Now Round 2 0 of 2 matches finished" in page.text
    leader = Standing.objects.get(place=1)
    assert f"Leader {leader.entrant.player.name} v1 BOT" in page.text


def test_every_pairing_stands_with_its_state_and_unfolds_its_reason(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1, open_next=True)
    page = get(client, address(season))
    match = Match.objects.filter(round__number=2).first()
    assert match is not None
    assert match.reason_text not in page.text
    assert get(client, address(season), why=match.pk).text.count(match.reason_text) == 1
    assert page.marks()[:2] == ["wait", "wait"]
    first = get(client, address(season, "rounds/"), round=1)
    assert "Round 1" in [text for _, text in first.headings]
    assert first.marks()[:2] == ["done", "done"]


def test_who_rests_stands_below_the_matches_and_unfolds_the_reason(client: Client, running: Start) -> None:
    season = running(3)
    let_play(0, open_next=True)
    page = get(client, address(season))
    assert "has the bye" in page.text
    bye = Bye.objects.get()
    assert f"{bye.entrant.player.name} v1 BOT has the bye" in page.text
    assert bye.reason_text in get(client, address(season), why=-bye.pk).text
    assert "pause" in page.marks()


@pytest.mark.parametrize(
    ("kind", "words"), [("bye", "has the bye"), ("away", "is absent"), ("unpaid", "is absent"), ("walkover", "wins by")]
)
def test_a_round_without_a_match_says_why_and_what_it_is_worth(
    client: Client, running: Start, kind: str, words: str
) -> None:
    season = running(3)
    let_play(0, open_next=True)
    Bye.objects.update(kind=kind)
    page = get(client, address(season))
    system = parse_points_system(season.points)
    worth = {"bye": system.bye, "away": system.away, "unpaid": 0, "walkover": system.walkover}[kind]
    [row] = [line for line in page.text.split("Why") if words in line]
    assert f"{worth} point" in row


def test_a_season_before_its_first_round_says_what_it_waits_for(client: Client, league: League) -> None:
    season = seasons.create_season(league=league, name="Winter 2027", kind="plates", table_size=3)
    page = get(client, address(season))
    assert "Now Open for entries" in page.text
    assert "The season is open for entries. The first round is paired at the start." in page.text
    standings = get(client, address(season, "standings/"))
    assert "The standings appear when the first round closes." in standings.text


def test_who_has_entered_an_open_season_is_told_in_pages_and_who_waits_as_far_as_there_is_room(
    client: Client, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "ENTRANTS_PER_PAGE", 2)
    monkeypatch.setattr(format_panels, "MAX_ENTRANTS_NAMED", 1)
    season = seasons.create_season(league=league, name="Winter 2027", kind="plates", table_size=3)
    for name in NAMES[:5]:
        entries.enter_season(season=season, player=builtin_bot(name))
    season.entries.filter(number__gt=3).update(status="waiting")
    first, second = (get(client, address(season), entrants=number).text for number in (1, 2))
    lists = [text.partition("3 have entered")[2].partition("Page ")[0] for text in (first, second)]
    assert [[name for name in NAMES if name in found] for found in lists] == [list(NAMES[:2]), list(NAMES[2:3])]
    assert "On the waiting list Abacus v1 BOT and 1 more" in first


def test_the_standings_are_those_of_the_rows(client: Client, running: Start) -> None:
    season = running(4)
    let_play(2)
    page = get(client, address(season, "standings/"))
    assert "Standings after round 2" in page.text
    for standing in Standing.objects.all():
        assert f"{standing.place} {standing.entrant.player.name} v1 BOT {format_points(standing.points)}" in page.text


def test_every_row_of_the_standings_is_on_one_of_their_pages(
    client: Client, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overview, "ROWS_PER_PAGE", 3)
    season = running(4)
    let_play(2)
    Standing.objects.update(place=1)  # all share a place, and each is shown once
    there = address(season, "standings/")
    shown = [get(client, there, page=number, part="standings").text for number in (1, 2)]
    names = Standing.objects.order_by("position").values_list("entrant__player__name", flat=True)
    assert [[name for name in names if f"1 {name} v1" in page] for page in shown] == [list(names[:3]), list(names[3:])]
    assert client.get(there, {"page": 3}).status_code == 404


def test_a_row_unfolds_to_its_arithmetic_by_a_plain_link(client: Client, running: Start) -> None:
    season = running(4)
    let_play(2)
    standing = Standing.objects.get(place=1)
    number = standing.entrant.number
    there = address(season, "standings/")
    folded = get(client, there)
    link = f"{there}?row={number}#row-{number}"
    assert link in folded.links()
    assert "Total" not in folded.text
    opened = get(client, there, row=number)
    assert "Total" in opened.text
    assert f"{there}#row-{number}" in opened.links()
    lines = standing.row["lines"]
    assert sum(line["points"] for line in lines) == standing.points
    for line in lines:
        [other] = line["opponents"]
        name = standing.entrant.division.entrants.get(number=other).player.name
        games = f"{format_points(line['games'])}–{format_points(line['games_against'])}"
        assert f"{line['round']} {name} v1 BOT {games} {format_points(line['points'])}" in opened.text
    neighbour = standing.entrant.division.entrants.get(number=standing.row["neighbour"]).player.name
    assert standing.why.replace("{neighbour}", f"{neighbour} v1") in opened.text


def test_the_ratings_are_drawn_wide_and_narrow_with_the_same_figures_in_a_table(client: Client, running: Start) -> None:
    season = running(4)
    let_play(2)
    page = get(client, address(season, "standings/"))
    charts = [attrs for tag, attrs in page.tags if tag == "svg" and attrs.get("class", "").startswith("chart")]
    assert [chart["class"] for chart in charts] == ["chart only-wide", "chart only-narrow"]
    lines = [
        attrs
        for tag, attrs in page.tags
        if tag == "path" and attrs.get("class", "").split()[:1] in (["line"], ["other"])
    ]
    assert len(lines) == 2 * 4
    for rating in Rating.objects.all():
        before = RatingChange.objects.filter(player=rating.player).order_by("position")[0].before
        assert f"{rating.player.name} v1 BOT {rating.rating:.0f}? provisional" in page.text
        assert before == 1500.0


def test_an_unrated_season_says_so(client: Client, running: Start) -> None:
    season = running(2, terms={"rated": False})
    let_play(1)
    assert "This season is not rated." in get(client, address(season, "standings/")).text


def test_what_happened_is_told_in_words_the_latest_first(client: Client, running: Start) -> None:
    season = running(4, format="round_robin", games_a_match=1)
    let_play(3)
    season.refresh_from_db()
    assert season.status == "finished"
    page = get(client, address(season, "activity/"))
    text = [
        page.text.index(word) for word in ("Finished. ", "Closed. Round 3", "Recorded. ", "Paired. Round 3: 2 matches.")
    ]
    assert text == sorted(text)
    entry = next(e for e in reversed(eventlog.read_events(season.stream_id)) if e.event[0] == "game_recorded")
    record = entry.event[3]
    game = Game.objects.get(pk=record["game"])
    named = {each.number: each.player.name for each in season.divisions.get().entrants.all()}
    sentence = " – ".join(
        f"{named[number]} v1 BOT {score}" for number, score in zip(record["seats"], record["scores"], strict=True)
    )
    assert sentence in page.text
    assert f"Log {record['head'][:4]}…{record['head'][-4:]}" in page.text
    assert f"/games/{game.public_id}/" in page.links()


def test_earlier_entries_are_a_link_away_down_to_the_first(client: Client, running: Start) -> None:
    season = running(4)
    let_play(4)
    page = get(client, address(season, "activity/"))
    recorded = page.text.count("Recorded.")
    for _ in range(eventlog.read_events(season.stream_id)[-1].version // 24):
        [earlier] = [link for link in page.links() if link.endswith("#timeline") and "before=" in link]
        page = get(client, earlier.partition("#")[0])
        recorded += page.text.count("Recorded.")
    assert recorded == 4 * 2 * 2
    assert not [link for link in page.links() if link.endswith("#timeline") and "before=" in link]
    assert "Opened. Double round robin, 2 games per match, 2 entrants per table." in page.text
    assert "Joined. Abacus v1 BOT, Gannet v1 BOT, Mother Goose v1 BOT and Tin Whistle v1 BOT." in page.text


def test_a_finished_season_says_who_won(client: Client, running: Start) -> None:
    season = running(2, format="round_robin", games_a_match=1)
    let_play(1)
    page = get(client, address(season))
    assert "Now Finished" in page.text
    assert "Won by" in page.text


def test_the_terms_of_a_season_are_told(client: Client, running: Start) -> None:
    season = running(3, table_size=3, kind="plates", options={}, terms={"leaver": "random", "move_seconds": 90})
    page = get(client, address(season, "settings/"))
    assert "Clock 1 minute 30 seconds per move" in page.text
    assert "When a player leaves random legal moves are played" in page.text
    assert "2 for the 1st and 1 for the 2nd" in page.text


def test_one_part_is_the_same_as_in_the_whole_page_and_says_when_a_round_has_begun(
    client: Client, running: Start
) -> None:
    season = running(4)
    let_play(1, open_next=True)
    parts = {"": ("round", "leaders"), "standings/": ("standings", "ratings"), "activity/": ("timeline",)}
    for there, names in parts.items():
        whole = Page.of(client.get(address(season, there)))
        for part in names:
            response = client.get(address(season, there), {"part": part})
            assert response.status_code == 200
            assert Page.of(response).headings[0] in whole.headings
            assert "<html" not in response.content.decode()
    for there, part in (("", "round"), ("standings/", "pulse"), ("activity/", "pulse")):
        known = {known: client.get(address(season, there), {"part": part, "known": known}) for known in ("2-open", "")}
        assert [answer.get("HX-Trigger") for answer in known.values()] == [None, "round-changed"]
    assert client.get(address(season), {"part": "elsewhere"}).status_code == 404
    assert client.get(address(season, "settings/"), {"part": "round"}).status_code == 404


def test_a_screen_in_the_hall_shows_the_round_page_by_page_without_anything_to_press(
    client: Client, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(format_panels, "HALL_MATCHES_PER_PAGE", 2)
    season = running(7)
    let_play(1, open_next=True)
    page = get(client, address(season, "hall/"))
    assert "Round 2 · 0 of 3 matches finished" in page.text
    assert {tag for tag, _attrs in page.tags} & {"button", "form", "input", "select", "nav"} == set()
    assert [attrs["href"] for tag, attrs in page.tags if tag == "a"] == ["#main"]
    [asks] = [attrs["hx-get"] for _tag, attrs in page.tags if attrs.get("id") == "hall"]
    second = get(client, asks)
    assert second.marks() == ["wait", "pause"]
    assert "Bye" in second.text
    [asks] = [attrs["hx-get"] for _tag, attrs in second.tags if attrs.get("id") == "hall"]
    assert get(client, asks).marks() == ["wait", "wait"] == page.marks()
    assert get(client, address(season, "hall/"), part="hall", matches=3).marks() == page.marks()  # a page that is gone


# matches and players


def test_a_match_shows_its_games_with_the_seats_changed_and_what_it_was_worth(client: Client, running: Start) -> None:
    running(2)
    let_play(1)
    match = Match.objects.get()
    first, second = (each.entrant.player for each in match.entrants.all())
    page = get(client, f"/matches/{match.pk}/")
    assert page.headings[0] == (1, f"{first.name} v1 against {second.name} v1, round 1")
    assert match.reason_text in page.text
    for played, mover in zip(match.games.all(), (first, second), strict=True):
        scores = {seat.player_id: seat.score for seat in played.game.seats.all()}
        assert f"{scores[first.pk]}–{scores[second.pk]} {mover.name}" in page.text
        assert f"/games/{played.game.public_id}/" in page.links()
    changes = RatingChange.objects.filter(player=first).order_by("position")
    place = first.entries.get().standing
    assert f"· {ordinal(place.place)} with {format_points(place.points)}" in page.text
    gained = round(changes[1].after - changes[0].before)
    assert f"rated {changes[1].after:.0f} {'+' if gained > 0 else '−' if gained else ''}{abs(gained)}" in page.text


def test_a_match_at_a_table_of_three_has_a_column_for_everybody(client: Client, running: Start) -> None:
    running(3, table_size=3, kind="plates", options={"rounds": 1})
    let_play(1)
    match = Match.objects.get()
    page = get(client, f"/matches/{match.pk}/")
    assert page.headings[0] == (1, "Round 1, table 1")
    for each in MatchEntrant.objects.filter(match=match):
        assert f"{each.entrant.player.name} v1 BOT {format_points(each.points)}" in page.text
    assert page.text.count("Replay") == 3


def test_a_player_shows_ratings_games_and_seasons(client: Client, running: Start) -> None:
    season = running(4)
    let_play(1)
    standing = Standing.objects.get(place=1)
    player = standing.entrant.player
    rating = Rating.objects.get(player=player)
    page = get(client, f"/players/{player.pk}/")
    assert page.headings[0] == (1, f"{player.name} v1 BOT")
    above = Rating.objects.filter(rating__gt=rating.rating).count()
    assert f"Chinese Ten, bots {rating.rating:.0f}? provisional {above + 1}" in page.text
    assert f"of 4 in Chinese Ten, {rating.games} games" in page.text
    assert address(season) in page.links()
    games = Game.objects.filter(seats__player=player)
    assert {f"/games/{game.public_id}/" for game in games} == set(page.links("/games/"))
    outright = [seats for game in games if (seats := game.seats.filter(placing=1)).count() == 1]
    won = sum(seats[0].player_id == player.pk for seats in outright)
    squares = [attrs["class"] for tag, attrs in page.tags if tag == "b" and "class" in attrs]
    assert squares.count("won") == won + sum(line["result"] == "W" for line in standing.row["lines"])


def test_a_bot_is_marked_as_a_bot_wherever_it_stands_and_a_person_is_not(client: Client, running: Start) -> None:
    season = running(2)
    let_play(0, open_next=True)
    noor = Player.objects.create(name="Noor", user=get_user_model().objects.create_user("noor"))
    assert "BOT" not in get(client, f"/players/{noor.pk}/").text
    page = get(client, address(season))
    assert page.text.count("Gannet v1 BOT") == page.text.count("Gannet v1") - 2  # two links' names


def test_my_own_row_is_tinted_and_says_that_it_is_me(client: Client, league: League, bots: list[Player]) -> None:
    user = get_user_model().objects.create_user("noor")
    noor = Player.objects.create(name="Noor", user=user)
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(
            league=league, name="Autumn 2026", kind="chinese_ten", options={"packs": 1}, calendar={"seconds": 60}
        )
        entries.enter_players(season=season, players=[noor, bots[0]])
        seasons.start_season(season=season)
    let_play(1)
    assert " you " not in get(client, address(season)).text
    client.force_login(user)
    page = get(client, address(season))
    assert "Noor you" in page.text
    assert [attrs.get("class") for tag, attrs in page.tags if tag == "tr" and "mine" in attrs.get("class", "")]


# what holds for every page


@pytest.fixture
def every_page(running: Start, client: Client) -> list[str]:
    """Return the addresses of every kind of page, in a league that is being played."""
    season, table_of_three = (
        running(4),
        running(3, name="Plates 2026", table_size=3, kind="plates", options={"rounds": 1}),
    )
    let_play(2, open_next=True)
    number = Standing.objects.filter(entrant__division__season=season)[0].entrant.number
    matches = Match.objects.filter(round__division__season__in=[season, table_of_three], round__number=1)
    return [
        "/",
        "/watch/",
        "/clubs/",
        "/clubs/lantern/",
        address(season),
        *[address(season, page) for page in ("rounds/", "activity/", "settings/")],
        f"{address(season, 'standings/')}?row={number}",
        f"{address(table_of_three, 'standings/')}?row=1",
        *[f"/matches/{match.pk}/" for match in matches],
        f"/matches/{Match.objects.order_by('-pk')[0].pk}/",
        f"/players/{Player.objects.order_by('pk')[0].pk}/",
        "/learn/",
        "/rules/chinese_ten/",
        "/fairness/",
        "/zone/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
    ]


def test_every_page_can_be_heard_and_runs_nothing_inline(client: Client, every_page: list[str]) -> None:
    assert {path: faults for path in every_page if (faults := get(client, path).faults())} == {}


def test_a_page_that_is_not_there_can_be_heard_too(client: Client) -> None:
    assert Page.of(client.get("/nothing/")).faults() == []


@pytest.mark.parametrize(
    "path",
    [
        "/clubs/nowhere/",
        "/clubs/nowhere/league/season/",
        "/clubs/lantern/chinese-ten/summer-1961/",
        "/matches/999999/",
        "/players/999999/",
        "/rules/whist/",
        "/clubs/?page=0",
        "/clubs/?page=2",
        "/clubs/?page=many",
    ],
)
def test_what_is_not_there_is_404_in_the_platform_look(client: Client, league: League, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    page = Page.of(response)
    assert page.headings == [(1, "Page not found")]
    assert "/clubs/" in page.links()
    assert "css/site.css" in response.content.decode()


@pytest.mark.parametrize(
    "there", ["rounds/?round=9", "rounds/?round=x", "?division=7", "standings/?page=2", "rounds/?rounds=2", "news/"]
)
def test_a_part_of_a_season_that_is_not_there_is_404(client: Client, running: Start, there: str) -> None:
    season = running(2)
    let_play(1)
    assert client.get(address(season, there)).status_code == 404


@pytest.mark.slow
def test_no_page_shows_the_id_of_a_row(client: Client, running: Start) -> None:
    models = (Player, Game, Match, Season, Round, Club, Standing)
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), 7310000)", [model._meta.db_table])
    season = running(4)
    let_play(2, open_next=True)
    match, player = Match.objects.order_by("pk")[0], Player.objects.order_by("-pk")[0]
    paths = [
        "/",
        "/watch/",
        "/clubs/",
        "/clubs/lantern/",
        *[address(season, page) for page in ("", "standings/", "rounds/", "activity/", "settings/")],
        f"/matches/{match.pk}/",
        f"/players/{player.pk}/",
    ]
    assert match.pk > 7310000
    assert [path for path in paths if "73100" in get(client, path).text] == []


def count_queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        get(client, path)
    return len(queries)


@pytest.mark.slow
@pytest.mark.long  # it requests fourteen pages, each with few rows and with many
def test_a_page_costs_the_same_number_of_queries_whatever_its_size(
    client: Client, running: Start, django_assert_num_queries: Any, django_assert_max_num_queries: Any
) -> None:
    small, large = running(6, name="Small"), running(9, name="Large")
    let_play(1, open_next=True)
    measured = {path: count_queries(client, path) for path in ("/", "/watch/", "/clubs/", "/clubs/lantern/")}
    let_play(3, open_next=True)
    assert Round.objects.filter(division__season=large).count() == 4
    for path, queries in measured.items():  # where there are few results, latest ones are looked for once more
        with django_assert_max_num_queries(queries):
            get(client, path)
    of_small, of_large = address(small), address(large)
    for query in ("", "?part=round", "standings/", "standings/?row=1", "rounds/?round=1", "activity/", "settings/"):
        with django_assert_num_queries(count_queries(client, of_small + query)):
            get(client, of_large + query)
    of_two, of_eight = (Match.objects.filter(round__division__season=each)[0] for each in (small, large))
    with django_assert_num_queries(count_queries(client, f"/matches/{of_two.pk}/")):
        get(client, f"/matches/{of_eight.pk}/")
    seldom, often = Player.objects.get(name="Wren"), Player.objects.get(name="Gannet")
    with django_assert_num_queries(count_queries(client, f"/players/{seldom.pk}/")):
        get(client, f"/players/{often.pk}/")
