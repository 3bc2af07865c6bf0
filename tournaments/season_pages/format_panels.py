"""What the season's page shows of some formats or some seasons alone: the matches that are on where there are no rounds
to wait for, and who is on a list or has withdrawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Window
from django.db.models.functions import RowNumber
from django.utils.translation import gettext_lazy

from tournaments.entries.ladder_selectors import ladder_sheet, lost_places, rule_words
from tournaments.formats import BRACKETS, FORMATS
from tournaments.matches.bracket import bracket_sheet
from tournaments.matches.rows import MatchLine, lines_of, matches
from tournaments.models import Division, Entrant, Round, Season
from tournaments.seasons.stream import folded_season

MOST_ON = 50  # matches that are on, as one list shows them
MOST_NAMED = 60  # entrants of one state
STATES: dict[str, Any] = {
    Entrant.Status.ASKED: gettext_lazy("Ask to be let in"),
    Entrant.Status.WAITING: gettext_lazy("On the waiting list"),
    Entrant.Status.ALTERNATE: gettext_lazy("Alternates, for places that become free"),
    Entrant.Status.WITHDRAWN: gettext_lazy("Withdrawn"),
}


def of_format(season: Season, division: Division, part: str, viewer: User | AnonymousUser) -> dict[str, Any]:
    """What the season's format alone has, as far as `part` of the page (all of it: "") shows it: `bracket`, `ladder`
    with whether there are buttons on it for the viewer and what it says of refusing, and `now`, the matches that are on
    without rounds."""
    context: dict[str, Any] = {}
    if part in ("", "now"):
        context["now"] = on_now(season, division)
    if part in ("", "bracket", "ladder") and season.format in (*BRACKETS, "ladder"):
        folded = folded_season(season)
        context["bracket"] = bracket_sheet(folded, division)
        context["ladder"] = rungs = ladder_sheet(folded, division, viewer)
        context["rung_buttons"] = any(rung.open_to_me or rung.asks_me or rung.asked_by_me for rung in rungs)
        context["ladder_rule"] = rule_words(folded) if rungs else ""
    return context


def lost_of(season: Season, division: Division, row: str) -> list[Any]:
    """What the entrant of an opened row of the standings has lost on a ladder by refusing, each in words."""
    if season.format != "ladder" or not (row.isascii() and row.isdecimal() and len(row) < 6):
        return []
    return lost_places(folded_season(season), division, int(row))


def on_now(season: Season, division: Division) -> list[MatchLine] | None:
    """The matches that are on, in the order of pairing; None where rounds are played one after the other. Three
    queries, four where some came in a file."""
    if not FORMATS[season.format].continuous:
        return None
    open_ones = matches().filter(round__division=division, round__status=Round.Status.OPEN, finished_at=None)
    return lines_of(list(open_ones.order_by("pk")[:MOST_ON]))


@dataclass(frozen=True, slots=True)
class Listed:
    """Entrants of one state, the first `MOST_NAMED` by name, and how many more there are."""

    status: str
    title: str
    entrants: list[Entrant]
    more: int


def lists(season: Season) -> list[Listed]:
    """Who is not simply in: on a list, or withdrawn. One query, two where there is anybody."""
    others = season.entries.filter(status__in=STATES)
    counts = dict(others.order_by().values_list("status").annotate(n=Count("pk")))
    if not counts:
        return []
    rank = Window(RowNumber(), partition_by="status", order_by="number")
    named = others.annotate(rank=rank).filter(rank__lte=MOST_NAMED).select_related("player__bot_version")
    of: dict[str, list[Entrant]] = {status: [] for status in STATES}
    for entrant in named.order_by("number"):
        of[entrant.status].append(entrant)
    return [
        Listed(status, str(STATES[status]), found, counts[status] - len(found)) for status, found in of.items() if found
    ]
