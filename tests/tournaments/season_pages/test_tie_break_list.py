"""The list of tie-breaks in a season's form: its buttons move, remove and add, and nothing is saved by them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.common import clock
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN
from tests.tournaments.season_pages.test_setup import filled, send
from tournaments.season_pages.tie_break_list import changed_keys
from tournaments.seasons.models import League, Season

USUAL = ("head_to_head", "wins", "lots")


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ({}, ""),
        ({"tie_breaks": "wins lots"}, "wins lots"),
        ({"tie": "up wins"}, "wins head_to_head lots"),
        ({"tie": "up head_to_head"}, ""),
        ({"tie": "remove wins"}, "head_to_head lots"),
        ({"tie": "add", "tie_add": "buchholz"}, "head_to_head wins buchholz lots"),
        ({"tie_add": "buchholz"}, "head_to_head wins buchholz lots"),
        ({"tie_breaks": "wins", "tie_add": "buchholz"}, "wins buchholz"),
        ({"tie_add": "wins"}, ""),
        ({"tie_breaks": "wins", "tie": "remove wins"}, ""),
        ({"tie_breaks": "wins head_to_head lots", "tie": "up head_to_head"}, ""),
        ({"tie": "remove beauty"}, ""),
    ],
    ids=[
        "untouched, it is the format's",
        "as it was sent",
        "moved up",
        "the first stays the first",
        "removed",
        "added before the lots",
        "chosen and saved without the button",
        "added last without the lots",
        "twice is once",
        "without any, it is the format's again",
        "moved back, it is the format's again",
        "an unknown one",
    ],
)
def test_a_button_changes_the_list(sent: dict[str, Any], keys: str) -> None:
    assert changed_keys(sent, USUAL) == keys


@pytest.mark.django_db
def test_a_button_shows_the_form_with_the_new_order_and_saves_nothing(client: Client, league: League) -> None:
    client.force_login(league.club.owner)
    with clock.frozen_at(BEGIN):
        pressed: dict[str, Any] = {"tie": "up wins", "format": "swiss", "do": None}
        page = Page.of(send(client, filled(**pressed)))
        part = Page.of(send(client, filled(**pressed), part="ties"))
        assert not Season.objects.exists()
        for shown in (page, part):
            [order] = [attrs["value"] for _tag, attrs in shown.tags if attrs.get("name") == "tie_breaks"]
            [focused] = [attrs["value"] for _tag, attrs in shown.tags if "autofocus" in attrs]
            assert order.startswith("wins head_to_head ")
            assert focused == "up wins"
        assert page.faults() == []
        unfolded = [attrs for tag, attrs in page.tags if tag == "details" and "open" in attrs]
        assert [attrs.get("id", "inside") for attrs in unfolded] == ["fair", "inside"]
        send(client, filled(tie_breaks=order, format="swiss"))
    assert Season.objects.get().tie_breaks[:2] == ["wins", "head_to_head"]
    assert "Tie-breaks: games won, head-to-head" in part.text
