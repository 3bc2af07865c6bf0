"""Django checks: can all kinds be used, are the rules of running games known, and is the bots' uid valid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import ProgrammingError
from django.db.models import Count

from games.models import Game
from games.sandbox.supervisor import CannotStart, given_uid
from scorebook_games.registry import KINDS, VARIABLE, UnknownKind, broken_of_named, rules_for


@register(Tags.database)
def rules_are_known(databases: Sequence[str] | None = None, **_options: Any) -> list[CheckMessage]:
    """Check that the rules of every running game exist here. `manage migrate` asks this before it changes anything."""
    if not databases or "default" not in databases:
        return []
    playing = Game.objects.filter(status=Game.Status.PLAYING)
    try:
        begun = list(playing.values_list("kind", "rules_version").annotate(n=Count("pk")).order_by("kind"))
    except ProgrammingError:  # there are no tables yet
        return []
    return [
        unknown_rules_error(kind, version, n) if kind in KINDS else missing_kind_warning(kind, n)
        for kind, version, n in begun
        if not is_known(kind, version)
    ]


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


def missing_kind_warning(kind: str, games: int) -> Warning:
    return Warning(
        f"{games} running games are of the kind {kind}, which is not installed here. They stand still.",
        hint=f"Install its package again, and name it in {VARIABLE}.",
        id="games.W001",
    )


@register()
def kinds_are_loaded(**_options: Any) -> list[CheckMessage]:
    """Warn of each kind that was left out. This stops no process, because the other kinds can be played."""
    return [Warning(sentence, id="games.W002") for sentence in KINDS.broken.values()]


@register(deploy=True)
def named_kinds_are_loaded(**_options: Any) -> list[CheckMessage]:
    """Check before a deployment that every kind of SCOREBOOK_KINDS can be used."""
    return [Error(sentence, id="games.E003") for sentence in broken_of_named().values()]


@register()
def bots_have_a_uid(**_options: Any) -> list[CheckMessage]:
    """Check that `SCOREBOOK_BOT_UID` is a uid for bots.

    The worker that starts them checks again, also against accounts.
    """
    try:
        given_uid()
    except CannotStart as refused:
        return [Error(f"{refused}.", id="games.E002")]
    return []
