"""An admin sees a person's pages as that person does, without their secrets. The admin can change nothing, and every
page view is recorded.

The last column of tests/permissions/table.txt says what the admin sees at each address.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import notices, people, tokens
from games.accounts.models import Notice
from games.admin_actions.registry import perform
from games.bots import uploads
from games.common import clock
from games.models import Deal, Game, Player
from games.moderation import impersonation
from games.moderation.models import ImpersonationPageView, ImpersonationSession
from games.play import services as play
from tests.assertions.page import Page
from tests.games.moderation.conftest import browser, call, code

pytestmark = pytest.mark.django_db


def player(user: User) -> Player:
    return Player.objects.get(user=user)


@pytest.fixture
def looking(ada: User, martha: User) -> Client:
    """Return Ada's browser, in which she sees Martha's pages."""
    client = browser(ada)
    perform("support_view", "martha", reason="She sees no games.", by=ada)
    view = ImpersonationSession.objects.get()
    assert "Until" in Page.of(client.get(f"/support/look/{view.pk}/")).text
    assert client.post(f"/support/look/{view.pk}/").status_code == 302
    return client


def test_the_pages_are_those_of_the_person_with_a_banner(looking: Client, martha: User, laura: User) -> None:
    game = play.open_game(kind="plates", players=[player(martha), player(laura)], terms={"rated": False})
    page = looking.get("/me/games/")
    assert game.public_id in page.content.decode()
    assert "Viewing as Martha until" in Page.of(page).text
    assert "Martha" in Page.of(looking.get("/me/")).text
    assert looking.get("/api/v1/me/").json()["name"] == "Martha"
    assert [each["id"] for each in looking.get("/api/v1/me/games/").json()["results"]] == [game.public_id]


def test_the_admin_stays_an_admin_in_the_admin_and_ends_it_there_too(looking: Client) -> None:
    assert looking.get("/admin/dashboard/").status_code == 200
    assert looking.post("/support/end/").status_code == 302
    assert "Ada" in Page.of(looking.get("/me/")).text
    assert ImpersonationSession.objects.get().ended_at


def test_it_ends_by_itself_after_half_an_hour(looking: Client) -> None:
    with clock.frozen_at(clock.now() + timedelta(minutes=31)):
        page = Page.of(looking.get("/me/")).text
    assert "Ada" in page
    assert "Viewing as" not in page


def test_nothing_is_changed_so(looking: Client, martha: User, laura: User) -> None:
    game = play.open_game(kind="plates", players=[player(martha), player(laura)], terms={"rated": False})
    notices.notify_users([martha.pk], "game_over", key="x", game=game)
    for address in (
        "/me/",
        "/me/delete/",
        "/play/now/",
        "/me/notices/seen/",
        f"/games/{game.public_id}/check-in/",
        f"/api/v1/games/{game.public_id}/resign/",
        "/api/v1/tables/",
    ):
        assert looking.post(address, {"form": "name", "name": "Marta"}).status_code == 403, address
    assert looking.delete("/api/v1/me/", {"name": "Martha"}).status_code == 403
    assert looking.get(f"/games/{game.public_id}/").status_code == 200
    assert Notice.objects.get(key="x").seen_at is None, "nor what a look would change by itself"
    assert player(martha).name == "Martha"
    game.refresh_from_db()
    assert game.status == Game.Status.PLAYING


def test_hidden_cards_of_games_that_are_on_stay_hidden(looking: Client, martha: User, laura: User) -> None:
    """The replay and the events of such a game are the same as for the public."""
    deal = Deal.objects.create(seed=bytes(range(32)))
    players = [player(martha), player(laura)]
    game = play.open_game(kind="chinese_ten", players=players, deal=deal, terms={"rated": False, "move_seconds": 3600})
    mine = browser(martha).get(f"/api/v1/games/{game.public_id}/replay/").json()
    public = Client().get(f"/api/v1/games/{game.public_id}/replay/").json()
    shown = looking.get(f"/api/v1/games/{game.public_id}/replay/").json()
    assert shown["frames"] == public["frames"]
    assert mine["frames"] != public["frames"]
    events = f"/api/v1/games/{game.public_id}/events/"
    assert looking.get(events).json() == Client().get(events).json()
    assert code(looking.get(f"/api/v1/games/{game.public_id}/replay/", {"viewpoint": "0"})) == (
        403,
        "not_your_viewpoint",
    )
    for path in ("turn", "asks", "turn/why"):
        assert code(looking.get(f"/api/v1/games/{game.public_id}/{path}/")) == (403, "not_shown")
    page = looking.get(f"/games/{game.public_id}/").content.decode()
    assert '"viewpoint": "0"' not in page


def test_no_secret_of_the_person_is_shown(looking: Client, martha: User) -> None:
    tokens.create_token(user=martha, name="laptop", wanted=["read"])
    uploads.new_bot(owner=martha, name="Gannet")
    for address in (
        "/me/tokens/",
        "/me/export/",
        "/me/calendar/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/api/v1/me/tokens/",
        "/api/v1/me/export/",
        "/api/v1/me/calendar/",
        "/bots/Gannet/v1/source/",
        "/api/v1/bots/Gannet/faults/",
    ):
        assert looking.get(address).status_code == 403, address
    for address in ("/me/", "/me/conduct/", "/me/notices/", "/api/v1/me/"):
        assert "martha@example.org" not in looking.get(address).content.decode(), address


def test_every_look_is_written_down(looking: Client, ada: User, martha: User) -> None:
    looking.get("/me/games/?page=1")
    looking.get("/me/tokens/")
    view = ImpersonationSession.objects.get()
    assert (view.admin, view.user, view.reason) == (ada, martha, "She sees no games.")
    assert list(ImpersonationPageView.objects.values_list("path", flat=True)) == ["/me/games/?page=1", "/me/tokens/"]
    held = browser(martha).get("/api/v1/me/export/").json()["support_views"]
    assert held[0]["reason"] == "She sees no games."
    assert "admin" not in held[0]


def test_nobody_else_looks_through_a_view(looking: Client, martha: User, laura: User, zoe: User, ada: User) -> None:
    pk = ImpersonationSession.objects.get().pk
    for other in (None, laura, zoe):
        client = browser(other)
        assert client.get(f"/support/look/{pk}/").status_code == 404
        assert client.post(f"/support/look/{pk}/").status_code == 404
    User.objects.filter(pk=ada.pk).update(is_staff=False)
    assert "Ada" in Page.of(looking.get("/me/")).text, "who is an admin no more looks on no more"


def test_a_program_of_an_admin_looks_on_with_a_header(ada: User, zoe: User, martha: User) -> None:
    view = impersonation.begin_impersonation(admin=ada, user=martha, reason="She sees no games.")
    _token, secret = tokens.create_token(user=ada, name="desk", wanted=["read", "admin"])
    _weak, weak = tokens.create_token(user=ada, name="weak", wanted=["read"])
    _other, others = tokens.create_token(user=zoe, name="zoe", wanted=["read", "admin"])

    def ask(secret: str, pk: object, path: str = "me/", method: str = "get") -> Any:
        headers = {"Authorization": f"Bearer {secret}", "Support-View": str(pk)}
        return getattr(Client(headers=headers), method)(f"/api/v1/{path}")

    assert ask(secret, view.pk).json()["name"] == "Martha"
    assert code(ask(weak, view.pk)) == (403, "bad_scope")
    assert code(ask(others, view.pk)) == (403, "no_support_view")
    assert code(ask(secret, "x")) == (403, "no_support_view")
    assert code(ask(secret, view.pk, "me/tokens/"))[0] == 403
    assert code(ask(secret, view.pk, "me/notices/seen/", "post"))[0] == 403
    assert ImpersonationPageView.objects.count() == 1


def test_a_guest_with_such_a_header_gets_nothing(martha: User, ada: User) -> None:
    view = impersonation.begin_impersonation(admin=ada, user=martha, reason="…")
    answer = Client(headers={"Support-View": str(view.pk)}).get("/api/v1/me/")
    assert code(answer) == (403, "no_support_view")
    assert people.display(martha) == "Martha"
    assert call(None, "get", "me/").status_code == 403
