"""The API of open tables can do what the pages do. A table of rights says who may do what."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from games.accounts.models import Profile
from games.common import clock
from games.lobby import services as lobby
from games.lobby.models import OpenTable
from games.lobby.table_request import TableRequest
from games.models import Game, Player
from tests.games.lobby.conftest import browser_of, joined

pytestmark = pytest.mark.django_db

TABLES = "/api/v1/tables/"
BY_POST = {"move_days": 3}
NEW = {"kind": "chinese_ten", "seats": 2, "terms": BY_POST}


def post(client: Client, path: str, body: dict[str, Any], status: int) -> dict[str, Any]:
    response = client.post(path, body, content_type="application/json")
    answer: dict[str, Any] = response.json()
    assert response.status_code == status, answer
    return answer


def test_a_table_is_set_up_listed_and_filled(martha: Player, laura: Player) -> None:
    hers, lauras = browser_of(martha), browser_of(laura)
    made = post(hers, TABLES, NEW, 201)
    assert (made["status"], made["game"], made["yours"]) == ("waiting", None, 0)
    assert made["terms"]["rated"] is False
    assert made["may"] == {
        "sit": False,
        "decline": False,
        "leave": False,
        "ready": False,
        "close": True,
        "fill": True,
        "invite": True,
    }
    listed = lauras.get(TABLES).json()["results"]
    assert [(table["id"], table["may"]["sit"]) for table in listed] == [(made["id"], True)]
    assert [chair["state"] for chair in listed[0]["chairs"]] == ["sits", "free"]
    sat = post(lauras, f"{TABLES}{made['id']}/sit/", {}, 200)
    game = Game.objects.get()
    assert (sat["status"], sat["game"]) == ("opened", game.public_id)
    assert hers.get(f"{TABLES}{made['id']}/").json()["game"] == game.public_id
    assert lauras.get(TABLES).json()["results"] == []


def test_a_bot_is_played_at_once(martha: Player) -> None:
    made = post(browser_of(martha), TABLES, {"kind": "palace", "bots": ["sensible", "random"]}, 201)
    assert made["game"] == Game.objects.get().public_id
    assert len(made["chairs"]) == 3


def test_without_an_account_one_plays_as_a_guest() -> None:
    client = Client()
    made = post(client, TABLES, {"kind": "palace", "bots": ["random"]}, 201)
    assert Profile.objects.filter(guest=True).count() == 1
    assert client.get(f"/api/v1/games/{made['game']}/").status_code == 200
    assert client.get("/api/v1/me/").json()["guest"] is True
    post(client, TABLES, {"kind": "palace", "bots": ["random"]}, 201)
    assert Profile.objects.filter(guest=True).count() == 1  # the session is kept


def test_another_site_cannot_make_somebody_a_guest(martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms=BY_POST))
    strict = Client(enforce_csrf_checks=True)
    for path, body in [(TABLES, {"kind": "palace", "bots": ["random"]}), (f"{TABLES}{made.token}/sit/", {})]:
        assert post(strict, path, body, 403)["error"]["code"] == "csrf_failed"
    assert not Profile.objects.filter(guest=True).exists()


def test_a_request_that_is_sent_again_counts_once(martha: Player) -> None:
    client = browser_of(martha)
    body = {**NEW, "idempotency_key": "a1"}
    assert post(client, TABLES, body, 201)["id"] == post(client, TABLES, body, 201)["id"]
    assert OpenTable.objects.count() == 1
    again = post(client, TABLES, {**body, "kind": "palace"}, 409)
    assert again["error"]["code"] == "key_reused"


def test_a_challenge_is_answered(martha: Player, laura: Player, otto: Player) -> None:
    hers, lauras, ottos = browser_of(martha), browser_of(laura), browser_of(otto)
    made = post(hers, TABLES, {"kind": "palace", "access": "invited", "invite": [laura.pk]}, 201)
    path = f"{TABLES}{made['id']}/"
    assert lauras.get(TABLES).json()["results"] == []
    assert [table["id"] for table in lauras.get(f"{TABLES}?mine=true").json()["results"]] == [made["id"]]
    assert ottos.get(path).json()["error"]["code"] == "table_not_found"
    assert post(ottos, f"{path}sit/", {}, 404)["error"]["code"] == "table_not_found"
    assert post(lauras, f"{path}decline/", {}, 200)["status"] == "closed"
    assert post(lauras, f"{path}sit/", {}, 404)["error"]["code"] == "table_not_found"


def test_the_host_invites_fills_and_closes(martha: Player, laura: Player) -> None:
    hers, lauras = browser_of(martha), browser_of(laura)
    path = f"{TABLES}{post(hers, TABLES, {'kind': 'plates', 'seats': 3}, 201)['id']}/"
    asked = post(hers, f"{path}invite/", {"players": [laura.pk]}, 200)
    assert [chair["state"] for chair in asked["chairs"]] == ["sits", "kept", "free"]
    post(lauras, f"{path}sit/", {}, 200)
    post(lauras, f"{path}leave/", {}, 200)
    assert post(hers, f"{path}fill/", {"bot": "gannet"}, 400)["error"]["option"] == "bots"
    assert post(hers, f"{path}fill/", {"bot": "random"}, 200)["status"] == "opened"
    assert post(hers, f"{path}close/", {}, 409)["error"]["code"] == "table_full"
    other = post(hers, TABLES, NEW, 201)
    assert post(hers, f"{TABLES}{other['id']}/close/", {}, 200)["status"] == "closed"


def test_who_waited_says_that_they_are_here(martha: Player, laura: Player) -> None:
    with clock.frozen_at(clock.now() - timedelta(minutes=5)):
        made = lobby.create_table(host=martha, wish=TableRequest(kind="palace", seats=2, terms={"move_seconds": 30}))
    path = f"{TABLES}{made.token}/"
    sat = post(browser_of(laura), f"{path}sit/", {}, 200)
    assert (sat["status"], sat["game"]) == ("checking", None)
    assert post(browser_of(martha), f"{path}ready/", {}, 200)["status"] == "opened"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"kind": "bridge", "seats": 2}, "bad_option"),
        ({"kind": "palace", "seats": 40}, "bad_option"),
        ({"kind": "palace", "seats": 2, "terms": {"rated": True}}, "not_rated"),
        ({"kind": "palace", "seats": 2, "terms": {"pace": []}}, "bad_option"),
        ({"kind": "palace", "seats": 2, "terms": {"move_days": "x"}}, "bad_option"),
        ({"kind": "palace", "seats": 2, "options": {"jokers": 1}}, "bad_option"),
        ({"kind": "palace", "invite": [999_999_999]}, "bad_option"),
        ({"kind": "palace", "seats": 2, "access": "secret"}, "invalid"),
        ({"kind": "palace", "seats": 2, "hours": 0}, "invalid"),
        ({}, "invalid"),
    ],
)
def test_what_cannot_be_is_refused(martha: Player, body: dict[str, Any], code: str) -> None:
    assert post(browser_of(martha), TABLES, body, 400)["error"]["code"] == code
    assert not OpenTable.objects.exists()


# Endpoint → its status for an anonymous person, a guest, a stranger, an invited player, a seated player and the host.
# 403: the person may not do it.
# 409: it is not possible now.
MATRIX: dict[str, tuple[int, int, int, int, int, int]] = {
    "retrieve": (200, 200, 200, 200, 200, 200),
    "sit": (200, 200, 200, 200, 200, 200),
    "leave": (403, 403, 403, 200, 200, 200),
    "decline": (403, 403, 403, 200, 409, 409),
    "close": (403, 403, 403, 403, 403, 200),
    "ready": (403, 403, 403, 409, 409, 409),
    "fill": (403, 403, 403, 403, 403, 200),
    "invite": (403, 403, 403, 403, 403, 200),
}
BODIES: dict[str, dict[str, Any]] = {"fill": {"bot": "random"}, "invite": {"players": []}}


@pytest.mark.parametrize("what", list(MATRIX))
def test_who_may_do_what(what: str, martha: Player, laura: Player, otto: Player, guest: Player) -> None:
    ines = joined("Ines")
    viewers: list[Callable[[], Client]] = [
        Client,
        lambda: browser_of(guest),
        lambda: browser_of(ines),
        lambda: browser_of(laura),
        lambda: browser_of(otto),
        lambda: browser_of(martha),
    ]
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=5, terms=BY_POST, invited=[laura]))
    lobby.sit(table=made, player=otto)
    path = f"{TABLES}{made.token}/"
    for viewer, expected in zip(viewers, MATRIX[what], strict=True):
        with transaction.atomic():
            client = viewer()
            if what == "retrieve":
                assert client.get(path).status_code == expected
            else:
                post(client, f"{path}{what}/", BODIES.get(what, {}), expected)
            transaction.set_rollback(True)
