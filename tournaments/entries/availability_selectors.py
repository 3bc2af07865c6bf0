"""Who can play in the coming rounds of a season: for an entrant, and as a grid for organisers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.common.page_pagination import Page
from tournaments.calendar.timetable import is_planned, planned_at, planned_rounds
from tournaments.entries.availability import MAY_ANSWER
from tournaments.entries.services import ALTERNATE, IN, WAITING
from tournaments.seasons.models import GOING_ON, Bye, Division, Entrant, Season
from tournaments.seasons.selectors import playing

ROUNDS_SHOWN: Final = 6  # rounds of an entrant that need no unfolding, and columns of the grid
MAX_ROUNDS_LISTED: Final = 60
UNKNOWN_ROUNDS: Final = 4  # rounds that are listed if the format knows no last one
ENTRANTS_PER_PAGE: Final = 40
IN_GRID: Final = (IN, WAITING, ALTERNATE)
NO_BOT: Final = Q(player__bot_version=None)  # bots are always available
YES, NO, SILENT = "yes", "no", ""


@dataclass(frozen=True, slots=True)
class ComingRound:
    """A round that is not paired. `opens_at`: when it is planned, None if nobody can know."""

    number: int
    opens_at: datetime | None


@dataclass(frozen=True, slots=True)
class RoundAnswer:
    """What an entrant has said about a round: that they play ("yes") or not ("no"), or nothing ("")."""

    round: ComingRound
    answer: str
    name: str

    @property
    def sentence(self) -> str:
        """The answer as a sentence."""
        plays = {YES: True, NO: False}.get(self.answer)
        return answer_text(self.name, self.round.number, plays)


def answer_text(name: str, round: int, plays: bool | None) -> str:
    """Return an entrant's answer as a sentence."""
    sentences = {
        True: _("{name} plays in round {n}."),
        False: _("{name} is absent in round {n}."),
        None: _("{name} has not said whether to play in round {n}."),
    }
    return sentences[plays].format(name=name, n=round)


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A round of the grid: how many people and teams with a place have said that they play, that they do not, and
    nothing."""

    round: ComingRound
    yes: int
    no: int
    silent: int


@dataclass(frozen=True, slots=True)
class GridRow:
    """An entrant of the grid."""

    entrant: Entrant
    answers: list[RoundAnswer]


@dataclass(frozen=True, slots=True)
class Grid:
    """The entrants of a division and the coming rounds. `first`: of these columns; `earlier`, `later`: the first of the
    columns beside them, 0 if there are none."""

    columns: list[GridColumn]
    page: Page[GridRow]
    first: int
    earlier: int
    later: int


def coming_rounds(division: Division) -> list[ComingRound]:
    """Return the rounds of a division that are not paired, as far as the format knows them. None in formats without
    rounds for all, in play-offs and after the end. At most two queries; the division knows its season."""
    season = division.season
    over = season.status not in (Season.Status.OPEN, *GOING_ON) or division.finished_at is not None
    if over or season.competition.continuous or division.is_playoff:
        return []
    count = playing("everybody", division=division.pk).count()
    if planned := planned_rounds(division, count):
        return [ComingRound(number, at) for number, at in planned[:MAX_ROUNDS_LISTED]]
    first, last = division.rounds_opened + 1, 0
    if count >= season.table_size:
        last = season.competition.rounds(count, season.table_size, season.settings["format_options"]) or 0
    if 0 < last < first:
        return [ComingRound(first, None)] if _may_last_longer(division) else []
    times, known = is_planned(division), range(first, (last or first + UNKNOWN_ROUNDS - 1) + 1)
    return [ComingRound(each, planned_at(season, each) if times else None) for each in known[:MAX_ROUNDS_LISTED]]


def _may_last_longer(division: Division) -> bool:
    """Return whether a division may have more rounds than planned, for matches that were not played in time."""
    competition = division.season.competition
    absent = Bye.objects.filter(round__division=division, kind__in=(Bye.Kind.AWAY, Bye.Kind.UNPAID))
    return (competition.everybody_meets or competition.eliminates) and absent.exists()


def answers_of(entrant: Entrant, rounds: Iterable[ComingRound]) -> list[RoundAnswer]:
    """Return what an entrant has said about these rounds; [] for one who is not asked, such as a bot."""
    if entrant.status not in MAY_ANSWER or entrant.player.is_bot:
        return []
    name = str(entrant)
    return [
        RoundAnswer(
            each, NO if each.number in entrant.away else YES if each.number in entrant.promised else SILENT, name
        )
        for each in rounds
    ]


def entrants_in_grid(division: Division) -> QuerySet[Entrant]:
    """Return the people and teams of a division who can be asked, those on its lists last."""
    rows = Entrant.objects.filter(NO_BOT, division=division, status__in=IN_GRID)
    return rows.select_related("player").order_by("number")


def availability_grid(division: Division, first: str, page: str) -> Grid:
    """Return a page of the grid, with `ROUNDS_SHOWN` columns from the round `first`, as an address has it. Three
    queries. Raises Http404."""
    rounds = coming_rounds(division)
    begins = int(first) if first.isascii() and first.isdecimal() and len(first) < 5 else 0
    at = next((index for index, each in enumerate(rounds) if each.number >= begins), 0)
    shown, before = rounds[at : at + ROUNDS_SHOWN], rounds[max(at - ROUNDS_SHOWN, 0) : at]
    rows = Page[Entrant].of(entrants_in_grid(division), page, ENTRANTS_PER_PAGE)
    return Grid(
        round_counts(division, shown),
        rows.map(lambda entrant: GridRow(entrant, answers_of(entrant, shown))),
        first=shown[0].number if shown else 0,
        earlier=before[0].number if before else 0,
        later=rounds[at + ROUNDS_SHOWN].number if len(rounds) > at + ROUNDS_SHOWN else 0,
    )


def round_counts(division: Division, rounds: Sequence[ComingRound]) -> list[GridColumn]:
    """Return how many people and teams with a place have said what about each of these rounds. One query."""
    rows = list(Entrant.objects.filter(NO_BOT, division=division, status=IN).values_list("away", "promised"))
    columns = []
    for each in rounds:
        no = sum(each.number in away for away, _promised in rows)
        yes = sum(each.number in promised for _away, promised in rows)
        columns.append(GridColumn(each, yes, no, len(rows) - yes - no))
    return columns
