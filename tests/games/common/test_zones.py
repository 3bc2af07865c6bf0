"""Forms offer time zones by their current names, also for obsolete ones."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from django.test.html import parse_html

from config.http.time_zone import VisitorForm
from games.common.quick_select import QuickSelect
from games.common.zones import current_name, known_zones, offered_zones, zone_choices


def test_every_known_zone_is_offered_by_its_name_of_today() -> None:
    assert {current_name(name) for name in known_zones()} == set(offered_zones())


@pytest.mark.parametrize(
    ("name", "today"),
    [
        ("US/Pacific", "America/Los_Angeles"),
        ("America/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("Europe/Oslo", "Europe/Oslo"),
        ("UTC", "UTC"),
    ],
)
def test_an_obsolete_name_is_not_offered_and_a_place_keeps_its_own(name: str, today: str) -> None:
    assert current_name(name) == today
    assert (name in offered_zones()) == (name == today)


def test_the_likely_zone_comes_first_and_only_once() -> None:
    suggested, others = (group for _, group in zone_choices("Asia/Calcutta"))
    assert suggested == [("Asia/Kolkata", "Asia/Kolkata")]
    assert suggested[0] not in others
    assert len(others) == len(offered_zones()) - 1


def test_without_a_likely_zone_they_stand_by_the_alphabet() -> None:
    names = [name for name, _ in zone_choices("Nowhere/Land")]
    assert names == sorted(names)


def test_a_form_takes_the_likely_zone_and_any_other() -> None:
    for zone in ("Europe/Dublin", "America/New_York", "UTC"):
        assert VisitorForm("Europe/Dublin", {"zone": zone, "next": ""}).is_valid()


@pytest.mark.parametrize("first", ["Asia/Calcutta", "nowhere"])
@pytest.mark.parametrize("value", ["Europe/Oslo", "", None, "<b>"])
def test_a_list_has_the_elements_that_django_writes(first: str, value: Any) -> None:
    choices = [("", "Mine & <yours>"), *zone_choices(first)]
    ours, djangos = (
        kind(attrs={"class": "wide"}, choices=choices).render("zone", value, {"id": "id_zone", "required": True})
        for kind in (QuickSelect, forms.Select)
    )
    assert parse_html(ours) == parse_html(djangos)
