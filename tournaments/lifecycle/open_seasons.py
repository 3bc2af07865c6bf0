"""Seasons that a player can enter or must check in for now, and what keeps them out of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from tournaments.clubs.permissions import listed_for, may_organise
from tournaments.entries import services as entries
from tournaments.entries.eligibility import check_bounds, check_players
from tournaments.lifecycle.setup import player_of_user
from tournaments.seasons.models import GOING_ON, Entrant, Season

MAX_OPEN_SEASONS: Final = 100  # seasons that are looked at
ENTER, CHECK_IN, NOTHING = "enter", "check_in", ""


@dataclass(frozen=True, slots=True)
class OpenSeason:
    """A season that takes entries, or in which you have a place or wait for one."""

    season: Season
    entry: str  # the status of one's own entry; "" if there is none
    todo: str  # what can be done now: ENTER, CHECK_IN or NOTHING
    words: str  # what to do next, or why there is nothing to do


def open_seasons(user: User | AnonymousUser) -> list[OpenSeason]:
    """Return the newest seasons that take entries, and those that the user's player is in: first those in which there
    is something to do. Raises `DomainError` no_player (409)."""
    player = player_of_user(user)
    own = {row.season_id: row for row in Entrant.objects.filter(player=player).exclude(status=Entrant.Status.OUT)}
    late = Q(settings__entry__late_rounds__gt=0) | Q(settings__entry__alternates=True)
    wanted = Q(status=Season.Status.OPEN) | Q(status__in=GOING_ON) & (late | Q(pk__in=own))
    there = Count("entries", filter=Q(entries__status=Entrant.Status.IN))
    rows = Season.objects.filter(wanted, league__club__in=listed_for(user)).select_related("league__club")
    found = []
    for season in rows.annotate(there=there).order_by("-pk")[:MAX_OPEN_SEASONS]:
        entrant = own.get(season.pk)
        entry = entrant.status if entrant else ""
        if entrant is not None and entry != Entrant.Status.INVITED:
            found.append(OpenSeason(season, entry, *_of_entrant(season, entrant)))
        elif season.status == Season.Status.OPEN or entries.accepts_late_entries(season):
            found.append(OpenSeason(season, entry, *_of_guest(season, player, user)))
    return sorted(found, key=lambda each: not each.todo)


def _of_entrant(season: Season, entrant: Entrant) -> tuple[str, str]:
    """Return what a player who is on a list of the season can do, and words for it."""
    if entrant.status == Entrant.Status.WITHDRAWN:
        return NOTHING, _("You have withdrawn from it and cannot enter it again.")
    if entrant.status == Entrant.Status.ASKED:
        return NOTHING, _("You have asked to enter. An organiser decides.")
    hours = season.settings["entry"]["check_in_hours"] if season.status == Season.Status.OPEN else 0
    if hours and entrant.checked_in_at is None:
        if clock.now() >= entries.check_in_opens_at(season):
            return CHECK_IN, _("Check in before it starts.")
        return NOTHING, _("You have entered. Check-in opens {hours} hours before the start.").format(hours=hours)
    if entrant.status != Entrant.Status.IN:
        return NOTHING, _("It is full. You wait for a place.")
    return NOTHING, _("You play in it. Your games begin when its rounds do.")


def _of_guest(season: Season, player: Player, user: Any) -> tuple[str, str]:
    """Return whether a player who is not in the season can enter it, and words for it."""
    organises = may_organise(user, season.league.club)
    try:
        if season.competition.by_teams:
            raise DomainError(409, "teams_only", _("Teams play in {held}.").format(held=season))
        check_players(season, [player])
        check_bounds(season, player, by_organiser=organises)
        if season.status != Season.Status.OPEN:
            entries.check_pool(season, player)
    except DomainError as error:
        return NOTHING, error.sentence
    if season.settings["entry"]["invited_only"] and not organises:
        return ENTER, _("Ask to enter. An organiser decides.")
    most = season.rules().max_entrants
    if most is not None and season.there >= most:  # type: ignore[attr-defined]  # counted above
        return ENTER, _("It is full. Enter it to wait for a place.")
    return ENTER, _("You can enter it.")
