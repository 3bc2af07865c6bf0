"""To whom the results of a file are given: members of the club, bots of the house and of members, else to a name that
is nobody's account."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils.translation import gettext as _

from games.accounts import names
from tournaments.importexport.entrant_rows import Line, Row, bot_name, candidates, found_in, without_twins
from tournaments.models import Club


def attributed(rows: Sequence[Row], club: Club) -> list[Line]:
    """For each row the player who gets its results; `made` where that will be a new one without an account. A row of
    somebody who is not of the club is never given to their account."""
    players = list(candidates(rows).filter(of_club(club)))
    return without_twins(found_in(row, players) or _made(row) for row in rows)


def of_club(club: Club) -> Q:
    """Players to whom a club's organisers may give results: its members, their bots and those of the house."""
    people = Q(user__memberships__club=club)
    own = Q(bot_version__bot__owner__memberships__club=club)
    return people | own | Q(bot_version__isnull=False, bot_version__bot__owner=None)


def _made(row: Row) -> Line:
    try:
        return Line(row, made=_name(row))
    except names.BadName as refused:
        return Line(row, problem=str(refused))


def _name(row: Row) -> str:
    """What somebody without an account is called. A name that the house gives is left to those who have it. Raises
    `BadName`."""
    name, version = bot_name(row)
    told = f"{name} v{version}" if version and row.bot else row.name
    if names.KEPT.fullmatch(" ".join(told.split())):
        return _("Entrant {n}").format(n=row.line)
    return names.clean(told)
