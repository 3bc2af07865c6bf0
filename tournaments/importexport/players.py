"""To whom the results of a file are given: members of the club, built-in bots and of members, else to a name that
is nobody's account."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils.translation import gettext as _

from games.accounts import names
from tournaments.clubs.models import Club
from tournaments.importexport.entrant_rows import (
    FileEntrant,
    MatchedEntrant,
    find_candidates,
    mark_duplicates,
    match_among,
    split_bot_name,
)


def attribute_rows(rows: Sequence[FileEntrant], club: Club) -> list[MatchedEntrant]:
    """For each row the player who gets its results; `made` where that will be a new one without an account. A row of
    somebody who is not of the club is never given to their account."""
    players = list(find_candidates(rows).filter(club_players(club)))
    return mark_duplicates(match_among(row, players) or _new_player_row(row) for row in rows)


def club_players(club: Club) -> Q:
    """Players to whom a club's organisers may give results: its members, their bots and those of the platform."""
    people = Q(user__memberships__club=club)
    own = Q(bot_version__bot__owner__memberships__club=club)
    return people | own | Q(bot_version__isnull=False, bot_version__bot__owner=None)


def _new_player_row(row: FileEntrant) -> MatchedEntrant:
    try:
        return MatchedEntrant(row, made=_new_player_name(row))
    except names.BadName as refused:
        return MatchedEntrant(row, problem=str(refused))


def _new_player_name(row: FileEntrant) -> str:
    """What somebody without an account is called. A name that the platform gives is left to those who have it. Raises
    `BadName`."""
    name, version = split_bot_name(row)
    new_name = f"{name} v{version}" if version and row.bot else row.name
    if names.RESERVED_NAME_PATTERN.fullmatch(" ".join(new_name.split())):
        return _("Entrant {n}").format(n=row.line)
    return names.clean_name(new_name)
