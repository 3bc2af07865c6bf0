"""`verify`: verifies games against their logs: hash chain, chance, rules, and the rows beside them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.models import Game
from replays.export.verification import check_game_and_seats, check_stream, game_ids, other_stream_ids

PROGRESS_EVERY = 1000  # a line of progress after this many


class Command(BaseCommand):
    help = "Replay games from their logs and seeds and report differences. Exits with 1 if there is one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", nargs="?", help="a game's id, as in its address")
        parser.add_argument("--all", action="store_true", help="all games, and the hash chains of all other streams")

    def handle(self, *_args: Any, game: str | None, all: bool, **_options: Any) -> None:
        if all == bool(game):
            raise CommandError("Name a game by its id, or use --all.", returncode=2)
        self.unnamed = 0
        self.unread: Counter[str] = Counter()
        faults = sum(self._report(name, faults) for name, faults in (self._every() if all else self._one(str(game))))
        if self.unnamed:
            were = "game was" if self.unnamed == 1 else "games were"
            self.stdout.write(
                f"{self.unnamed} {were} opened before logs named their players: their seats are known only "
                "from the rows."
            )
        for why, count in self.unread.items():
            games = "1 game" if count == 1 else f"{count} games"
            only = f"Only the chain was verified of {games}, which can't be read without the package of its kind."
            self.stdout.write(f"{only} {why}")
        if faults:
            raise CommandError(f"{faults} {'fault' if faults == 1 else 'faults'} found.")
        self.stdout.write("No faults.")

    def _report(self, name: str, faults: list[str]) -> int:
        for fault in faults:
            self.stdout.write(f"{name}, {fault}")
        return len(faults)

    def _game(self, pk: int) -> list[str]:
        checked = check_game_and_seats(pk)
        self.unnamed += not checked.named
        if checked.unread:
            self.unread[checked.unread] += 1
        return checked.faults

    def _one(self, public_id: str) -> Iterator[tuple[str, list[str]]]:
        game = Game.objects.filter(public_id=public_id.upper()).first()
        if game is None:
            raise CommandError(f"There is no game {public_id}.", returncode=2)
        yield f"game {game.public_id}", self._game(game.pk)

    def _every(self) -> Iterator[tuple[str, list[str]]]:
        for number, (pk, public_id) in enumerate(game_ids(), 1):
            yield f"game {public_id}", self._game(pk)
            if number % PROGRESS_EVERY == 0:
                self.stdout.write(f"{number} games verified …")
        for pk, subject in other_stream_ids():
            yield f"{subject} stream {pk}", check_stream(pk)
        self.stdout.write(f"{Game.objects.count()} games and {len(other_stream_ids())} other streams were read.")
