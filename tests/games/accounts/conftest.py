"""The people of these tests: Martha and Laura have accounts and play each other by correspondence; Otto watches; Ada is
the admin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Deal, Game, Player
from games.play import services as play_services
from tests.factories.games import play_game
from tests.factories.people import PASSWORD, joined, nobody_has_tried_before

__all__ = ["PASSWORD", "nobody_has_tried_before"]
A_DAY = 24 * 60 * 60
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def join(db: None) -> Callable[..., Player]:
    """Return a function that signs a person up. An email address, if given, is confirmed."""

    def make(name: str, email: str = "", **profile: Any) -> Player:
        return joined(name, email=email, **profile)

    return make


@pytest.fixture
def martha(join: Callable[..., Player]) -> Player:
    return join("Martha", "martha@example.org", zone="Europe/Dublin")


@pytest.fixture
def laura(join: Callable[..., Player]) -> Player:
    return join("Laura", "laura@example.org", zone="America/New_York")


@pytest.fixture
def otto(join: Callable[..., Player]) -> Player:
    return join("Otto")


def user_of(player: Player) -> User:
    assert player.user
    return player.user


def signed_in(player: Player) -> Client:
    """Return a browser in which that player is logged in."""
    client = Client()
    client.force_login(user_of(player))
    return client


Opened = Callable[..., Game]


@pytest.fixture
def opened(django_capture_on_commit_callbacks: Any) -> Opened:
    """Return a function that opens a game between these players at noon, with a day for each move. The deal is always
    the same."""

    def make(*players: Player, kind: str = "chinese_ten", at: datetime = NOON, **terms: Any) -> Game:
        wanted = {"move_seconds": A_DAY, **terms}
        with clock.frozen_at(at), django_capture_on_commit_callbacks(execute=True):
            deal = Deal.objects.create(seed=bytes(range(32)))
            return play_services.open_game(kind=kind, players=players, deal=deal, terms=wanted)

    return make


Played = Callable[..., int]


@pytest.fixture
def play(django_capture_on_commit_callbacks: Any) -> Played:
    """Return a function that plays `moves` first legal moves for the players whose turn it is, each with what follows
    its commit, and returns the game's version. With `to_the_end`, all moves have one commit."""

    def go_on(game: Game, moves: int = 1, at: datetime = NOON, *, to_the_end: bool = False) -> int:
        if to_the_end:
            with clock.frozen_at(at), django_capture_on_commit_callbacks(execute=True):
                return play_game(game).version
        for _move in range(moves):
            game.refresh_from_db()
            fold = play_services.load_game(game)
            seat = fold.to_act()[0]
            text = fold.rules.move_text(fold.state, fold.rules.legal_actions(fold.state, seat)[0])
            with clock.frozen_at(at), django_capture_on_commit_callbacks(execute=True):
                play_services.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
        return game.version

    return go_on


def play_out(game: Game, play: Played, at: datetime = NOON) -> Game:
    """Play `game` to its end."""
    play(game, at=at, to_the_end=True)
    return game


def until_turn_of(seat: int, game: Game, play: Played, at: datetime = NOON) -> Game:
    """Play at least one move of `game`, until it waits only for `seat`."""
    play(game, at=at)
    while game.to_act != [seat]:
        play(game, at=at)
        game.refresh_from_db()
    return game
