"""The season's page for every format: the bracket as it stands, the ladder, the arena; entrants with their states."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import clock, page_cache
from games.models import Player
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.parameters import mostly_slow
from tests.tournaments.club import BEGIN, NAMES, SEED, Start, let_play, play_all, play_season
from tests.tournaments.season_pages.test_pages import address, get
from tournaments.director import director
from tournaments.entries import challenges
from tournaments.entries import services as entries
from tournaments.formats import FORMATS
from tournaments.lifecycle import services as seasons
from tournaments.maintenance.rebuild import find_differences
from tournaments.season_pages import action_views
from tournaments.seasons.models import Entrant, League, Match, Season

pytestmark = pytest.mark.django_db


def boxes(page: Page) -> list[str]:
    """Return the state of each box of the bracket."""
    return [attrs["class"].split()[1] for tag, attrs in page.tags if attrs.get("class", "").startswith("box ")]


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "name",
    mostly_slow(
        [name for name, format in FORMATS.items() if not format.by_teams], ["swiss", "double_elimination", "ladder"]
    ),
)
def test_the_page_of_every_format_has_no_fault_before_and_while_it_is_played(
    client: Client, running: Start, name: str
) -> None:
    season = running(8 if name == "groups" else 5, format=name)
    assert get(client, address(season)).faults() == []
    let_play(1, open_next=True)
    page = get(client, address(season))
    assert page.faults() == []
    for there in ("standings/", "rounds/", "activity/", "settings/"):
        assert get(client, address(season, there)).faults() == []
    assert ("Bracket" in page.text) == (name in ("knockout", "double_elimination", "groups"))
    assert ("Current ladder" in page.text) == (name == "ladder")
    assert ("In progress" in page.text) == (name in ("ladder", "arena"))


def test_a_knockout_shows_who_goes_on_and_for_whom_the_rest_waits(client: Client, running: Start) -> None:
    season = running(5, format="knockout", format_options={"third_place": True})
    drawn = get(client, address(season))
    assert boxes(drawn) == ["done", "ready", "done", "done", "waiting", "ready", "waiting", "waiting"]
    assert "winner of W1.2" in drawn.text
    let_play(1, open_next=True)
    page = get(client, address(season))
    assert boxes(page).count("playing") == 2
    assert "advances" in page.text
    last = {match.slot: match.pk for match in Match.objects.order_by("pk")}  # of a drawn match its replay
    assert {f"/matches/{pk}/" for pk in last.values()} <= set(page.links("/matches/"))
    assert any("css/bracket" in attrs.get("href", "") for tag, attrs in page.tags if tag == "link")
    frames = [attrs for _, attrs in page.tags if attrs.get("class", "").startswith("bracket ")]
    assert all(attrs["tabindex"] == "0" and attrs["role"] == "group" for attrs in frames)


def test_the_parts_refresh_by_themselves(client: Client, running: Start) -> None:
    season = running(4, format="knockout")
    let_play(1, open_next=True)
    part = Page.of(client.get(address(season), {"part": "bracket"}))
    assert "Final" in part.text
    assert "Standings" not in part.text
    ladder = running(4, format="ladder", name="Ladder")
    assert NAMES[0] in Page.of(client.get(address(ladder), {"part": "ladder"})).text
    assert "No match is in progress" in Page.of(client.get(address(ladder), {"part": "now"})).text


def test_a_challenge_is_seen_on_the_ladder_and_moves_it_when_it_is_won(client: Client, running: Start) -> None:
    season = running(4, format="ladder")
    page = get(client, address(season), part="ladder")
    order = sorted(NAMES[:4], key=page.text.index)
    entered = {entrant.player.name: entrant for entrant in season.entries.select_related("player")}
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        challenges.create_challenge(entrant=entered[order[1]], other=entered[order[0]])
        assert f"has challenged {order[0]}" in get(client, address(season), part="ladder").text
        director.advance()
    page = get(client, address(season), part="ladder")
    assert page.text.count("Playing") == 2
    match = Match.objects.latest("pk")
    assert "Place 2 has challenged place 1" in get(client, address(season), part="now", reason=match.pk).text


def test_an_arena_lists_all_that_is_on_and_unfolds_a_reason(client: Client, running: Start) -> None:
    season = running(6, format="arena")
    with clock.frozen_at(BEGIN):
        director.advance()
    page = get(client, address(season), part="now")
    assert len(page.links("/matches/")) == 3
    for match in Match.objects.all():
        [why] = [attrs for _tag, attrs in page.tags if attrs.get("id") == f"reason-{match.pk}"]
        assert get(client, why["hx-get"]).text.count(match.reason_text) == 1
    hall = get(client, address(season, "hall/"))
    assert "In progress" in hall.text
    assert len(hall.marks()) == 3


def test_lists_and_withdrawals_are_told(client: Client, league: League, bots: list[Player]) -> None:
    with clock.frozen_at(BEGIN):
        season = seasons.create_season(
            league=league,
            name="Autumn 2026",
            kind="chinese_ten",
            format="round_robin",
            entry={"max_entrants": 3, "alternates": True},
            calendar={"seconds": 60},
        )
        entered = [entries.enter_season(season=season, player=player) for player in bots[:5]]
        page = get(client, address(season))
        assert "On the waiting list" in page.text
        seasons.start_season(season=season, seed=SEED)
        director.advance()
        entries.withdraw_entrant(entrant=entered[0], why="organiser")
    page = get(client, address(season))
    assert f"Alternates, waiting for a free place {NAMES[4]}" in page.text
    assert f"Withdrawn {NAMES[0]}" in page.text


def test_where_many_play_an_organiser_names_an_entrant_by_number(
    client: Client, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = running(4)
    client.force_login(season.league.club.owner)
    fields = {attrs.get("id"): tag for tag, attrs in get(client, address(season, "settings/")).tags}
    assert fields["step-entrant"] == "select"
    monkeypatch.setattr("tournaments.season_pages.action_views.MAX_ENTRANT_CHOICES", 3)
    caches[page_cache.CACHE].clear()  # a constant is in no key
    page = get(client, address(season, "settings/"))
    assert {attrs.get("id"): tag for tag, attrs in page.tags}["step-entrant"] == "input"
    assert page.faults() == []
    confirm(client, f"{address(season)}step/", {"do": "withdraw", "entrant": "2", "note": "Asked by mail."})
    assert season.entries.get(number=2).status == Entrant.Status.WITHDRAWN


def test_what_was_declared_stands_on_the_page(client: Client, running: Start) -> None:
    season = running(
        4, format="knockout", withdrawals="forfeit", max_no_shows=2, entry={"rating_min": 1000, "max_entrants": 9}
    )
    text = get(client, address(season, "settings/")).text
    assert "Match for the third place no" in text
    assert "Rating limits 1000 to …" in text
    assert "After a withdrawal results stand; the remaining games are lost" in text
    assert "Withdrawn after missed rounds 2" in text


def queries(client: Client, season: Season, **query: Any) -> int:
    with CaptureQueriesContext(connection) as found:
        client.get(address(season), query)
    return len(found)


FORMATS_WITH_LONG_LISTS = ("knockout", "double_elimination", "groups", "ladder", "arena")
OF_EACH_SORT = ("groups", "arena")  # a bracket behind tables, and matches without rounds


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in OF_EACH_SORT else pytest.mark.slow) for name in FORMATS_WITH_LONG_LISTS],
)
def test_the_page_costs_the_same_for_few_and_for_many(client: Client, running: Start, name: str) -> None:
    few, many = (8, 9) if name == "groups" else (5, 7)
    small = running(few, format=name, name="Small", format_options={"group_size": 4} if name == "groups" else {})
    large = running(many, format=name, name="Large")
    let_play(1, open_next=True)
    play_all()
    assert queries(client, small) == queries(client, large)
    assert queries(client, small, part="bracket") <= 11


@pytest.mark.parametrize(("name", "removed"), [("round_robin", True), ("swiss", False), ("knockout", False)])
def test_what_becomes_of_the_results_of_a_withdrawn_is_said_as_the_format_does_it(
    client: Client, running: Start, name: str, removed: bool
) -> None:
    season = running(format=name, withdrawals="void_below_half")
    assert ("results are removed" in get(client, f"{address(season)}settings/").text) == removed
    assert ("are removed" in action_views.withdrawal_consequence(season)) == removed


def test_divisions_are_tabs_of_one_page(client: Client, running: Start) -> None:
    season = running(8, format="knockout", divisions=[{"name": "Gold", "max_entrants": 4}, {"name": "Silver"}])
    let_play(1)
    gold, silver = get(client, address(season)), get(client, address(season), division=2)
    assert "Gold" in gold.headings[0][1]
    assert "Silver" in silver.headings[0][1]
    assert not set(gold.links("/matches/")) & set(silver.links("/matches/"))
    assert len(boxes(gold)) == len(boxes(silver)) == 3


def test_a_cup_has_no_leader_and_no_points_but_the_stage_that_each_has_reached(client: Client, running: Start) -> None:
    season = running(4, format="knockout", format_options={"drawn": "seed"})
    let_play(1)
    page = get(client, address(season))
    assert "Leader" not in page.text
    assert "from 1 match" not in page.text
    assert "Tie-break order" not in get(client, address(season, "settings/")).text
    standings = get(client, address(season, "standings/"))
    assert [text for _level, text in standings.headings if text.startswith(("Placings", "Standings"))] == [
        "Placings after round 1"
    ]
    found = {entrant.standing.why: entrant.standing.place for entrant in season.entries.select_related("standing")}
    assert found == {"Still in: Final.": 1, "Out: Semi-final.": 3}
    let_play(2)
    page = get(client, address(season))
    assert "Won by" in page.text
    assert "from 2 matches" not in page.text
    entered = season.entries.select_related("standing").order_by("standing__place")
    places = [(entrant.standing.place, entrant.standing.why) for entrant in entered]
    expected = [(1, "Won: Final."), (2, "Out: Final."), (3, "Out: Semi-final."), (3, "Out: Semi-final.")]
    assert places == expected
    assert list(find_differences(write=True)) == []


@pytest.mark.slow
def test_in_double_elimination_who_has_lost_once_is_still_in(running: Start) -> None:
    season = running(4, format="double_elimination", format_options={"drawn": "seed"})
    let_play(1)
    assert set(season.entries.values_list("standing__place", flat=True)) == {1}
    let_play(2)
    out = season.entries.filter(standing__row__why__0__0="out_in_stage")
    assert list(out.values_list("standing__place", flat=True)) == [4]


def test_a_club_with_a_filter_speaks_of_the_seasons_that_it_lists(client: Client, running: Start) -> None:
    play_season(running(3))
    empty = get(client, "/clubs/lantern/", state="open")
    assert "No match of the seasons listed above has finished." in empty.text
    assert "No match has finished yet." not in empty.text
