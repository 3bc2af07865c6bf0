"""A scripted host of a language model plays by the tools of `scorebook-mcp` alone, over its standard input and output,
with the token of a remote bot and a server that really listens."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from socket import socket
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

from games.bots.remote import services as remote_bots
from games.bots.remote.services import ChallengeRequest
from games.models import Bot
from tests.factories import worlds
from tests.games.bots.remote.test_real_clients import FEW_TURNS, builtin_bots_play
from tests.servers.web import Web
from tests.tournaments.entries.test_entries import season_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
Tool = Callable[..., Awaitable[tuple[bool, str]]]  # a tool's name and arguments → whether it was refused, and its text


def by_tools(address: str, secret: str, script: Callable[[Tool], Awaitable[None]]) -> None:
    """Start `scorebook-mcp` as a host does, and run the script with its tools."""
    command = ["-m", "scorebook_games.agents.server", "--server", address]
    started = StdioServerParameters(
        command=sys.executable, args=command, env={"SCOREBOOK_TOKEN": secret, "PATH": os.environ["PATH"]}
    )

    async def run() -> None:
        async with Client(stdio_client(started, errlog=errors)) as client:

            async def tool(name: str, **arguments: Any) -> tuple[bool, str]:
                answer = await client.call_tool(name, arguments)
                return answer.is_error, "\n".join(part.text for part in answer.content if isinstance(part, TextContent))

            await script(tool)

    with Path(os.devnull).open("w") as errors:
        asyncio.run(run())


def test_a_game_is_found_seen_played_to_its_end_and_explained(web: Web, puffin: Bot, puffins: str) -> None:
    wish = ChallengeRequest(
        "chinese_ten", built_in=["random"], options={"turn_limit": FEW_TURNS}, terms={"bot_pace_ms": 0}
    )
    game = remote_bots.open_challenge(bot=puffin, wish=wish).public_id

    async def script(tool: Tool) -> None:
        found = (await tool("find_game"))[1]
        assert f"{game}  chinese_ten, not rated" in found
        assert "No season is open for entries." in found
        assert "CT-1" in (await tool("rules", kind="chinese_ten"))[1]
        told = (await tool("observe", game=game, wait=20))[1]
        assert "Seat 0: Puffin – you" in told
        assert "What you see after event" in told
        refused, why = await tool("play", game=game, moves=["capture 6 60"])
        assert refused
        assert "A move is written" in why
        for _ in range(2 * FEW_TURNS):
            if "The game is over." in told:
                break
            listed = (await tool("legal_moves", game=game))[1]
            moves = re.findall(r"^  (.+?)  – ", listed, re.MULTILINE)
            assert moves, (told, listed)
            refused, told = await tool("play", game=game, moves=moves[:1], wait=30)
            assert not refused, told
            assert "What happened:" in told
        assert "The game is over." in told
        why = (await tool("say_why", game=game))[1]
        assert "Why: " in why
        assert "Puffin: place" in why

    with builtin_bots_play():
        by_tools(web.address, puffins, script)


def test_a_game_in_beats_takes_bundles(web: Web, puffin: Bot, puffins: str) -> None:
    wish = ChallengeRequest("plate_spinner", built_in=["random"], terms={"bot_pace_ms": 0})
    game = remote_bots.open_challenge(bot=puffin, wish=wish).public_id

    async def script(tool: Tool) -> None:
        for _ in range(3):
            assert "It is your turn" in (await tool("observe", game=game, wait=20))[1]
            listed = (await tool("legal_moves", game=game))[1]
            moves = re.findall(r"^  (.+?)  – (.*)$", listed, re.MULTILINE)
            ends = next(move for move, words in moves if "(goes on)" not in words)
            refused, told = await tool("play", game=game, moves=[ends], wait=20)
            assert not refused, told

    with builtin_bots_play():
        by_tools(web.address, puffins, script)


def test_a_refusal_says_what_to_do(web: Web, puffin: Bot, puffins: str) -> None:
    async def script(tool: Tool) -> None:
        refused, text = await tool("find_game", kind="tiddlywinks")
        assert refused
        assert "The kinds are chinese_ten, palace" in text
        refused, text = await tool("observe", game="7F3KQ0AB")
        assert refused
        assert "game_not_found" in text
        refused, text = await tool("legal_moves", game="the game of Owl?")
        assert refused
        assert "404" in text
        assert await tool("rules", kind="tiddlywinks") == (
            False,
            "This kit has no rules of tiddlywinks. They are on the server, at /rules/tiddlywinks/. It knows "
            "chinese_ten, palace, plate_spinner, plates, platinum_fish.",
        )

    by_tools(web.address, puffins, script)


def test_seasons_are_listed_with_what_to_do_or_why_there_is_nothing(web: Web, puffin: Bot, puffins: str) -> None:
    league = worlds.league()
    season = season_of(league, [], start=False)
    season_of(league, [], start=False, name="People only", entry={"players": "people"})

    async def script(tool: Tool) -> None:
        found = (await tool("find_game"))[1]
        assert f"  {season.pk}  Autumn of {league.name}, {league.club.name}: chinese_ten, rated, starts " in found
        assert "You can enter it." in found
        assert "People only" not in found
        entered = (await tool("find_game", season=season.pk))[1]
        assert "You play in it. Your games begin when its rounds do." in entered

    by_tools(web.address, puffins, script)


@pytest.mark.slow
def test_a_server_that_is_away_is_told_and_the_tools_go_on(puffins: str) -> None:
    with socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"

        async def script(tool: Tool) -> None:
            refused, text = await tool("find_game")
            assert refused
            assert "The server cannot be reached" in text
            assert not (await tool("rules", kind="palace"))[0]

        by_tools(address, puffins, script)
