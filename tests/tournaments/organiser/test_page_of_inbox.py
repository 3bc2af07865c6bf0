"""The page of the inbox: what it shows, and what each button does to whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts import people
from games.common import clock
from games.models import Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, new_club
from tests.tournaments.entries.test_entries import entrant, faults, season_of
from tests.tournaments.organiser.conftest import A_DAY, LATE, nudge, on, send
from tournaments.clubs.models import Club, JoinRequest, Membership
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.organiser import counts, upcoming
from tournaments.organiser import views as organiser_views
from tournaments.rulings import disputes
from tournaments.seasons.models import Entrant, League, Match, Round, Season

pytestmark = pytest.mark.django_db


def test_each_step_in_the_inbox_is_for_those_who_organise_its_club(played: Season, club: Club) -> None:
    """The page `/inbox/` is for organisers of any club, so each step itself checks the permission in its club."""
    carol, bram, ivo, ruth = (User.objects.create_user(name) for name in ("carol", "bram", "ivo", "ruth"))
    for user in (carol, bram, ivo, ruth):
        people.create_profile_and_player(user, user.username)
    for user, within in ((ivo, Membership.Role.MEMBER), (ruth, Membership.Role.ORGANISER)):
        Membership.objects.create(club=club, user=user, role=within)
    asked, other = (JoinRequest.objects.create(club=club, user=user, created=BEGIN) for user in (carol, bram))
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        player = match.entrants.earliest("order").entrant.player
        assert player.user
        play.leave_game(game=match.games.earliest("pk").game, seat=0, how=FORFEITED)
        raised = disputes.open_dispute(match=match, by=player.user, note="It went wrong.")
    sent: dict[str, dict[str, Any]] = {
        "decide": {"dispute": raised.pk, "how": "stands", "game": 1, "note": "It did not."},
        "adjudicate": {"match": Match.objects.latest("pk").pk, "outcome": "draw", "note": "Both were ill."},
        "nudge": {"match": match.pk},
        "extend": {"round": Round.objects.get().pk, "days": 3},
        "accept": {"request": asked.pk},
        "refuse": {"request": other.pk},
        **{name: {"season": played.pk, "entrant": 1} for name in ("admit", "decline", "withdraw")},
        **{name: {"season": played.pk} for name in ("resume", "start")},
    }
    assert set(sent) == set(organiser_views.ACTIONS)
    answered = {}
    for user, role in ((carol, "stranger"), (ivo, "member"), (ruth, "organiser")):
        browser = Client()
        browser.force_login(user)
        played.stream.refresh_from_db()
        before = played.stream.version
        with clock.frozen_at(LATE):
            statuses = {do: browser.post("/inbox/", {"do": do, **form}).status_code for do, form in sent.items()}
        played.stream.refresh_from_db()
        answered[role] = (statuses, played.stream.version == before)
    assert answered["stranger"] == answered["member"] == (dict.fromkeys(sent, 403), True)
    # The first two ask before they act; a running season refuses the others.
    asked_or_refused = dict.fromkeys(("decline", "withdraw", "admit", "resume", "start"), 422)
    assert answered["organiser"] == ({**dict.fromkeys(sent, 302), **asked_or_refused}, False)


@pytest.mark.slow
def test_the_inbox_reads_well_and_its_buttons_do_what_they_say(niamh: Client, played: Season) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        assert page.faults() == []
        assert "Needs your attention" in page.text
        assert "2 items, most urgent first." in page.text
        assert "Today and tomorrow" in page.text
        page = Page.of(send(niamh, "nudge", match=match.pk))
        assert "were reminded to play." in page.text
        assert "Reminded today" in page.text
        assert "Niamh" in page.text or "niamh" in page.text
        page = Page.of(send(niamh, "nudge", match=match.pk))
        assert "You can remind them again tomorrow." in page.text
        page = Page.of(send(niamh, "extend", round=match.round_id, days=3))
    assert "Round 1 was extended by 3 days." in page.text
    assert Round.objects.get().closes_at == BEGIN + 10 * A_DAY
    assert "Nothing needs your attention" in page.text
    assert page.faults() == []


def test_a_match_that_was_not_played_is_adjudicated_in_its_row(niamh: Client, played: Season) -> None:
    match = Match.objects.earliest("pk")
    first, second = match.entrants.order_by("order")
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        assert f"{second.entrant.player.name} won" in page.text
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="second", note=" "))
        assert "Give a reason." in page.text
        page = Page.of(send(niamh, "adjudicate", match=match.pk, note="A no-show."))
        assert "Choose the result of at least one match." in page.text
        assert page.faults() == []
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="second", note="A no-show."))
        assert "The result has been adjudicated." in page.text
        points = dict(match.entrants.values_list("pk", "points"))
        assert (points[first.pk], points[second.pk]) == (0, 1)
        page = Page.of(send(niamh, "adjudicate", match=match.pk, outcome="first", note="No, the other."))
        assert "has a result by now" in page.text


def test_an_empty_inbox_says_what_happens_next(niamh: Client, played: Season) -> None:
    with clock.frozen_at(BEGIN + A_DAY):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
        [first, *_others] = upcoming.upcoming_events([played.league.club])
        assert "All done" in page.text
    assert f"{first.text} ({played})." in page.text


def test_the_row_says_which_alternate_takes_the_place_of_whoever_is_withdrawn(
    niamh: Client, played: Season, league: League
) -> None:
    user = User.objects.create_user("carol")
    carol = people.create_profile_and_player(user, "Carol")
    Entrant.objects.create(
        season=played,
        number=9,
        player=carol,
        status=Entrant.Status.ALTERNATE,
        division=played.divisions.get(),
        joined_at=BEGIN,
    )
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/clubs/lantern/inbox/"))
    assert page.text.count("Carol, the first alternate, takes the place.") == 2
    assert page.text.count("Replace a player…") == 2


@pytest.mark.slow
def test_an_entry_is_accepted_or_declined_from_the_inbox(
    niamh: Client, league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(league, [], start=False, starts_at=BEGIN + A_DAY, entry={"invited_only": True})
    with clock.frozen_at(BEGIN):
        for player in club_people[:2]:
            entries.enter_season(season=season, player=player, by_organiser=False)
        page = Page.of(send(niamh, "admit", season=season.pk, entrant=1))
        assert "Martha has been entered." in page.text
        page = Page.of(send(niamh, "decline", season=season.pk, entrant=2))
        assert "Laura was declined." in page.text
        assert "Nothing needs your attention" in page.text
        page = Page.of(niamh.get("/clubs/lantern/audit-log/"))
    assert "was admitted by an organiser." in page.text
    assert "was not admitted." in page.text
    assert page.faults() == []
    assert [entrant(season, player).status for player in club_people[:2]] == ["in", "out"]


@pytest.mark.slow
def test_who_does_not_come_is_withdrawn_with_a_reason(niamh: Client, played: Season, club_people: list[Player]) -> None:
    with clock.frozen_at(LATE):
        sent = {"do": "withdraw", "season": played.pk, "entrant": 1, "note": "Has moved to Leith."}
        page = Page.of(confirm(niamh, "/clubs/lantern/inbox/", sent, follow=True))
        assert "Martha has been withdrawn." in page.text
        log = Page.of(niamh.get("/clubs/lantern/audit-log/"))
    assert "“Has moved to Leith.”" in log.text
    assert faults() == []


def test_the_head_of_every_page_counts_what_waits(
    niamh: Client, client: Client, played: Season, club_people: Any
) -> None:
    with clock.frozen_at(LATE):
        assert "Inbox 2 items need you" in Page.of(niamh.get("/clubs/")).text
        client.force_login(club_people[0].user)
        assert "Inbox" not in Page.of(client.get("/clubs/")).text


def test_an_organiser_of_two_clubs_has_both_in_one_inbox(niamh: Client, played: Season, club: Club) -> None:
    other = new_club(name="Harbour Dice", slug="harbour", owner=club.owner)
    with clock.frozen_at(LATE):
        page = Page.of(niamh.get("/inbox/"))
    assert "/clubs/harbour/inbox/" in page.links("/clubs/")
    assert "2 items" in page.text
    assert counts.organised_clubs(club.owner).count() == 2
    assert page.faults() == []
    assert Page.of(niamh.get(f"/clubs/{other.slug}/inbox/")).text.count("All done") == 1


def test_a_full_inbox_is_cut_into_pages(niamh: Client, league: League, club_people: list[Player]) -> None:
    for number in range(25):
        season_of(league, [], start=False, name=f"Season {number}")
    with clock.frozen_at(BEGIN + A_DAY):
        first = Page.of(niamh.get("/clubs/lantern/inbox/"))
        second = Page.of(niamh.get("/clubs/lantern/inbox/?page=2"))
        assert niamh.get("/clubs/lantern/inbox/?page=3").status_code == 404
    assert first.text.count("The start time has passed") == 20
    assert second.text.count("The start time has passed") == 5


def test_the_inbox_asks_as_many_queries_for_ten_matters_as_for_two(
    niamh: Client, played: Season, league: League, club_people: list[Player]
) -> None:
    def queries() -> int:
        with (
            clock.frozen_at(LATE),
            CaptureQueriesContext(
                connection,
            ) as asked,
        ):
            assert niamh.get("/clubs/lantern/inbox/").status_code == 200
        return len(asked)

    with clock.frozen_at(LATE):
        nudge(Match.objects.earliest("pk"), league.club.owner)
    queries()
    few = queries()
    for number in range(4):
        season_of(league, club_people, name=f"Season {number}", on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(LATE):
        for match in Match.objects.order_by("pk")[1:5]:
            nudge(match, league.club.owner)
    assert queries() == few
    assert len(on(league.club)) == 14


def test_nothing_else_can_be_pressed(niamh: Client, played: Season) -> None:
    for data in (
        {"do": "explode"},
        {"do": "nudge"},
        {"do": "nudge", "match": "9" * 30},
        {"do": "start", "season": "0"},
    ):
        assert niamh.post("/clubs/lantern/inbox/", data).status_code == 404
    assert (
        niamh.post("/clubs/lantern/inbox/", {"do": "extend", "round": Round.objects.get().pk, "days": 400}).status_code
        == 404
    )
    assert Entrant.objects.filter(status="in").count() == 4
