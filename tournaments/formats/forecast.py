"""The number of tables in each round of a competition, computed before it begins. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tournaments.formats import FORMATS, cut
from tournaments.formats.base import FormatOptions
from tournaments.formats.double_elimination import DoubleElimination
from tournaments.formats.groups import Groups, sizes_of
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.seeding import with_defaults
from tournaments.formats.slots import NO_ENTRANT
from tournaments.scoring.points import default_points


def table_counts(name: str, entrants: int, table_size: int, settings: Mapping[str, Any], *, short: bool) -> list[int]:
    """Return the number of tables of each round of the format `name`, if everybody stays and plays and no match is
    drawn.

    For double elimination, the unbeaten entrant is expected to win the final. The list is empty if the number cannot be
    known, or if there are too few entrants. `short`: tables may have fewer entrants than `table_size`.
    """
    rounds = FORMATS[name].rounds(entrants, table_size, settings)
    if rounds is None or FORMATS[name].lacks(entrants, table_size, settings):
        return []
    if name == "knockout":
        return _knockout_counts(entrants, table_size, settings.get("third_place", False), short=short)
    if name == "double_elimination":
        return _double_elimination_counts(entrants, table_size, settings)
    if name == "groups":
        return _group_counts(entrants, table_size, settings, short=short)
    return [filled_tables(entrants, table_size, short=short)] * rounds


def filled_tables(entrants: int, table_size: int, *, short: bool) -> int:
    """Return the number of tables. Entrants who fill none have a bye, unless tables may be `short`; nobody sits
    alone."""
    return -(-entrants // table_size) if short and table_size > 2 else entrants // table_size


def sum_by_round(counts: Sequence[Sequence[int]]) -> list[int]:
    """Add up the tables of each round of competitions that are played side by side."""
    return [sum(of_round) for of_round in zip_longest(*counts, fillvalue=0)]


def _knockout_counts(entrants: int, table_size: int, third_place: bool, *, short: bool) -> list[int]:
    if table_size > 2:
        return _cut_counts(entrants, table_size, short=short)
    counts, left = [], entrants
    while left > 1:
        stay = 1 << (left - 1).bit_length() - 1
        counts.append(left - stay)
        left = stay
    if third_place and entrants > 3:
        counts[-1] += 1
    return counts


def _cut_counts(left: int, table_size: int, *, short: bool) -> list[int]:
    counts = []
    while left >= 2:
        coming = cut.plan_round(left, table_size, short)
        counts.append(len(coming.sizes))
        left = coming.left
    return counts


def _double_elimination_counts(entrants: int, table_size: int, settings: Mapping[str, Any]) -> list[int]:
    chosen = DoubleElimination()
    options = FormatOptions(table_size, default_points(table_size, table_size), settings=settings)
    going = chosen.progress(range(1, entrants + 1), [], options)
    rounds = Counter(
        slot.earliest
        for slot in going.slots
        if slot.sources[0].kind != "again" and NO_ENTRANT not in going.entrants(slot)
    )
    return [rounds[number] for number in sorted(rounds)]


def _group_counts(entrants: int, table_size: int, settings: Mapping[str, Any], *, short: bool) -> list[int]:
    complete = with_defaults(Groups().options, settings)
    sizes = sizes_of(entrants, table_size, complete["group_size"])
    robin = RoundRobin(complete["meetings"])
    grouped = [
        [filled_tables(size, table_size, short=short)] * (robin.rounds(size, table_size, {}) or 0) for size in sizes
    ]
    through = sum(min(complete["advance"], size) for size in sizes)
    return sum_by_round(grouped) + _knockout_counts(through, table_size, complete["third_place"], short=short)
