"""The figures that a pairing is based on: what stood before the round for each entrant of a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from games.models import Player
from tournaments.formats import FORMATS
from tournaments.seasons.models import Bye, Entrant, MatchEntrant, Round
from tournaments.standings.models import Standing


@dataclass(frozen=True, slots=True)
class EntrantBefore:
    """An entrant before a round: the `points`, the number of matches `played` and of those in which they sat `first` in
    the first game, and how often they had no match (`byes`). `went`: "up" if the opponent has more points, "down" if
    fewer, else ""."""

    player: Player
    points: float
    first: int
    played: int
    byes: int
    went: str = ""


@dataclass(frozen=True, slots=True)
class PairingBasis:
    """The figures of a table's entrants, and the rounds in which two of them met before."""

    rows: list[EntrantBefore]
    met: list[int]


def goes_by_points(shown: Round) -> bool:
    """Return whether points decide the pairings of a round: not in a first round, in a bracket, or in a format that
    pairs whoever is free."""
    format = shown.division.season.format
    return shown.number > 1 and not FORMATS[format].continuous and not FORMATS[format].eliminates


def pairing_basis(shown: Round, table: Sequence[Entrant]) -> PairingBasis:
    """Return the figures of a table, or of one resting entrant, in a round that `goes_by_points`. Three queries."""
    numbers = [entrant.pk for entrant in table]
    seats = _seats_by_match(shown, numbers)
    byes = Bye.objects.exclude(round__status=Round.Status.UNDONE)
    byes = byes.filter(entrant__in=numbers, round__number__lt=shown.number)
    rested = dict(byes.values_list("entrant").annotate(Count("pk")))
    rows = dict(Standing.objects.filter(entrant__in=numbers).values_list("entrant", "row"))
    points = {entrant.pk: _points_before(rows.get(entrant.pk), shown.number) for entrant in table}
    return _table_basis(table, points, seats, rested)


SeatsByMatch = Mapping[int, Mapping[int, tuple[int, int]]]  # entrant → match → (order in the match, round)


def _seats_by_match(shown: Round, entrants: Collection[int]) -> SeatsByMatch:
    # The filter by round is here: in the database it would scan all matches of the season.
    sat = MatchEntrant.objects.filter(entrant__in=entrants).order_by("match")
    of = ("match__round__number", "match__round__division", "match__round__status")
    seats: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for entrant, match, order, number, division, status in sat.values_list("entrant", "match", "order", *of):
        if number < shown.number and division == shown.division_id and status != Round.Status.UNDONE:
            seats[entrant][match] = (order, number)
    return seats


def _table_basis(
    table: Sequence[Entrant], points: Mapping[int, float], seats: SeatsByMatch, byes: Mapping[int, int]
) -> PairingBasis:
    most, least = max(points.values()), min(points.values())
    rows = []
    for entrant in table:
        sat = seats.get(entrant.pk, {})
        entrants_points = points[entrant.pk]
        went = "" if most == least or len(table) > 2 else "down" if entrants_points == most else "up"
        first = sum(order == 0 for order, _ in sat.values())
        rows.append(EntrantBefore(entrant.player, entrants_points, first, len(sat), byes.get(entrant.pk, 0), went))
    together = {
        seats[one.pk][match][1]
        for i, one in enumerate(table)
        for other in table[i + 1 :]
        for match in set(seats.get(one.pk, {})) & set(seats.get(other.pk, {}))
    }
    return PairingBasis(rows, sorted(together))


def _points_before(row: dict[str, Any] | None, number: int) -> float:
    """Return an entrant's points before round `number`, as the standings add them up."""
    if row is None:
        return 0
    return float(row["carried"] + sum(line["points"] for line in row["lines"] if line["round"] < number))
