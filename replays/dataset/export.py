"""Exports the dataset of this platform.

It has all games that are finished and open to everybody (`games.visibility`), except trial games of bots and
continuations of other games, whose decisions would be in the file twice. A person's rows are in it only with their
consent, and no other row shows what their seat saw. The games are in the order of their ids, so the same logs make the
same file.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.db.models import QuerySet

from games.accounts import dataset_consent
from games.common import clock, parallel
from games.eventlog import store as eventlog
from games.models import Game, Seat
from games.visibility import audience
from replays.dataset.measured import measured_decisions
from replays.dataset.source_games import dataset_games
from replays.dataset.table import GameSource, Rows, rows_of
from replays.dataset.writer import DatasetWriter

READ_GAMES: Final = 200  # games read from the database at a time
BATCH_GAMES: Final = 20  # games in a process's task
BATCHES_AHEAD: Final = 3  # tasks waiting, for each process
PERSON: Final = "person"

Progress = Callable[[str], None]


class Withdrawn(Exception):
    """What is in the export may not be shown any more, so nothing is kept."""


class ConsentWithdrawn(Withdrawn):
    """Somebody withdrew their consent during the export."""

    def __init__(self) -> None:
        super().__init__("A player withdrew their consent during the export. Nothing was written; start it again.")


class ClubHidden(Withdrawn):
    """A club with games in it became private during the export."""

    def __init__(self) -> None:
        super().__init__("A club became private during the export. Nothing was written; start it again.")


@dataclass
class Summary:
    """The result of an export. `people` are the ids of the users who have rows in it, `clubs` those of the clubs whose
    games are in it."""

    games: int = 0
    rows: int = 0
    people: set[int] = field(default_factory=set)
    clubs: set[int] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def add(self, rows: Rows) -> None:
        """Count rows that were written."""
        self.games += rows.games
        self.rows += rows.rows
        self.faults += rows.faults


def write_dataset(path: Path, *, processes: int = 1, progress: Progress = lambda _words: None) -> Summary:
    """Write the dataset into the file `path`, which is replaced at the end. `progress` gets a sentence after each
    batch.

    Raises `Withdrawn`, and OSError if the file can't be written.
    """
    summary = Summary()
    part = path.with_name(path.name + ".part")
    now = clock.now()
    total, begun = dataset_games(now).count(), time.monotonic()
    try:
        with DatasetWriter(part) as writer:
            for rows in _made(_batches(now, summary), processes):
                writer.add(rows)
                summary.add(rows)
                rate = summary.games / max(time.monotonic() - begun, 0.001)
                progress(f"{summary.games:,} of {total:,} games, {summary.rows:,} decisions, {rate:,.0f} games/s")
        if not summary.people <= dataset_consent.consenting_users():
            raise ConsentWithdrawn
        if audience.private_audiences(summary.clubs):
            raise ClubHidden
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return summary


def _made(batches: Iterable[list[GameSource]], processes: int) -> Iterator[Rows]:
    """Yield the rows of each batch, in order; they are made by `processes` child processes, or by this one if it is
    1."""
    if processes == 1:
        yield from map(rows_of, batches)
        return
    # The processes are forked before a row is written. A new interpreter would import everything again, and on a busy
    # machine orjson's initialisation sometimes ended it by a segmentation fault. They only compute and use no
    # connection.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, initializer=parallel.collect_rarely) as pool:
        under_way: deque[Future[Rows]] = deque()
        for batch in batches:
            under_way.append(pool.submit(rows_of, batch))
            if len(under_way) > processes * BATCHES_AHEAD:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _batches(now: datetime, summary: Summary) -> Iterator[list[GameSource]]:
    """Yield the dataset's games in batches, and add the users with rows in it, and the clubs, to `summary`."""
    consenting = dataset_consent.consenting_users()
    last = 0
    while sources := sources_of(
        dataset_games(now).filter(pk__gt=last).order_by("pk")[:READ_GAMES], consenting, summary.people
    ):
        last = max(sources)
        audiences = Game.objects.filter(pk__in=sources).values_list("audience_club_id", flat=True)
        summary.clubs |= {club for club in audiences if club is not None}
        shown = [source for source in sources.values() if source.players]
        for first in range(0, len(shown), BATCH_GAMES):
            yield shown[first : first + BATCH_GAMES]


def sources_of(games: QuerySet[Game], consenting: set[int], people: set[int]) -> dict[int, GameSource]:
    """Return game id → what its rows are made from, in order. A game may have no seat that may be shown. Six
    queries."""
    found = list(games.values_list("pk", "public_id", "stream", "deal__seed"))
    logs = eventlog.stored_logs([stream for _pk, _name, stream, _seed in found])
    bodies = {stream: [(batch.times, batch.body) for batch in log] for stream, log in logs.items()}
    players: dict[int, dict[int, str]] = {pk: {} for pk, *_ in found}
    seats = Seat.objects.filter(game__in=players).order_by("game", "seat")
    bot = "player__bot_version"
    rows: Any = seats.values_list("game", "seat", "player__user", f"{bot}__program")
    for game, seat, user, program in rows:
        if program is not None:
            players[game][seat] = program
        elif user in consenting:
            players[game][seat] = PERSON
            people.add(user)
    measured = measured_decisions(players)
    return {
        pk: GameSource(name, bytes(seed), players[pk], bodies[stream], measured[pk]) for pk, name, stream, seed in found
    }
