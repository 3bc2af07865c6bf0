"""Checks which bots and owners may sit at a table together, and says so on pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.clocks.reckoning import time_control_of
from games.common.errors import DomainError
from games.models import Bot, Player
from scorebook_games.contract import OptionError

NEEDS_A_CLOCK: Final = gettext_lazy("A game with a remote bot needs a clock. Set seconds or days.")


def check_remote_bots(players: Sequence[Player], terms: Mapping[str, Any]) -> None:
    """Raise `OptionError` if a remote bot among `players` cannot play by `terms`, or sits there twice."""
    versions = [player.bot_version for player in players if player.bot_version and player.bot_version.is_remote]
    bots = [version.bot_id for version in versions]
    if len(set(bots)) < len(bots):
        raise OptionError("players", _("A remote bot can have only one seat in a game."))
    if versions and time_control_of(terms) is None:
        raise OptionError("move_seconds", str(NEEDS_A_CLOCK))


def needs_clock_for(player: Player, terms: Mapping[str, Any]) -> bool:
    """Return whether `player` is a remote bot and games with these `terms` have no clock."""
    version = player.bot_version
    return version is not None and version.is_remote and time_control_of(terms) is None


def check_own_bots(players: Sequence[Player]) -> None:
    """Raise `DomainError` own_bot (409) if a person and a bot of theirs would sit at a table that counts.

    The author of a bot may know what it holds.
    """
    for owner, bot in with_own_bots(players):
        sentence = _("{bot} is a bot of {owner}. They cannot play together in a rated game. Make the game unrated.")
        raise DomainError(409, "own_bot", sentence.format(bot=bot.name, owner=owner.name))


def with_own_bots(players: Sequence[Player]) -> list[tuple[Player, Player]]:
    """Return each person among `players` with each of their bots that sits there too.

    Uses one query, and none without both.
    """
    people = {player.user_id: player for player in players if player.user_id is not None}
    versions = [player.bot_version for player in players if player.bot_version]
    bots = {version.bot_id for version in versions if version.is_upload or version.is_remote}
    if not (people and bots):
        return []
    owners = dict(Bot.objects.filter(pk__in=bots, owner__in=people).values_list("pk", "owner"))
    return [
        (people[owners[player.bot_version.bot_id]], player)
        for player in players
        if player.bot_version and player.bot_version.bot_id in owners
    ]


def own_bot_text(players: Sequence[Player]) -> str:
    """Return what everybody should know of bots that sit with their owners; "" if none does."""
    sentence = _("{bot} is a bot of {owner}, who also plays here and may see its cards.")
    pairs = with_own_bots(players)
    return " ".join(sentence.format(bot=bot.name, owner=owner.name) for owner, bot in pairs)
