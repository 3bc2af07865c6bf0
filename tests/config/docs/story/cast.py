"""The people of the story, and built-in bots. Martha founds a club; Laura, Otto and Niamh play; Jasper writes bots; Ada
is the admin."""

from __future__ import annotations

import random
from typing import Any, Final

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from games.accounts import people
from games.common import clock
from games.models import Deal, Game, Player
from games.play import services as play_services
from tests.config.docs.story.teller import Teller
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.tournaments.club import play
from tournaments.director import director

NAMES: Final = ("Martha", "Laura", "Otto", "Niamh", "Jasper")


def arrive() -> None:
    """Create the people's accounts, with confirmed addresses, and the built-in bots."""
    for name in NAMES:
        user = User.objects.create_user(name.lower(), date_joined=clock.now())
        people.create_profile_and_player(user, name, zone="Europe/Dublin")
        EmailAddress.objects.create(user=user, email=f"{name.lower()}@example.org", primary=True, verified=True)
    people.create_profile_and_player(User.objects.create_superuser("ada", date_joined=clock.now()), "Ada")
    ensure_builtin_bots()


def player(name: str) -> Player:
    return Player.objects.get(name=name)


def game_of(*names: str, kind: str = "chinese_ten", **terms: Any) -> Game:
    """Return a game between these players. The deal is always the same."""
    deal = Deal.objects.create(seed=bytes(range(32)))
    return play_services.open_game(kind=kind, players=[player(name) for name in names], deal=deal, terms=terms)


def played(*names: str) -> Game:
    """Return a finished game between these players."""
    game = game_of(*names)
    play(game, random.Random(1))
    game.refresh_from_db()
    return game


def play_on(teller: Teller, minutes: int = 1) -> None:
    """Play running games of matches to their end, and let the director do what is due then."""
    with clock.frozen_at(teller.later(minutes=minutes)):
        dice = random.Random(2)
        for game in Game.objects.filter(status=Game.Status.PLAYING, match_game__isnull=False).order_by("pk"):
            play(game, dice)
        director.advance()
