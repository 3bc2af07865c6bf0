"""Access to the pages below a club: for viewers who may not see the club, they do not exist (404)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from tournaments.clubs.permissions import closed_to

View = Callable[..., HttpResponse]


def members_only(view: View) -> View:
    """Decorate `view` so that it answers 404 unless the viewer may see the club named by the address, by `club` (a
    slug) or `match_id`. What is of a private club is an answer for its reader alone."""

    @wraps(view)
    def gated(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        private = private_club(kwargs)
        if private is not None and closed_to(request.user).filter(pk=private).exists():
            raise Http404(_("There is nothing at this address."))
        response = view(request, *args, **kwargs)
        if private is not None:
            response.for_everybody = False  # type: ignore[attr-defined]  # `games.common.for_everybody`
        return response

    return gated


# Asked by each page below a club, so it is SQL: Django would take longer to write it.
_PRIVATE_CLUB: Final = "SELECT id FROM clubs_club WHERE visibility = 'private' AND slug = %s"
_PRIVATE_CLUB_OF_MATCH: Final = """
    SELECT club.id FROM seasons_match played
    JOIN seasons_round round ON round.id = played.round_id
    JOIN seasons_division division ON division.id = round.division_id
    JOIN seasons_season season ON season.id = division.season_id
    JOIN seasons_league league ON league.id = season.league_id
    JOIN clubs_club club ON club.id = league.club_id
    WHERE played.id = %s AND club.visibility = 'private'
"""


def private_club(named: dict[str, Any]) -> int | None:
    """Return the id of the private club to which the address belongs; None if there is none."""
    if "club" in named:
        return find_private(_PRIVATE_CLUB, named["club"])
    return find_private(_PRIVATE_CLUB_OF_MATCH, named["match_id"]) if "match_id" in named else None


def find_private(statement: str, key: int | str) -> int | None:
    """Return the id of a private club that a statement finds; None for a public one, and for none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [key])
        row = cursor.fetchone()
    return row and int(row[0])
