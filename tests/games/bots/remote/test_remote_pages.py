"""The pages of tokens and remote bots can do what the API can, in a browser without JavaScript."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts.models import AccessToken
from games.accounts.tokens import newest_player
from games.bots.remote import services as remote_bots
from games.models import Bot, Game
from tests.assertions.confirmation import confirm
from tests.assertions.page import Page
from tests.games.bots.remote.conftest import Token, api, row_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(dora: User) -> Client:
    client = Client()
    client.force_login(dora)
    return client


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_from_the_profile_to_a_token_that_opens_the_api(browser: Client, puffin: Bot) -> None:
    assert 'href="/me/tokens/"' in text_of(browser.get("/me/"))
    sent = {"name": "desk", "bot": puffin.pk, "scopes": ["read", "play"], "days": "30"}
    made = browser.post("/me/tokens/", sent)

    secret = re.findall(r'value="(sb_\w+)"', text_of(made))[0]
    assert api(secret).get("me/").json()["name"] == "Puffin"
    assert "no-store" in made.headers["Cache-Control"]
    assert secret[12:] not in text_of(browser.get("/me/tokens/"))


def test_a_token_is_revoked_with_a_button(browser: Client, token: Token) -> None:
    secret = token("read")
    path = f"/me/tokens/{row_of(secret).pk}/revoke/"
    assert path in text_of(browser.get("/me/tokens/"))

    confirm(browser, path)

    assert api(secret).get("me/").status_code == 401
    assert path not in text_of(browser.get("/me/tokens/"))


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"name": "desk", "scopes": []}, "Choose at least one scope"),
        ({"name": "desk", "scopes": ["read"], "bot": "999999"}, "valid choice"),
        ({"name": "desk", "scopes": ["all"]}, "valid choice"),
    ],
)
def test_a_form_that_cannot_be_says_why(browser: Client, sent: dict[str, Any], sentence: str) -> None:
    refused = browser.post("/me/tokens/", sent)
    assert refused.status_code == 400
    assert sentence in text_of(refused)
    assert not AccessToken.objects.exists()


def test_nobody_revokes_or_sees_what_is_anothers(browser: Client, emil: User, token: Token) -> None:
    theirs = row_of(token("read", user=emil))
    gannet = remote_bots.create_bot(owner=emil, name="Gannet")
    assert browser.post(f"/me/tokens/{theirs.pk}/revoke/").status_code == 404
    assert browser.get(f"/me/remote-bots/{gannet.pk}/").status_code == 404


def test_a_bot_is_made_and_plays_by_a_form(browser: Client) -> None:
    made = browser.post("/me/remote-bots/", {"name": "Gannet"})
    bot = Bot.objects.get(name="Gannet")
    assert made.headers["Location"] == f"/me/remote-bots/{bot.pk}/"

    opened = browser.post(
        made.headers["Location"], {"form": "challenge", "kind": "palace", "against": "built_in:sensible"}
    )

    game = Game.objects.get()
    assert opened.headers["Location"] == f"/games/{game.public_id}/"
    assert game.public_id in text_of(browser.get(made.headers["Location"]))
    assert [seat.player.name for seat in game.seats.all()] == ["Gannet", "Sensible"]

    confirm(browser, made.headers["Location"], {"form": "version"})
    assert bot.versions.count() == 2


def test_a_name_that_is_taken_is_refused_in_the_form(browser: Client, puffin: Bot) -> None:
    refused = browser.post("/me/remote-bots/", {"name": "puffin"})
    assert (refused.status_code, Bot.objects.count()) == (400, 1)
    assert "This name, or one that looks like it, is taken" in text_of(refused)


@pytest.mark.parametrize("path", ["/me/tokens/", "/me/remote-bots/", "/me/remote-bots/{}/"])
def test_every_page_is_without_fault_and_for_its_owner_alone(
    browser: Client, puffin: Bot, token: Token, path: str
) -> None:
    token("read", "play", bot=puffin)
    address = path.format(puffin.pk)
    assert Page.of(browser.get(address)).faults() == []
    assert Client().get(address).status_code == 302


def test_everybody_sees_on_its_pages_that_it_is_a_remote_bot(browser: Client, emil: User, puffin: Bot) -> None:
    player = newest_player(puffin)
    stranger = Client()
    stranger.force_login(emil)
    for client in (browser, stranger, Client()):
        assert "of a remote bot" in text_of(client.get(f"/players/{player.pk}/"))
        page = text_of(client.get("/bots/Puffin/"))
        assert "over the API" in page
        assert ("bytes" in page, "Upload a version" in page, "Open in the lab" in page) == (False, False, False)


def test_the_pages_of_bots_mark_an_agent_as_standings_do(browser: Client, dora: User) -> None:
    remote_bots.create_bot(owner=dora, name="Owl", agent=True)
    for path in ("/bots/", "/bots/Owl/", "/bots/Owl/results/", "/bots/Owl/analysis/"):
        assert '<span class="bot">AGENT</span>' in text_of(browser.get(path)), path
