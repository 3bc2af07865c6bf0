"""Details that unfold on a season's page: the figures behind a pairing, the terms of a row and the rulings about it.
Also the buttons of a ladder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, let_play
from tests.tournaments.entries.test_entries import club_people, entrant, events_of_type, season_of
from tests.tournaments.season_pages.test_pages import address, get
from tournaments.director import director
from tournaments.entries import challenges
from tournaments.entries.ladder_selectors import ladder_rows
from tournaments.matches.pairing_basis import PairingBasis, goes_by_points
from tournaments.rulings import services as rulings
from tournaments.season_pages.overview import round_page
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import Bye, League, Match, Round, Season
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
__all__ = ["club_people"]
Start = Callable[..., Season]


def user_of(player: Player) -> User:
    assert player.user
    return player.user


def tag_of(page: Page, id: str) -> dict[str, str]:
    """Return the attributes of the only tag with this id."""
    [found] = [attrs for _tag, attrs in page.tags if attrs.get("id") == id]
    return found


def bases(shown: Round) -> list[PairingBasis]:
    """Unfold each pairing and each bye of a round, and return the figures behind them."""
    folded = round_page(shown, "")
    keys = [*[line.match.pk for line in folded.page.items], *[key for key, *_bye in folded.byes]]
    sheets = [round_page(shown, "", str(key)) for key in keys]
    assert [sheet.opened for sheet in sheets] == keys
    return [sheet.basis for sheet in sheets if sheet.basis]


# pairings


def test_a_first_round_goes_by_nothing_that_was_before(running: Start) -> None:
    season = running(5, format="swiss")
    let_play(1)
    first = Round.objects.get(division__season=season, number=1)
    assert len(first.matches.all()) + len(first.byes.all()) == 3
    assert bases(first) == []


def test_a_swiss_pairing_unfolds_to_points_first_moves_and_rests(client: Client, running: Start) -> None:
    season = running(5, format="swiss")
    let_play(2, open_next=True)
    second = Round.objects.get(division__season=season, number=2)
    rested = Bye.objects.get(round__division__season=season, round__number=1).entrant.player
    found = bases(second)
    rows = {row.player: row for basis in found for row in basis.rows}
    assert len(rows) == 5
    for player, row in rows.items():
        [line] = [line for line in Standing.objects.get(entrant__player=player).row["lines"] if line["round"] == 1]
        assert row.points == line["points"]
        assert (row.played, row.byes) == ((0, 1) if player == rested else (1, 0))
    assert sum(row.first for row in rows.values()) == 2  # of two matches
    assert all(basis.met == [] for basis in found)


def test_each_pairing_of_a_page_is_a_link_that_unfolds_it_and_the_next_one_folds_it_up(
    client: Client, running: Start
) -> None:
    season = running(5, format="swiss")
    let_play(2, open_next=True)
    match = Match.objects.filter(round__division__season=season, round__number=2).earliest("table")
    rest = Bye.objects.get(round__division__season=season, round__number=2)
    there = address(season, "rounds/")
    page = get(client, there, round=2)
    assert page.text.count(" Why") == 3
    assert "Moved first" not in page.text
    assert match.reason_text not in page.text
    for key, sentence in ((match.pk, "They had not met in this season."), (-rest.pk, rest.reason_text)):
        link = tag_of(page, f"why-{key}")
        assert link.get("aria-expanded") == "false"
        opened = get(client, link["href"].partition("#")[0])
        assert opened.text.count("Moved first") == 1
        assert sentence in opened.text
        again = tag_of(opened, f"why-{key}")
        assert again.get("aria-expanded") == "true"
        assert "why" not in again["href"].partition("#")[0]
    assert "Moved first" not in get(client, there, round=2, why=match.pk + 1000).text


def test_who_meets_somebody_with_fewer_points_went_down(running: Start) -> None:
    season = running(5, format="swiss")
    let_play(3, open_next=True)
    for number in (2, 3):
        for basis in bases(Round.objects.get(division__season=season, number=number)):
            ranked = sorted(basis.rows, key=lambda row: row.points)
            went = [row.went for row in ranked]
            level = len({row.points for row in ranked}) == 1
            assert went == [""] * len(went) if level else went == ["up", "down"]


def test_a_pairing_says_in_which_round_the_two_have_met(running: Start) -> None:
    season = running(2, format="double_round_robin", games_a_match=1)
    let_play(2, open_next=True)
    second = Round.objects.get(division__season=season, number=2)
    [basis] = bases(second)
    assert basis.met == [1]


@pytest.mark.parametrize("format", ["knockout", "arena", "ladder"])
def test_where_points_pair_nobody_no_pairing_unfolds_to_them(running: Start, format: str) -> None:
    season = running(4, format=format)
    assert not goes_by_points(Round(division=season.divisions.get(), number=2))


# standings


def test_a_row_unfolds_to_what_each_round_adds_to_each_tie_break(client: Client, running: Start) -> None:
    chain = ["wins", "buchholz", "median_buchholz", "sonneborn_berger", "score_difference", "lots"]
    season = running(4, tie_breaks=chain)
    let_play(3)
    standing = Standing.objects.get(place=1)
    page = get(client, address(season, "standings/"), row=standing.entrant.number)
    for head in ("Opponents’ points: Buchholz", "Result × opponents’ points: S-B", "Games won", "Score ahead"):
        assert head in page.text
    values = {each["name"]: each["value"] for each in standing.row["tie_breaks"]}
    together = [format_points(values[name]) for name in ("wins", "buchholz", "sonneborn_berger", "score_difference")]
    games = f"{format_points(standing.row['games'])}–{format_points(standing.row['games_against'])}"
    assert f"Total {games} {format_points(standing.points)} {' '.join(together)}" in page.text
    assert "Buchholz without the highest and the lowest value" in page.text


def test_a_row_tells_what_organisers_have_decided_about_it_with_the_reason(client: Client, running: Start) -> None:
    season = running(4, format="round_robin")
    let_play(1)
    match = Match.objects.select_related("round__division__season__league__club").earliest("pk")
    owner = season.league.club.owner
    rulings.adjudicate(match=match, game=1, places=[1, 1], by=owner, note="The lamps went out.")
    concerned = match.entrants.earliest("order").entrant
    page = get(client, address(season, "standings/"), row=concerned.number)
    decisions = page.text.partition("Decisions of organisers")[2]
    assert decisions.startswith(" Adjudicated. Game 1 at table")
    assert "Reason: The lamps went out." in decisions
    others = season.entries.exclude(matches__match=match)
    assert "Decisions of organisers" not in get(client, address(season, "standings/"), row=others[0].number).text


# the ladder


@pytest.fixture
@world
def ladder(league: League, club_people: list[Player]) -> Season:
    season = season_of(league, club_people[:4], format="ladder")
    with clock.frozen_at(BEGIN):
        director.advance()
    return season


def order_of(season: Season) -> list[Player]:
    return [rung.player for rung in ladder_rows(fold_season(season), season.divisions.get())]


def test_whom_one_may_challenge_has_a_button(client: Client, ladder: Season) -> None:
    top, second, third, last = order_of(ladder)
    names = [player.name for player in (top, second, third)]

    def offered(player: Player | None) -> list[str]:
        browser = Client()
        if player is not None:
            browser.force_login(user_of(player))
        page = get(browser, address(ladder), part="ladder")
        return [name for name in (*names, last.name) if f"Challenge {name}" in page.text]

    with clock.frozen_at(BEGIN):
        assert offered(None) == []
        assert offered(top) == []
        assert offered(second) == [top.name]
        assert offered(last) == names


def test_the_button_challenges_and_is_gone_then(client: Client, ladder: Season) -> None:
    _top, second, third, last = order_of(ladder)
    client.force_login(user_of(last))
    step = f"{address(ladder)}step/"
    with clock.frozen_at(BEGIN):
        sent = {"do": "challenge", "entrant": entrant(ladder, second).number}
        page = Page.of(client.post(step, sent, follow=True))
        assert f"You have challenged {second.name}" in page.text
        assert events_of_type(ladder, "entrant_challenged")[-1][2:4] == [
            entrant(ladder, last).number,
            entrant(ladder, second).number,
        ]
        part = get(client, address(ladder), part="ladder")
        assert f"Challenge {second.name}" not in part.text
        assert f"Challenge {third.name}" in part.text


def test_nobody_challenges_for_others_or_without_being_on_the_ladder(
    client: Client, ladder: Season, club_people: list[Player]
) -> None:
    step = f"{address(ladder)}step/"
    sent = {"do": "challenge", "entrant": 1}
    assert "/login/" in client.post(step, sent)["Location"]
    client.force_login(user_of(club_people[5]))
    with clock.frozen_at(BEGIN):
        client.post(step, sent)
    assert events_of_type(ladder, "entrant_challenged") == []


def test_a_ladder_that_rests_offers_no_challenges(client: Client, ladder: Season) -> None:
    last = order_of(ladder)[-1]
    client.force_login(user_of(last))
    Season.objects.filter(pk=ladder.pk).update(status=Season.Status.PAUSED)
    assert "Challenge" not in get(client, address(ladder), part="ladder").text


def test_a_match_on_the_ladder_shows_at_once_who_plays(client: Client, ladder: Season) -> None:
    top, second, *_others = order_of(ladder)
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=entrant(ladder, second), other=entrant(ladder, top))
        challenges.accept_challenge(entrant=entrant(ladder, top), challenger=entrant(ladder, second))
        director.advance()
        assert get(client, address(ladder), part="ladder").text.count("Playing") == 2
        match = Match.objects.latest("pk")
        loser = match.games.get().game.seats.get(player=top).seat
        play.leave_game(game=match.games.get().game, seat=loser, how=FORFEITED)
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
    assert order_of(ladder)[:2] == [second, top]
