"""Queries that depend on who looks are composed once for each form of viewers, and everybody sees what is theirs."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet

from games.accounts.tokens import newest_player
from games.accounts.viewers import for_viewer
from games.bots.remote import services as remote_bots
from games.models import Seat
from games.play import services as play
from games.visibility import acting, observe
from scorebook_games.gamelog.visibility import PUBLIC
from tests.factories import worlds

pytestmark = pytest.mark.django_db


@for_viewer
def seats(viewer: acting.User, count: int) -> QuerySet[Seat]:
    return Seat.objects.filter(acting.rows_of_user(viewer)).order_by("pk")[:count]


@pytest.fixture
def owner() -> User:
    found = worlds.members()[0].user
    assert found is not None
    return found


def bot_of(owner: User, name: str) -> User:
    """Return the owner, as whom the token of a new remote bot signs in."""
    bot = remote_bots.create_bot(owner=owner, name=name)
    user = User.objects.get(pk=owner.pk)
    acting.act_as(user, newest_player(bot))
    return user


def test_remote_bots_share_the_form_of_a_query_and_each_finds_its_own_seats(owner: User) -> None:
    observe._own_seats.forms.clear()  # type: ignore[attr-defined]
    bots = [bot_of(owner, name) for name in ("Owl", "Heron")]
    players = [acting.bot_of(bot) for bot in bots]
    game = play.open_game(kind="plates", players=[player for player in players if player], terms={"move_seconds": 600})
    for seat, bot in enumerate(bots):
        assert [each.seat for each in seats(bot, 10)] == [seat]
        assert observe.seat_or_public(game, bot) == seat
    assert list(seats(owner, 10)) == []
    assert observe.seat_or_public(game, owner) is PUBLIC
    assert len(seats.forms) == len(observe._own_seats.forms) == 2  # type: ignore[attr-defined]  # persons and bots
