"""The values of Plate Spinner in the last round: all ways in which it may end are compared.

For each seat there are a few ends: what its plates count, by the plates that survive. Who stops first gets the star
plate (PS-23). Seats fill their plates independently of each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from scorebook_games.kinds.plate_spinner.catalogue import STAR
from scorebook_games.kinds.plate_spinner.state import COLOUR, MOST_YELLOW, SET_POINTS, YELLOW
from scorebook_games.kinds.plate_spinner.value_outlook import Position
from scorebook_games.kinds.plate_spinner.value_race import Count, Holding, Piece, Race, Stop
from scorebook_games.value import EVEN

LEAST: Final = 1e-6  # chances below are left out
# How sure a lead is while somebody spins. Players err: without it, over 700 games for each mix of players, results lay
# 3 to 6 points above the values in the first tenth, and as far below them in the last one.
SURE: Final = 0.94


Ends = dict[Count, float]  # with their chances


class Stops(NamedTuple):
    """How a seat may end if it is the first to grab, and so gets the star plate, and if it is not."""

    first: Ends
    later: Ends


def last_values(position: Position) -> list[float]:
    """Return the value of each seat in the last round."""
    seats = len(position.holdings)
    ended = position.endings()
    stops = [stops_of(position, seat, ended) for seat in range(seats)]
    values = [EVEN] * seats
    part = EVEN / (seats - 1) * (SURE if any(position.races) else 1.0)
    for seat in range(seats):
        for other in range(seat):
            lead = part * lead_of(stops[seat], stops[other])
            values[seat] += lead
            values[other] -= lead
    return values


def stops_of(position: Position, seat: int, ended: Sequence[Sequence[float]]) -> Stops:
    """Return how a seat may end."""
    state, own, race = position.state, position.holdings[seat], position.races[seat]
    if race:
        first, later = position.stops(seat, ended)
        moved = seat in position.moved or state.meeple >= state.seats
        return Stops(ends_of(race, first), ends_of(race, later, race.struck(moved=moved) if later.times[0] else None))
    sure = {counted(own.plates): 1.0}
    if STAR in position.market:
        has_star = state.meeples[seat] == 1
    else:
        has_star = state.phase == COLOUR and STAR in state.held[seat]
    return Stops(sure, {}) if has_star else Stops({}, sure)


def ends_of(race: Race, stop: Stop, struck: Sequence[bool] | None = None) -> Ends:
    """Return how a seat may end that stops so. `struck` says what is filled if it stops without another roll."""
    alone = race.alone
    open_plates = [at for at, each in enumerate(alone) if each[0] < 1 and each[-1] > 0]
    sets = [sum([1 << at for at, each in enumerate(alone) if each[0] >= 1])]  # of plates that are filled, as bits
    for at in open_plates:
        sets += [full | 1 << at for full in sets]
    chances = [0.0] * len(sets)
    for rolls, weight in enumerate(stop.times):
        if weight and (rolls or not struck):
            found = [weight]
            for at in open_plates:
                filled = alone[at][rolls]
                found = [each * (1 - filled) for each in found] + [each * filled for each in found]
            chances = [a + b for a, b in zip(chances, found, strict=True)]
    chances[-1] += stop.full
    ends: Ends = {}
    for full, chance in zip(sets, chances, strict=True):
        if chance > LEAST:
            end = end_of(race.own, full)
            ends[end] = ends.get(end, 0.0) + chance
    if struck and stop.times[0]:
        end = end_of(race.own, sum([1 << at for at, each in enumerate(struck) if each]))
        ends[end] = ends.get(end, 0.0) + stop.times[0]
    return ends


def end_of(own: Holding, filled: int) -> Count:
    """Return what is left of a holding if only some plates are `filled`, as bits. It is worked out once."""
    found = own.ends.get(filled)
    if found is None:
        full = [bool(filled >> at & 1) for at in range(len(own.plates))]
        found = own.ends[filled] = surviving(own.plates, full)
    return found


def surviving(plates: Sequence[Piece], full: Sequence[bool]) -> Count:
    """Return what is left if only some plates are full (PS-13, PS-14)."""
    if any(plate.bomb and not filled for plate, filled in zip(plates, full, strict=True)):
        return counted(())
    return counted([plate for plate, filled in zip(plates, full, strict=True) if filled])


def counted(plates: Sequence[Piece]) -> Count:
    """Return what plates count (PS-24)."""
    points, colours = 0, [0, 0, 0, 0]
    for plate in plates:
        points += plate.points
        for colour in plate.colours:
            colours[colour] += 1
    numbers = [min(number, 6) for number in colours[:YELLOW]]
    gain = max([SET_POINTS[min(number + 1, 6)] - SET_POINTS[number] for number in numbers])
    return Count(points + sum([SET_POINTS[number] for number in numbers]), gain, colours[YELLOW])


def lead_of(one: Stops, other: Stops) -> float:
    """Return how much more likely it is that `one` beats `other` than the reverse."""
    first, second = chance_of(one.first), chance_of(other.first)
    lead = 0.0
    if first:
        lead += compared(one.first, other.later, star=True) / (chance_of(other.later) or 1.0)
    if second:
        lead -= compared(other.first, one.later, star=True) / (chance_of(one.later) or 1.0)
    neither = max(0.0, 1 - first - second)
    if neither and one.later and other.later:
        both = chance_of(one.later) * chance_of(other.later)
        lead += neither * compared(one.later, other.later, star=False) / both
    return lead


def chance_of(ends: Ends) -> float:
    """Return the chance of all ends together."""
    return sum(ends.values(), 0.0)


def compared(one: Ends, other: Ends, *, star: bool) -> float:
    """Return the chance that `one` wins minus the chance that it loses (PS-24, PS-27). With `star`, it gets the star
    plate and chooses the colour that counts most (PS-26)."""
    lead = 0.0
    for mine, chance in one.items():
        for theirs, rival in other.items():
            points, yellow = mine.points, mine.yellow
            if (
                star
                and mine.star < MOST_YELLOW
                and (yellow < theirs.yellow <= yellow + 1 or not yellow + theirs.yellow)
            ):
                yellow += 1
            elif star:
                points += mine.star
            points += MOST_YELLOW * (yellow >= theirs.yellow and yellow > 0)
            against = theirs.points + MOST_YELLOW * (theirs.yellow >= yellow and theirs.yellow > 0)
            lead += (
                chance
                * rival
                * (((points, yellow) > (against, theirs.yellow)) - ((points, yellow) < (against, theirs.yellow)))
            )
    return lead
