"""What formats are asked and answer: from the entrants and the history, a format returns what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from tournaments.formats.reasons import Reasons
from tournaments.scoring.points import PointsSystem


@dataclass(frozen=True, slots=True)
class Pairing:
    """A table: its entrants in seat order of the first game, and why they meet.

    `slot` is the table's place in a bracket or group (“W2.1”, “B”), for formats that have these. The match's result
    repeats it.
    """

    seats: tuple[int, ...]
    reason: Reasons
    slot: str = ""


@dataclass(frozen=True, slots=True)
class PairingBye:
    """An entrant without a table in this round, and why.

    `missing`: the absent opponent, who withdrew or was away too long. The bye is then a walkover and counts as a won
    match. Entrants who are `away` need no bye: the director records them.
    """

    entrant: int
    reason: Reasons
    missing: int | None = None


@dataclass(frozen=True, slots=True)
class Pairings:
    """A round to play: tables 1 … in order, and the byes."""

    tables: tuple[Pairing, ...]
    byes: tuple[PairingBye, ...] = ()


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing can be paired yet. `reason` says what is waited for; `until` is when to ask again even if nothing
    happens, in seconds since 1970."""

    reason: str
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The competition is over. `places`: entrant → final place."""

    places: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entrant stands. Several may share a `place`. `still_in`: is not eliminated, and has the best place that
    can still be reached."""

    place: int
    still_in: bool = False


def finished(places: Mapping[int, Place]) -> Finished:
    """Return the end of a competition with these places."""
    return Finished({entrant: place.place for entrant, place in places.items()})


def places_by_level(levels: Mapping[int, int], still_in: Collection[int] = ()) -> dict[int, Place]:
    """Return the places of entrants by their levels, of which the highest is the best. Equal levels share a place."""
    count, above, first = Counter(levels.values()), 0, {}
    for level in sorted(count, reverse=True):
        first[level], above = above + 1, above + count[level]
    return {entrant: Place(first[level], entrant in still_in) for entrant, level in levels.items()}


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What a format needs to know about its season.

    `table_size` entrants meet at a table. `points`, `tie_breaks`, `lowest_best` and `lots` are those of
    `tournaments.scoring.standings.compute_standings`, for places. `settings` are the format's own, complete. `seeds`:
    entrant → 1 … n, strongest first; without seeds the lots decide. `away`: entrant → why it cannot be paired now,
    WITHDRAWN or AWAY of `reasons`. `withdrawn`: those of them who do not return. `short`: tables may have
    fewer entrants, at least two, if the number does not fill them.

    For ladders: `challenges`: (challenger, challenged) in order of creation. `expiries`: when the waiting ones expire,
    in seconds since 1970. `lost`: (number of rounds paired before, who takes the place, who loses it) of places lost by
    refusals.

    For arenas: `free_since`: entrant → when their last match was over, in seconds since 1970, and the time `now`.

    `over`: the time of a format without a last round is up. `carried`: the points with which entrants began. `dummies`:
    whether unplayed rounds count as in a Swiss (`Format.counts_dummies`). `rules`: all settings of the season, also
    those of packages; a season that is older than one does not have it.
    """

    table_size: int
    points: PointsSystem
    tie_breaks: tuple[str, ...] = ()
    lowest_best: bool = False
    lots: Mapping[int, int] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: Mapping[int, int] | None = None
    away: Mapping[int, str] = field(default_factory=dict)
    withdrawn: frozenset[int] = frozenset()
    short: bool = False
    challenges: tuple[tuple[int, int], ...] = ()
    expiries: tuple[int, ...] = ()
    lost: tuple[tuple[int, int, int], ...] = ()
    free_since: Mapping[int, int] = field(default_factory=dict)
    now: int = 0
    over: bool = False
    carried: Mapping[int, Fraction] = field(default_factory=dict)
    dummies: bool = True
    rules: Mapping[str, Any] = field(default_factory=dict)


def no_full_table(entrants: int, table_size: int) -> str | None:
    """Return what to do if so many entrants do not fill one table, as `Format.why_unplayable` does; None if they do."""
    if entrants >= table_size:
        return None
    return (
        f"The season needs at least {table_size} entrants and has {entrants}. Invite more, or make the tables smaller."
    )


def filled_tables(entrants: int, table_size: int, *, short: bool) -> int:
    """Return the number of tables. Entrants who fill none have a bye, unless tables may be `short`; nobody sits
    alone."""
    return -(-entrants // table_size) if short and table_size > 2 else entrants // table_size


def sum_by_round(counts: Sequence[Sequence[int]]) -> list[int]:
    """Add up the tables of each round of competitions that are played side by side."""
    return [sum(of_round) for of_round in zip_longest(*counts, fillvalue=0)]
