"""What the season's page shows of some formats or some seasons alone: the ladder as it stands, the matches that are on
where there are no rounds to wait for, and who is on a list or has withdrawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext_lazy

from games.models import Player
from tournaments.bracket_sheet import bracket_sheet
from tournaments.fold import SeasonFold
from tournaments.formats import BRACKETS, FORMATS
from tournaments.formats.ladder import Ladder, in_play
from tournaments.lines import MatchLine, match_line, matches
from tournaments.models import Division, Entrant, Round, Season
from tournaments.standings import points_of
from tournaments.stream import folded_season

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
    with whether the viewer `may_challenge` anybody, and `now`, the matches that are on without rounds."""
    context: dict[str, Any] = {}
    if part in ("", "now"):
        context["now"] = on_now(season, division)
    if part in ("", "bracket", "ladder") and season.format in (*BRACKETS, "ladder"):
        folded = folded_season(season)
        context["bracket"] = bracket_sheet(folded, division)
        context["ladder"] = rungs = ladder_sheet(folded, division, viewer)
        context["may_challenge"] = any(rung.open_to_me for rung in rungs)
    return context


@dataclass(frozen=True, slots=True)
class Rung:
    """A place of a ladder: who stands there as which entrant, whether in a match now, whom they have challenged and
    wait for, and whether the viewer may challenge them."""

    place: int
    entrant: int
    player: Player
    playing: bool
    challenged: Player | None
    open_to_me: bool


def ladder_sheet(folded: SeasonFold, division: Division, viewer: User | AnonymousUser | None = None) -> list[Rung]:
    """A division's ladder from the top, as `viewer` sees it; [] before the start and for other formats. One query."""
    format = folded.format()
    if not isinstance(format, Ladder) or folded.seed is None:
        return []
    own = folded.division(division.number)
    history = own.results()
    rungs = format.rungs(sorted(own.entrants), history, folded.format_options(own))
    players = players_of(division)
    playing, waiting = in_play(history), dict(own.challenges)
    mine = _own_entrant(players, viewer) if division.season.status == Season.Status.RUNNING else None
    asked = waiting.get(mine or 0)
    return [
        Rung(
            place,
            entrant,
            players[entrant],
            entrant in playing,
            players.get(waiting.get(entrant, 0)),
            mine in rungs.order and entrant != asked and rungs.refuses(mine or 0, entrant) is None,
        )
        for place, entrant in enumerate(rungs.order, start=1)
    ]


def _own_entrant(players: Mapping[int, Player], viewer: User | AnonymousUser | None) -> int | None:
    """As which of these entrants somebody plays themselves."""
    own = getattr(viewer, "player", None)
    return next((entrant for entrant, player in players.items() if player == own), None)


def players_of(division: Division) -> Mapping[int, Player]:
    """Entrant → player of a division. One query."""
    entrants = Entrant.objects.filter(division=division).select_related("player__bot_version")
    return {entrant.number: entrant.player for entrant in entrants}


def on_now(season: Season, division: Division) -> list[MatchLine] | None:
    """The matches that are on, in the order of pairing; None where rounds are played one after the other. Five
    queries."""
    if not FORMATS[season.format].continuous:
        return None
    points = points_of(season.points)
    open_ones = matches().filter(round__division=division, round__status=Round.Status.OPEN, finished_at=None)
    return [match_line(match, points) for match in open_ones.order_by("pk")[:MOST_ON]]


@dataclass(frozen=True, slots=True)
class Listed:
    """Entrants of one state, the first `MOST_NAMED` by name, and how many more there are."""

    status: str
    title: str
    entrants: list[Entrant]
    more: int


def lists(season: Season) -> list[Listed]:
    """Who is not simply in: on a list, or withdrawn. One query."""
    others = season.entries.filter(status__in=STATES).select_related("player__bot_version").order_by("number")
    of: dict[str, list[Entrant]] = {status: [] for status in STATES}
    for entrant in others:
        of[entrant.status].append(entrant)
    return [
        Listed(status, str(STATES[status]), found[:MOST_NAMED], max(0, len(found) - MOST_NAMED))
        for status, found in of.items()
        if found
    ]
