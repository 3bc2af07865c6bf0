"""The error pages look like the product's other pages and say what to do."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.assertions.page import Page

pytestmark = pytest.mark.django_db


def test_a_wrong_host_gets_a_page_that_leads_to_the_right_one(client: Client, settings: Any) -> None:
    settings.SCOREBOOK_BASE_URL = "https://club.example"
    answer = client.get("/clubs/", headers={"host": "somewhere.example"})
    page = Page.of(answer)
    assert answer.status_code == 400
    assert page.faults() == []
    assert "does not answer to this host name" in page.text
    assert "https://club.example" in page.links()
    assert "/clubs/" not in page.links(), "it would lead here again"


def test_a_program_that_asks_a_wrong_host_gets_an_error_with_a_code(client: Client) -> None:
    answer = client.get("/api/v1/clubs/", headers={"host": "somewhere.example"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_host")


def test_the_address_of_a_button_opened_as_a_link_is_a_page(client: Client) -> None:
    answer = client.get("/play/now/")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    page = Page.of(answer)
    assert page.faults() == []
    assert "press the button there" in page.text


def test_a_body_that_is_no_json_names_the_type_to_send(client: Client) -> None:
    client.force_login(User.objects.create_user("laura"))
    answer = client.post("/api/v1/clubs/", "name: Lantern", content_type="application/yaml")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (415, "unsupported_media_type")
    assert "Content-Type: application/json" in error["sentence"]
