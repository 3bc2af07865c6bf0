"""`manage.py open_game chinese_ten Random Sensible --option packs=1`: open a game between players, by their names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.common.errors import DomainError
from games.models import Player
from games.play import services as play
from scorebook_games.registry import KINDS


class Command(BaseCommand):
    help = "Open a game between players. Workers play the moves of bots."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help=", ".join(sorted(KINDS)))
        parser.add_argument(
            "players", nargs="+", metavar="player", help="names of the players, in the order of the seats"
        )
        parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the kind")
        parser.add_argument("--term", action="append", default=[], metavar="NAME=VALUE", help="move_seconds=60, …")

    def handle(self, *_args: Any, **wish: Any) -> None:
        try:
            game = play.open_game(
                kind=wish["kind"],
                players=[player_called(name) for name in wish["players"]],
                options=parse_pairs(wish["option"]),
                terms=parse_pairs(wish["term"]),
            )
        except DomainError as error:
            raise CommandError(error.sentence) from error
        self.stdout.write(f"{game.public_id} is open: /games/{game.public_id}/")


def player_called(name: str) -> Player:
    """Return the only player with this name. Raises `CommandError`."""
    players = Player.objects.filter(name=name).select_related("bot_version")[:2]
    if len(players) != 1:
        raise CommandError(f"{'No player is' if not players else 'Several players are'} called {name!r}.")
    return players[0]


def parse_pairs(wishes: Iterable[str]) -> dict[str, Any]:
    """Return `["packs=1", "leaver=end"]` as data. A value is read as JSON if possible, else as text."""
    return {name: parse_value(value) for name, _, value in (wish.partition("=") for wish in wishes)}


def parse_value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
