"""The admin's search finds games, people, tokens, webhooks and addresses by what somebody names. The examples are
Martha's."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.admin_site import search
from games.accounts import people, tokens
from games.models import Game, Player
from games.play import services as play
from tests.assertions.page import Page
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.factories.people import confirmed
from tests.tournaments.club import new_club
from tournaments.lifecycle.services import create_season
from tournaments.seasons.models import League, Season
from tournaments.webhooks import discovery as messages
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> User:
    return confirmed("Martha")


@pytest.fixture
def ada() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def found(client: Client, words: str) -> dict[str, list[str]]:
    """Return the names that a search finds, by their sort."""
    shown = client.get(reverse("admin-find"), {"q": words})
    assert shown.status_code == 200
    return {each.title: [name for _address, name in each.rows] for each in shown.context["found"]}


def test_whatever_people_hand_an_admin_is_found_by_it(martha: User, ada: Client, settings: Any) -> None:
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True
    players = [Player.objects.get(user=martha), ensure_builtin_bots()["sensible"]]
    game = play.open_game(kind="chinese_ten", players=players, terms={"rated": False})
    token, secret = tokens.create_token(user=martha, name="laptop", wanted=["read"])
    club = new_club(name="Lantern Street", slug="lantern", owner=martha)
    league = League.objects.create(club=club, name="Palace League", slug="palace")
    season = create_season(league=league, name="Winter", kind="palace")
    hook = webhooks.create_webhook(user=martha, club=club, url="http://hooks.example/in", events=["game.over"])[0]
    message = messages.create_ping(hook)

    assert found(ada, game.public_id.lower())["Games"] == [f"Chinese Ten, game {game.public_id}"]
    assert found(ada, "martha@example.org")["Users"] == ["Martha"]
    assert found(ada, "Martha")["Players"] == ["Martha"]
    assert found(ada, "sensible v1")["Bot versions"]
    assert found(ada, f"Bearer {secret}")["Access tokens"] == [str(token)]
    assert found(ada, "lantern")["Clubs"] == ["Lantern Street"]
    assert found(ada, season.path)["Seasons"] == [str(season)]
    assert found(ada, "hooks.example")["Webhooks"] == [str(hook)]
    assert found(ada, message.message_id)["Deliveries"] == [str(message)]
    assert (Webhook.objects.count(), Delivery.objects.count(), Season.objects.count(), Game.objects.count()) == (1,) * 4


def test_each_leads_to_its_page_and_to_the_list_with_the_rest(martha: User, ada: Client) -> None:
    for number in range(search.MAX_ROWS_PER_MODEL + 1):
        people.create_profile_and_player(User.objects.create_user(f"heron{number}"), f"Heron {number}")
    page = ada.get(reverse("admin-find"), {"q": "heron"})
    text = page.content.decode()
    assert Page.of(page).faults() == []
    assert text.count("/admin/auth/user/") == search.MAX_ROWS_PER_MODEL + 1
    assert "/admin/auth/user/?q=heron" in text
    assert ada.get("/admin/auth/user/?q=heron").content.decode().count("heron") > search.MAX_ROWS_PER_MODEL


def test_what_is_not_there_is_said_and_where_the_id_of_a_request_is(ada: Client) -> None:
    text = Page.of(ada.get(reverse("admin-find"), {"q": "9e0069059752499eace54f2d82f319e6"})).text
    assert "No results for" in text
    assert "are found only in the logs" in text


@pytest.mark.parametrize("words", ["", "a", "\0", "a\0", " "])
def test_too_little_is_not_looked_for(ada: Client, words: str) -> None:
    with CaptureQueriesContext(connection) as asked:
        answer = ada.get(reverse("admin-find"), {"q": words})
    assert answer.status_code in (200, 404)
    assert len(asked) < len(search.SEARCHED_MODELS)


def test_an_admin_finds_what_they_may_see(martha: User) -> None:
    bea = User.objects.create_user("bea", is_staff=True)
    client = Client()
    client.force_login(bea)
    assert found(client, "martha") == {}
    bea.user_permissions.add(Permission.objects.get(codename="view_player"))
    assert found(client, "martha") == {"Players": ["Martha"]}


def test_the_dashboard_has_the_field(ada: Client) -> None:
    assert f'action="{reverse("admin-find")}"' in ada.get(reverse("dashboard")).content.decode()
