"""The players of these tests: Martha, Laura, Otto and Ines are people; built-in bots have the names of their
programs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from time import monotonic
from typing import TypeVar

import pytest
from django.contrib.auth.models import User
from django.db import connection

from games.common.errors import DomainError
from games.models import Bot, BotVersion, Deal, Player
from scorebook_games.bots import builtin as built_in_bots
from scorebook_games.registry import KINDS
from tests.games.racing_kind import Grab, Wink, kind_of

T = TypeVar("T")
Person = Callable[[str], Player]
BuiltInBot = Callable[[str], Player]


@pytest.fixture
def person() -> Person:
    """Return a function that creates a person with this name, who can log in."""
    return lambda name: Player.objects.create(name=name, user=User.objects.create_user(name.lower()))


@pytest.fixture
def built_in() -> BuiltInBot:
    """Return a function that creates a built-in bot with this program."""
    numbers = count(1)

    def make(program: str) -> Player:
        bot = Bot.objects.create(name=f"{program} {next(numbers)}")
        version = BotVersion.objects.create(bot=bot, number=1, transport="built_in", program=program)
        return Player.objects.create(name=bot.name, bot_version=version)

    return make


@pytest.fixture
def deal() -> Deal:
    """Return a deal, which is always the same."""
    return Deal.objects.create(seed=bytes(range(32)))


@pytest.fixture
def grab(monkeypatch: pytest.MonkeyPatch) -> str:
    """Provide a kind in which all seats may act together."""
    monkeypatch.setitem(KINDS, "grab", kind_of(Grab()))
    monkeypatch.setattr(built_in_bots.RandomBot, "kinds", built_in_bots.RandomBot.kinds | {"grab", "wink"})
    return "grab"


@pytest.fixture
def wink(grab: str, monkeypatch: pytest.MonkeyPatch) -> Wink:
    """Provide the kind "wink", Grab with a secret. The test may set the seat `owner` before it opens a game."""
    rules = Wink()
    monkeypatch.setitem(KINDS, "wink", kind_of(rules))
    return rules


def at_once(*calls: Callable[[], T]) -> list[T | DomainError]:
    """Make calls at the same time, each on a separate connection. Return the results and errors."""
    together = Barrier(len(calls))

    def come(call: Callable[[], T]) -> T | DomainError:
        try:
            together.wait(timeout=60)
            return call()
        except DomainError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(come, calls))


def wait_for_waiter() -> None:
    """Wait until another connection to this database waits for a lock."""
    with connection.cursor() as cursor:
        until = monotonic() + 60
        while monotonic() < until:
            # Without this, a transaction always sees the connections of its first query.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
                "WHERE NOT granted AND datname = current_database()"
            )
            if cursor.fetchone()[0]:
                return
    pytest.fail("Nobody ever waited for the lock.")
