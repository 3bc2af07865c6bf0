"""All requests are sent after the packages of kinds with games, or of formats and tie-breaks of seasons, were removed.
What needs them answers 503 with a sentence, and nothing fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from django.http import HttpResponse

from tests.fixtures.removed_kinds import removed, removed_kinds
from tests.permissions.requests import Asker, filled, filled_body
from tests.permissions.table_rows import ROLES, Row, rows
from tests.permissions.world import World, permissions_world
from tournaments.formats import FORMATS
from tournaments.scoring.tie_breaks import TIE_BREAKS
from tournaments.season_pages import setup_form
from tournaments.seasons import settings
from tournaments.seasons.models import Season

GONE: Final = ("chinese_ten", "plates", "plate_spinner")
STAYS: Final = "arena"  # a format that no season of the world has
ANSWERED: Final = ("200", "201", "202", "204", "done")


@pytest.fixture
def world(db: None) -> World:
    return permissions_world()


@pytest.fixture
def without_kinds(world: World) -> Iterator[World]:
    """Provide a world in which only two kinds are left, which have no games."""
    with removed_kinds(*GONE):
        yield world


@pytest.fixture
def without_formats(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Provide a world in which the formats and tie-breaks of all its seasons are gone."""
    seasons = list(Season.objects.all())
    assert STAYS not in {season.format for season in seasons}
    for module in (settings, setup_form):
        monkeypatch.setattr(module, "DEFAULT_FORMAT", STAYS)  # the usual one cannot be removed
    tie_breaks = {name for season in seasons for name in season.tie_breaks} - {*FORMATS[STAYS].usual_tie_breaks}
    with removed(FORMATS, *(FORMATS.keys() - {STAYS})), removed(TIE_BREAKS, *tie_breaks):
        yield world


def says_what_is_missing(row: Row, response: HttpResponse, code: str) -> bool:
    if row.method == "STREAM":  # its answer has only a status
        return True
    text = response.content.decode()
    if row.api:
        return "install its package again" in text and f'"code":"{code}"' in text
    return {
        "kind_missing": "the rules of its kind of game are not installed here",
        "package_missing": "a package that the season needs is not installed here",
    }[code] in text


def answers(world: World, code: str) -> dict[int, list[str]]:
    """Return status → requests, each sent by somebody who may; those that need what is missing say so."""
    answered: dict[int, list[str]] = {}
    for row in rows():
        role = next((role for role in ROLES if row.answer(role) in ANSWERED), None)
        if role is None:
            continue
        name = ROLES[role]
        asker = Asker.signed_in(world.people[name] if name else None)
        answer = asker.ask(row.method, filled(row.address, world.at), filled_body(row.body, world.at))
        assert isinstance(answer.response, HttpResponse) or answer.response.status_code == 200, row
        status = answer.response.status_code
        if isinstance(answer.response, HttpResponse) and status == 503:
            assert says_what_is_missing(row, answer.response, code), row
        answered.setdefault(status, []).append(f"{row.method} {row.address}")
    return answered


@pytest.mark.slow
def test_what_needs_their_rules_says_so_and_all_else_is_answered(without_kinds: World) -> None:
    answered = answers(without_kinds, "kind_missing")
    assert set(answered) == {200, 201, 202, 204, 302, 400, 503}
    assert "GET /rules/<kind>/" in answered[503]
    lists = ["/", "/watch/", "/me/games/", "/api/v1/games/", "/api/v1/me/games/", "/clubs/<club>/<league>/<entries>/"]
    assert {f"GET {address}" for address in [*lists, "/play/", "/clubs/<club>/new-season/"]} <= set(answered[200])
    assert {f"GET /api/v1/games/<game>/{part}/" for part in ("events", "turn", "replay")} <= set(answered[503])


@pytest.mark.slow
def test_what_needs_their_format_says_so_and_all_else_is_answered(without_formats: World) -> None:
    answered = answers(without_formats, "package_missing")
    assert set(answered) == {200, 201, 202, 204, 302, 400, 503}
    lists = [
        "/",
        "/api/v1/seasons/",
        "/clubs/<club>/",
        "/clubs/<club>/<league>/<entries>/",
        "/clubs/<club>/new-season/",
    ]
    assert {f"GET {address}" for address in lists} <= set(answered[200])
    assert "GET /api/v1/seasons/<running_id>/what-if/" in answered[503]
