"""Divisions: who plays where at the start, and who is promoted or relegated at the end.

A season that follows another keeps the places of that one's entrants; new entrants start in the lowest division with a
free place. A first season places entrants by rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tournaments.ratings.elo import START_RATING
from tournaments.scoring.points import ZERO, exact
from tournaments.scoring.points import json_number as plain_number
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.lifecycle import EntrantsPlaced, PlayoffOpened, PointsCarried
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Division, Entrant, Season
from tournaments.seasons.pairing import division_standings
from tournaments.seasons.settings import DivisionSettings, SeasonSettings
from tournaments.seasons.stream import fold_season
from tournaments.teams import services as teams

PLAYOFF_NUMBER_OFFSET = 100  # the play-off between divisions n and n + 1 has the number 100 + n


def place_in_divisions(changed: SeasonAggregate, entrants: Sequence[Entrant]) -> None:
    """Place `entrants` in the divisions of a season that starts, with the points that are carried over."""
    season = changed.row
    before = Season.objects.filter(successor=season).select_related("stream").first()
    folded = fold_season(before) if before else None
    agreed = season.rules()
    ratings = teams.strengths(season, entrants)
    seats = _former(folded, entrants) if folded else {}
    placed = distribute(agreed.divisions, ratings, seats)
    if len(agreed.divisions) > 1 or any(rating != START_RATING for rating in ratings.values()):
        changed.record(EntrantsPlaced.of(placed))
    if folded and (points := _carried(folded, entrants, agreed.points_carryover)):
        changed.record(PointsCarried.of(points))


def distribute(
    tiers: Sequence[DivisionSettings], ratings: Mapping[int, float], seats: Mapping[int, tuple[int, int]]
) -> dict[int, list[int]]:
    """Return division → its entrants, the strongest first.

    `seats`: entrant → (division, place) after the season before; entrants without one come last. A division takes up to
    `max_entrants`. One without a limit takes an equal part or, after an earlier season, those who belong there. The
    others go to the next lower division.
    """
    order = sorted(ratings, key=lambda entrant: (seats.get(entrant, (len(tiers) + 1, 0)), -ratings[entrant], entrant))
    placed: dict[int, list[int]] = {}
    for number, tier in enumerate(tiers, start=1):
        below = len(tiers) - number
        most = tier.max_entrants if tier.max_entrants is not None else -(-len(order) // (below + 1))
        if seats and tier.max_entrants is None:
            most = sum(seats.get(entrant, (len(tiers), 0))[0] <= number for entrant in order)
        placed[number], order = (order[:most], order[most:]) if below else (order, [])
    return {
        number: sorted(entrants, key=lambda entrant: (-ratings[entrant], entrant))
        for number, entrants in placed.items()
    }


def _former(folded: SeasonFold, entrants: Sequence[Entrant]) -> dict[int, tuple[int, int]]:
    """Return entrant → (division, place) after the season before; in a division, relegated entrants come before those
    who stayed and promoted ones after them."""
    of_player = {entrant.player_id: entrant.number for entrant in entrants}
    seats = {}
    for number, division in folded.divisions.items():
        for former, place in (division.places or {}).items():
            player = folded.entrants[former].player
            if player in of_player and division.above is None:
                to = folded.moved.get(former, number)
                seats[of_player[player]] = (to, place + 1000 * (number - to))
    return seats


def _carried(folded: SeasonFold, entrants: Sequence[Entrant], part: float) -> dict[int, float]:
    """Return entrant → the `part` of last season's points that is carried over."""
    if not part:
        return {}
    points = {
        folded.entrants[row.entrant].player: row.points
        for division in folded.divisions.values()
        for row in division_standings(folded, division)
    }
    share = exact(part)
    brought = {entrant.number: points.get(entrant.player_id, ZERO) * share for entrant in entrants}
    return {entrant: plain_number(worth) for entrant, worth in brought.items() if worth}


def playoff_pairs(folded: SeasonFold) -> dict[int, list[tuple[int, int]]]:
    """Return division → the pairs that play for its last places above those that are relegated, each (who holds the
    place, who challenges for it)."""
    agreed = SeasonSettings.read(folded.settings)
    found = {}
    for above, below in pairwise(_playoff_outcomes(folded)):
        holding = _by_place(folded, above)[: len(folded.divisions[above].entrants) - agreed.relegated][::-1]
        asking = _by_place(folded, below)[agreed.promoted :]
        found[above] = list(zip(holding, asking, strict=False))[: agreed.playoff]
    return {above: met for above, met in found.items() if met}


def next_divisions(folded: SeasonFold) -> dict[int, int]:
    """Return entrant → division of the next season, for all who are promoted or relegated."""
    agreed = SeasonSettings.read(folded.settings)
    to: dict[int, int] = {}
    for above, below in pairwise(_playoff_outcomes(folded)):
        last = _by_place(folded, above, all_of=True)
        to.update(dict.fromkeys(last[max(1, len(last) - agreed.relegated) :] if agreed.relegated else [], below))
        to.update(dict.fromkeys(_by_place(folded, below)[: agreed.promoted], above))
    for division in folded.divisions.values():
        if division.above is not None:
            for holding, asking in division.pairs:
                if (division.places or {}).get(asking) == 1:
                    to |= {asking: division.above, holding: division.above + 1}
    return to


def _playoff_outcomes(folded: SeasonFold) -> list[int]:
    return sorted(number for number, division in folded.divisions.items() if division.above is None)


def _by_place(folded: SeasonFold, number: int, *, all_of: bool = False) -> list[int]:
    """Return the entrants of a division by place; without `all_of`, only those who have not withdrawn."""
    places = folded.divisions[number].places or {}
    order = sorted(places, key=lambda entrant: (places[entrant], entrant))
    return [entrant for entrant in order if all_of or not folded.entrants[entrant].gone]


def open_playoffs(changed: SeasonAggregate) -> bool:
    """Open a play-off for each two divisions that need one. Return whether there is any; False if the play-offs exist
    already."""
    if any(division.above is not None for division in changed.state.divisions.values()):
        return False
    pairs = playoff_pairs(changed.state)
    names = dict(changed.row.divisions.values_list("number", "name")) if pairs else {}
    for above, met in pairs.items():
        number = PLAYOFF_NUMBER_OFFSET + above
        changed.describe_row(Division, number, name=f"{names[above]} – {names[above + 1]}"[:60])
        changed.record(PlayoffOpened.of(number, met, above))
    return bool(pairs)
