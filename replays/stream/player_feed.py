"""The stream of one player's games: a line for each game that begins, waits for the player, or ends.

Each process keeps one list of such watchers. A notification that a game has changed wakes its players; the database is
asked who they are once for all notifications within a twentieth of a second. A watcher who is woken, or has waited for
a while, reads their games again and gets the differences. So a lost notification delays a line, but none can be missed.

A stream begins with a line of type ``player`` that names all running games. Lines of the types ``game`` and ``turn``
for each of them follow. With `?since=`, or `Last-Event-ID`, the ``id`` of the last line read, games that have ended
since are listed too, perhaps a second time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, Protocol

from django.db.models import Q
from django.utils.translation import gettext as _

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, PendingBundle, Player, Seat
from games.visibility import acting, observe
from replays.stream.connections import NO_CREDENTIALS, Credentials
from replays.stream.game_tail import stream_line

GATHER_SECONDS: Final = 0.05  # seconds in which notifications are gathered
ENDED_OVERLAP: Final = timedelta(seconds=30)  # a game may have ended in a transaction that was long in coming
MAX_ENDED_GAMES: Final = 200


@dataclass(eq=False)
class Watcher:
    """A player who watches their games, and what has been sent: each running game, and the turn in it."""

    user: acting.User
    player: Player
    form: str
    since: datetime | None = None
    by: Credentials = NO_CREDENTIALS
    turns: dict[int, Any] = field(default_factory=dict)
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class RunningSeat(NamedTuple):
    """A seat of the player in a running game, and the version since which the game waits for it, if it does."""

    seat: Seat
    since: int | None


class PlayerFeedHub(Protocol):
    """The part of `replays.stream.hub.Hub` that this module needs."""

    async def ask(self, question: Any, *arguments: Any) -> Any:
        """Run a function that reads the database, in a thread."""

    def start(self) -> None:
        """Start listening."""


class PlayerFeeds:
    """All players who watch their games through one web process."""

    def __init__(self, hub: PlayerFeedHub, sign_of_life: dict[str, bytes], patience: float) -> None:
        self.hub = hub
        self.sign_of_life = sign_of_life
        self.patience = patience
        self.watchers: set[Watcher] = set()
        self.noted: set[int] = set()
        self.gathering: asyncio.Task[None] | None = None

    def on_note(self, game_id: int) -> None:
        """Note that a game has changed; its players will look."""
        if self.watchers:
            self.noted.add(game_id)
            if self.gathering is None or self.gathering.done():
                self.gathering = asyncio.create_task(self.gather())

    async def gather(self) -> None:
        """Find the players of the recently changed games, and wake them."""
        while self.noted:
            await asyncio.sleep(GATHER_SECONDS)
            games, self.noted = self.noted, set()
            concerned = await self.hub.ask(players_in, games, {watcher.player.pk for watcher in self.watchers})
            for watcher in self.watchers:
                if watcher.player.pk in concerned or games & watcher.turns.keys():
                    watcher.woken.set()

    def wake_all(self) -> None:
        """Wake everybody, because notifications may have been lost."""
        for watcher in self.watchers:
            watcher.woken.set()

    async def watch(self, watcher: Watcher) -> AsyncGenerator[bytes]:
        """Yield the bytes for one watcher, without end."""
        self.hub.start()
        self.watchers.add(watcher)
        try:
            for line in await self.hub.ask(opening_lines, watcher):
                yield stream_line(watcher.form, line)
            sent_at = time.monotonic()
            while True:
                watcher.woken.clear()
                for line in await self.hub.ask(changed_lines, watcher):
                    yield stream_line(watcher.form, line)
                    sent_at = time.monotonic()
                with suppress(TimeoutError):
                    async with asyncio.timeout(sent_at + self.patience - time.monotonic()):
                        await watcher.woken.wait()
                if time.monotonic() - sent_at >= self.patience:  # also where each look ends with the next call
                    yield self.sign_of_life[watcher.form]
                    sent_at = time.monotonic()
        finally:
            self.watchers.discard(watcher)


def admit_player(user: acting.User, form: str, since: str, by: Credentials = NO_CREDENTIALS) -> Watcher:
    """Return `user` as a watcher. Raises `DomainError` not_signed_in (403), bad_parameter (400)."""
    player = people.player_of_user(user) if user.pk is not None else None
    if player is None:
        raise DomainError(403, "not_signed_in", _("Log in first, or send a token: this stream has your own games."))
    if since and (not since.isdecimal() or len(since) > 18):
        raise DomainError(400, "bad_parameter", _("`since` must be the id of the last line that you have read."))
    at = datetime.fromtimestamp(min(int(since), 2**52) / 1_000_000, UTC) if since else None
    return Watcher(user, player, form, at, by)


def players_in(game_ids: set[int], player_ids: set[int]) -> set[int]:
    """Return which of these players sit in any of these games."""
    seats = Seat.objects.filter(game__in=game_ids, player__in=player_ids)
    return set(seats.values_list("player", flat=True))


def opening_lines(watcher: Watcher) -> list[dict[str, Any]]:
    """Return the first line, and the games that have ended since the last line read."""
    player, sittings = watcher.player, running_seats_of(watcher)
    first = {
        "type": "player",
        "id": now_id(),
        "player": player.pk,
        "name": player.name,
        "bot": player.is_bot,
        "games": [sitting.seat.game.public_id for sitting in sittings],
    }
    if watcher.since is None:
        return [first]
    since = watcher.since - ENDED_OVERLAP
    over = Seat.objects.filter(acting.rows_of_user(watcher.user), game__finished_at__gt=since).exclude(
        game__status="playing"
    )
    ended = over.select_related("game__deal").order_by("-game__finished_at")[:MAX_ENDED_GAMES]
    return [first, *(over_line(seat) for seat in reversed(ended))]


def changed_lines(watcher: Watcher) -> list[dict[str, Any]]:
    """Return the differences from what has been sent, and record them as sent."""
    lines: list[dict[str, Any]] = []
    sittings = {sitting.seat.game_id: sitting for sitting in running_seats_of(watcher)}
    for seat in ended_seats(watcher, watcher.turns.keys() - sittings.keys()):
        lines.append(over_line(seat))
    for game_id, sitting in sittings.items():
        if game_id not in watcher.turns:
            lines.append(game_line(sitting.seat))
        if sitting.since is not None and watcher.turns.get(game_id) != sitting.since:
            lines.append(turn_line(sitting))
    watcher.turns = {game_id: sitting.since for game_id, sitting in sittings.items()}
    return lines


def running_seats_of(watcher: Watcher) -> list[RunningSeat]:
    """Return the player's seats in running games, oldest game first. A game does not wait for a seat that has submitted
    its bundle."""
    seats = Seat.objects.filter(acting.rows_of_user(watcher.user), left="", game__status=Game.Status.PLAYING)
    rows = list(seats.select_related("game").order_by("game__opened_at", "game"))
    gave = set(PendingBundle.objects.filter(game__in=[seat.game_id for seat in rows]).values_list("game", "seat"))
    return [RunningSeat(seat, None if (seat.game_id, seat.seat) in gave else waited_since(seat)) for seat in rows]


def waited_since(seat: Seat) -> int | None:
    """Return the public version since which the game waits for that seat; None if it does not."""
    waits = dict(zip(seat.game.to_act, seat.game.awaited_since, strict=False))
    return waits.get(seat.seat)


def ended_seats(watcher: Watcher, game_ids: set[int]) -> list[Seat]:
    """Return the player's seats in games that they no longer play."""
    if not game_ids:
        return []
    seats = Seat.objects.filter(acting.rows_of_user(watcher.user), game__in=game_ids)
    return list(seats.select_related("game__deal").filter(~Q(game__status=Game.Status.PLAYING) | ~Q(left="")))


def now_id() -> int:
    """Return the id of a line made now, in microseconds since 1970."""
    return int(clock.now().timestamp() * 1_000_000)


def game_line(seat: Seat) -> dict[str, Any]:
    """Return the line for a game that has begun or is running."""
    game = seat.game
    return {
        "type": "game",
        "id": now_id(),
        "game": game.public_id,
        "seat": seat.seat,
        "kind": game.kind,
        "pace": game.terms["pace"],
        "rated": game.terms["rated"],
        "opened_at": game.opened_at,
    }


def turn_line(sitting: RunningSeat) -> dict[str, Any]:
    """Return the line for a game that waits for the player. `deadline` is when the first of the running clocks runs
    out."""
    game = sitting.seat.game
    return {
        "type": "turn",
        "id": now_id(),
        "game": game.public_id,
        "seat": sitting.seat.seat,
        "version": game.version,
        "deadline": game.deadline,
    }


def over_line(seat: Seat) -> dict[str, Any]:
    """Return the line for a game that is over, or that the player has `left`. A sealed result is not shown."""
    game = seat.game
    on = game.status == Game.Status.PLAYING
    outcome = None if on or observe.is_sealed(game) else game.outcome
    return {
        "type": "over",
        "id": now_id(),
        "game": game.public_id,
        "seat": seat.seat,
        "left": seat.left,
        "status": game.status,
        "outcome": outcome,
    }
