"""Keyboard shortcuts of a single character can be switched off and changed. An account or a browser stores that."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import people, shortcuts
from games.common.shortcuts import SHORTCUTS, BadShortcuts, Choice, checked
from games.models import Deal, Player
from games.play import services as play
from tests.assertions.page import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> Player:
    return people.create_profile_and_player(User.objects.create_user("ada"), "Ada")


@pytest.fixture
def browser(ada: Player) -> Client:
    client = Client()
    assert ada.user
    client.force_login(ada.user)
    return client


def test_what_is_not_chosen_has_its_usual_key() -> None:
    assert checked(True, {"back": "H"}) == Choice(True, {"back": "h"})
    assert checked(True, {"back": "k"}) == Choice()
    assert Choice(False, {"back": "h"}).plain()["keys"]["forward"] == SHORTCUTS["forward"].usual


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("back", "j"),  # the key of `forward`
        ("back", "3"),  # a seat
        ("roll", "q"),  # a rank
        ("help", "l"),  # copies the link in a replay
        ("back", " "),
        ("back", "kk"),
        ("back", "İ"),  # two characters in lower case
        ("dance", "d"),
    ],
)
def test_two_never_have_one_key_nor_one_that_chooses_a_card_or_player(name: str, key: str) -> None:
    with pytest.raises(BadShortcuts) as refused:
        checked(True, {name: key})
    assert refused.value.name == name or SHORTCUTS[refused.value.name].usual == key
    assert refused.value.sentence.endswith(".")


def test_the_same_key_may_do_one_thing_in_a_replay_and_another_at_a_table() -> None:
    assert SHORTCUTS["roll"].usual == SHORTCUTS["pace"].usual
    assert checked(True, {"roll": "b"}).all_keys()["previous_moment"] == "b"


def test_an_account_keeps_them_and_the_replay_is_told(browser: Client, ada: Player) -> None:
    page = Page.of(browser.get("/shortcuts/?next=/me/"))
    assert page.faults() == []
    sent = browser.post("/shortcuts/", {"back": "h", "next": "/me/"})
    assert (sent.status_code, sent["Location"]) == (302, "/me/")
    assert "shortcuts" not in browser.cookies
    assert ada.user
    assert shortcuts.choice_of(ada.user) == Choice(False, {"back": "h"})
    assert "Off" in Page.of(browser.get("/me/")).text
    data = browser.get("/api/v1/me/").json()["shortcuts"]
    assert (data["on"], data["keys"]["back"], data["keys"]["forward"]) == (False, "h", "j")
    assert browser.get("/me/export/").json()["profile"]["shortcuts"] == data


def test_without_an_account_the_browser_keeps_them(client: Client) -> None:
    game = play.open_game(
        kind="plates", players=[Player.objects.create(name=n) for n in "ab"], deal=Deal.objects.create()
    )
    at = f"/games/{game.public_id}/"
    assert client.get(at).context["page"]["shortcuts"] == Choice().plain()
    assert client.post("/shortcuts/", {"on": "on", "play": "v", "next": at})["Location"] == at
    assert client.get(at).context["page"]["shortcuts"] == Choice(True, {"play": "v"}).plain()
    for no_choice in ("%7B%22keys%22%3A%5B1%5D%7D", 3000 * "["):
        client.cookies["shortcuts"] = no_choice
        assert client.get(at).context["page"]["shortcuts"] == Choice().plain()


def test_reset_gives_every_key_back(client: Client) -> None:
    client.post("/shortcuts/", {"back": "h"})
    client.post("/shortcuts/", {"back": "h", "reset": "1"})
    response = client.get("/shortcuts/")
    assert response.context["form"].initial["back"] == "k"
    assert response.context["form"].initial["on"] is True


def test_a_key_that_is_taken_is_refused_at_its_field(client: Client) -> None:
    response = client.post("/shortcuts/", {"on": "on", "forward": "k"})
    assert response.status_code == 400
    page = Page.of(response)
    assert "“One step back” also has the key k." in page.text
    assert page.faults() == []


def test_the_api_changes_them_too(browser: Client) -> None:
    json = "application/json"
    wanted = {"shortcuts": {"on": True, "keys": {"speed": "v"}}}
    assert browser.patch("/api/v1/me/", wanted, json).json()["shortcuts"]["keys"]["speed"] == "v"
    wanted = {"shortcuts": {"on": True, "keys": {"speed": "1"}}}
    assert browser.patch("/api/v1/me/", wanted, json).status_code == 400
