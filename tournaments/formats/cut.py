"""Knockout at tables of three to six: the better half of each table goes on, until the final is one table.

Seeds are dealt to the tables back and forth, so that the best sit apart. If the next tables need more entrants than the
halves give, the best of the next places go on too. If the number does not fill tables, the best seeds have a bye and as
few as possible play, or tables are short if the season allows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scorebook_games.contract import Dealer
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import (
    Finished,
    FormatOptions,
    Pairing,
    PairingBye,
    Pairings,
    Place,
    Wait,
    finished,
    places_by_level,
)
from tournaments.formats.reasons import Reasons
from tournaments.formats.seeding import active_entrants, assign_seats, count_seats, serpentine
from tournaments.scoring.points import PointsSystem, score_match

FINAL = "F"


@dataclass(frozen=True, slots=True)
class CutPlan:
    """The plan of a round: the size of each table, the number of byes, and how many remain after it."""

    sizes: tuple[int, ...]
    byes: int
    left: int

    @property
    def final(self) -> bool:
        """Return whether nobody goes on from this round."""
        return self.left == 0


def plan_round(remaining: int, size: int, short: bool) -> CutPlan:
    """Plan the next round of that many entrants. Nobody remains after the last round; otherwise at least two do."""
    if remaining <= size:
        return CutPlan((remaining,), 0, 0)
    if short:
        count = -(-remaining // size)
        sizes = tuple([remaining // count + (place < remaining % count) for place in range(count)])
        return CutPlan(sizes, 0, -(-remaining // 2))
    out = -(-size // 2)  # the most entrants who can go out at a table
    full = remaining // size
    wanted = size * -(-remaining // (2 * size))
    leaving = min(remaining - wanted, full * out)
    tables = full if remaining % size == 0 else max(1, -(-leaving // out))
    return CutPlan((size,) * tables, remaining - tables * size, remaining - leaving)


def count_rounds(entrants: int, size: int) -> int:
    """Return the number of rounds to the final, with full tables."""
    count = 1
    while entrants > size:
        entrants, count = plan_round(entrants, size, False).left, count + 1
    return count


@dataclass(frozen=True, slots=True)
class CutResult:
    """The result of a round: who goes on, strongest first, and who is out, nearest first. `why`: entrant → how it went
    on."""

    going_on: tuple[int, ...]
    out: tuple[int, ...]
    why: Mapping[int, str]


def cut_result(past: RoundResult, field: Sequence[int], options: FormatOptions) -> CutResult:
    """Compute who goes on from a round. At a table, equal points are ordered by seed. Who did not come is out."""
    strength = {entrant: number for number, entrant in enumerate(field)}
    ranked = [_table_ranking(match, options.points, strength) for match in past.matches]
    places = max(remaining_after(past, options) - len(past.byes), 0)
    planned = [len(match.entrants) // 2 if options.short else places // len(ranked) for match in past.matches]
    quota = [min(count, len(table)) for count, table in zip(planned, ranked, strict=True)]
    next_best = sorted(
        (one for table, count in zip(ranked, quota, strict=True) for one in table[count:]),
        key=lambda one: (one[0], -one[1], strength[one[2]]),
    )
    more = places - sum(quota)
    why = dict.fromkeys(past.byes, "a bye")
    for table, count in zip(ranked, quota, strict=True):
        why |= {entrant: f"place {place}" for place, _, entrant in table[:count]}
    why |= {entrant: f"the best of places {place}" for place, _, entrant in next_best[:more]}
    going = sorted(why, key=lambda entrant: strength[entrant])
    return CutResult(tuple(going), tuple([entrant for _, _, entrant in next_best[more:]]), why)


def remaining_after(past: RoundResult, options: FormatOptions) -> int:
    """Return how many play after a round, if nobody leaves."""
    return plan_round(len(active_entrants(past)), options.table_size, options.short).left


def winners(past: RoundResult, field: Sequence[int], options: FormatOptions) -> tuple[int, ...]:
    """Return who goes on from a round, or who has won the final; nobody if nobody came."""
    if not is_final([past]):
        return cut_result(past, field, options).going_on
    strength = {entrant: number for number, entrant in enumerate(field)}
    return tuple([entrant for _, _, entrant in _table_ranking(past.matches[0], options.points, strength)[:1]])


def _table_ranking(
    match: MatchResult, points: PointsSystem, strength: Mapping[int, int]
) -> list[tuple[int, Fraction, int]]:
    """Return (place, points of the games, entrant) of those who came, best first. The better seed goes before an equal
    one."""
    score = score_match(points, match)
    came = [entrant for entrant in match.entrants if match.games and entrant not in match.away]
    order = sorted(came, key=lambda one: (score.places[one], strength[one]))
    return [(place, score.games[entrant], entrant) for place, entrant in enumerate(order, start=1)]


def next_cut_round(
    field: Sequence[int],
    entrants: Sequence[int],
    history: Sequence[RoundResult],
    options: FormatOptions,
    chance: Dealer,
) -> Pairings | Wait | Finished:
    """Return what comes after these rounds. `field`: the entrants of the first round, strongest first. An entrant who
    is away in a round is out, because a table does not wait."""
    if history and not history[-1].closed:
        return Wait(f"Round {history[-1].number} is still being played.")
    left = next_field(field, history, options)
    if not left:
        return finished(cut_places(field, entrants, history, options))
    coming = plan_round(len(left), options.table_size, options.short)
    seed = {entrant: number for number, entrant in enumerate(field, start=1)}
    resting, playing = left[: coming.byes], left[coming.byes :]
    sat = count_seats(history)
    tables = []
    for place, table in enumerate(serpentine(playing, coming.sizes), start=1):
        slot = FINAL if coming.final else f"W{len(history) + 1}.{place}"
        reason = _table_reason(coming, len(left), [seed[entrant] for entrant in table], options.short)
        tables.append(Pairing(assign_seats(table, sat, chance, f"seats/round{len(history) + 1}/{place}"), reason, slot))
    return Pairings(
        tuple(tables), tuple([_pairing_bye(entrant, seed[entrant], len(left), options) for entrant in resting])
    )


def next_field(field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> list[int]:
    """Return who plays next, strongest first; [] after the final, or if they are too few for a table."""
    left = [] if is_final(history) else remaining(field, history, options)
    return left if len(left) >= max(2, 2 if options.short else options.table_size) else []


def remaining(field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> list[int]:
    """Return who plays next, strongest first: those who went on and are not away, and the nearest of those out to fill
    a last table."""
    missing = options.withdrawn | set(options.away)
    if not history:
        return [entrant for entrant in field if entrant not in missing]
    last = cut_result(history[-1], field, options)
    left = [entrant for entrant in last.going_on if entrant not in missing]
    others = [*last.out, *[one for past in history[-2::-1] for one in cut_result(past, field, options).out]]
    for entrant in dict.fromkeys(others):
        if len(left) >= (2 if options.short else options.table_size):
            break
        if entrant not in missing and entrant not in left:
            left.append(entrant)
    return [entrant for entrant in field if entrant in left]


def is_final(history: Sequence[RoundResult]) -> bool:
    """Return whether the last of these rounds was the final."""
    return bool(history) and any(match.slot == FINAL for match in history[-1].matches)


def cut_places(
    field: Sequence[int], entrants: Iterable[int], history: Sequence[RoundResult], options: FormatOptions
) -> dict[int, Place]:
    """Return where everybody stands. The finalists are placed by the final; others share a place by the round in which
    they went out."""
    level = dict.fromkeys(entrants, -1) | dict.fromkeys(field, 0)
    left = next_field(field, history, options)
    for number, past in enumerate(history, start=1):
        level |= dict.fromkeys(active_entrants(past), 2 * number)
        level |= dict.fromkeys(cut_result(past, field, options).going_on, 2 * number + 1)
    placed = places_by_level(level | dict.fromkeys(left, 2 * len(history) + 2), left)
    if is_final(history):
        strength = {entrant: number for number, entrant in enumerate(field)}
        ranking = _table_ranking(history[-1].matches[0], options.points, strength)
        placed |= dict.fromkeys(history[-1].matches[0].away, Place(len(ranking) + 1))
        placed |= {one: Place(place) for place, _, one in ranking}
    return placed


def _table_reason(coming: CutPlan, left: int, seeds: Iterable[int], short: bool) -> Reasons:
    if coming.final:
        return (reasons.final_table(left, sorted(seeds)),)
    shared = reasons.table_by_seed(left, sorted(seeds))
    if short:
        return shared, reasons.better_half_through(coming.left - sum([size // 2 for size in coming.sizes]))
    each, more = divmod(coming.left - coming.byes, len(coming.sizes))
    return shared, reasons.first_of_table_through(each, more)


def _pairing_bye(entrant: int, seed: int, left: int, options: FormatOptions) -> PairingBye:
    return PairingBye(entrant, (reasons.best_seed_waits(left, options.table_size, seed),))


def table_counts(left: int, table_size: int, *, short: bool) -> list[int]:
    """Return the number of tables of each round of so many entrants."""
    counts = []
    while left >= 2:
        coming = plan_round(left, table_size, short)
        counts.append(len(coming.sizes))
        left = coming.left
    return counts
