"""Authors and their bots: real files in the real sandbox."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from games.bots import time_slices, uploads
from games.bots.admission import checks as admission_checks
from games.models import Bot, BotVersion, Player

FIRST = """
class Bot:
    kinds = ("chinese_ten",)

    def move(self, view, legal):
        return legal[0]
"""
Author = Callable[[str], User]
Upload = Callable[..., BotVersion]


@pytest.fixture
def small_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use four games instead of thirty, which take most of the time of an admission. Only `petrel` of `test_admission`
    plays all."""
    monkeypatch.setattr(admission_checks, "PANEL_DEALS", {"random": 1, "sensible": 1})


@pytest.fixture
def author() -> Author:
    """Return a function that creates an author with a player."""

    def make(name: str) -> User:
        user = User.objects.create_user(name.lower())
        Player.objects.create(name=name, user=user)
        return user

    return make


@pytest.fixture
def dotty(author: Author) -> User:
    return author("Dotty")


@pytest.fixture
def upload(dotty: User, small_panel: None) -> Upload:
    """Return a function that uploads a source as the next version of Dotty's bot with this name."""

    def make(source: str = FIRST, name: str = "Gannet") -> BotVersion:
        bot = Bot.objects.filter(name=name).first() or uploads.new_bot(owner=dotty, name=name)
        return uploads.upload_version(bot=bot, data=source.encode())

    return make


def through(version: BotVersion) -> BotVersion:
    """Let a worker do all pending work, such as admissions, and return the version."""
    time_slices.play_time_slices("sandbox 1", budget_seconds=600)
    version.refresh_from_db()
    return version


@pytest.fixture
def passed(upload: Upload) -> Upload:
    """Return a function that uploads a source and lets it go through admission."""
    return lambda *given, **named: through(upload(*given, **named))
