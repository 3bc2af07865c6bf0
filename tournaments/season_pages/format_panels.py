"""Parts of a season's page that only some seasons have: brackets, ladders, matches in play without rounds, and lists of
entrants. Also the hall view, which shows a round or the matches in play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404
from django.utils.translation import gettext_lazy

from games.common.page_pagination import Page
from games.common.prepared import prepared
from tournaments.entries.ladder_selectors import ladder_rows, lost_places, refusal_rule_text
from tournaments.formats import FORMATS
from tournaments.matches.boards import TeamBoards, team_boards
from tournaments.matches.bracket import bracket_sections
from tournaments.matches.rows import MatchRow, build_match_rows, matches_for_rows
from tournaments.seasons.models import Bye, Division, Entrant, Match, Round, Season
from tournaments.seasons.stream import fold_season

MAX_MATCHES_IN_PLAY = 50  # matches in play that a list shows
HALL_MATCHES_PER_PAGE = 8  # matches on a screen of the hall view
HALL_TEAM_MATCHES_PER_PAGE = 4  # of teams, with their boards
MAX_ENTRANTS_NAMED = 60  # entrants of one state
ENTRANT_STATUS_LABELS: dict[str, Any] = {
    Entrant.Status.ASKED: gettext_lazy("Asking to enter"),
    Entrant.Status.WAITING: gettext_lazy("On the waiting list"),
    Entrant.Status.ALTERNATE: gettext_lazy("Alternates, waiting for a free place"),
    Entrant.Status.WITHDRAWN: gettext_lazy("Withdrawn"),
}


def format_context(season: Season, division: Division, part: str, viewer: User | AnonymousUser) -> dict[str, Any]:
    """Return the parts of the page that depend on the format, as far as `part` ("" for the whole page) shows them:
    `bracket`; `ladder` with `rung_buttons` and `ladder_rule`; and `now`, the matches in play of formats without
    rounds."""
    context: dict[str, Any] = {}
    if part in ("", "now"):
        context["now"] = matches_under_way(season, division)
    if part in ("", "bracket", "ladder") and (season.competition.eliminates or season.competition.by_challenge):
        folded = fold_season(season)
        context["bracket"] = bracket_sections(folded, division)
        context["ladder"] = rungs = ladder_rows(folded, division, viewer)
        context["rung_buttons"] = any(rung.open_to_me or rung.asks_me or rung.asked_by_me for rung in rungs)
        context["ladder_rule"] = refusal_rule_text(folded) if rungs else ""
    return context


def lost_place_texts(season: Season, division: Division, row: str) -> list[Any]:
    """Return the places that the entrant of an opened standings row lost on a ladder by refusing challenges, as
    texts."""
    if not season.competition.by_challenge or not (row.isascii() and row.isdecimal() and len(row) < 6):
        return []
    return lost_places(fold_season(season), division, int(row))


def matches_under_way(season: Season, division: Division) -> list[MatchRow] | None:
    """Return the matches in play, in the order of pairing; None in formats with rounds. Three queries, four with
    imported games."""
    if not season.competition.continuous:
        return None
    open_ones = matches_for_rows().filter(round__division=division, round__status=Round.Status.OPEN, finished_at=None)
    return build_match_rows(list(open_ones.order_by("pk")[:MAX_MATCHES_IN_PLAY]))


@dataclass(frozen=True, slots=True)
class HallPage:
    """A screen of the hall view. `byes` stand on the last page; `following` is the page that follows, None for the
    first one; `boards`: match → its boards, in seasons of teams."""

    page: Page[MatchRow]
    byes: list[Bye]
    following: int | None
    boards: dict[int, TeamBoards]


def hall_size(format: str) -> int:
    """Return the number of matches on a screen of the hall view."""
    return HALL_TEAM_MATCHES_PER_PAGE if FORMATS[format].by_teams else HALL_MATCHES_PER_PAGE


def hall_page(season: Season, division: Division, latest: Round | None, number: str) -> HallPage:
    """Return page `number` of the latest round, or of the matches in play; the first one if there are fewer pages by
    now. Four queries, and five for the boards of teams."""
    if season.competition.continuous:
        matches = matches_for_rows().filter(round__division=division, round__status=Round.Status.OPEN, finished_at=None)
        matches = matches.order_by("pk")
    else:
        matches = latest.matches.all() if latest else Match.objects.none()
    size = hall_size(season.format)
    try:
        page = Page.of(matches, number, size)
    except Http404:
        page = Page.of(matches, "", size)
    byes = [] if page.more or latest is None else list(latest.byes.select_related("entrant__player__bot_version"))
    lines = build_match_rows(page.items)
    boards = team_boards(season, [line.match.pk for line in lines])
    return HallPage(Page(lines, page.number, page.more), byes, page.number + 1 if page.more else None, boards)


@dataclass(frozen=True, slots=True)
class EntrantList:
    """Entrants of one status: the first `MAX_ENTRANTS_NAMED`, and the number of the others."""

    status: str
    title: str
    entrants: list[Entrant]
    more: int


@prepared
def _counts_of_others(*, season: int) -> QuerySet[Entrant, tuple[str, int]]:
    others = Entrant.objects.filter(season=season, status__in=ENTRANT_STATUS_LABELS).order_by()
    return others.values_list("status").annotate(n=Count("pk"))


def entrant_lists(season: Season) -> list[EntrantList]:
    """Return the entrants who are on a list or have withdrawn. One query, or two if there are any."""
    others = season.entries.filter(status__in=ENTRANT_STATUS_LABELS)
    counts = dict(_counts_of_others(season=season.pk))
    if not counts:
        return []
    rank = Window(RowNumber(), partition_by="status", order_by="number")
    named = others.annotate(rank=rank).filter(rank__lte=MAX_ENTRANTS_NAMED).select_related("player__bot_version")
    of: dict[str, list[Entrant]] = {status: [] for status in ENTRANT_STATUS_LABELS}
    for entrant in named.order_by("number"):
        of[entrant.status].append(entrant)
    return [
        EntrantList(status, str(ENTRANT_STATUS_LABELS[status]), found, counts[status] - len(found))
        for status, found in of.items()
        if found
    ]
