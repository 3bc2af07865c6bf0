"""Two bots get the same name at the same moment, after both checks have found it free."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connections

from games.accounts import people
from games.accounts.models import ReservedName
from games.bots import uploads
from games.bots.remote import services as remote
from games.common.errors import DomainError
from games.models import Bot, Player
from games.moderation import sanctions
from tests.games.moderation.conftest import Join

pytestmark = pytest.mark.django_db(transaction=True)


def together(monkeypatch: pytest.MonkeyPatch, acts: Sequence[Callable[[], object]]) -> list[str]:
    """Run `acts` at the same time. None stores a bot before all have found the name free. Return the results."""
    found, shown = threading.Barrier(len(acts)), []
    saved = uploads.save_bot

    def at_once(bot: Bot) -> Bot:
        found.wait(60)
        return saved(bot)

    def run(act: Callable[[], object]) -> None:
        try:
            act()
            shown.append("done")
        except DomainError as error:
            shown.append(f"{error.status} {error.code}")
        finally:
            connections.close_all()

    monkeypatch.setattr(uploads, "save_bot", at_once)
    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(shown)


def test_of_two_bots_that_are_renamed_to_one_name_one_gets_it(
    martha: User, laura: User, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [remote.create_bot(owner=martha, name="Puffin"), remote.create_bot(owner=laura, name="Gannet")]
    acts = [partial(sanctions.rename_bot, bot=bot, by=ada, to="Heron") for bot in bots]

    assert together(monkeypatch, acts) == ["409 name_taken", "done"]
    assert Bot.objects.filter(name="Heron").count() == 1
    assert Player.objects.filter(bot_version__bot__name="Heron").get().name == "Heron"
    assert ReservedName.objects.count() == 1  # only the old name of the renamed bot


def test_of_two_that_are_made_under_one_name_one_is(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    authors = [join("Dora"), join("Emil")]
    acts = [partial(uploads.new_bot, owner=author, name="Heron") for author in authors]

    assert together(monkeypatch, acts) == ["409 name_taken", "done"]
    assert people.player_of_user(authors[0])
