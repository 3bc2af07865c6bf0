"""The stream of one player's games: a line for each that begins, that waits for the player, that is over.

Each process keeps one list of who watches so. A note that a game has moved on wakes those who sit in it; which ones
that are is asked of the database once for all the notes of a twentieth of a second. Who is woken, or has waited a
while, reads their games anew and is told what is different: a lost note makes a line late, and none can go missing.

A stream begins with a line of type ``player`` that names all games that are on; lines of the types ``game`` and
``turn`` for each of them follow. With `?since=`, or `Last-Event-ID`, the ``id`` of the last line that was read, games
that have ended since are told too, perhaps for the second time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, Protocol

from django.db.models import Q

from games.accounts import people
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, PendingBundle, Player, Seat
from games.visibility import acting, observe
from replays.stream.connections import NO_CREDENTIALS, Credentials
from replays.stream.game_tail import stream_line

GATHER_SECONDS: Final = 0.05  # seconds in which notes are gathered
ENDED_OVERLAP: Final = timedelta(seconds=30)  # a game may have ended in a transaction that was long in coming
MAX_ENDED_GAMES: Final = 200


@dataclass(eq=False)
class Watcher:
    """Who watches their games, and what they have been told: each game that is on, and which turn in it."""

    user: acting.User
    player: Player
    form: str
    since: datetime | None = None
    by: Credentials = NO_CREDENTIALS
    turns: dict[int, Any] = field(default_factory=dict)
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class RunningSeat(NamedTuple):
    """A seat of the player in a game that is on, and since which version the game waits for it, if it does."""

    seat: Seat
    since: int | None


class PlayerFeedHub(Protocol):
    """What of the web process is needed here (`replays.stream.hub.Hub`)."""

    async def ask(self, question: Any, *arguments: Any) -> Any:
        """Ask the database."""

    def start(self) -> None:
        """Listen."""


class PlayerFeeds:
    """Everybody who watches their games through one web process."""

    def __init__(self, hub: PlayerFeedHub, sign_of_life: dict[str, bytes], patience: float) -> None:
        self.hub = hub
        self.sign_of_life = sign_of_life
        self.patience = patience
        self.watchers: set[Watcher] = set()
        self.noted: set[int] = set()
        self.gathering: asyncio.Task[None] | None = None

    def on_note(self, game_id: int) -> None:
        """A game has moved on: those who sit in it will look."""
        if self.watchers:
            self.noted.add(game_id)
            if self.gathering is None or self.gathering.done():
                self.gathering = asyncio.create_task(self.gather())

    async def gather(self) -> None:
        """Find out whom the games of the last moment concern."""
        while self.noted:
            await asyncio.sleep(GATHER_SECONDS)
            games, self.noted = self.noted, set()
            concerned = await self.hub.ask(players_in, games, {watcher.player.pk for watcher in self.watchers})
            for watcher in self.watchers:
                if watcher.player.pk in concerned or games & watcher.turns.keys():
                    watcher.woken.set()

    def wake_all(self) -> None:
        """Everybody is to look: notes may have been lost."""
        for watcher in self.watchers:
            watcher.woken.set()

    async def watch(self, watcher: Watcher) -> AsyncGenerator[bytes]:
        """The bytes for one watcher, for ever."""
        self.hub.start()
        self.watchers.add(watcher)
        try:
            for told in await self.hub.ask(opening_lines, watcher):
                yield stream_line(watcher.form, told)
            while True:
                watcher.woken.clear()
                for told in await self.hub.ask(changed_lines, watcher):
                    yield stream_line(watcher.form, told)
                try:
                    async with asyncio.timeout(self.patience):
                        await watcher.woken.wait()
                except TimeoutError:
                    yield self.sign_of_life[watcher.form]
        finally:
            self.watchers.discard(watcher)


def admit_player(user: acting.User, form: str, since: str, by: Credentials = NO_CREDENTIALS) -> Watcher:
    """The watcher that `user` becomes. Raises `DomainError` not_signed_in (403), bad_parameter (400)."""
    player = people.player_of_user(user) if user.pk is not None else None
    if player is None:
        raise DomainError(403, "not_signed_in", "Sign in first, or send a token: this stream has your own games.")
    if since and (not since.isdecimal() or len(since) > 18):
        raise DomainError(400, "bad_parameter", "`since` must be the id of the last line that you have read.")
    at = datetime.fromtimestamp(min(int(since), 2**52) / 1_000_000, UTC) if since else None
    return Watcher(user, player, form, at, by)


def players_in(game_ids: set[int], player_ids: set[int]) -> set[int]:
    """Which of these players sit in any of these games."""
    seats = Seat.objects.filter(game__in=game_ids, player__in=player_ids)
    return set(seats.values_list("player", flat=True))


def opening_lines(watcher: Watcher) -> list[dict[str, Any]]:
    """The first line, and what has ended since the one that was read last."""
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
    """What is different from what the watcher has been told; it counts as told from now on."""
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
    """Where the player sits, the oldest game first. A seat that has given its bundle is not waited for."""
    seats = Seat.objects.filter(acting.rows_of_user(watcher.user), left="", game__status=Game.Status.PLAYING)
    found = list(seats.select_related("game").order_by("game__opened_at", "game"))
    gave = set(PendingBundle.objects.filter(game__in=[seat.game_id for seat in found]).values_list("game", "seat"))
    return [RunningSeat(seat, None if (seat.game_id, seat.seat) in gave else waited_since(seat)) for seat in found]


def waited_since(seat: Seat) -> int | None:
    """The version since which the game waits for that seat, as everybody knows; None if it does not."""
    waits = dict(zip(seat.game.to_act, seat.game.awaited_since, strict=False))
    return waits.get(seat.seat)


def ended_seats(watcher: Watcher, game_ids: set[int]) -> list[Seat]:
    """The player's seats in games that are no longer theirs to play."""
    if not game_ids:
        return []
    seats = Seat.objects.filter(acting.rows_of_user(watcher.user), game__in=game_ids)
    return list(seats.select_related("game__deal").filter(~Q(game__status=Game.Status.PLAYING) | ~Q(left="")))


def now_id() -> int:
    """The id of a line that is made now, to go on from: microseconds since 1970."""
    return int(clock.now().timestamp() * 1_000_000)


def game_line(seat: Seat) -> dict[str, Any]:
    """A game has begun, or is on."""
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
    """A game waits for the player; `deadline` is when the first clock of those it waits for will have run out."""
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
    """A game is over, or goes on without the player, who has `left`; nothing of a sealed result is told."""
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
