"""The cast: Martha, Laura, Otto and Ines are people; house bots go by the name of their program."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest
from django.contrib.auth.models import User

from games.kinds import KINDS
from games.models import Bot, BotVersion, Deal, Player
from tests.games.grab import Grab

Person = Callable[[str], Player]
House = Callable[[str], Player]


@pytest.fixture
def person() -> Person:
    """Make a person with that name, who can log in."""
    return lambda name: Player.objects.create(name=name, user=User.objects.create_user(name.lower()))


@pytest.fixture
def house() -> House:
    """Make a house bot that runs that program."""
    numbers = count(1)

    def make(program: str) -> Player:
        bot = Bot.objects.create(name=f"{program} {next(numbers)}")
        version = BotVersion.objects.create(bot=bot, number=1, transport="house", program=program)
        return Player.objects.create(name=bot.name, bot_version=version)

    return make


@pytest.fixture
def deal() -> Deal:
    """Always the same deal."""
    return Deal.objects.create(seed=bytes(range(32)))


@pytest.fixture
def grab(monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of a game in which all seats may act at once."""
    monkeypatch.setitem(KINDS, "grab", Grab())
    return "grab"
