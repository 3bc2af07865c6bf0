"""The pages and the API of accounts give anonymous people, strangers and the person themselves the right access. The
API can do what the pages do."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import notices, people
from games.accounts.models import Notice
from games.accounts.urls import page_urlpatterns
from games.models import Player
from scorebook_games.presentation.coded_text import written
from tests.assertions.page import Page
from tests.games.accounts.conftest import Opened, Played, play_out, signed_in, user_of

pytestmark = pytest.mark.django_db
OPEN_TO_ALL = {None, "notices-stop"}  # the sign-up page, and the link in emails
ASKED_EACH_MINUTE = {"my-turn"}  # one word, which the browser keeps to ask whether it is still true


@pytest.mark.parametrize("method", ["get", "patch"])
def test_nobody_asks_the_api_of_an_account_without_logging_in(client: Client, method: str) -> None:
    response = getattr(client, method)("/api/v1/me/")
    assert (response.status_code, response.json()["error"]["code"]) == (403, "not_signed_in")


def test_the_log_in_leads_back_to_the_page_that_was_asked_for(client: Client) -> None:
    assert client.get("/me/games/").headers["Location"] == "/accounts/login/?next=/me/games/"


def test_no_page_of_an_account_is_kept_by_a_cache(martha: Player) -> None:
    client = signed_in(martha)
    pages = [
        "/" + str(each.pattern).replace("<int:pk>", "1")
        for each in page_urlpatterns
        if each.name not in OPEN_TO_ALL | ASKED_EACH_MINUTE
    ]
    assert [path for path in pages if "no-store" not in client.get(path).headers["Cache-Control"]] == []


@pytest.mark.parametrize("path", ["/me/", "/me/delete/", "/me/games/", "/me/notices/"])
def test_every_page_of_an_account_is_without_fault(martha: Player, path: str) -> None:
    assert Page.of(signed_in(martha).get(path)).faults() == []


def test_a_stranger_can_neither_read_nor_open_nor_mark_my_notices(martha: Player, otto: Player) -> None:
    notices.notify_users([martha.user_id or 0], "registration", key="r", sentences=[written("Only for Martha.")])
    notice = Notice.objects.get()
    stranger = signed_in(otto)
    assert stranger.post(f"/me/notices/{notice.pk}/").status_code == 404
    stranger.post("/me/notices/seen/")
    assert stranger.post("/api/v1/me/notices/seen/", {"id": notice.pk}).json() == {"seen": 0}
    assert "Only for Martha." not in stranger.get("/me/notices/").content.decode()
    assert stranger.get("/api/v1/me/notices/").json()["results"] == []
    assert "Only for Martha." not in stranger.get("/me/export/").content.decode()
    notice.refresh_from_db()
    assert notice.seen_at is None


def test_an_admin_without_a_player_has_pages_too_and_gets_a_player_with_a_name() -> None:
    root = User.objects.create_superuser("root")
    client = Client()
    client.force_login(root)
    for path in ("/me/", "/me/games/", "/me/notices/", "/me/export/", "/me/delete/"):
        assert client.get(path).status_code == 200
    client.post("/me/", {"form": "name", "name": "Odhran"})
    assert Player.objects.get(user=root).name == "Odhran"


def test_the_api_tells_who_i_am_and_changes_it(martha: Player) -> None:
    client = signed_in(martha)
    before = client.get("/api/v1/me/").json()
    assert (before["id"], before["name"], before["zone"], before["guest"]) == (
        martha.pk,
        "Martha",
        "Europe/Dublin",
        False,
    )
    wanted = {"name": "Marta", "zone": "Europe/Oslo", "mails": {"game_over": True}}
    after = client.patch("/api/v1/me/", wanted, "application/json").json()
    assert (after["name"], after["zone"], after["mails"]["game_over"]) == ("Marta", "Europe/Oslo", True)
    assert after["mails"]["your_turn"] is True
    assert client.get("/api/v1/me/").json() == after


@pytest.mark.parametrize(
    ("wanted", "status", "code"),
    [
        ({"name": "x"}, 400, "bad_name"),
        ({"name": "laura"}, 409, "name_taken"),
        ({"name": "Lau\u0000ra"}, 400, "invalid"),
        ({"zone": "Mars/Base"}, 400, "invalid"),
        ({"mails": {"spam": True}}, 400, "invalid"),
        ({"mails": {"your_turn": "perhaps"}}, 400, "invalid"),
    ],
)
def test_the_api_refuses_in_the_one_shape(
    martha: Player, laura: Player, wanted: dict[str, Any], status: int, code: str
) -> None:
    response = signed_in(martha).patch("/api/v1/me/", wanted, "application/json")
    assert response.status_code == status
    error = response.json()["error"]
    assert (error["status"], error["code"]) == (status, code)
    assert error["sentence"].endswith((".", "·"))
    assert Player.objects.get(pk=martha.pk).name == "Martha"


def test_the_api_lists_my_games_as_the_page_does(martha: Player, laura: Player, opened: Opened, play: Played) -> None:
    over = play_out(opened(martha, laura), play)
    mine = opened(martha, laura)
    found = signed_in(martha).get("/api/v1/me/games/").json()
    assert set(found) == {"next", "previous", "results"}
    first, second = found["results"]
    assert (first["id"], first["state"], first["seat"]) == (mine.public_id, "mine", 0)
    assert [player["name"] for player in first["others"]] == ["Laura"]
    assert first["deadline"].startswith("2026-11-21T12:00")
    assert (second["id"], second["state"], second["seconds_left"]) == (over.public_id, "over", None)
    assert second["result"] in "WDL"
    page = signed_in(martha).get("/api/v1/me/games/?page_size=1").json()
    assert [each["id"] for each in page["results"]] == [mine.public_id]
    assert "page=2" in page["next"]


def test_the_api_reads_and_marks_notices(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura)
    notices.notify_users([martha.user_id or 0], "challenge", key="c", by=laura)
    client = signed_in(martha)
    first, second = client.get("/api/v1/me/notices/").json()["results"]
    assert (first["words"], first["seen"], first["mail"]) == ("Laura challenges you.", False, "due")
    assert (second["subject"], second["game"]) == ("your_turn", game.public_id)
    assert client.post("/api/v1/me/notices/seen/", {"id": first["id"]}).json()["seen"] == 1
    assert client.post("/api/v1/me/notices/seen/").json()["seen"] == 1
    assert client.get("/api/v1/me/").json()["unseen"] == 0


def test_the_api_deletes_an_account_for_who_sends_its_name(martha: Player) -> None:
    client = signed_in(martha)
    refused = client.delete("/api/v1/me/", {"name": "Marta"}, "application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "wrong_name")
    assert client.delete("/api/v1/me/", {}, "application/json").json()["error"]["code"] == "invalid"
    assert client.delete("/api/v1/me/", {"name": "Martha"}, "application/json").status_code == 204
    assert not User.objects.filter(pk=martha.user_id or 0).exists()
    assert client.get("/api/v1/me/").status_code == 403


def test_the_api_exports_what_the_page_does(martha: Player) -> None:
    client = signed_in(martha)
    assert client.get("/api/v1/me/export/").json() == client.get("/me/export/").json()


def test_the_public_page_of_a_player_shows_nothing_private(martha: Player, opened: Opened, laura: Player) -> None:
    opened(martha, laura)
    page = Client().get(f"/players/{martha.pk}/").content.decode()
    assert "Martha" in page
    assert not [
        secret for secret in ("martha@example.org", "Europe/Dublin", user_of(martha).username + "@") if secret in page
    ]
    assert people.display(user_of(martha)) == "Martha"
