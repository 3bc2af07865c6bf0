"""Whom an organiser may enter: members of the club at once, everybody else with their consent.

Niamh owns the club, Otto organises, Martha is a member. Laura is somebody else. Fulmar and Gannet are built-in bots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts.models import Notice
from games.common.errors import DomainError
from games.models import Player
from tests.assertions.page import Page
from tests.fixtures.players import laura, martha, otto, person, sign_in
from tests.tournaments.club import new_club
from tests.tournaments.director.test_deals import remote_bot
from tournaments.clubs import members
from tournaments.clubs.models import Club
from tournaments.entries import invitations
from tournaments.entries import services as entries
from tournaments.importexport import entrants
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle import setup
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.season_pages.overview import timeline_page
from tournaments.seasons.models import Entrant, League, Season

__all__ = ["laura", "martha", "otto", "person", "sign_in"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def club(martha: Player, otto: Player) -> Club:
    club = new_club(name="Lantern", slug="lantern", zone="Europe/Dublin", owner=User.objects.create_user("niamh"))
    League.objects.create(club=club, name="Tens", slug="tens")
    assert otto.user
    assert martha.user
    club.memberships.create(user=otto.user, role="organiser")
    club.memberships.create(user=martha.user)
    return club


def plan(*players: Player, **other: Any) -> SeasonPlan:
    usual: dict[str, Any] = {"league": "tens", "name": "Autumn", "kind": "chinese_ten", "terms": {"move_days": 2}}
    ids = [player.pk for player in players]
    return SeasonPlan(**{**usual, "format": "round_robin", "bots": {"random": 2}, "players": ids, **other})


def set_up(club: Club, by: Player, wanted: SeasonPlan, *, start: bool = False) -> Season:
    assert by.user
    return setup.set_up(club=club, user=by.user, plan=wanted, start=start)


def entry(season: Season, player: Player) -> Entrant:
    return season.entries.exclude(status="out").get(player=player)


def words(player: Player) -> list[str]:
    return [notice.text for notice in Notice.objects.filter(user=player.user_id).order_by("pk")]


def happenings(season: Season) -> str:
    season.refresh_from_db()
    lines = [line for _day, listed in timeline_page(season, "").days for line in listed]
    return " ".join("".join(str(part) for part in line.text) for line in lines)


def act(browser: Client, season: Season, do: str) -> Any:
    address = f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/"
    return browser.post(address + "step/", {"do": do}, follow=True)


def test_a_member_is_entered_and_hears_of_it_and_a_stranger_is_only_invited(
    club: Club, otto: Player, martha: Player, laura: Player
) -> None:
    season = set_up(club, otto, plan(otto, martha, laura))
    assert {each.player: each.status for each in season.entries.filter(player__user__isnull=False)} == {
        otto: "in",
        martha: "in",
        laura: "invited",
    }
    assert words(otto) == []
    assert words(martha) == ["You were entered in Tens, Autumn. If you do not want to play, decline on its page."]
    assert words(laura) == ["You are invited to Tens, Autumn. Accept or decline on its page."]
    assert "Laura" not in happenings(season)


def test_who_has_not_accepted_does_not_play_when_the_season_starts(club: Club, otto: Player, laura: Player) -> None:
    season = set_up(club, otto, plan(laura), start=True)
    assert not season.entries.filter(player=laura).exclude(status="out").exists()
    assert words(laura)[-1] == "Tens, Autumn has started without you, because you had not accepted the invitation."


def test_the_invitation_of_two_bots_is_over_for_their_owner_when_the_season_starts_without_both(
    club: Club, otto: Player, laura: Player
) -> None:
    assert laura.user
    bots = [remote_bot(name, laura.user) for name in ("Heron", "Ibis")]
    set_up(club, otto, plan(otto, *bots), start=True)
    assert not [text for text in words(laura) if "Accept or decline" in text]


def test_an_invitation_stays_open_while_a_started_season_takes_entries(club: Club, otto: Player, laura: Player) -> None:
    season = set_up(club, otto, plan(otto, laura, entry={"late_rounds": 1}), start=True)
    assert entry(season, laura).status == "invited"
    assert invitations.accept_invitation(entrant=entry(season, laura)).status == "in"


def test_a_table_of_a_stranger_and_one_other_cannot_start_without_consent(
    club: Club, otto: Player, laura: Player
) -> None:
    with pytest.raises(DomainError) as refused:
        set_up(club, otto, plan(otto, laura, bots={}), start=True)
    assert refused.value.code == "too_few_entrants"
    assert not Notice.objects.filter(user=laura.user_id).exists()


@pytest.mark.some(1)
@pytest.mark.parametrize("how", ["the page", "the API", "entering"])
def test_who_accepts_is_in(
    how: str, club: Club, otto: Player, laura: Player, sign_in: Callable[[Player], Client]
) -> None:
    season, browser = set_up(club, otto, plan(laura, entry={"invited_only": True})), sign_in(laura)
    if how == "the page":
        act(browser, season, "accept-invitation")
    else:
        what = "accept-invitation" if how == "the API" else "join"
        answer = browser.post(f"/api/v1/seasons/{season.pk}/{what}/", {}, content_type="application/json")
        assert answer.status_code == 200, answer.json()
    assert entry(season, laura).status == "in"
    assert "Laura" in happenings(season)
    assert words(laura) == [], "the question is answered"


def test_who_declines_leaves_no_trace_and_is_not_asked_again(
    club: Club, otto: Player, martha: Player, laura: Player, sign_in: Callable[[Player], Client]
) -> None:
    season = set_up(club, otto, plan(martha, laura))
    for player, sentence in (
        (martha, "Martha has been withdrawn from this season."),
        (laura, "You have declined the invitation."),
    ):
        assert b"Decline" in act(sign_in(player), season, "nothing").content
        assert sentence in Page.of(act(sign_in(player), season, "leave")).text
    assert "Martha" not in happenings(season)
    assert "Laura" not in happenings(season)
    assert words(otto) == ["A player has declined your invitation to Tens, Autumn."]
    assert otto.user
    setup.update_season(season=season, user=otto.user, plan=plan(martha, laura, name="Winter"))
    assert set(season.entries.filter(player__in=[martha, laura]).values_list("status", flat=True)) == {"out"}


def test_home_says_that_an_invitation_waits_until_it_is_answered(
    club: Club, otto: Player, laura: Player, sign_in: Callable[[Player], Client]
) -> None:
    season, browser = set_up(club, otto, plan(laura)), sign_in(laura)
    before = Page.of(browser.get("/"))
    assert "Tens, Autumn invites you." in before.text
    assert before.links(f"/clubs/lantern/tens/{season.slug}/")[-1].endswith("#yours")
    act(browser, season, "leave")
    assert "invites you" not in Page.of(browser.get("/")).text


def test_others_do_not_see_who_is_invited(
    club: Club, otto: Player, martha: Player, laura: Player, sign_in: Callable[[Player], Client]
) -> None:
    season = set_up(club, otto, plan(laura))

    def shown(browser: Client) -> set[str]:
        rows = browser.get(f"/api/v1/seasons/{season.pk}/entrants/").json()["results"]
        return {row["player"]["name"] for row in rows if row["status"] == "invited"}

    assert shown(sign_in(otto)) == shown(sign_in(laura)) == {"Laura"}
    assert shown(sign_in(martha)) == shown(Client()) == set()
    assert "Laura" not in Client().get(f"/api/v1/seasons/{season.pk}/export/", {"as": "json"}).content.decode()


def test_an_invitation_that_an_organiser_takes_back_leaves_no_trace(
    club: Club, otto: Player, laura: Player, sign_in: Callable[[Player], Client]
) -> None:
    season = set_up(club, otto, plan(laura))
    address = f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/"
    assert b"Withdraw the invitation" in sign_in(otto).get(address).content
    sent = {"do": "withdraw", "entrant": entry(season, laura).number}
    page = sign_in(otto).post(address + "step/", sent, follow=True)
    assert b"The invitation of Laura has been withdrawn." in page.content
    assert season.entries.get(player=laura).status == "out"
    assert "Laura" not in happenings(season)
    assert words(laura) == []


def test_organisers_are_asked_about_an_entry_until_one_answers(club: Club, otto: Player, laura: Player) -> None:
    season = set_up(club, otto, plan(otto, entry={"invited_only": True}))
    asking = entries.enter_season(season=season, player=laura, by_organiser=False)
    assert words(otto) == ["A player asks to enter Tens, Autumn. Accept or decline."]
    entries.admit_entrant(entrant=asking, by=otto.user)
    assert words(otto) == []


def test_in_a_private_club_only_members_can_be_entered(club: Club, otto: Player, laura: Player) -> None:
    Club.objects.update(visibility="private")
    club.refresh_from_db()
    with pytest.raises(DomainError) as refused:
        set_up(club, otto, plan(laura))
    assert (refused.value.code, refused.value.field) == ("not_member", "players")


def test_a_list_of_entrants_invites_strangers_and_says_so(club: Club, otto: Player, laura: Player) -> None:
    assert otto.user
    asked: dict[str, Any] = {"club": club, "user": otto.user, "plan": plan(), "text": "name\nOtto\nLaura\n"}
    sentence = "1 player is not a member of the club. They are invited, and enter when they accept."
    assert entrants.import_season(**asked, dry_run=True).notes == (sentence,)
    report = entrants.import_season(**asked, dry_run=False)
    assert report.season
    assert entry(report.season, laura).status == "invited"


def test_the_next_season_is_without_those_who_have_left_the_club(
    club: Club, otto: Player, martha: Player, laura: Player
) -> None:
    """Laura entered by herself and is nobody's member; Martha has left."""
    season = set_up(club, otto, plan(otto, martha, repeats=True))
    assert laura.user
    assert martha.user
    setup.enter_as_user(season=season, user=laura.user)
    members.leave_club(club=club, user=martha.user)
    Season.objects.filter(pk=season.pk).update(status="finished")
    following = seasons.open_successor(season=season)
    assert following
    people = following.entries.filter(player__user__isnull=False)
    assert {each.player: each.status for each in people} == {otto: "in", laura: "in"}
    assert words(laura) == [f"You were entered in {following}. If you do not want to play, decline on its page."]


def test_a_club_has_a_limited_number_of_open_invitations(
    club: Club, otto: Player, laura: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits any more for the answers to seasons that are over."""
    monkeypatch.setattr(invitations, "MAX_OPEN_INVITATIONS", 1)
    season = set_up(club, otto, plan(laura))
    with pytest.raises(DomainError) as refused:
        set_up(club, otto, plan(laura, name="Winter"))
    assert refused.value.code == "too_many_invitations"
    Season.objects.filter(pk=season.pk).update(status="finished")
    set_up(club, otto, plan(laura, name="Winter"))
