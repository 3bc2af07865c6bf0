"""Inbox items about people who ask to join a club or a season, or who are on a waiting list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.common.prepared import prepared
from tournaments.clubs.models import Club, JoinRequest
from tournaments.organiser.inbox_item import MAX_ITEMS_PER_TYPE, InboxItem, InboxScope
from tournaments.seasons.models import Entrant, Season

LIST_STATUSES: Final = (Entrant.Status.ASKED, Entrant.Status.WAITING, Entrant.Status.ALTERNATE)


def join_requests(clubs: Sequence[Club]) -> Iterator[InboxItem]:
    """Yield an item for each request to join a club. One query."""
    of_id = {club.pk: club for club in clubs}
    for asked in _open_requests(MAX_ITEMS_PER_TYPE, clubs=list(of_id)):
        why = _("Message: “{words}”").format(words=asked.words) if asked.words else _("Asks to join the club.")
        players = [asked.user.player] if hasattr(asked.user, "player") else []
        yield InboxItem("joins", None, of_id[asked.club_id], why, asked.created, players=players, request=asked)


@prepared
def _open_requests(count: int, *, clubs: list[int]) -> QuerySet[JoinRequest]:
    rows = JoinRequest.objects.filter(club__in=clubs, state=JoinRequest.State.OPEN)
    return rows.select_related("user__player__bot_version").order_by("created", "pk")[:count]


def entry_requests(scope: InboxScope) -> Iterator[InboxItem]:
    """Yield an item for each request to enter a season, and one for each waiting list."""
    waiting: dict[int, list[Entrant]] = {}
    for entrant in _on_lists(MAX_ITEMS_PER_TYPE, seasons=list(scope.seasons)):
        season = scope.seasons[entrant.season_id]
        if entrant.status != Entrant.Status.ASKED:
            waiting.setdefault(season.pk, []).append(entrant)
            continue
        due = season.starts_at if season.status == Season.Status.OPEN else None
        why = _("Asks to enter.") if due else _("Asks to enter; the season has already begun.")
        yield InboxItem(
            "asks", season, season.league.club, why, entrant.joined_at, due, [entrant.player], entrant=entrant
        )
    for pk, entrants in waiting.items():
        season = scope.seasons[pk]
        why = ngettext(
            "One player waits for a place. The first in line gets the next free place automatically.",
            "{n} players wait for a place. The first in line gets the next free place automatically.",
            len(entrants),
        ).format(n=len(entrants))
        players = [entrant.player for entrant in entrants]
        yield InboxItem("waiting", season, season.league.club, why, entrants[0].joined_at, players=players)


@prepared
def _on_lists(count: int, *, seasons: list[int]) -> QuerySet[Entrant]:
    rows = Entrant.objects.filter(season__in=seasons, status__in=LIST_STATUSES)
    return rows.select_related("player__bot_version__bot").order_by("joined_at", "number")[:count]
