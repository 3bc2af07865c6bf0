"""A person reports another, admins decide, and the reporter learns the result. Nobody else learns who reported."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts import notices, people
from games.accounts.models import Notice
from games.bots import uploads
from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from games.moderation import reports, sanctions
from games.moderation.models import Report
from tests.assertions.page import Page
from tests.games.moderation.conftest import browser, call, code

pytestmark = pytest.mark.django_db


def player(user: User) -> Player:
    return Player.objects.get(user=user)


def report(by: User, about: User, words: str = "She calls me names in every club.") -> Report:
    return reports.file_report(by=by, target="person", pk=player(about).pk, cause="harassment", words=words)


def test_a_person_is_reported_from_their_page_and_the_reporter_is_thanked(laura: User, martha: User) -> None:
    client = browser(laura)
    page = client.get(f"/players/{player(martha).pk}/")
    assert f"/report/person/{player(martha).pk}/" in page.content.decode()
    sent = {"cause": "name", "words": ""}
    answer = client.post(f"/report/person/{player(martha).pk}/", sent, follow=True)
    assert "An admin will read your report and tell you the outcome." in Page.of(answer).text
    made = Report.objects.get()
    assert (made.by, made.about, made.cause, made.state) == (laura, martha, "name", "open")


def test_who_is_not_signed_in_is_asked_to_log_in_first(martha: User) -> None:
    answer = browser(None).get(f"/report/person/{player(martha).pk}/")
    assert answer.status_code == 302
    assert "/accounts/login/" in answer["Location"]


def test_a_report_needs_a_cause_and_where_it_is_about_doings_words(laura: User, martha: User) -> None:
    address = f"/report/person/{player(martha).pk}/"
    assert browser(laura).post(address, {"cause": "cheating", "words": " "}).status_code == 400
    assert browser(laura).post(address, {"words": "…"}).status_code == 400
    answer = call(laura, "post", "reports/", {"target": "person", "target_id": player(martha).pk, "cause": "cheating"})
    assert code(answer) == (400, "bad_words")
    assert not Report.objects.exists()


def test_the_reporter_is_told_the_outcome_and_nobody_else_is(laura: User, martha: User, ada: User, otto: User) -> None:
    made = report(laura, martha)
    reports.answer_report(made, state="upheld", by=ada, words="Thank you: we have spoken to her.")
    notice = Notice.objects.get(subject="report_answered")
    assert notice.user == laura
    assert notices.notice_row(notice).address == "/me/conduct/#reports"
    page = Page.of(browser(laura).get("/me/conduct/")).text
    assert "upheld: an admin has acted" in page
    assert "we have spoken to her" in page
    for other in (martha, otto):
        assert "spoken" not in Page.of(browser(other).get("/me/conduct/")).text
        assert call(other, "get", "reports/").json()["results"] == []


def test_nobody_who_is_reported_can_find_out_by_whom(laura: User, martha: User, ada: User) -> None:
    """No page, answer of the API, export of data or later action shows it."""
    made = report(laura, martha)
    reports.answer_report(made, state="upheld", by=ada)
    sanctions.warn(user=martha, by=ada, reason="Be kind.")
    client = browser(martha)
    for address in ("/me/conduct/", "/me/notices/", "/me/", "/api/v1/me/conduct/", "/api/v1/me/export/"):
        text = client.get(address).content.decode()
        assert "Laura" not in text, address
        assert "laura" not in text, address
        assert "calls me names" not in text, address


def test_a_second_report_of_one_thing_adds_its_words_to_the_first(laura: User, martha: User) -> None:
    first, second = report(laura, martha, "One."), report(laura, martha, "Two.")
    assert first.pk == second.pk
    assert Report.objects.get().words == "One.\n\nTwo."


def test_who_has_reported_ten_times_waits_for_tomorrow(laura: User, join: Any) -> None:
    others = [join(f"Person {n}") for n in range(11)]
    now = clock.now()
    with clock.frozen_at(now):
        for other in others[:10]:
            report(laura, other)
        with pytest.raises(DomainError) as refused:
            report(laura, others[10])
        assert (refused.value.status, refused.value.code) == (429, "too_many_reports")
    with clock.frozen_at(now + timedelta(days=1, minutes=1)):
        assert report(laura, others[10]).pk


def test_nobody_reports_themselves_or_what_is_not_there(laura: User) -> None:
    own = {"target": "person", "target_id": player(laura).pk, "cause": "name"}
    assert code(call(laura, "post", "reports/", own)) == (403, "own_report")
    for target, pk in (("person", 0), ("person", 2**62), ("planet", 1), ("club", 1), ("bot", -3)):
        sent = {"target": target, "target_id": pk, "cause": "name"}
        assert code(call(laura, "post", "reports/", sent)) == (404, "target_not_found"), (target, pk)
    assert browser(laura).get("/report/planet/1/").status_code == 404


def test_guests_do_not_report_and_the_muted_do_not_either(laura: User, martha: User, ada: User) -> None:
    guest = User.objects.create_user("guest-1000")
    people.create_profile_and_player(guest, "Guest 1000", guest=True)
    sent = {"target": "person", "target_id": player(martha).pk, "cause": "name"}
    assert code(call(guest, "post", "reports/", sent)) == (403, "guest")
    sanctions.mute(user=laura, by=ada, reason="False reports.")
    assert code(call(laura, "post", "reports/", sent)) == (403, "muted")


def test_a_private_bot_is_not_there_to_be_reported_and_a_public_one_is(laura: User, martha: User) -> None:
    hidden = uploads.new_bot(owner=martha, name="Gannet", visibility="private")
    shown = uploads.new_bot(owner=martha, name="Heron")
    sent = {"target": "bot", "cause": "name"}
    assert code(call(laura, "post", "reports/", {**sent, "target_id": hidden.pk})) == (404, "target_not_found")
    assert call(laura, "post", "reports/", {**sent, "target_id": shown.pk}).status_code == 201
    assert Report.objects.get().about == martha
    assert f"/report/bot/{shown.pk}/" in browser(laura).get("/bots/Heron/").content.decode()


def test_two_admins_answer_one_report_once(laura: User, martha: User, ada: User, zoe: User) -> None:
    made = report(laura, martha)
    reports.answer_report(made, state="dismissed", by=ada)
    with pytest.raises(DomainError) as refused:
        reports.answer_report(made, state="upheld", by=zoe)
    assert refused.value.code == "answered_already"
    made.refresh_from_db()
    assert (made.state, made.answered_by) == ("dismissed", ada)
    assert Notice.objects.filter(subject="report_answered").count() == 1


def test_a_report_outlives_the_account_of_the_reporter_without_them(laura: User, martha: User) -> None:
    made = report(laura, martha)
    people.delete_account(laura)
    made.refresh_from_db()
    assert made.by is None


def test_a_report_of_what_is_gone_by_now_says_so(laura: User, martha: User) -> None:
    report(laura, martha)
    people.delete_account(martha)
    assert "Something that was deleted" in Page.of(browser(laura).get("/me/conduct/")).text
