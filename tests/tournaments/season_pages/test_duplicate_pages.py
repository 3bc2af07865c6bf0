"""Pages of seasons with duplicate deals: they name the deals, say what is sealed and until when, and then compare the
scores with the same cards, with all the arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock
from games.models import Seat
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, Start, play_all, play_season
from tests.tournaments.director.test_deals import MINUTE, begun, by_number, finish, person
from tests.tournaments.director.test_short_tables import paired
from tournaments.director import director
from tournaments.matches import duplicate
from tournaments.matches.rows import match_row, matches_for_rows
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import League, Match, MatchGame, Season

pytestmark = pytest.mark.django_db
NAMES = ("Martha", "Laura", "Otto", "Ines")


def of(match: Match) -> list[duplicate.DuplicateDeal]:
    return duplicate.duplicate_deals(match_row(matches_for_rows().get(pk=match.pk)))


def page_of(client: Client, match: Match) -> str:
    return Page.of(client.get(f"/matches/{match.pk}/")).text


def row_of(client: Client, season: Season, entrant: int) -> str:
    address = f"/clubs/lantern/chinese-ten/{season.slug}/standings/?row={entrant}"
    return Page.of(client.get(address)).text


@pytest.fixture
@world
def season(league: League) -> Season:
    return begun(league, [person(name) for name in NAMES], games_a_match=1, tie_breaks=["datum", "lots"])


def test_a_season_with_duplicate_deals_says_so_at_its_head_and_beside_its_round(client: Client, season: Season) -> None:
    page = Page.of(client.get(f"/clubs/lantern/chinese-ten/{season.slug}/")).text
    assert "All tables play the same cards." in page
    assert "Results stay sealed until the last game with these cards is over" in page
    settings = Page.of(client.get(f"/clubs/lantern/chinese-ten/{season.slug}/settings/")).text
    assert "Deals the same cards at all tables of a round" in settings


def test_where_every_game_has_its_own_deal_nothing_is_said_of_it(client: Client, running: Start) -> None:
    season = running(4)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    assert "same cards" not in Page.of(client.get(f"/clubs/lantern/chinese-ten/{season.slug}/")).text
    match = Match.objects.earliest("pk")
    assert of(match) == []
    assert "same cards" not in page_of(client, match)


def test_a_match_that_is_over_says_at_which_table_its_cards_are_still_played(client: Client, season: Season) -> None:
    one, other = by_number(season)[1]
    with clock.frozen_at(BEGIN):
        finish(one.game)
    page = page_of(client, one.match)
    assert (
        "Table 2 plays these cards too. Score, log, seed and salt become public when the last game with these cards "
        "is over."
    ) in page
    assert "All other tables with these cards have finished." in page_of(client, other.match)
    assert [(cards.sealed, cards.hands) for cards in of(one.match)] == [(True, [])]


def test_then_the_tables_stand_side_by_side_with_the_mean_of_each_seat(client: Client, season: Season) -> None:
    one, other = by_number(season)[1]
    with clock.frozen_at(BEGIN + MINUTE):
        finish(one.game, 1)
        finish(other.game, 2)
        director.advance()
    made = [list(each.game.seats.values_list("score", flat=True)) for each in (one, other)]
    [cards] = of(one.match)
    assert [[(each.table, each.game) for each in hand.others] for hand in cards.hands] == [[(2, other.game)]] * 2
    assert [(hand.score, hand.mean) for hand in cards.hands] == list(zip(*made, strict=True))
    assert [hand.ahead for hand in cards.hands] == [mine - theirs for mine, theirs in zip(*made, strict=True)]
    page = page_of(client, one.match)
    for hand in cards.hands:
        [same] = hand.others
        ahead = f"{'+' if hand.ahead > 0 else ''}{format_points(hand.ahead)}"
        line = (
            f"{hand.seat} {hand.player.name} {format_points(hand.score)} {same.player.name} {format_points(same.score)}"
        )
        assert line in page
        assert f"{format_points(hand.mean)} {ahead}" in page


@pytest.mark.slow
def test_the_row_of_the_standings_unfolds_to_the_same_differences(client: Client, season: Season) -> None:
    """Each round shows the own score minus the mean of the others. The sum of these differences is the tie-break."""
    play_season(season)
    for entrant in season.entries.select_related("standing", "player"):
        hands = [
            hand
            for match in Match.objects.filter(entrants__entrant=entrant).order_by("round__number")
            for cards in of(match)
            for hand in cards.hands
            if hand.player == entrant.player
        ]
        assert len(hands) == 3
        found = {each["name"]: each["value"] for each in entrant.standing.row["tie_breaks"]}
        assert found["datum"] == sum(hand.ahead for hand in hands)
        page = row_of(client, season, entrant.number)
        assert "Same cards: score − others’ average" in page
        for hand in hands:
            assert f"{format_points(hand.score)} − {format_points(hand.mean)}" in page


def test_where_the_lower_score_is_the_better_one_the_difference_is_turned_round(client: Client, running: Start) -> None:
    season = running(4, kind="plates", options={}, format="round_robin", deals="duplicate", tie_breaks=["datum"])
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    hands = [hand for match in Match.objects.all() for cards in of(match) for hand in cards.hands]
    assert any(hand.score != hand.mean for hand in hands)
    assert all(hand.ahead == hand.mean - hand.score for hand in hands)
    for entrant in season.entries.select_related("standing", "player"):
        ahead = sum(hand.ahead for hand in hands if hand.player == entrant.player)
        assert entrant.standing.row["tie_breaks"][0]["value"] == pytest.approx(float(ahead))
    assert "Same cards: others’ average − score" in row_of(client, season, 1)


def test_bots_play_both_seats_of_a_deal_so_two_games_of_a_match_stand_under_it(client: Client, running: Start) -> None:
    running(4, format="round_robin", deals="duplicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    match = Match.objects.earliest("pk")
    [cards] = of(match)
    assert cards.games == [1, 2]
    assert [len(hand.others) for hand in cards.hands] == [3] * 4
    assert "Games 1, 2" in page_of(client, match)
    assert sorted(hand.number for hand in cards.hands) == [1, 1, 2, 2]


def test_a_table_that_the_platform_has_filled_is_compared_with_none(client: Client, running: Start) -> None:
    paired(running, 7, "built_in_bot", deals="duplicate")
    with clock.frozen_at(BEGIN):
        play_all()
        director.advance()
    for match in Match.objects.filter(round__number=1):
        [cards] = of(match)
        assert (cards.hands, cards.sealed) == ([], False)
        assert "No other table has finished these cards" in page_of(client, match)


def test_a_game_to_which_somebody_did_not_come_is_compared_with_none(client: Client, season: Season) -> None:
    """It is compared neither on the page nor by the tie-break."""
    one, other = by_number(season)[1]
    with clock.frozen_at(BEGIN + MINUTE):
        play.leave_game(game=one.game, seat=0, how=FORFEITED)
        finish(other.game)
        director.advance()
    for each in (one, other):
        [cards] = of(each.match)
        assert (cards.hands, cards.sealed) == ([], False)
    rows = [entrant.standing.row for entrant in season.entries.select_related("standing")]
    assert [row["tie_breaks"][0]["value"] for row in rows] == [0, 0, 0, 0]


def test_only_the_first_tables_are_shown_and_all_are_in_the_mean(
    running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicate, "MAX_OTHER_TABLES", 2)
    running(8, format="round_robin", games_a_match=1, deals="duplicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    match = Match.objects.get(round__number=1, table=4)
    [cards] = of(match)
    assert [other.table for other in cards.hands[0].others] == [1, 2]
    assert cards.more == 1
    made = Seat.objects.filter(game__in=MatchGame.objects.filter(match__round__number=1).values("game"), seat=0)
    others = made.exclude(player=cards.hands[0].player).values_list("score", flat=True)
    assert cards.hands[0].mean == Fraction(sum(score or 0 for score in others), 3)


def test_a_match_asks_as_many_queries_for_eight_games_as_for_two(running: Start) -> None:
    counts = []
    for games, name in ((2, "Spring"), (8, "Winter")):
        running(4, format="round_robin", games_a_match=games, deals="duplicate", name=name)
        with clock.frozen_at(BEGIN):
            director.advance()
            play_all()
            director.advance()
        line = match_row(matches_for_rows().get(pk=Match.objects.filter(round__number=1).latest("pk").pk))
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert len(duplicate.duplicate_deals(line)) == games // 2
        counts.append(len(asked))
    assert counts[0] == counts[1]
