"""The questions to a remote bot in one game, over HTTP: hello, a question whenever its seat may act, then over.

A bot that connects again gets hello and the whole (masked) history with its next question, so nothing has to be
remembered. A question belongs to a version or a beat, and there is one line for each.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Protocol

from games.bots.remote import requests as remote_requests
from games.models import Game
from replays.stream.game_tail import KEEP_ALIVE, GameTail, Ticket, stream_line
from scorebook_games.bots.protocol import ProtocolLine
from scorebook_games.gamelog.events import Log, RecordedEvent
from scorebook_games.gamelog.fold import fold_game

AskKey = tuple[str, int]


class BotFeedHub(Protocol):
    """The part of `replays.stream.hub.Hub` that this module needs."""

    async def ask(self, question: Any, *arguments: Any) -> Any:
        """Run a function that reads the database, in a thread."""


async def bot_stream(hub: BotFeedHub, ticket: Ticket, tail: GameTail) -> AsyncGenerator[bytes]:
    """Yield the bytes for one bot, while its game is in progress and it has its seat."""
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
    """Return the first line."""
    assert isinstance(ticket.viewer, int)
    return remote_requests.hello_to_seat(ticket.game, fold_game([opened.event]), ticket.viewer)


def current_ask(ticket: Ticket, log: Log, known: int) -> ProtocolLine | None:
    """Return the present question; None if there is none."""
    assert isinstance(ticket.viewer, int)
    game = Game.objects.select_related("deal").get(pk=ticket.game.pk)
    return remote_requests.ask_for_seat(game, log, ticket.viewer, known, ticket.want)


def ask_key(asking: ProtocolLine) -> AskKey:
    """Return a key that differs between questions."""
    number: int = asking.get("version") or asking.get("beat", 0)
    return asking["type"], number
