"""What a remote bot is asked in one game, over HTTP: hello, then an ask whenever its seat may act, then over.

Who comes back is told hello and the whole (masked) history again with the next ask, so nothing has to be remembered;
an ask is a version or a beat, and there is one line for each.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from games.bots.remote import requests as remote_requests
from games.gamelog.events import Log, RecordedEvent
from games.gamelog.fold import fold_game
from games.models import Game
from games.programs.protocol import ProtocolLine
from replays.stream.game_tail import KEEP_ALIVE, GameTail, Ticket, stream_line

AskKey = tuple[str, int]


class BotFeedHub(Protocol):
    """What of the web process is needed here (`replays.stream.hub.Hub`)."""

    async def ask(self, question: Any, *arguments: Any) -> Any:
        """Ask the database."""


async def bot_stream(hub: BotFeedHub, ticket: Ticket, tail: GameTail) -> AsyncGenerator[bytes]:
    """The bytes for one bot, as long as its game is on and it sits there."""
    assert isinstance(ticket.viewer, int)
    count, seen = 1, 0
    last: AskKey | None = None
    yield stream_line(ticket.form, await hub.ask(first_line, ticket, tail.entries[0]))
    while True:
        changed, beats, log = tail.changed, tail.beats, tail.log[:]
        if len(tail.entries) > seen:
            seen = len(tail.entries)
            asking = await hub.ask(current_ask, ticket, log, count)
            if asking is not None and ask_key(asking) != last:
                last, count = ask_key(asking), seen
                yield stream_line(ticket.form, asking)
                if asking["type"] == "over":
                    return
        await changed.wait()
        if tail.beats != beats:
            yield KEEP_ALIVE[ticket.form]


def first_line(ticket: Ticket, opened: RecordedEvent) -> ProtocolLine:
    """The first line."""
    assert isinstance(ticket.viewer, int)
    return remote_requests.hello_to_seat(ticket.game, fold_game([opened.event]), ticket.viewer)


def current_ask(ticket: Ticket, log: Log, told: int) -> ProtocolLine | None:
    """What the bot is asked now."""
    assert isinstance(ticket.viewer, int)
    game = Game.objects.select_related("deal").get(pk=ticket.game.pk)
    return remote_requests.ask_for_seat(game, log, ticket.viewer, told, ticket.want)


def ask_key(asking: ProtocolLine) -> AskKey:
    """What tells one ask from another."""
    number: int = asking.get("version") or asking.get("beat", 0)
    return asking["type"], number
