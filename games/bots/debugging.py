"""Leads authors of bots from a game to the lab, in which their program is asked again."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from games.bots import uploads
from games.models import BotVersion, Game
from games.visibility import observe


class DebugLink(NamedTuple):
    """The address of the lab with the version in a seat of a game, at its decisions. With `&at=` and a version of the
    game, it is that of one decision."""

    seat: int
    version: str
    address: str


def lab_address(version: BotVersion, game: Game, seat: int, *, at: int | None = None) -> str:
    """Return the address of the lab with a version at the decision of `seat` at version `at` of the game, or at all its
    decisions."""
    assert version.bot
    asked = {"bot": version.bot.name, "version": version.number, "game": game.public_id, "seat": seat}
    return f"{reverse('lab')}?{urlencode(asked if at is None else {**asked, 'at': at})}"


def debug_links(game: Game, user: observe.User) -> list[DebugLink]:
    """Return a link for each seat of a bot whose source `user` may read; none before the game is open to everybody. One
    query."""
    if user.pk is None or not observe.is_fully_open(game):
        return []
    seats = game.seats.filter(player__bot_version__bot__isnull=False).order_by("seat")
    found = [(each.seat, each.player.bot_version) for each in seats.select_related("player__bot_version__bot__owner")]
    return [
        DebugLink(seat, str(version), lab_address(version, game, seat))
        for seat, version in found
        if version and uploads.may_read_source(version, user)
    ]
