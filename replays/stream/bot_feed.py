"""What a remote bot is asked in one game, over HTTP: hello, then an ask whenever its seat may act, then over.

Who comes back is told hello and the whole (masked) history again with the next ask, so nothing has to be remembered;
an ask is a version or a beat, and there is one line for each.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from games.bots.remote import requests as remote_requests
from games.eventlog.store import Entry
from games.gamelog.fold import fold_game
from games.models import Game
from games.programs.protocol import Line
from replays.stream.game_tail import SIGN_OF_LIFE, Tail, Ticket, line

AskKey = tuple[str, int]


class House(Protocol):
    """What of the web process is needed here (`replays.stream.hub.Hub`)."""

    async def ask(self, question: Any, *arguments: Any) -> Any:
        """Ask the database."""


async def asked(house: House, ticket: Ticket, tail: Tail) -> AsyncGenerator[bytes]:
    """The bytes for one bot, as long as its game is on and it sits there."""
    assert isinstance(ticket.viewer, int)
    told, seen = 1, 0
    last: AskKey | None = None
    yield line(ticket.form, await house.ask(hello, ticket, tail.entries[0]))
    while True:
        changed, beats, entries = tail.changed, tail.beats, tail.entries[:]
        if len(entries) > seen:
            seen = len(entries)
            asking = await house.ask(asking_of, ticket, entries, told)
            if asking is not None and key_of(asking) != last:
                last, told = key_of(asking), seen
                yield line(ticket.form, asking)
                if asking["type"] == "over":
                    return
        await changed.wait()
        if tail.beats != beats:
            yield SIGN_OF_LIFE[ticket.form]


def hello(ticket: Ticket, opened: Entry) -> Line:
    """The first line."""
    assert isinstance(ticket.viewer, int)
    return remote_requests.greeting(ticket.game, fold_game([opened.event]), ticket.viewer)


def asking_of(ticket: Ticket, entries: list[Entry], told: int) -> Line | None:
    """What the bot is asked now."""
    assert isinstance(ticket.viewer, int)
    game = Game.objects.select_related("deal").get(pk=ticket.game.pk)
    return remote_requests.ask(game, entries, ticket.viewer, told, ticket.want)


def key_of(asking: Line) -> AskKey:
    """What tells one ask from another."""
    number: int = asking.get("version") or asking.get("beat", 0)
    return asking["type"], number
