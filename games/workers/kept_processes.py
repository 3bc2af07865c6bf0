"""Keeps bots' processes while a worker does not play their games, so that a game starts each of its bots once.

A worker plays each game for a few seconds and then releases it. A kept process does not run: it waits to be asked again
by the same worker. If another worker has the game meanwhile, it starts its own process, and the kept one is later told
what has happened since.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from games.models import Game
from games.workers.sandboxed_bot import SandboxedBot

MAX_PROCESSES: Final = 64  # processes
# of all together, beyond what they share; above it, those that waited longest are ended
MAX_MEMORY_BYTES: Final = 512 << 20
MAX_AGE_SECONDS: Final = 600  # after this time a game counts as no longer played here


@dataclass(frozen=True, slots=True)
class KeptProcess:
    """A bot, its memory, and since when it is kept (monotonic seconds)."""

    sandboxed: SandboxedBot
    memory: int
    since: float


_kept_processes: dict[tuple[str, int], KeptProcess] = {}  # by public id and seat, the longest kept first


def keep_process(game: str, seat: int, sandboxed: SandboxedBot) -> None:
    """Keep a bot that knows only what is stored, and end others if there is no room."""
    if not sandboxed.is_running:
        sandboxed.close()
        return
    drop(game, seat)
    _kept_processes[game, seat] = KeptProcess(sandboxed, sandboxed.memory(), time.monotonic())
    while (
        len(_kept_processes) > MAX_PROCESSES
        or sum(process.memory for process in _kept_processes.values()) > MAX_MEMORY_BYTES
    ):
        drop(*next(iter(_kept_processes)))


def take_process(game: str, seat: int, version: int) -> SandboxedBot | None:
    """Return the bot kept for this seat if it can go on at `version` of the game; else None."""
    kept = _kept_processes.pop((game, seat), None)
    if kept is None:
        return None
    if kept.sandboxed.is_running and kept.sandboxed.last_sent <= version:
        return kept.sandboxed
    kept.sandboxed.close()
    return None


def drop(game: str, seat: int) -> None:
    """End the bot kept for this seat, if there is one."""
    if kept := _kept_processes.pop((game, seat), None):
        kept.sandboxed.close()


def tidy() -> None:
    """End the bots whose games are over, or that nobody has asked for long."""
    if not _kept_processes:
        return
    games = {game for game, _seat in _kept_processes}
    going = Game.objects.filter(public_id__in=games, status=Game.Status.PLAYING)
    playing = set(going.values_list("public_id", flat=True))
    old = time.monotonic() - MAX_AGE_SECONDS
    for (game, seat), kept in list(_kept_processes.items()):
        if game not in playing or kept.since < old:
            drop(game, seat)
