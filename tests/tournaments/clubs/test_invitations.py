"""Invitations by link and by email: who may use them, how often and how long, and that they reveal nothing."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import AnonymousUser, User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection, connections
from django.test import Client

from games.accounts import notices, people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN
from tests.tournaments.clubs.conftest import People, browser, call, code, member, person
from tournaments.clubs import activity as club_activity
from tournaments.clubs import invitation_mail, invitations, members
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club, Invitation
from tournaments.clubs.permissions import role_of
from tournaments.tasks import notify_clubs

pytestmark = pytest.mark.django_db
PATH = "/clubs/lantern-street/invitations/"
LINK = re.compile(r"/invitations/([0-9A-Za-z]{48})/")


@pytest.fixture(autouse=True)
def now(request: Any) -> Iterator[None]:
    with clock.frozen_at(BEGIN):
        yield


def link(club: Club, **asked: Any) -> str:
    return invitations.invite_by_link(club=club, user=club.owner, **asked)[1]


def sent_link() -> str:
    """Return the secret in the last email."""
    found = LINK.search(str(mail.outbox[-1].body))
    assert found
    return found[1]


def refused(error: Any) -> tuple[int, str]:
    return error.value.status, error.value.code


def accept(token: str, user: Any) -> Club:
    return invitations.accept_by_token(token=token, user=user)


# links


def test_a_link_is_shown_once_and_makes_whoever_follows_it_a_member(club_people: People, private: Club) -> None:
    otto, laura = browser(club_people["Otto"]), browser(club_people["Laura"])
    assert Page.of(otto.get(PATH)).faults() == []
    html = otto.post(PATH, {"do": "link", "max_uses": "", "days": "14"}).content.decode()
    found = LINK.search(html)
    assert found
    assert found[1] not in otto.get(PATH).content.decode()
    page = Page.of(laura.get(f"/invitations/{found[1]}/"))
    assert (1, "You are invited to Lantern Street") in page.headings
    assert "invited by Otto" in page.text
    assert page.faults() == []
    answer = laura.post(f"/invitations/{found[1]}/", {"do": "accept"})
    assert answer["Location"] == "/clubs/lantern-street/"
    assert role_of(club_people["Laura"], private) == "member"
    assert club_activity.event_text(private.events.first()) == "Laura joined by an invitation."  # type: ignore[arg-type]
    assert "You are already a member." in Page.of(laura.get(f"/invitations/{found[1]}/")).text


def test_the_database_holds_no_secret(club: Club) -> None:
    token = link(club)
    row = Invitation.objects.get()
    assert bytes(row.digest) == hashlib.sha256(token.encode()).digest()
    assert token not in str(Invitation.objects.values().get())


def test_a_link_is_for_as_many_as_it_says(club_people: People, club: Club) -> None:
    token = link(club, max_uses=1)
    accept(token, club_people["Martha"])  # a member already: no use is counted
    accept(token, club_people["Laura"])
    with pytest.raises(DomainError) as error:
        accept(token, person("Bram"))
    assert refused(error) == (409, "invitation_over")
    assert "already been used" in Page.of(browser(None).get(f"/invitations/{token}/")).text


def test_a_link_runs_out_and_is_taken_back(club_people: People, club: Club) -> None:
    short, back = link(club, days=1), link(club)
    found = invitations.find_by_token(back)
    confirm(browser(club_people["Otto"]), PATH, {"do": "revoke", "id": found.pk})
    with clock.frozen_at(BEGIN + timedelta(days=2)):
        for token, text in ((short, "has expired"), (back, "was revoked")):
            assert text in Page.of(browser(club_people["Laura"]).get(f"/invitations/{token}/")).text
            with pytest.raises(DomainError) as error:
                accept(token, club_people["Laura"])
            assert refused(error) == (409, "invitation_over")
    assert role_of(club_people["Laura"], club) == ""
    assert code(call(club_people["Otto"], "delete", f"clubs/lantern-street/invitations/{found.pk}/")) == (
        409,
        "invitation_over",
    )


def test_a_secret_that_somebody_made_up_opens_nothing(club_people: People, club: Club) -> None:
    mine = link(club)
    for token in ("x", "a" * 48, "'" * 48, "\u0661" * 48, mine[:8] + mine[8:][::-1]):
        with pytest.raises(DomainError) as error:
            invitations.find_by_token(token)
        assert refused(error) == (404, "invitation_not_found"), token
    made_up = "\u0661" * 48
    assert browser(None).get(f"/invitations/{made_up}/").status_code == 404
    answer = call(club_people["Laura"], "post", "club-invitations/use/", {"token": made_up})
    assert code(answer) == (404, "invitation_not_found")


def test_whoever_is_nobody_is_asked_to_sign_up_and_comes_back(club: Club, club_people: People) -> None:
    token = link(club)
    stranger = browser(None)
    page = Page.of(stranger.get(f"/invitations/{token}/"))
    assert f"/accounts/signup/?next=/invitations/{token}/" in page.links("/accounts/")
    with pytest.raises(DomainError) as error:
        accept(token, AnonymousUser())
    assert refused(error) == (403, "not_signed_in")
    sent = {"username": "Bram", "password1": "lamp and lantern 7", "password2": "lamp and lantern 7"}
    answer = stranger.post(f"/accounts/signup/?next=/invitations/{token}/", {**sent, "next": f"/invitations/{token}/"})
    assert answer["Location"] == f"/invitations/{token}/"
    stranger.post(f"/invitations/{token}/", {"do": "accept"})
    assert role_of(User.objects.get(username="bram"), club) == "member"


def test_a_guest_is_asked_to_sign_up_and_comes_back_with_the_games(club: Club, guest: User) -> None:
    token = link(club)
    client = browser(guest)
    assert f"/me/keep/?next=/invitations/{token}/" in Page.of(client.get(f"/invitations/{token}/")).links("/me/keep")
    page = Page.of(client.post(f"/invitations/{token}/", {"do": "accept"}))
    assert "Guests cannot join clubs." in page.text
    sent = {"username": "Bram", "password1": "lamp and lantern 7", "password2": "lamp and lantern 7"}
    answer = client.post(f"/me/keep/?next=/invitations/{token}/", sent)
    assert answer["Location"] == f"/invitations/{token}/"
    client.post(f"/invitations/{token}/", {"do": "accept"})
    assert club.memberships.filter(user=guest).exists()


def test_signing_up_leads_to_pages_of_this_platform_alone(guest: User) -> None:
    sent = {"username": "Bram", "password1": "lamp and lantern 7", "password2": "lamp and lantern 7"}
    answer = browser(guest).post("/me/keep/?next=https://elsewhere.example/", sent)
    assert answer["Location"] == "/me/games/"


def test_who_was_removed_does_not_come_back_by_an_older_link(club_people: People, club: Club) -> None:
    older = link(club)
    members.remove_member(membership=member(club, club_people["Martha"]), user=club_people["Otto"], reason="Shouts.")
    assert code(call(club_people["Martha"], "post", "club-invitations/use/", {"token": older})) == (403, "removed")
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        newer = link(club)
        assert (
            call(club_people["Martha"], "post", "club-invitations/use/", {"token": newer}).json()["your_role"]
            == "member"
        )


def test_a_link_answers_an_open_request(club_people: People, club: Club) -> None:
    asked = members.join_club(club=club, user=club_people["Laura"])
    assert asked
    accept(link(club), club_people["Laura"])
    asked.refresh_from_db()
    assert asked.state == "accepted"


def test_a_link_has_an_end_and_a_measure(club_people: People, club: Club) -> None:
    for asked in ({"days": 0}, {"days": 91}, {"max_uses": 0}, {"max_uses": 1001}):
        with pytest.raises(DomainError) as error:
            invitations.invite_by_link(club=club, user=club_people["Otto"], **asked)
        assert refused(error) == (400, "bad_invitation"), asked
    for asked in ({"days": 91}, {"max_uses": 1001}):
        assert call(club_people["Otto"], "post", "clubs/lantern-street/invitations/", asked).status_code == 400


@pytest.mark.slow
def test_a_club_has_so_many_good_invitations_at_the_most(club_people: People, club: Club) -> None:
    for _number in range(invitations.MAX_VALID_INVITATIONS):
        link(club)
    assert code(call(club_people["Otto"], "post", "clubs/lantern-street/invitations/")) == (409, "too_many_invitations")


def test_an_archived_club_takes_its_invitations_back(club_people: People, club: Club) -> None:
    token = link(club)
    invitations.invite_by_mail(club=club, user=club_people["Otto"], email="laura@example.org")
    notify_clubs()
    invited = Notice.objects.filter(user=club_people["Laura"], subject="club_invitation")
    assert invited.exists()
    club_lifecycle.archive_club(club=club, user=club_people["Niamh"], reason="Moved.")
    assert not invited.exists()
    with pytest.raises(DomainError) as error:
        accept(token, club_people["Laura"])
    assert refused(error) == (409, "club_archived")


# by email


def test_an_invitation_goes_out_once_and_is_accepted_by_whoever_reads_it(club_people: People, club: Club) -> None:
    otto = browser(club_people["Otto"])
    page = Page.of(otto.post(PATH, {"do": "mail", "email": "Bram@Example.org "}, follow=True))
    assert "bram@example.org" in page.text
    assert "being sent" in page.text
    for _time in range(3):
        notify_clubs()
    (letter,) = mail.outbox
    assert letter.to == ["bram@example.org"]
    assert letter.subject == "Otto invites you to Lantern Street"
    assert "sent" in Page.of(otto.get(PATH)).text
    bram = person("Bram")
    browser(bram).post(f"/invitations/{sent_link()}/", {"do": "accept"})
    assert role_of(bram, club) == "member"
    row = Invitation.objects.get()
    assert (row.email, row.used) == ("", 1)  # the address is not needed any more
    assert "bram@example.org" not in otto.get(PATH).content.decode()


def test_nothing_tells_whether_an_address_has_an_account(club_people: People, club: Club) -> None:
    answers = []
    for email in ("laura@example.org", "nobody@example.org", "martha@example.org"):  # an account, no account, a member
        answer = call(club_people["Otto"], "post", "clubs/lantern-street/invitations/", {"email": email})
        shown = {name: value for name, value in answer.json().items() if name not in ("id", "prefix", "email")}
        answers.append((answer.status_code, shown))
    assert answers[0] == answers[1] == answers[2]
    notify_clubs()
    assert sorted(letter.to[0] for letter in mail.outbox) == [
        "laura@example.org",
        "martha@example.org",
        "nobody@example.org",
    ]
    bodies = {LINK.sub("", str(letter.body)) for letter in mail.outbox}
    assert len(bodies) == 1
    page = Page.of(browser(club_people["Otto"]).get(PATH)).text
    assert "Laura" not in page
    assert "Martha" not in page


def test_who_has_confirmed_the_address_finds_the_invitation_when_they_log_in(
    club_people: People, private: Club
) -> None:
    invitations.invite_by_mail(club=private, user=club_people["Otto"], email="laura@example.org")
    notify_clubs()
    assert [notices.notice_row(each).words for each in notices.notices_of(club_people["Laura"])] == [
        "Otto invites you to the club Lantern Street."
    ]
    assert len(mail.outbox) == 1  # the notice itself sends no second email
    laura = browser(club_people["Laura"])
    page = Page.of(laura.get("/clubs/"))
    assert "You are invited" in page.text
    assert page.faults() == []
    assert "Lantern Street invites you." in Page.of(laura.get("/")).text
    leads = Page.of(laura.get("/me/seasons/")).links("/my-invitations/")
    assert leads == [], "this address takes a button's answer only"
    row = Invitation.objects.get()
    assert laura.post(f"/my-invitations/{row.pk}/", {"do": "accept"})["Location"] == "/clubs/lantern-street/"
    assert role_of(club_people["Laura"], private) == "member"
    assert not Notice.objects.filter(user=club_people["Laura"], subject="club_invitation").exists()
    assert "You are invited" not in Page.of(laura.get("/clubs/")).text


def test_the_clubs_page_offers_an_invited_person_to_join_and_no_request(club_people: People, club: Club) -> None:
    laura = browser(club_people["Laura"])
    address = EmailAddress.objects.filter(user=club_people["Laura"])
    address.update(verified=False)
    invitations.invite_by_mail(club=club, user=club_people["Otto"], email="laura@example.org")
    assert "Ask to join…" in Page.of(laura.get("/clubs/lantern-street/")).text
    address.update(verified=True)
    page = Page.of(laura.get("/clubs/lantern-street/"))
    assert "invited by Otto" in page.text
    assert "Ask to join…" not in page.text
    assert page.faults() == []


def test_an_address_that_is_not_confirmed_finds_none(club_people: People, club: Club) -> None:
    invitations.invite_by_mail(club=club, user=club_people["Otto"], email="laura@example.org")
    EmailAddress.objects.filter(user=club_people["Laura"]).update(verified=False)
    notify_clubs()
    assert not Notice.objects.filter(user=club_people["Laura"]).exists()
    assert "You are invited" not in Page.of(browser(club_people["Laura"]).get("/clubs/")).text
    row = Invitation.objects.get()
    for name in ("Laura", "Martha"):
        assert browser(club_people[name]).post(f"/my-invitations/{row.pk}/", {"do": "accept"}).status_code == 404
        assert code(call(club_people[name], "post", f"club-invitations/{row.pk}/accept/")) == (
            404,
            "invitation_not_found",
        )


def test_the_api_lists_accepts_and_declines_ones_own(club_people: People, club: Club) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="laura@example.org")
    (listed,) = call(club_people["Laura"], "get", "club-invitations/").json()["results"]
    assert (listed["id"], listed["club"], listed["by"]["name"]) == (row.pk, "Lantern Street", "Otto")
    assert call(club_people["Martha"], "get", "club-invitations/").json()["results"] == []
    assert call(club_people["Laura"], "post", f"club-invitations/{row.pk}/decline/").status_code == 204
    assert call(club_people["Laura"], "get", "club-invitations/").json()["results"] == []
    answer = call(club_people["Otto"], "post", "clubs/lantern-street/invitations/", {"email": "laura@example.org"})
    assert code(answer) == (409, "declined_before")


def test_whoever_reads_the_address_declines_without_an_account(club_people: People, club: Club) -> None:
    invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    notify_clubs()
    stranger = browser(None)
    page = Page.of(stranger.get(f"/invitations/{sent_link()}/"))
    assert "Decline" in page.text
    confirm(stranger, f"/invitations/{sent_link()}/", {"do": "decline"})
    row = Invitation.objects.get()
    assert (row.declined, row.email) == (True, "")
    with pytest.raises(DomainError) as error:
        invitations.invite_by_mail(club=club, user=club_people["Otto"], email="Bram@example.org")
    assert refused(error) == (409, "declined_before")
    other = club_lifecycle.found_club(user=club_people["Otto"], name="Harbour")
    assert invitations.invite_by_mail(club=other, user=club_people["Otto"], email="bram@example.org")


def test_a_link_for_many_is_not_declined(club_people: People, club: Club) -> None:
    with pytest.raises(DomainError) as error:
        invitations.decline_by_token(token=link(club))
    assert refused(error) == (409, "not_by_mail")


def test_it_is_sent_again_with_a_new_link_but_not_at_once_and_not_for_ever(club_people: People, club: Club) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    path = f"clubs/lantern-street/invitations/{row.pk}/resend/"
    assert code(call(club_people["Otto"], "post", path)) == (409, "sent_lately")
    notify_clubs()
    first = sent_link()
    assert code(call(club_people["Otto"], "post", path)) == (409, "sent_lately")
    for minutes in (11, 22):
        with clock.frozen_at(BEGIN + timedelta(minutes=minutes)):
            assert call(club_people["Otto"], "post", path).status_code == 200
            notify_clubs()
    assert len(mail.outbox) == 3
    with pytest.raises(DomainError) as error:
        invitations.find_by_token(first)
    assert refused(error) == (404, "invitation_not_found")
    assert invitations.find_by_token(sent_link()).pk == row.pk
    with clock.frozen_at(BEGIN + timedelta(minutes=33)):
        assert code(call(club_people["Otto"], "post", path)) == (429, "too_many_mails")


def test_inviting_the_same_address_again_is_the_same_invitation(club_people: People, club: Club) -> None:
    first = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    second = invitations.invite_by_mail(club=club, user=club_people["Niamh"], email="BRAM@example.org")
    assert first.pk == second.pk


def test_nobody_has_the_platform_write_to_strangers_as_often_as_they_like(
    club_people: People, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(invitations, "MAX_MAILS_PER_PERSON", 3)
    for number in range(3):
        invitations.invite_by_mail(club=club, user=club_people["Otto"], email=f"stranger{number}@example.org")
    other = club_lifecycle.found_club(user=club_people["Otto"], name="Harbour")
    for where in (club, other):
        answer = call(club_people["Otto"], "post", f"clubs/{where.slug}/invitations/", {"email": "more@example.org"})
        assert code(answer) == (429, "too_many_mails")
    with clock.frozen_at(BEGIN + timedelta(days=1, minutes=1)):
        assert invitations.invite_by_mail(club=club, user=club_people["Otto"], email="more@example.org")


def test_one_address_gets_three_a_day_from_all_clubs_together(club_people: People) -> None:
    for number in range(invitations.MAX_MAILS_PER_ADDRESS):
        made = club_lifecycle.found_club(user=club_people["Otto"], name=f"Club {number}")
        invitations.invite_by_mail(club=made, user=club_people["Otto"], email="bram@example.org")
    made = club_lifecycle.found_club(user=club_people["Laura"], name="Club of Laura")
    with pytest.raises(DomainError) as error:
        invitations.invite_by_mail(club=made, user=club_people["Laura"], email="bram@example.org")
    assert refused(error) == (429, "too_many_mails")


def test_who_has_confirmed_no_address_writes_to_nobody(club_people: People, club: Club) -> None:
    EmailAddress.objects.filter(user=club_people["Otto"]).delete()
    answer = call(club_people["Otto"], "post", "clubs/lantern-street/invitations/", {"email": "bram@example.org"})
    assert code(answer) == (403, "confirm_address")
    page = browser(club_people["Otto"]).post(PATH, {"do": "mail", "email": "bram@example.org"})
    assert "create a link" in Page.of(page).text
    assert code(call(club_people["Niamh"], "post", "clubs/lantern-street/invitations/", {"email": "bram@"})) == (
        400,
        "bad_email",
    )


class Unreachable(EmailBackend):
    """A mail server that refuses connections."""

    def open(self) -> bool:
        raise ConnectionRefusedError("nobody listens")


class Breaks(EmailBackend):
    """A mail server whose connection breaks during the transfer."""

    def send_messages(self, messages: Any) -> int:
        raise ConnectionResetError("gone")


def test_an_e_mail_waits_for_a_server_that_is_not_there(club_people: People, club: Club, settings: Any) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    settings.EMAIL_BACKEND = f"{__name__}.Unreachable"
    notify_clubs()
    row.refresh_from_db()
    assert (row.send_state, row.tries) == ("due", 1)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    notify_clubs()
    assert mail.outbox == []  # not before its time
    with clock.frozen_at(BEGIN + timedelta(minutes=5)):
        notify_clubs()
    assert len(mail.outbox) == 1


def test_what_may_have_been_sent_is_never_sent_by_itself_again(club_people: People, club: Club, settings: Any) -> None:
    broken = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    settings.EMAIL_BACKEND = f"{__name__}.Breaks"
    notify_clubs()
    lost = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="wren@example.org")
    Invitation.objects.filter(pk=lost.pk).update(send_state="sending")  # as if a worker died while sending it
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    with clock.frozen_at(BEGIN + timedelta(minutes=11)):
        notify_clubs()
    assert mail.outbox == []
    assert set(Invitation.objects.values_list("send_state", flat=True)) == {"unsure"}
    assert "uncertain" in Page.of(browser(club_people["Otto"]).get(PATH)).text
    with clock.frozen_at(BEGIN + timedelta(minutes=30)):
        invitations.resend_invitation(invitation=broken, user=club_people["Otto"])
        notify_clubs()
    assert len(mail.outbox) == 1


def test_a_worker_that_stalls_leaves_the_link_that_was_sent_meanwhile(
    club_people: People, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    draw = invitations.new_invitation_token
    sent = []

    def stall() -> Any:
        monkeypatch.setattr(invitations, "new_invitation_token", draw)
        with clock.frozen_at(BEGIN + timedelta(minutes=11)):
            notify_clubs()
            invitation_mail.INVITATION_MAILS.resend(row)
            notify_clubs()
        sent.append(sent_link())
        return draw()

    monkeypatch.setattr(invitations, "new_invitation_token", stall)
    assert not invitation_mail.INVITATION_MAILS.send(row.pk)
    assert len(mail.outbox) == 1
    assert Invitation.objects.get(pk=row.pk).send_state == "sent"
    assert invitations.accept_by_token(token=sent[0], user=club_people["Laura"]) == club


def test_an_invitation_that_is_taken_back_while_it_is_sent_leaves_no_notice(
    club_people: People, club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="laura@example.org")
    draw = invitations.new_invitation_token

    def take_back() -> Any:
        invitations.revoke_invitation(invitation=row, user=club_people["Otto"])
        return draw()

    monkeypatch.setattr(invitations, "new_invitation_token", take_back)
    assert not invitation_mail.INVITATION_MAILS.send(row.pk)
    assert not Notice.objects.filter(subject="club_invitation").exists()
    assert mail.outbox == []


def test_an_invitation_that_was_taken_back_is_not_sent_any_more(club_people: People, club: Club) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    invitations.revoke_invitation(invitation=row, user=club_people["Otto"])
    notify_clubs()
    assert mail.outbox == []


def test_an_address_is_forgotten_when_its_invitation_is_over(club_people: People, club: Club) -> None:
    invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    with clock.frozen_at(BEGIN + timedelta(days=15)):
        notify_clubs()
    assert Invitation.objects.get().email == ""


# simultaneous requests


@pytest.mark.django_db(transaction=True)
def test_of_four_who_click_a_link_for_one_at_the_same_moment_one_gets_in(club_people: People, club: Club) -> None:
    """Each request has its own thread and connection. A barrier holds all of them until each has begun."""
    token = link(club, max_uses=1)
    comers = [person(name) for name in ("Bram", "Wren", "Juno", "Oona")]
    got = together([lambda user=user: outcome(token, user) for user in comers])
    assert sorted(got) == ["in", *["invitation_over"] * 3]
    assert Invitation.objects.get().used == 1
    assert club.memberships.filter(user__in=comers).count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_who_clicks_twice_at_the_same_moment_uses_it_once(club_people: People, club: Club) -> None:
    token = link(club, max_uses=5)
    got = together([lambda: outcome(token, club_people["Laura"])] * 3)
    assert got == ["in"] * 3
    assert Invitation.objects.get().used == 1
    assert club.events.filter(type="joined").count() == 1


@pytest.mark.django_db(transaction=True)
def test_three_workers_send_an_invitation_once(club_people: People, club: Club) -> None:
    row = invitations.invite_by_mail(club=club, user=club_people["Otto"], email="bram@example.org")
    mail.outbox.clear()
    together([lambda: str(invitation_mail.INVITATION_MAILS.send(row.pk))] * 3)
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_organisers_who_answer_at_the_same_moment_one_decides(club_people: People, club: Club) -> None:
    asked = members.join_club(club=club, user=club_people["Laura"])
    assert asked

    def answer(user: User, accept: bool) -> str:
        try:
            return members.answer_request(request=asked, user=user, accept=accept).state
        except DomainError as error:
            return error.code

    got = together([lambda: answer(club_people["Otto"], True), lambda: answer(club_people["Niamh"], False)])
    asked.refresh_from_db()
    assert asked.state in ("accepted", "declined")
    assert sorted(got) == sorted([asked.state, "answered"])
    assert club.memberships.filter(user=club_people["Laura"]).exists() == (asked.state == "accepted")


def outcome(token: str, user: User) -> str:
    try:
        accept(token, user)
    except DomainError as error:
        return error.code
    return "in"


def together(acts: list[Any]) -> list[str]:
    """Return the results of `acts`, which begin together."""
    got: list[str] = []
    start = threading.Barrier(len(acts))

    def run(act: Any) -> None:
        start.wait()
        try:
            with clock.frozen_at(BEGIN):
                got.append(act())
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection.ensure_connection()
    return got


def test_deleting_the_account_of_who_invited_leaves_the_link(club_people: People, club: Club) -> None:
    token = invitations.invite_by_link(club=club, user=club_people["Otto"])[1]
    people.delete_account(club_people["Otto"])
    assert "invited by a deleted account" in Page.of(browser(club_people["Laura"]).get(f"/invitations/{token}/")).text
    assert accept(token, club_people["Laura"]) == club


def test_a_form_without_its_token_does_nothing(club_people: People, club: Club) -> None:
    token = link(club)
    client = Client(enforce_csrf_checks=True)
    client.force_login(club_people["Laura"])
    assert client.post(f"/invitations/{token}/", {"do": "accept"}).status_code == 403
    assert role_of(club_people["Laura"], club) == ""
