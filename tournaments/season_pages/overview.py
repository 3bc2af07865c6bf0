"""The parts of a season's pages: head, round, standings, entries, timeline.

Each function makes a fixed number of queries, whatever the size of the season, and returns what its template prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from games.common.page_pagination import Page
from games.common.prepared import first_row, prepared
from games.models import Player
from scorebook_games.registry import KINDS
from tournaments.activity import describe, timeline
from tournaments.calendar.timetable import planned_rounds
from tournaments.clubs.permissions import may_organise
from tournaments.lifecycle.setup import enterable_versions
from tournaments.matches.boards import BoardLine, TeamBoards, team_boards
from tournaments.matches.pairing_basis import PairingBasis, goes_by_points, pairing_basis
from tournaments.matches.rows import MatchRow, build_match_rows
from tournaments.scoring.explanations import NEIGHBOUR
from tournaments.scoring.points import PointsSystem, parse_points_system
from tournaments.scoring.tie_breaks import TIE_BREAKS, TieBreak, tie_break_name
from tournaments.seasons.models import Bye, Division, Entrant, Match, Round, Season
from tournaments.seasons.selectors import playing
from tournaments.standings.luck import PointsWithoutLuck, figure_text, points_without_luck, shows_luck
from tournaments.standings.models import Standing

MATCHES_PER_PAGE = 25
ROWS_PER_PAGE = 50
ROUNDS_PER_PAGE = 20
ENTRANTS_PER_PAGE = 100
RECENT_RESULTS_SHOWN = 10  # results shown in a row of the standings
LEADING_ROWS_SHOWN = 5  # rows of the standings on the overview
LEADERS_NAMED = 3  # entrants in the first place who are named at the top
TIE_BREAK_COLUMNS_SHOWN = 3  # tie-breaks shown in a row of the standings


@dataclass(frozen=True, slots=True)
class SeasonHead:
    """The facts at the top of a season's page. `total` rounds are planned, 0 if unknown; `opens` is when the next one
    may open."""

    people: int
    bots: int
    total: int
    latest: Round | None
    finished: int
    matches: int
    opens: datetime | None
    leaders: list[Standing]

    @property
    def entrants(self) -> int:
        return self.people + self.bots


def find_season(club: str, league: str, season: str) -> Season:
    """Return the season at this address. Raises Http404."""
    matching = first_row(_season_at(club=club, league=league, season=season))
    if matching is None:
        raise Http404(_("There is no such season."))
    return matching


@prepared
def _season_at(*, club: str, league: str, season: str) -> QuerySet[Season]:
    found = Season.objects.select_related("league__club", "stream")
    return found.filter(league__club__slug=club, league__slug=league, slug=season)[:1]


def find_division(season: Season, number: str) -> tuple[Division, list[Division]]:
    """Return the division with this number, or the first one if it is "", and all divisions. Raises Http404."""
    divisions = list(_divisions_of(season=season.pk))
    for division in divisions:
        division.season = season
    chosen = next((division for division in divisions if not number or str(division.number) == number), None)
    if chosen is None:
        raise Http404(_("There is no such division."))
    return chosen, divisions


@prepared
def _divisions_of(*, season: int) -> QuerySet[Division]:
    return Division.objects.filter(season=season)


def find_round(division: Division, number: str) -> Round | None:
    """Return the round with this number, or the latest one if it is ""; None before the first. Raises Http404."""
    if not number:
        found = first_row(_rounds_of(0, 1, division=division.pk))
    else:
        known = number.isdecimal() and len(number) < 5
        found = first_row(_round_numbered(division=division.pk, number=int(number))) if known else None
        if found is None:
            raise Http404(_("There is no such round."))
    if found is not None:
        found.division = division
    return found


@prepared
def _rounds_of(begin: int, end: int, *, division: int) -> QuerySet[Round]:
    return round_counts(division).order_by("-number")[begin:end]


@prepared
def _round_numbered(*, division: int, number: int) -> QuerySet[Round]:
    return round_counts(division).filter(number=number)[:1]


def round_counts(division: int) -> QuerySet[Round]:
    """Return a division's rounds with the numbers of matches (`tables`, the highest table number) and of finished ones
    (`played`)."""
    matches = Match.objects.filter(round=OuterRef("pk"))
    last = Subquery(matches.order_by("-table").values("table")[:1])
    on = matches.filter(finished_at=None).order_by().values("round").annotate(n=Count("pk")).values("n")
    tables = Coalesce(last, 0)
    return Round.objects.filter(division=division).annotate(tables=tables, played=tables - Coalesce(Subquery(on), 0))


def season_head(season: Season, division: Division, latest: Round | None) -> SeasonHead:
    """Return the facts at the top of a season's page; `latest` is from `find_round`."""
    everybody, bots = (playing(some, division=division.pk).count() for some in ("everybody", "bots"))
    total = 0
    if everybody >= season.table_size:
        total = season.competition.rounds(everybody, season.table_size, season.settings["format_options"]) or 0
    division.season = season
    coming = planned_rounds(division, everybody)
    first = [row for row in _first_rows(LEADERS_NAMED, division=division.pk) if row.place == 1]
    return SeasonHead(
        people=everybody - bots,
        bots=bots,
        total=total,
        latest=latest,
        finished=getattr(latest, "played", 0),
        matches=getattr(latest, "tables", 0),
        opens=coming[0][1] if coming else None,
        leaders=[row for row in first if not row.still_in],
    )


@prepared
def _first_rows(count: int, *, division: int) -> QuerySet[Standing]:
    rows = Standing.objects.filter(division=division, position__lte=count)
    return rows.select_related("entrant__player__bot_version")


@dataclass(frozen=True, slots=True)
class Registration:
    """The entrants of a season that is open for entries: `count` in all, `lacking` those still needed to start. `bots`
    are the viewer's bot versions that could enter."""

    page: Page[Entrant]
    count: int
    lacking: int
    may_join: bool
    may_organise: bool
    bots: list[Player]
    by_teams: bool = False


def registration(season: Season, division: Division, viewer: User | AnonymousUser, number: str) -> Registration | None:
    """Return page `number` of a season's entrants; None once it has started. Six queries."""
    if season.status != Season.Status.OPEN:
        return None
    entrants = division.entrants.filter(status=Entrant.Status.IN)
    player, count = getattr(viewer, "player", None), entrants.count()
    by_teams = season.competition.by_teams
    there = season.entries.exclude(status=Entrant.Status.OUT)
    organises = may_organise(viewer, season.league.club)
    inside = (
        there.filter(members__player=player, members__order__isnull=False) if by_teams else there.filter(player=player)
    )
    return Registration(
        page=Page.of(entrants.select_related("player__bot_version"), number, ENTRANTS_PER_PAGE),
        count=count,
        lacking=max(0, season.table_size - count),
        may_join=player is not None and (not inside.exists() or (by_teams and organises)),
        may_organise=organises,
        bots=[] if by_teams else enterable_versions(season, viewer),
        by_teams=by_teams,
    )


@dataclass(frozen=True, slots=True)
class RoundPage:
    """A round with its matches and byes. `live`: whether it is open. The reason of the pairing `opened` (the id of a
    match, minus the id of a bye, or 0) is unfolded, with its `basis` if points decide the pairings of the round.
    `boards`: match → its boards, in seasons of teams. Beside a bye
    are its points; None if they follow from the scores of others."""

    round: Round
    page: Page[MatchRow]
    byes: list[tuple[int, Bye, Fraction | None]]
    live: bool
    opened: int
    basis: PairingBasis | None
    boards: dict[int, TeamBoards]


def round_page(shown: Round, number: str, opened: str = "") -> RoundPage:
    """Return page `number` of a round's matches, with the reason of the pairing `opened`. Five queries, three more for
    the figures behind the reason, and five for the boards of teams."""
    page = Page.of_slice(partial(matches_of_round, round=shown.pk), number, MATCHES_PER_PAGE)
    for match in page.items:
        match.round = shown
    lines = build_match_rows(page.items)
    points = parse_points_system(shown.division.season.points)
    byes = [(-bye.pk, bye, points_of_bye(points, bye.kind)) for bye in _byes_of(round=shown.pk)]
    for _key, bye, _points in byes:
        bye.round = shown
    tables = {line.match.pk: [side.entrant for side in line.entrants] for line in lines}
    tables |= {key: [bye.entrant] for key, bye, _points in byes}
    key = next((key for key in tables if str(key) == opened), 0)
    return RoundPage(
        round=shown,
        page=Page(lines, page.number, page.more),
        byes=byes,
        live=shown.status == Round.Status.OPEN,
        opened=key,
        basis=pairing_basis(shown, tables[key]) if key and goes_by_points(shown) else None,
        boards=team_boards(shown.division.season, [line.match.pk for line in lines]),
    )


def points_of_bye(system: PointsSystem, kind: str) -> Fraction | None:
    """Return what a round without a match is worth; None if the scores of others decide."""
    if system.by_score:
        return None
    away = system.away
    worth = {Bye.Kind.AWAY: away, Bye.Kind.UNPAID: min(away, Fraction(0)), Bye.Kind.WALKOVER: system.walkover}
    return worth.get(Bye.Kind(kind), system.bye)


@prepared
def matches_of_round(begin: int, end: int, *, round: int) -> QuerySet[Match]:
    """Return the matches of a round from one place to another."""
    return Match.objects.filter(round=round)[begin:end]


@prepared
def _byes_of(*, round: int) -> QuerySet[Bye]:
    resting = Bye.objects.filter(round=round).select_related("entrant__player__bot_version", "entrant__standing")
    return resting.defer("entrant__standing__row")


def rounds_page(division: Division, number: str) -> Page[Round]:
    """Return a page of all rounds, the latest first. One query."""
    page = Page.of_slice(partial(_rounds_of, division=division.pk), number, ROUNDS_PER_PAGE)
    for round in page.items:
        round.division = division
    return page


@dataclass(frozen=True, slots=True)
class TieBreakRow:
    """A round in a row's arithmetic: the opponents, and what it adds to each tie-break shown (`terms`); of a team also
    the boards, its own players first."""

    line: dict[str, Any]
    others: list[Player]
    terms: list[Any]
    boards: list[BoardLine] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StandingDetail:
    """The arithmetic of an opened row: its lines, the sums of points and games, the sums of `terms`, the reason for its
    place, and the other tie-breaks with their explanations."""

    lines: list[TieBreakRow]
    why: tuple[str, Player | None, str]
    sums: dict[str, Any]
    terms: list[Any]
    tie_breaks: list[tuple[str, Any, str]]


@dataclass(frozen=True, slots=True)
class StandingRow:
    """A row of the standings; `working` is its arithmetic if it is open, `without_luck` its points without luck if the
    season shows them."""

    standing: Standing
    results: list[str]
    more: int
    columns: list[Any]
    working: StandingDetail | None
    without_luck: str = ""

    @property
    def number(self) -> int:
        return self.standing.entrant.number

    @property
    def player(self) -> Player:
        return self.standing.entrant.player


@dataclass(frozen=True, slots=True)
class LuckColumn:
    """What the help below points without luck says: the value function's hash, and whether games have no ledger by
    it."""

    value_hash: str
    missing: bool


@dataclass(frozen=True, slots=True)
class StandingsPage:
    """A page of the standings, with the row of entrant `opened` unfolded (0 for none). `columns`: the tie-breaks with a
    column; `heads`: the column heads of `terms`; `cards`: whether the scores of others with the same cards have one;
    `lowest`: whether the lowest score is the best; `by_points`: whether points order the rows; `cup`: whether the stage
    reached does."""

    page: Page[StandingRow]
    luck: LuckColumn | None
    opened: int
    columns: list[str]
    heads: list[tuple[Any, Any]]
    cards: bool
    games: bool
    after: int
    lowest: bool
    by_points: bool
    cup: bool


def placed_by_points(season: Season) -> bool:
    """Return whether points and tie-breaks decide places."""
    return season.competition.by_points


def leading_rows(division: Division) -> list[StandingRow]:
    """Return the first rows of the standings. One query."""
    return [_standing_row(each, [], None) for each in _first_rows(LEADING_ROWS_SHOWN, division=division.pk)]


def standings_page(season: Season, division: Division, number: str, opened: str) -> StandingsPage:
    """Return page `number` of the standings, with the row of entrant `opened` unfolded. Three queries, and three more
    for points without luck."""
    cup = season.competition.by_stage
    tie_breaks = season.tie_breaks if season.competition.uses_tie_breaks else []
    used = [TIE_BREAKS[name] for name in tie_breaks]
    columns = [one for one in used if one.column][:TIE_BREAK_COLUMNS_SHOWN]
    rows = partial(_standings_of, division.pk)
    page = Page.of_slice(rows, number, ROWS_PER_PAGE)
    standing = next((item for item in page.items if not cup and str(item.entrant.number) == opened), None)
    named = _opponents(division, standing.row if standing else None)
    after = max((line["round"] for item in page.items for line in item.row["lines"]), default=0)
    sums = {one.cell: one.cell_heading for one in used if one.cell}  # the median is shown through Buchholz
    sheets = _boards_by_round(season, standing) if standing else {}
    working = _standing_detail(standing, named, list(sums), sheets) if standing else None
    lucky = points_without_luck(season, page.items) if shows_luck(season) else {}
    missing = any(each.missing for each in lucky.values())
    return StandingsPage(
        page=page.map(
            lambda each: _standing_row(
                each, columns, working if each is standing else None, lucky.get(each.entrant.number)
            )
        ),
        luck=LuckColumn(season.settings["value_hash"], missing) if lucky else None,
        opened=standing.entrant.number if standing else 0,
        columns=[_(column.column) for column in columns],
        heads=[(_(long), _(short)) for long, short in sums.values()],
        cards=any(one.compares_cards for one in used),
        games=season.points["system"] == "match_points",
        after=after,
        lowest=KINDS[season.kind].spec.best == "lowest",
        by_points=placed_by_points(season),
        cup=cup,
    )


def _standings_of(division: int, begin: int, end: int) -> QuerySet[Standing]:
    return _placed_rows(division=division, begin=begin, end=end)


@prepared
def _placed_rows(*, division: int, begin: int, end: int) -> QuerySet[Standing]:
    # The last page costs as much as the first, because the rows know their places.
    rows = Standing.objects.filter(division=division, position__gt=begin, position__lte=end)
    return rows.select_related("entrant__player__bot_version")


def _boards_by_round(season: Season, standing: Standing) -> dict[int, list[BoardLine]]:
    """Return round → the boards of a team's match, its own players first; {} in seasons without teams. Six queries."""
    if not season.competition.by_teams:
        return {}
    played = Match.objects.filter(entrants__entrant=standing.entrant_id).exclude(round__status="undone")
    rounds = dict(played.values_list("pk", "round__number"))
    sheets = team_boards(season, list(rounds))
    return {rounds[pk]: sheet.seen_by(standing.entrant_id) for pk, sheet in sheets.items()}


def _opponents(division: Division, row: dict[str, Any] | None) -> dict[int, Player]:
    """Return entrant → player for everybody in an opened row."""
    wanted = {other for line in row["lines"] for other in line["opponents"]} | {row["neighbour"]} if row else {0}
    entrants = _entrants_numbered(division=division.pk, numbers=sorted(wanted - {None}))
    return {entrant.number: entrant.player for entrant in entrants}


@prepared
def _entrants_numbered(*, division: int, numbers: list[int]) -> QuerySet[Entrant]:
    return Entrant.objects.filter(division=division, number__in=numbers).select_related("player__bot_version")


def _standing_row(
    standing: Standing,
    columns: list[TieBreak],
    working: StandingDetail | None,
    without_luck: PointsWithoutLuck | None = None,
) -> StandingRow:
    row = standing.row
    values = {each["name"]: each["value"] for each in row["tie_breaks"]}
    results = [line["result"] for line in row["lines"]]
    return StandingRow(
        standing=standing,
        results=results[-RECENT_RESULTS_SHOWN:],
        more=max(0, len(results) - RECENT_RESULTS_SHOWN),
        columns=[(_(column.column), values.get(column.key)) for column in columns],
        working=working,
        without_luck=figure_text(without_luck) if without_luck else "",
    )


def _standing_detail(
    standing: Standing,
    named: dict[int, Player],
    cells: list[str],
    sheets: dict[int, list[BoardLine]],
) -> StandingDetail:
    """Return the arithmetic of a row, with a column for each of `cells`, and with the boards of a team's rounds."""
    row = standing.row
    before, _neighbour, after = standing.why.partition(NEIGHBOUR)
    values = {each["name"]: each["value"] for each in row["tie_breaks"]}
    sums = {name: row[name] for name in ("games", "games_against", "points", "carried")}
    shown = [
        (tie_break_name(name), value, _(TIE_BREAKS[name].note))
        for name, value in values.items()
        if TIE_BREAKS[name].note
    ]
    cards = next((value for name, value in values.items() if TIE_BREAKS[name].compares_cards), None)
    lines = [
        TieBreakRow(
            line,
            [named[other] for other in line["opponents"]],
            [line[cell] for cell in cells],
            sheets.get(line["round"], []),
        )
        for line in row["lines"]
    ]
    return StandingDetail(
        lines=lines,
        why=(before, named.get(row["neighbour"]), after),
        sums=sums | {"cards": cards},
        terms=[sum(line[cell] for line in row["lines"]) for cell in cells],
        tie_breaks=shown,
    )


@dataclass(frozen=True, slots=True)
class TimelinePage:
    """Part of a season's timeline, the latest event first, by day; `earlier` is the number of events
    before them."""

    days: list[tuple[datetime, list[describe.TimelineEntry]]]
    earlier: int


def timeline_page(season: Season, before: str) -> TimelinePage:
    """Return the last events of the season's stream, or those up to version `before`, as sentences."""
    lines, first = timeline.timeline_entries(season, int(before) if before.isdecimal() and len(before) < 10 else None)
    days: list[tuple[datetime, list[describe.TimelineEntry]]] = []
    for line in lines:
        if not days or _local_day(days[-1][0]) != _local_day(line.at):
            days.append((line.at, []))
        days[-1][1].append(line)
    return TimelinePage(days, first)


def _local_day(moment: datetime) -> date:
    return timezone.localtime(moment).date()
