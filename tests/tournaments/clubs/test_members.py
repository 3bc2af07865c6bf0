"""Members of a club: founding, joining, answering, leaving, removing, roles, handing over, archiving."""

from __future__ import annotations

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connections, transaction

from games.accounts import export, notices, people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.games.conftest import wait_for_waiter
from tests.tournaments.club import BEGIN, new_club
from tests.tournaments.clubs.conftest import People, browser, call, code, member, player
from tournaments.clubs import activity as club_activity
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import members, ownership
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club, ClubEvent, JoinRequest, Membership
from tournaments.clubs.permissions import role_of
from tournaments.lifecycle import setup
from tournaments.lifecycle.services import create_season
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.seasons.models import League

pytestmark = pytest.mark.django_db


def club_notices(user: User) -> list[str]:
    """Return a person's notices about clubs, the latest first."""
    return [notices.notice_row(each).words for each in notices.notices_of(user) if each.subject.startswith("club_")]


def log(club: Club) -> list[str]:
    """Return the entries of the club's log, the latest first."""
    return [club_activity.event_text(event) for event in club.events.all()]


def refused(error: Any) -> tuple[int, str]:
    return error.value.status, error.value.code


# founding


def test_anybody_who_has_signed_up_founds_a_club_on_its_page(club_people: People) -> None:
    laura = browser(club_people["Laura"])
    laura.cookies["zone"] = "America%2FLima"
    page = Page.of(laura.get("/new-club/"))
    assert page.faults() == []
    assert ("option", {"value": "America/Lima", "selected": ""}) in page.tags, "the browser’s zone is chosen"
    sent = {
        "name": "  Kettle   & Crown ",
        "about": "Palace on Sundays.\n\nBring a cup.",
        "zone": "Europe/Berlin",
        "visibility": "public",
        "joining": "open",
        "talk": "on",
        "rules": "",
    }
    answer = laura.post("/new-club/", sent)
    assert answer["Location"] == "/clubs/kettle-crown/"
    club = Club.objects.get(slug="kettle-crown")
    assert (club.name, club.owner, role_of(club_people["Laura"], club)) == (
        "Kettle & Crown",
        club_people["Laura"],
        "owner",
    )
    page = Page.of(laura.get("/clubs/kettle-crown/"))
    assert "Your role: owner" in page.text
    assert "Bring a cup." in page.text
    assert "New season…" in page.text
    assert log(club) == ["Laura founded the club."]


def test_guests_and_nobody_found_none(guest: User) -> None:
    assert code(call(guest, "post", "clubs/", {"name": "Guests"})) == (403, "guest")
    assert code(call(None, "post", "clubs/", {"name": "Nobody"})) == (403, "not_signed_in")
    assert browser(None).get("/new-club/").status_code == 302
    assert (
        "Guests cannot join clubs"
        in Page.of(
            browser(guest).post(
                "/new-club/", {"name": "Abc", "zone": "UTC", "visibility": "public", "joining": "ask", "talk": "on"}
            )
        ).text
    )
    assert not Club.objects.exists()


@pytest.mark.parametrize(
    "name",
    [
        "ab",
        "x" * 61,
        "—————",
        "Win now: http://pills",
        "Cheap pills.example",
        "www pills",
        "Lantern\u202eStreet",
    ],
)
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(DomainError) as error:
        club_lifecycle.clean_name(name)
    assert (*refused(error), error.value.field) == (400, "bad_name", "name")


def test_what_cannot_be_is_told_with_its_field(club_people: People, club: Club) -> None:
    for asked, expected in (
        ({"name": "ab"}, (400, "bad_name", "name")),
        ({"name": "LANTERN street"}, (409, "name_taken", "name")),
        ({"name": "Lantern-Street"}, (409, "name_taken", "name")),
        ({"name": "Harbour", "zone": "Atlantis/Main"}, (400, "bad_zone", "zone")),
        ({"name": "Harbour", "about": "x" * 2001}, (400, "bad_text", "about")),
        ({"name": "Harbour", "about": "bell \x07"}, (400, "bad_text", "about")),
    ):
        with pytest.raises(DomainError) as error:
            club_lifecycle.found_club(user=club_people["Laura"], **asked)
        assert (*refused(error), error.value.field) == expected, asked
    found = call(club_people["Laura"], "post", "clubs/", {"name": "ab"}).json()["error"]
    assert (found["code"], found["field"]) == ("bad_name", "name")
    assert Club.objects.count() == 1


def test_a_name_without_latin_letters_has_an_address_too(club_people: People) -> None:
    first = club_lifecycle.found_club(user=club_people["Laura"], name="Клуб карт")
    second = club_lifecycle.found_club(user=club_people["Laura"], name="Клуб игр")
    assert first.slug != second.slug
    assert browser(None).get(f"/clubs/{first.slug}/").status_code == 200


def test_nobody_owns_more_than_ten(club_people: People) -> None:
    for number in range(club_lifecycle.MAX_OWNED_CLUBS):
        club_lifecycle.found_club(user=club_people["Laura"], name=f"Club {number}")
    assert code(call(club_people["Laura"], "post", "clubs/", {"name": "One more"})) == (409, "too_many_clubs")


def test_an_archived_club_counts_only_when_it_is_restored(club_people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(club_lifecycle, "MAX_OWNED_CLUBS", 1)
    old = club_lifecycle.found_club(user=club_people["Laura"], name="Old")
    club_lifecycle.archive_club(club=old, user=club_people["Laura"], reason="We have moved.")
    club_lifecycle.found_club(user=club_people["Laura"], name="New")
    assert code(call(club_people["Laura"], "post", f"clubs/{old.slug}/unarchive/", {})) == (409, "too_many_clubs")


def test_founding_asked_twice_with_one_key_founds_once(club_people: People) -> None:
    asked = {"name": "Harbour", "idempotency_key": "a1"}
    first, second = (call(club_people["Laura"], "post", "clubs/", asked) for _each in range(2))
    assert (first.status_code, second.json()) == (201, first.json())
    assert Club.objects.count() == 1


# changing the club


def test_the_owner_changes_what_the_club_is_and_the_log_says_what(club_people: People, club: Club) -> None:
    niamh = browser(club_people["Niamh"])
    assert Page.of(niamh.get("/clubs/lantern-street/settings/")).faults() == []
    sent = {
        "name": "Lantern Street Card Club",
        "about": "",
        "zone": "UTC",
        "visibility": "private",
        "joining": "invited",
        "talk": "phrases",
    }
    answer = niamh.post("/clubs/lantern-street/settings/", {**sent, "rules": "Be on time: http://example.org/rules"})
    assert answer["Location"] == "/clubs/lantern-street/"
    changed = "description, joining, name, rules, messages, visibility, time zone"
    assert log(club)[0] == f"Niamh changed the club’s {changed}."
    page = niamh.get("/clubs/lantern-street/").content.decode()
    assert 'href="http://example.org/rules"' in page
    assert "nofollow" in page


def test_what_is_not_sent_stays(club_people: People, club: Club) -> None:
    answer = call(club_people["Niamh"], "patch", "clubs/lantern-street/", {"joining": "open"})
    assert (answer.json()["joining"], answer.json()["about"]) == ("open", "Cards on Thursdays.")
    assert code(call(club_people["Niamh"], "patch", "clubs/lantern-street/", {"visibility": "secret"}))[0] == 400
    club_lifecycle.found_club(user=club_people["Laura"], name="Harbour")
    assert code(call(club_people["Niamh"], "patch", "clubs/lantern-street/", {"name": "HARBOUR"})) == (
        409,
        "name_taken",
    )
    before = club.events.count()
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], joining="open")
    assert club.events.count() == before  # nothing was changed, so nothing is recorded


# joining


def test_who_asks_is_let_in_and_told(club_people: People, club: Club) -> None:
    laura, otto = browser(club_people["Laura"]), browser(club_people["Otto"])
    assert "Ask to join…" in Page.of(laura.get("/clubs/lantern-street/")).text
    page = Page.of(laura.post("/clubs/lantern-street/join/", {"words": "I play with Otto."}, follow=True))
    assert "You asked to join" in page.text
    assert (
        club_notices(club_people["Otto"])
        == club_notices(club_people["Niamh"])
        == ["Laura asks to join Lantern Street."]
    )
    assert club_notices(club_people["Martha"]) == []
    page = Page.of(otto.get("/clubs/lantern-street/members/"))
    assert "One request to join" in page.text
    assert "I play with Otto." in page.text
    assert "I play with Otto." not in Page.of(browser(club_people["Martha"]).get("/clubs/lantern-street/members/")).text
    request = JoinRequest.objects.get()
    otto.post("/clubs/lantern-street/members/", {"do": "accept", "id": request.pk})
    assert role_of(club_people["Laura"], club) == "member"
    assert club_notices(club_people["Otto"]) == club_notices(club_people["Niamh"]) == [], "the question is answered"
    assert club_notices(club_people["Laura"]) == ["You are now a member of Lantern Street."]
    assert log(club)[:2] == ["Otto admitted Laura.", "Laura asked to join."]


def test_who_is_declined_is_told_and_asks_again_after_a_week(club_people: People, club: Club) -> None:
    laura = club_people["Laura"]
    with clock.frozen_at(BEGIN):
        asked = members.join_club(club=club, user=laura)
        assert asked
        members.answer_request(request=asked, user=club_people["Otto"], accept=False)
        assert club_notices(laura) == ["Lantern Street has declined your request."]
        assert code(call(laura, "post", "clubs/lantern-street/join/", {})) == (409, "asked_lately")
        assert code(call(club_people["Otto"], "post", f"clubs/lantern-street/requests/{asked.pk}/accept/")) == (
            409,
            "answered",
        )
    with clock.frozen_at(BEGIN + timedelta(days=8)):
        assert call(laura, "post", "clubs/lantern-street/join/", {}).json()["state"] == "asked"


@pytest.mark.django_db(transaction=True)
def test_a_request_that_is_being_accepted_can_no_longer_be_taken_back(club_people: People, club: Club) -> None:
    asked = members.join_club(club=club, user=club_people["Laura"])
    assert asked
    sentence: list[str] = []

    def withdraw() -> None:
        try:
            members.withdraw_request(club=club, user=club_people["Laura"])
        except DomainError as error:
            sentence.append(error.code)
        finally:
            connections.close_all()

    late = threading.Thread(target=withdraw)
    with transaction.atomic():
        members.answer_request(request=asked, user=club_people["Otto"], accept=True)
        late.start()
        wait_for_waiter()
    late.join()
    asked.refresh_from_db()
    assert (sentence, asked.state) == (["no_request"], JoinRequest.State.ACCEPTED)


def test_a_request_is_taken_back(club_people: People, club: Club) -> None:
    asked = members.join_club(club=club, user=club_people["Laura"])
    assert asked
    assert code(call(club_people["Laura"], "post", "clubs/lantern-street/join/", {})) == (409, "already_asked")
    browser(club_people["Laura"]).post("/clubs/lantern-street/join/", {"do": "withdraw"})
    assert club_notices(club_people["Otto"]) == []
    with pytest.raises(DomainError) as error:
        members.answer_request(request=asked, user=club_people["Otto"], accept=True)
    assert refused(error) == (409, "answered")
    assert role_of(club_people["Laura"], club) == ""


def test_an_open_club_takes_in_at_once_and_one_by_invitation_nobody(club_people: People, club: Club) -> None:
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], joining="invited")
    assert code(call(club_people["Laura"], "post", "clubs/lantern-street/join/", {})) == (403, "by_invitation")
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], joining="open")
    assert "Join the club" in Page.of(browser(club_people["Laura"]).get("/clubs/lantern-street/")).text
    assert call(club_people["Laura"], "post", "clubs/lantern-street/join/", {}).json() == {
        "state": "joined",
        "request": None,
    }
    assert code(call(club_people["Laura"], "post", "clubs/lantern-street/join/", {})) == (409, "already_member")


def test_nobody_without_an_account_and_no_guest_joins(club_people: People, club: Club, guest: User) -> None:
    for nobody, expected in ((AnonymousUser(), "not_signed_in"), (guest, "guest")):
        with pytest.raises(DomainError) as error:
            members.join_club(club=club, user=nobody)
        assert refused(error) == (403, expected)
    with pytest.raises(DomainError) as error:
        members.join_club(club=club, user=club_people["Laura"], words="x" * 201)
    assert refused(error) == (400, "bad_words")


def test_nobody_has_more_than_twenty_requests_open(club_people: People) -> None:
    for number in range(members.MAX_OPEN_REQUESTS + 1):
        new_club(name=f"Club {number}", slug=f"club-{number}", owner=club_people["Niamh"])
    for club in Club.objects.order_by("pk")[: members.MAX_OPEN_REQUESTS]:
        assert members.join_club(club=club, user=club_people["Laura"])
    assert code(call(club_people["Laura"], "post", "clubs/club-20/join/", {})) == (429, "too_many_requests")


# leaving and removing


def test_a_member_leaves(club_people: People, club: Club) -> None:
    martha = browser(club_people["Martha"])
    assert Page.of(martha.get("/clubs/lantern-street/leave/")).faults() == []
    assert confirm(martha, "/clubs/lantern-street/leave/")["Location"] == "/clubs/"
    assert role_of(club_people["Martha"], club) == ""
    assert log(club)[0] == "Martha left."


def test_leaving_asked_twice_with_one_key_is_answered_the_same(club_people: People, club: Club) -> None:
    """The key is in the body, as the operation describes it. A lost answer can be requested again."""
    asked = {"idempotency_key": "gone-1"}
    answers = [call(club_people["Martha"], "post", "clubs/lantern-street/leave/", asked) for _each in range(2)]
    assert [each.status_code for each in answers] == [204, 204]
    assert code(call(club_people["Martha"], "post", "clubs/lantern-street/leave/")) == (409, "not_member")


def test_a_key_that_is_too_long_is_refused(club_people: People, club: Club) -> None:
    refused = call(club_people["Martha"], "post", "clubs/lantern-street/leave/", {"idempotency_key": "x" * 65})
    assert code(refused) == (400, "bad_key")
    assert role_of(club_people["Martha"], club) == "member"


def test_an_owner_stays_until_the_club_is_handed_over(club_people: People, club: Club) -> None:
    assert code(call(club_people["Niamh"], "post", "clubs/lantern-street/leave/")) == (409, "owner_stays")
    assert club.memberships.filter(user=club_people["Niamh"]).exists()


def test_a_member_is_removed_with_a_reason_and_told_it(club_people: People, club: Club) -> None:
    otto = browser(club_people["Otto"])
    path = f"/clubs/lantern-street/remove-member/?member={member(club, club_people['Martha']).pk}"
    page = Page.of(otto.get(path))
    assert "Remove Martha from Lantern Street?" in page.text
    assert page.faults() == []
    assert otto.post(path, {"reason": "  "}).status_code == 422
    confirm(otto, path, {"reason": "Shouts at  the cards."})
    assert role_of(club_people["Martha"], club) == ""
    assert club_notices(club_people["Martha"]) == ["You are no longer a member of Lantern Street: Shouts at the cards."]
    page = Page.of(otto.get("/clubs/lantern-street/log/"))
    assert "Otto removed Martha. Shouts at the cards." in page.text


def test_who_was_removed_from_an_open_club_asks_to_come_back(club_people: People, club: Club) -> None:
    club_lifecycle.change_club(club=club, user=club_people["Niamh"], joining="open")
    members.remove_member(membership=member(club, club_people["Martha"]), user=club_people["Otto"], reason="Shouts.")
    assert call(club_people["Martha"], "post", "clubs/lantern-street/join/", {}).json()["state"] == "asked"


def test_an_organiser_removes_no_organiser_and_nobody_themselves(club_people: People, club: Club) -> None:
    club.memberships.create(user=club_people["Laura"], role="organiser")
    reason = {"reason": "Quarrels."}
    laura, otto, niamh = (member(club, club_people[name]).pk for name in ("Laura", "Otto", "Niamh"))
    path = "clubs/lantern-street/members/{}/"
    assert code(call(club_people["Otto"], "delete", path.format(laura), reason)) == (403, "not_owner")
    assert code(call(club_people["Otto"], "delete", path.format(otto), reason)) == (409, "yourself")
    assert code(call(club_people["Otto"], "delete", path.format(niamh), reason)) == (409, "owner_stays")
    assert code(call(club_people["Niamh"], "delete", path.format(laura), {"reason": " "}))[0] == 400
    assert call(club_people["Niamh"], "delete", path.format(laura), reason).status_code == 204


# roles


def test_the_owner_lets_a_member_organise_and_takes_it_back(club_people: People, club: Club) -> None:
    niamh = browser(club_people["Niamh"])
    martha = member(club, club_people["Martha"])
    niamh.post("/clubs/lantern-street/members/", {"do": "organiser", "id": martha.pk})
    assert role_of(club_people["Martha"], club) == "organiser"
    League.objects.create(club=club, name="Palace League", slug="palace")
    assert setup.set_up(
        club=club, user=club_people["Martha"], plan=SeasonPlan(league="palace", name="Spring", kind="palace")
    )
    niamh.post("/clubs/lantern-street/members/", {"do": "member", "id": martha.pk})
    assert club_notices(club_people["Martha"]) == [
        "You are no longer an organiser of Lantern Street.",
        "You are now an organiser of Lantern Street.",
    ]
    assert log(club)[:2] == ["Niamh made Martha member.", "Niamh made Martha organiser."]


def test_who_no_longer_organises_is_asked_nothing_more(club_people: People, club: Club) -> None:
    laura, otto = browser(club_people["Laura"]), club.memberships.get(user=club_people["Otto"])
    laura.post("/clubs/lantern-street/join/", {"words": ""})
    members.set_role(membership=otto, user=club_people["Niamh"], role="member")
    assert club_notices(club_people["Otto"]) == ["You are no longer an organiser of Lantern Street."]
    assert club_notices(club_people["Niamh"]) == ["Laura asks to join Lantern Street."]


def test_a_role_is_one_of_two_and_the_owner_keeps_theirs(club_people: People, club: Club) -> None:
    for role, expected in (("owner", (400, "bad_choice")), ("boss", (400, "bad_choice"))):
        with pytest.raises(DomainError) as error:
            members.set_role(membership=member(club, club_people["Martha"]), user=club_people["Niamh"], role=role)
        assert refused(error) == expected
    with pytest.raises(DomainError) as error:
        members.set_role(membership=member(club, club_people["Niamh"]), user=club_people["Ada"], role="member")
    assert refused(error) == (409, "owner_stays")


def test_what_is_done_twice_is_done_once(club_people: People, club: Club) -> None:
    martha = member(club, club_people["Martha"])
    for _click in range(2):
        members.set_role(membership=martha, user=club_people["Niamh"], role="organiser")
    assert club.events.filter(type="role_given").count() == 1
    members.remove_member(membership=martha, user=club_people["Niamh"], reason="Shouts.")
    with pytest.raises(DomainError) as error:
        members.remove_member(membership=martha, user=club_people["Niamh"], reason="Shouts.")
    assert refused(error) == (409, "not_member")


# handing over


def test_a_club_changes_hands_when_the_offer_is_accepted(club_people: People, club: Club) -> None:
    niamh, martha = browser(club_people["Niamh"]), browser(club_people["Martha"])
    assert Page.of(niamh.get("/clubs/lantern-street/transfer/")).faults() == []
    niamh.post("/clubs/lantern-street/transfer/", {"do": "offer", "member": member(club, club_people["Martha"]).pk})
    assert role_of(club_people["Niamh"], club) == "owner"  # nothing changes until she accepts
    assert club_notices(club_people["Martha"]) == ["Niamh offers you the club Lantern Street."]
    assert "You have been offered this club." in Page.of(martha.get("/clubs/lantern-street/")).text
    page = Page.of(martha.get("/clubs/lantern-street/transfer/"))
    assert "Take over…" in page.text
    assert page.faults() == []
    confirm(martha, "/clubs/lantern-street/transfer/", {"do": "accept"})
    club.refresh_from_db()
    assert (club.owner, club.offered_to) == (club_people["Martha"], None)
    assert role_of(club_people["Niamh"], club) == "organiser"
    assert role_of(club_people["Martha"], club) == "owner"
    assert club_notices(club_people["Niamh"])[0] == "Lantern Street has a new owner. You are still an organiser."
    assert log(club)[:2] == ["Martha became the owner.", "Niamh offered the club to Martha."]


def test_an_offer_is_declined_or_taken_back(club_people: People, club: Club) -> None:
    martha = member(club, club_people["Martha"])
    for who in ("Martha", "Niamh"):
        ownership.offer_club(club=club, user=club_people["Niamh"], membership=martha)
        assert call(club_people[who], "delete", "clubs/lantern-street/transfer/").status_code == 204
        accepted = call(club_people["Martha"], "post", "clubs/lantern-street/transfer/accept/")
        assert code(accepted) == (409, "not_offered")
        assert club_notices(club_people["Martha"]) == []
    club.refresh_from_db()
    assert club.owner == club_people["Niamh"]


def test_an_offer_ends_with_the_membership(club_people: People, club: Club) -> None:
    ownership.offer_club(club=club, user=club_people["Niamh"], membership=member(club, club_people["Martha"]))
    members.leave_club(club=club, user=club_people["Martha"])
    with pytest.raises(DomainError) as error:
        ownership.accept_club(club=club, user=club_people["Martha"])
    assert refused(error) == (409, "not_offered")


def test_a_club_is_offered_to_a_member_who_does_not_own_it(club_people: People, club: Club) -> None:
    elsewhere = club_lifecycle.found_club(user=club_people["Laura"], name="Harbour")
    stranger = member(elsewhere, club_people["Laura"]).pk
    path = "clubs/lantern-street/transfer/"
    assert code(call(club_people["Niamh"], "post", path, {"member": stranger})) == (409, "not_member")
    own = member(club, club_people["Niamh"]).pk
    assert code(call(club_people["Niamh"], "post", path, {"member": own})) == (409, "owner_already")


def test_an_admin_hands_a_club_over_for_an_owner_who_is_gone(club_people: People, club: Club) -> None:
    assert call(
        club_people["Ada"], "post", "clubs/lantern-street/transfer/", {"member": member(club, club_people["Otto"]).pk}
    )
    assert call(club_people["Otto"], "post", "clubs/lantern-street/transfer/accept/").json()["your_role"] == "owner"


def test_who_owns_a_club_is_led_to_its_transfer_before_the_account_is_deleted(club_people: People, club: Club) -> None:
    page = browser(club_people["Niamh"]).get("/me/delete/").content.decode()
    assert "/clubs/lantern-street/transfer/</a>" in page
    with pytest.raises(people.AccountError) as error:
        people.delete_account(club_people["Niamh"])
    assert error.value.code == "account_needed"
    ownership.offer_club(club=club, user=club_people["Niamh"], membership=member(club, club_people["Otto"]))
    ownership.accept_club(club=club, user=club_people["Otto"])
    people.delete_account(club_people["Niamh"])
    assert log(club)[-1] == "a deleted account founded the club."


def test_what_was_written_of_somebody_goes_with_them(club_people: People, club: Club) -> None:
    members.remove_member(
        membership=member(club, club_people["Martha"]), user=club_people["Otto"], reason="Martha shouts."
    )
    people.delete_account(club_people["Martha"])
    event = ClubEvent.objects.get(type="removed")
    assert (event.reason, event.about) == ("", None)
    assert not any("Martha" in str(notice.sentences) for notice in Notice.objects.all())


def test_a_persons_data_have_their_clubs(club_people: People, club: Club) -> None:
    data = json.loads(json.dumps(export.account_data(club_people["Martha"]), default=str))
    found = json.dumps(data)
    assert '"club": "Lantern Street"' in found
    assert '"role": "member"' in found


# the archive


def test_in_an_archived_club_nothing_changes_and_everything_stays(club_people: People, club: Club) -> None:
    niamh = browser(club_people["Niamh"])
    League.objects.create(club=club, name="Palace League", slug="palace")
    assert "Archive Lantern Street?" in Page.of(niamh.get("/clubs/lantern-street/archive/")).text
    confirm(niamh, "/clubs/lantern-street/archive/", {"reason": "We have moved."})
    club.refresh_from_db()
    assert club.archived_at
    martha = member(club, club_people["Martha"]).pk
    plan = {"club": "lantern-street", "league": "palace", "name": "Spring", "kind": "palace"}
    for method, path, sent in [
        ("post", "clubs/lantern-street/join/", {}),
        ("patch", "clubs/lantern-street/", {"about": "New."}),
        ("post", "clubs/lantern-street/news/", {"title": "New", "text": "New."}),
        ("post", "clubs/lantern-street/invitations/", {}),
        ("patch", f"clubs/lantern-street/members/{martha}/", {"role": "organiser"}),
        ("delete", f"clubs/lantern-street/members/{martha}/", {"reason": "Gone."}),
        ("post", "clubs/lantern-street/archive/", {"reason": "Again."}),
        ("post", "seasons/", plan),
    ]:
        user = club_people["Laura"] if "join" in path else club_people["Niamh"]
        assert code(call(user, method, path, sent)) == (409, "club_archived"), path
    for path in ("", "members/", "news/", "calendar/", "log/", "invitations/", "settings/", "transfer/"):
        assert Page.of(niamh.get(f"/clubs/lantern-street/{path}")).faults() == [], path
    niamh.post("/clubs/lantern-street/archive/")
    assert Club.objects.get(pk=club.pk).archived_at is None
    assert Membership.objects.filter(club=club).count() == 3
    assert log(club)[:2] == ["Niamh restored the club.", "Niamh archived the club."]


def test_a_club_with_a_season_under_way_is_not_archived(club_people: People, club: Club) -> None:
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    create_season(league=league, name="Winter", kind="palace")
    assert code(call(club_people["Niamh"], "post", "clubs/lantern-street/archive/", {"reason": "Moved."})) == (
        409,
        "seasons_running",
    )


def test_a_new_owner_is_among_the_members_and_the_one_before_organises(club_people: People, club: Club) -> None:
    club.owner = club_people["Laura"]
    club.save()
    set_owner_role(club)
    assert role_of(club_people["Laura"], club) == "owner"
    assert role_of(club_people["Niamh"], club) == "organiser"
    assert club.memberships.filter(role="owner").count() == 1


def test_the_members_page_is_in_pages(club_people: People, club: Club, django_assert_max_num_queries: Any) -> None:
    for number in range(60):
        club.memberships.create(user=User.objects.create_user(f"member{number:02}"))
    page = Page.of(browser(None).get("/clubs/lantern-street/members/"))
    assert "Page 1" in page.text
    assert "member40" in page.text
    otto = browser(club_people["Otto"])
    otto.get("/clubs/lantern-street/members/")  # counts the items in his inbox, and keeps the number for a minute
    for shown in ("1", "2"):
        with django_assert_max_num_queries(12):
            text = Page.of(otto.get("/clubs/lantern-street/members/", {"page": shown})).text
    assert "member59" in text


def test_players_stand_in_the_api_as_everywhere(club_people: People, club: Club) -> None:
    rows = call(None, "get", "clubs/lantern-street/members/").json()["results"]
    assert [(row["player"]["name"], row["role"]) for row in rows] == [
        ("Niamh", "owner"),
        ("Otto", "organiser"),
        ("Martha", "member"),
    ]
    assert rows[0]["player"]["id"] == player(club_people["Niamh"]).pk
