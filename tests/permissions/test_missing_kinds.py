"""All requests are sent after the packages of kinds with games were removed. What needs their rules answers 503 with a
sentence, and nothing fails."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from django.http import HttpResponse

from tests.fixtures.removed_kinds import removed_kinds
from tests.permissions.requests import Asker, filled, filled_body
from tests.permissions.table_rows import ROLES, Row, rows
from tests.permissions.world import World, permissions_world

GONE: Final = ("chinese_ten", "plates", "plate_spinner")
ANSWERED: Final = ("200", "201", "202", "204", "done")


@pytest.fixture
def world(db: None) -> Iterator[World]:
    """Provide a world in which only two kinds are left, which have no games."""
    made = permissions_world()
    with removed_kinds(*GONE):
        yield made


def says_what_is_missing(row: Row, response: HttpResponse) -> bool:
    if row.method == "STREAM":  # its answer has only a status
        return True
    said = response.content.decode()
    if row.api:
        return "install its package again" in said and '"code":"kind_missing"' in said
    return "the rules of its kind of game are not installed here" in said


@pytest.mark.slow
def test_what_needs_their_rules_says_so_and_all_else_is_answered(world: World) -> None:
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
            assert says_what_is_missing(row, answer.response), row
        answered.setdefault(status, []).append(f"{row.method} {row.address}")
    assert set(answered) == {200, 201, 202, 204, 302, 400, 503}
    assert "GET /rules/<kind>/" in answered[503]
    lists = ["/", "/watch/", "/me/games/", "/api/v1/games/", "/api/v1/me/games/", "/clubs/<club>/<league>/<entries>/"]
    assert {f"GET {address}" for address in [*lists, "/play/", "/clubs/<club>/new-season/"]} <= set(answered[200])
    assert {f"GET /api/v1/games/<game>/{part}/" for part in ("events", "turn", "replay")} <= set(answered[503])
