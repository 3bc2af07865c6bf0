"""Finds the version of a bot that an address names."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.models import Bot, BotVersion

VERSIONS_SHOWN: Final = 20


def find_version(found: Bot, number: str) -> BotVersion:
    """Return that version. Raises `DomainError` version_not_found (404)."""
    wanted = int(number) if number.isdecimal() and len(number) < 9 else 0
    version = found.versions.select_related("bot__owner", "player").filter(number=wanted).first()
    if version is None:
        raise version_not_found(found)
    return version


def version_not_found(bot: Bot) -> DomainError:
    """Return the error for a version that does not exist."""
    return DomainError(404, "version_not_found", _("{bot} has no such version.").format(bot=bot))


def chosen_version(bot: Bot, number: str) -> BotVersion | None:
    """Return the version with this number, by default the one that plays, or the newest. None if there is none; raises
    `DomainError` version_not_found (404)."""
    if number:
        return find_version(bot, number)
    versions = bot.versions.select_related("bot__owner", "player").order_by("-number")
    return versions.filter(pk=bot.plays_id or 0).first() or versions.first()


def version_numbers(bot: Bot) -> list[int]:
    """Return the numbers of a bot's latest versions, the newest first."""
    return list(bot.versions.order_by("-number").values_list("number", flat=True)[:VERSIONS_SHOWN])
