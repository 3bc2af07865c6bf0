"""What the server gives the lab: its page, the framed page with a policy of its own, starters, versions, decisions."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from games.bots import uploads
from games.models import Bot, Player
from replays.export.game_json import export_json
from replays.review import ledgers
from replays.review.luck import luck_panel
from scorebook_games.cli.record import decisions, recorded
from tests.factories import worlds
from tests.games.bots.conftest import FIRST, through
from tests.games.bots.conftest import small_panel as small_panel  # the fixture

pytestmark = pytest.mark.django_db


def data_in(answer: Any) -> dict[str, Any]:
    """Return the data of the lab's page."""
    found = re.search(r'<script id="lab-data" type="application/json">(.*?)</script>', answer.content.decode())
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def policy_of(answer: Any) -> dict[str, str]:
    parts = [part.partition(" ") for part in answer["Content-Security-Policy"].split("; ")]
    return {name: sources for name, _space, sources in parts}


@pytest.fixture
def author(db: None) -> User:
    user = User.objects.create_user("dotty")
    Player.objects.create(name="Dotty", user=user)
    return user


@pytest.fixture
def gannet(author: User, small_panel: None) -> Bot:
    bot = uploads.new_bot(owner=author, name="Gannet")
    through(uploads.upload_version(bot=bot, data=FIRST.encode()))
    return bot


def test_the_framed_page_has_an_opaque_origin_no_network_and_one_script(client: Client) -> None:
    answer = client.get(reverse("lab-frame"))
    policy = policy_of(answer)
    nonce = re.search(r'<script nonce="([\w-]+)" src=', answer.content.decode())
    assert nonce
    assert policy["sandbox"] == "allow-scripts"
    assert policy["connect-src"] == policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'nonce-{nonce[1]}' blob: 'wasm-unsafe-eval'"
    assert policy["frame-ancestors"] == "'self'"
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert policy_of(client.get(reverse("lab-frame")))["script-src"] != policy["script-src"], "a nonce is used once"


@pytest.mark.parametrize("name", ["home", "bots", "lab", "ratings", "rules-list"])
def test_no_other_page_may_compile_webassembly(client: Client, name: str) -> None:
    address = {"home": "/", "rules-list": "/learn/"}.get(name) or reverse(name)
    answer = client.get(address)
    assert answer.status_code == 200
    assert "wasm" not in answer["Content-Security-Policy"]
    assert policy_of(answer)["script-src"] == "'self'"


def test_the_lab_finds_the_finished_games_of_the_version_that_is_changed(
    client: Client, author: User, gannet: Bot
) -> None:
    client.force_login(author)
    version = gannet.versions.get()
    past = data_in(client.get(reverse("lab"), {"bot": "Gannet", "version": "1"}))["past"]
    assert past["player"] == version.player.pk
    assert past["lab"] == "/bots/lab/?bot=Gannet&version=1"
    assert client.get(past["games"]).json()["results"] == []
    assert data_in(client.get(reverse("lab")))["past"] is None


def test_the_lab_loads_the_library_without_pictures(client: Client) -> None:
    (address,) = data_in(client.get(reverse("lab")))["wheels"]
    slim, whole = client.get(address), client.get(address.partition("?")[0])
    assert slim["ETag"] != whole["ETag"]
    names = [set(zipfile.ZipFile(io.BytesIO(answer.content)).namelist()) for answer in (slim, whole)]
    assert {name.rpartition(".")[2] for name in names[1] - names[0]} == {"webp"}
    assert len(slim.content) < len(whole.content) / 2


def test_the_lab_begins_with_the_wanted_starter(client: Client) -> None:
    page = data_in(client.get(reverse("lab"), {"kind": "palace", "size": "medium"}))
    assert page["kind"] == "palace"
    assert page["source"] == client.get(reverse("lab-starter", args=["palace", "medium"])).content.decode()
    assert data_in(client.get(reverse("lab"), {"kind": "chess", "size": "huge"}))["source"]


@pytest.mark.parametrize("address", ["/bots/lab/starters/palace/huge.py", "/bots/lab/starters/chess/small.py"])
def test_a_starter_that_does_not_exist_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_who_is_not_logged_in_can_write_and_is_led_to_the_login_to_upload(client: Client, author: User) -> None:
    asked = f"{reverse('lab')}?kind=palace&size=medium"
    page = data_in(client.get(asked))
    assert page["bots"] is None
    assert parse_qs(urlsplit(page["login"]).query) == {"next": [asked]}, "the text that was written is there"
    client.force_login(author)
    assert data_in(client.get(reverse("lab")))["bots"]["own"] == []


def test_an_author_opens_a_version_of_their_bot_and_nobody_else_does(client: Client, author: User, gannet: Bot) -> None:
    asked = {"bot": "Gannet", "version": "1"}
    assert client.get(reverse("lab"), asked).status_code == 403
    client.force_login(author)
    page = data_in(client.get(reverse("lab"), asked))
    assert page["source"] == FIRST
    assert page["title"] == "Gannet v1"
    assert page["bots"]["own"] == ["Gannet"]
    assert client.get(reverse("lab"), {**asked, "version": "7"}).status_code == 404
    assert f"{reverse('lab')}?bot=Gannet&amp;version=1" in client.get(reverse("bot", args=["Gannet"])).content.decode()


def test_a_published_version_is_changed_and_played_against_by_anybody(client: Client, gannet: Bot) -> None:
    uploads.change_bot(gannet, source_published=True)
    assert data_in(client.get(reverse("lab"), {"bot": "Gannet", "version": "1"}))["source"] == FIRST
    page = data_in(client.get(reverse("lab"), {"against": "Gannet"}))
    assert page["other"] == {"name": "Gannet v1", "source": FIRST}
    assert page["document"].endswith("/small"), "one's own file is the usual one"
    links = client.get(reverse("bot", args=["Gannet"])).content.decode()
    assert f'href="{reverse("lab")}?against=Gannet"' in links
    assert f'href="{reverse("lab")}?bot=Gannet&amp;version=1"' in links
    uploads.change_bot(gannet, source_published=False)
    assert client.get(reverse("lab"), {"against": "Gannet"}).status_code == 403
    assert client.get(reverse("lab"), {"against": "Nobody"}).status_code == 404


def test_a_finished_game_leads_those_who_may_read_a_bot_to_the_lab(client: Client, author: User, gannet: Bot) -> None:
    version = gannet.versions.get()
    game = worlds.finished_game()
    game.seats.filter(seat=1).update(player=version.player)
    link = f"{reverse('lab')}?bot=Gannet&amp;version=1&amp;game={game.public_id}&amp;seat=1"
    reader = User.objects.create_user("reader")
    for user, published, visibility, there in (
        (author, False, "public", True),
        (reader, False, "public", False),
        (reader, True, "public", True),
        (reader, True, "private", False),
    ):
        uploads.change_bot(gannet, source_published=published, visibility=visibility)
        client.force_login(user)
        page = client.get(reverse("replay", args=[game.public_id])).content.decode()
        assert (f'href="{link}"' in page) == there, (user, published, visibility)


@pytest.mark.slow
def test_a_decision_that_mattered_leads_its_author_to_the_lab_at_just_that_moment(
    client: Client, author: User, gannet: Bot
) -> None:
    game = worlds.finished_game()
    ledgers.find_games()
    ledgers.compute_due()
    panel = luck_panel(game, ["Martha", "Laura"])
    assert panel
    moment = next(each for each in panel.moments if each.seat is not None)
    assert moment.seat is not None
    decided = [each.version for each in decisions(recorded(export_json(game))) if each.seat == moment.seat]
    assert moment.decided in decided
    game.seats.filter(seat=moment.seat).update(player=gannet.versions.get().player)
    client.force_login(author)
    page = client.get(reverse("replay", args=[game.public_id])).content.decode()
    asked = f"bot=Gannet&amp;version=1&amp;game={game.public_id}&amp;seat={moment.seat}&amp;at={moment.decided}"
    assert f'href="{reverse("lab")}?{asked}"' in page


def test_a_decision_is_shown_only_of_a_game_that_is_open_to_everybody(client: Client) -> None:
    game = worlds.finished_game()
    shown = data_in(client.get(reverse("lab"), {"game": game.public_id, "seat": "1", "at": "9", "kind": "palace"}))
    assert shown["kind"] == "chinese_ten", "its board is drawn"
    moment = shown["moment"]
    assert moment == {
        "kind": "chinese_ten",
        "export": reverse("api-export", args=[game.public_id]),
        "game": reverse("replay", args=[game.public_id]),
        "seat": 1,
        "version": 9,
    }
    whole = data_in(client.get(reverse("lab"), {"game": game.public_id, "seat": "1"}))["moment"]
    assert whole == {**moment, "version": None}, "all decisions of the seat"
    assert data_in(client.get(reverse("lab"), {"game": "NOTHERE1", "seat": "1", "at": "9"}))["moment"] is None
    assert data_in(client.get(reverse("lab"), {"game": game.public_id, "seat": "x", "at": "9"}))["moment"] is None


@pytest.mark.parametrize("address", ["/rules/palace/", "/bots/"])
def test_each_starter_of_a_game_opens_in_the_lab_by_one_click(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    for size in ("small", "medium", "large"):
        assert f'href="{reverse("lab")}?kind=palace&amp;size={size}"' in page


def test_the_list_of_bots_and_the_upload_page_lead_to_the_lab(client: Client, author: User) -> None:
    client.force_login(author)
    for name in ("bots", "bot-new"):
        assert f'href="{reverse("lab")}"' in client.get(reverse(name)).content.decode()
