"""The signed links of emails by which a person says, without login, in which rounds they can play.

A link names one entry and its person. It opens a page; only the button on that page changes something.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.core import signing
from django.urls import reverse

from games.common.errors import DomainError
from tournaments.entries.availability import check_may_answer
from tournaments.entries.services import person_behind
from tournaments.seasons.models import Entrant

SALT: Final = "tournaments.entries.availability"
LINK_MAX_AGE: Final = timedelta(days=45)


class LinkState(StrEnum):
    """What became of a link: it is used as long as the entrant can be paired."""

    GOOD = "good"
    OLD = "old"
    CLOSED = "over"


def link_token(entrant: Entrant) -> str:
    """Return the token of the entrant's link."""
    return signing.dumps([entrant.pk, person_behind(entrant.player)], salt=SALT)


def link_address(entrant: Entrant, query: str = "") -> str:
    """Return the whole address of the entrant's link."""
    address = settings.SCOREBOOK_BASE_URL + reverse("availability-link", args=[link_token(entrant)])
    return f"{address}?{query}" if query else address


def read_link(token: str) -> tuple[Entrant, LinkState] | None:
    """Return the entrant of a token and what became of it; None for one that we did not sign, and if the person, the
    season or the entry is gone or another person's."""
    try:
        pk, user = signing.loads(token, salt=SALT)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    related = ("season__league__club", "season__stream", "division", "player__user", "player__bot_version__bot__owner")
    entrant = Entrant.objects.select_related(*related).filter(pk=pk).first()
    if entrant is None or user is None or person_behind(entrant.player) != user:
        return None
    bot = entrant.player.bot_version.bot if entrant.player.bot_version else None
    person = bot.owner if bot else entrant.player.user
    if person is None or not person.is_active:
        return None
    entrant.division.season = entrant.season
    return entrant, _state(token, entrant)


def _state(token: str, entrant: Entrant) -> LinkState:
    try:
        signing.loads(token, salt=SALT, max_age=LINK_MAX_AGE)
        check_may_answer(entrant)
    except signing.SignatureExpired:
        return LinkState.OLD
    except DomainError:
        return LinkState.CLOSED
    return LinkState.GOOD
