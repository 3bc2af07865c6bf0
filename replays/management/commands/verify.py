"""`verify`: verifies games against their logs: hash chain, chance, rules, and the rows beside them."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from games.common import parallel
from games.models import Game
from games.play.game_rows import game_batches
from replays.export.verification import (
    GameCheck,
    check_game_and_seats,
    check_games,
    check_stream,
    other_stream_ids,
)

PROGRESS_EVERY = 1000  # a line of progress after this many


class Command(BaseCommand):
    help = "Replay games from their logs and seeds and report differences. Exits with 1 if there is one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("game", nargs="?", help="a game's id, as in its address")
        parser.add_argument("--all", action="store_true", help="all games, and the hash chains of all other streams")
        parallel.add_argument(parser)

    def handle(self, *_args: Any, game: str | None, all: bool, processes: int, **_options: Any) -> None:
        if all == bool(game):
            raise CommandError("Name a game by its id, or use --all.", returncode=2)
        self.unnamed = self.games = self.streams = 0
        self.unread: Counter[str] = Counter()
        found = self._every(processes) if all else self._one(str(game))
        faults = sum(self._report(name, faults) for name, faults in found)
        if all:
            self.stdout.write(f"{self.games} games and {self.streams} other streams were read.")
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

    def _one(self, public_id: str) -> Iterator[tuple[str, list[str]]]:
        game = Game.objects.filter(public_id=public_id.upper()).first()
        if game is None:
            raise CommandError(f"There is no game {public_id}.", returncode=2)
        yield from self._counted([(game.public_id, check_game_and_seats(game.pk))])

    def _every(self, processes: int) -> Iterator[tuple[str, list[str]]]:
        for checked in parallel.in_order(check_games, game_batches(), processes=processes):
            before = self.games
            yield from self._counted(checked)
            if before // PROGRESS_EVERY < self.games // PROGRESS_EVERY:
                self.stdout.write(f"{self.games} games verified …")
        others = other_stream_ids()
        checks = parallel.in_order(check_stream, [pk for pk, _subject in others], processes=processes)
        for (pk, subject), faults in zip(others, checks, strict=True):
            self.streams += 1
            yield f"{subject} stream {pk}", faults

    def _counted(self, checked: Iterable[tuple[str, GameCheck]]) -> Iterator[tuple[str, list[str]]]:
        """Yield the faults of each game, and count what is said of all games together."""
        for public_id, check in checked:
            self.games += 1
            self.unnamed += not check.named
            if check.unread:
                self.unread[check.unread] += 1
            yield f"game {public_id}", check.faults
