"""What Django asks before it migrates or serves: whether this release can go on with the games that are on, and whether
the uid for bots is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import ProgrammingError
from django.db.models import Count

from games.kinds import UnknownKind, rules_for
from games.models import Game
from games.sandbox.supervisor import CannotStart, given_uid


@register(Tags.database)
def rules_are_known(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Every game that is being played has its rules here. `manage migrate` asks, before it changes anything."""
    if not databases or "default" not in databases:
        return []
    playing = Game.objects.filter(status=Game.Status.PLAYING)
    try:
        begun = list(playing.values_list("kind", "rules_version").annotate(n=Count("pk")).order_by("kind"))
    except ProgrammingError:  # there are no tables yet
        return []
    return [unknown_rules_error(kind, version, n) for kind, version, n in begun if not is_known(kind, version)]


def is_known(kind: str, version: int) -> bool:
    try:
        rules_for(kind, version)
    except UnknownKind:
        return False
    return True


def unknown_rules_error(kind: str, version: int, games: int) -> Error:
    return Error(
        f"{games} running games of {kind} use version {version} of the rules, which this release does not have.",
        hint="Go back to the release that began them, or to one that still has this version of the rules.",
        id="games.E001",
    )


@register()
def bots_have_a_uid(**_options: Any) -> list[CheckMessage]:
    """`SCOREBOOK_BOT_UID` is a uid that bots may have. The worker that starts them asks anew, and of accounts too."""
    try:
        given_uid()
    except CannotStart as refused:
        return [Error(f"{refused}.", id="games.E002")]
    return []
