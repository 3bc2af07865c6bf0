"""Finds the players who get the results of a file: members of the club, their bots and built-in bots. Everybody else
becomes a new player without an account."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from games.accounts import names
from tournaments.clubs.members import club_players
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
    """Return the player of each row; `made` is the name of a new player without an account. A person who is not a
    member of the club never gets results."""
    players = list(find_candidates(rows).filter(club_players(club)))
    return mark_duplicates(match_among(row, players) or new_player_row(row) for row in rows)


def new_player_row(row: FileEntrant) -> MatchedEntrant:
    try:
        return MatchedEntrant(row, made=_new_player_name(row))
    except names.BadName as refused:
        return MatchedEntrant(row, problem=str(refused))


def _new_player_name(row: FileEntrant) -> str:
    """Return the name of a new player without an account. A name that is reserved for the platform becomes “Entrant”
    and a number. Raises `BadName`."""
    name, version = split_bot_name(row)
    new_name = f"{name} v{version}" if version and row.bot else row.name
    if names.is_reserved(new_name):
        return _("Entrant {n}").format(n=row.line)
    return names.clean_name(new_name)
