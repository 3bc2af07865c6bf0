"""`manage.py abort_game ID --reason "The hall is closed."`: end a game without a result."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import table
from games.errors import TableError


class Command(BaseCommand):
    help = "End a game without a result: it has no placings and is not rated."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("game", help="its eight letters and digits")
        parser.add_argument("--reason", required=True, help="for the admins' list of incidents")

    def handle(self, *_args: Any, **wish: Any) -> None:
        try:
            game = table.find(wish["game"])
            table.abort(game=game, reason=wish["reason"])
        except TableError as error:
            raise CommandError(error.sentence) from error
        self.stdout.write(f"{game.public_id} is aborted.")
