"""A page's language is the person's choice, or else the cookie's, or else the browser's."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import translation

from games.accounts import languages, people
from games.accounts.mail import build_email
from games.accounts.models import Notice
from games.common import clock
from games.models import Player
from tests.assertions.page import Page

pytestmark = pytest.mark.django_db
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(client: Client, **headers: str) -> str:
    response = client.get("/zone/", headers=headers)
    found = re.search(r'<html lang="([^"]*)"', response.content.decode())
    assert found is not None
    assert found[1] == response["Content-Language"]
    assert {"Accept-Language", "Cookie"} <= set(re.split(r",\s*", response["Vary"]))
    return found[1]


def test_a_page_is_in_the_browsers_language_or_else_in_english(client: Client) -> None:
    assert [language_of(client), language_of(client, **GERMAN)] == ["en", "de"]
    assert language_of(client, **{"accept-language": "xx, fr;q=0.5"}) == "en"


def test_a_visitor_chooses_a_language_in_a_cookie_and_takes_the_choice_back(client: Client) -> None:
    client.post("/zone/", {"zone": "UTC", "language": "de"})
    assert language_of(client) == "de"
    assert [attrs["lang"] for tag, attrs in Page.of(client.get("/")).tags if tag == "a" and "lang" in attrs] == ["en"]
    client.post("/zone/", {"zone": "UTC"})  # does not set the language
    assert language_of(client) == "de"
    client.post("/zone/", {"zone": "UTC", "language": ""})
    assert language_of(client) == "en"
    assert client.post("/zone/", {"zone": "UTC", "language": "xx"}).status_code == 400


def test_a_person_chooses_a_language_on_the_account_page_and_by_the_api(client: Client, martha: Player) -> None:
    assert martha.user
    client.force_login(martha.user)
    client.post("/me/", {"form": "language", "language": "de"})
    assert language_of(client, **{"accept-language": "en"}) == "de"
    changed = client.patch("/api/v1/me/", {"language": "en"}, "application/json")
    assert (changed.status_code, changed.json()["language"]) == (200, "en")
    assert language_of(client, **GERMAN) == "en"
    assert client.patch("/api/v1/me/", {"language": "xx"}, "application/json").status_code == 400


def test_an_email_is_in_the_language_of_its_receiver(martha: Player) -> None:
    user = martha.user
    assert user
    notice = Notice.objects.create(user=user, subject="challenge", key="c", by=martha, created=clock.now())
    subjects = []
    for language in ("de", ""):
        languages.set_language(user, language)
        with translation.override("de" if not language else "en"):  # the sender's language
            subjects.append(build_email(notice, "martha@example.org").subject)
    assert subjects == ["Martha fordert dich heraus", "Martha challenges you"]


def test_who_logs_in_with_a_german_browser_gets_german_emails(client: Client, martha: Player) -> None:
    user = martha.user
    assert user
    people.profile_of(user)
    user.set_password("long-enough-123")
    user.save()
    client.post("/accounts/login/", {"login": user.username, "password": "long-enough-123"}, headers=GERMAN)
    assert people.profile_of(user).language == "de"
    assert languages.mail_language(user) == "de"


def test_errors_of_the_api_are_in_the_language_that_a_program_asks_for_with_the_same_code(client: Client) -> None:
    english = client.get("/api/v1/clubs/?nothing=1").json()["error"]
    response = client.get("/api/v1/clubs/?nothing=1", headers=GERMAN)
    german = response.json()["error"]
    assert (english["code"], english["status"]) == (german["code"], german["status"])
    assert response["Content-Language"] == "de"
    assert english["sentence"] != german["sentence"]


def test_the_openapi_document_is_in_english_for_everybody(client: Client) -> None:
    schemas = [client.get("/api/v1/schema/?format=json", headers=headers).content for headers in ({}, GERMAN)]
    assert schemas[0] == schemas[1]
