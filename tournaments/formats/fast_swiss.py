"""Swiss pairs by our own rules, for more entrants than the Dutch System can pair in time, and where it finds no
pairing.

`fold_pairs` (above 256 entrants) goes down the standings, one group of equal points after the other:

1. With an odd number, the lowest of those with the fewest byes has a bye.
2. Entrants left over by the group above meet the highest possible here. The rest is folded: the upper half meets the
   lower half. Each takes the entrant nearest to its place whom it has not met, with whom both get the move that they
   are due. Nobody moves first or second three times in a row, or three times more often than the other way.
3. Of an odd group, the lowest goes down who did not go down in the round before. An entrant without an opponent also
   goes down.
4. Those left at the very end exchange partners with the lowest possible pair.

Step 4 always succeeds if there are more than four times as many entrants as rounds: a pair is unusable only if one of
the two left over has met one of the pair, in either order.

`nearest` (up to 256) is exact: of all pairings with the most pairs it takes one with the fewest second byes, then the
fewest second meetings, then the fewest third moves in a row, then the smallest differences in points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, groupby

from tournaments.formats.field import Candidate
from tournaments.formats.first_moves import ABSOLUTE_PREFERENCE, MovePreference, move_preference, preference_clash
from tournaments.formats.matching import matching

MOST_MEETINGS = 5  # more are as bad

Couple = tuple[Candidate, Candidate]


def fold_pairs(playing: Sequence[Candidate]) -> tuple[list[Couple], list[Candidate]]:
    """Return pairs, without an order of moves, and who has the bye."""
    return _FoldPairing(playing).all()


class Free:
    """The places of 0 … that are still free. Finding the nearest free one stays fast when most are taken."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.above = list(range(count + 1))  # for a taken place: where to look next, upwards
        self.below = list(range(count + 1))  # likewise downwards, of each place + 1; 0 for the end

    def take(self, place: int) -> None:
        self.above[place] = place + 1
        self.below[place + 1] = place

    def outward(self, place: int) -> Iterator[int]:
        """Yield the free places by their distance from `place`; of two at equal distance the lower one first."""
        low, high = _chain_end(self.below, place), _chain_end(self.above, place)
        while low or high < self.count:
            if low and (high >= self.count or place - low < high - place):
                yield low - 1
                low = _chain_end(self.below, low - 1)
            else:
                yield high
                high = _chain_end(self.above, high + 1)


def _chain_end(chain: list[int], place: int) -> int:
    while chain[place] != place:
        chain[place] = chain[chain[place]]
        place = chain[place]
    return place


class _FoldPairing:
    def __init__(self, playing: Sequence[Candidate]) -> None:
        self.ranked = sorted(playing, key=lambda candidate: candidate.rank)
        self.wishes: dict[int, MovePreference] = {
            candidate.entrant: move_preference(candidate) for candidate in playing
        }

    def all(self) -> tuple[list[Couple], list[Candidate]]:
        resting = self._resting()
        field = [candidate for candidate in self.ranked if candidate not in resting]
        pairs: list[Couple] = []
        down: list[Candidate] = []
        for _, group in groupby(field, key=lambda candidate: candidate.points):
            made, down = self._group(down, list(group))
            pairs += made
        left = self._mend(pairs, down, strict=True)
        return pairs, resting + self._mend(pairs, left, strict=False)

    def _resting(self) -> list[Candidate]:
        if len(self.ranked) % 2 == 0:
            return []
        return [min(reversed(self.ranked), key=lambda candidate: candidate.byes)]

    def _group(self, above: list[Candidate], group: list[Candidate]) -> tuple[list[Couple], list[Candidate]]:
        """Return the pairs of those who came down and of a score group, and who goes down from it."""
        down = []
        if (len(above) + len(group)) % 2:
            lowest = next((one for one in reversed(group) if one.floats[-1:] != [-1]), group[-1])
            group.remove(lowest)
            down.append(lowest)
        pairs: list[Couple] = []
        alone = self._take(pairs, above, group, [0] * len(above))
        half = len(group) // 2
        upper, lower = group[:half], group[half:]
        alone += self._take(pairs, upper, lower, range(half))
        alone += lower
        left = self._mend(pairs, alone, strict=True)
        return pairs, sorted(left + down, key=lambda candidate: candidate.rank)

    def _take(
        self, pairs: list[Couple], takers: Sequence[Candidate], pool: list[Candidate], places: Sequence[int]
    ) -> list[Candidate]:
        """Give each of `takers` a partner from `pool` near `places`, and remove the partner from it; return who found
        nobody."""
        free = Free(len(pool))
        alone = []
        for taker, place in zip(takers, places, strict=True):
            taken = self._fit(taker, pool, free.outward(place))
            if taken is None:
                alone.append(taker)
                continue
            free.take(taken)
            pairs.append((taker, pool[taken]))
        pool[:] = [pool[place] for place in free.outward(0)]
        return alone

    def _fit(self, taker: Candidate, pool: Sequence[Candidate], places: Iterable[int]) -> int | None:
        """Return the place of the pool, nearest first, whose entrant clashes least in the moves that both are due."""
        best, least = None, ABSOLUTE_PREFERENCE
        mine = self.wishes[taker.entrant]
        for place in places:
            other = pool[place]
            hurts = preference_clash(mine, self.wishes[other.entrant])
            if hurts < least and other.entrant not in taker.met:
                best, least = place, hurts
                if not hurts:
                    break
        return best

    def _mend(self, pairs: list[Couple], alone: Sequence[Candidate], *, strict: bool) -> list[Candidate]:
        """Pair those who are `alone` with one another, or by exchanging partners with a pair; return who is still
        alone."""
        left = list(alone)
        for a, b in combinations(alone, 2):
            if a in left and b in left and self._join(pairs, a, b, strict=strict):
                left.remove(a)
                left.remove(b)
        return left

    def _join(self, pairs: list[Couple], a: Candidate, b: Candidate, *, strict: bool) -> bool:
        if self._may(a, b, strict=strict):
            pairs.append((a, b))
            return True
        for place in range(len(pairs) - 1, -1, -1):
            for c, d in (pairs[place], pairs[place][::-1]):
                if self._may(a, c, strict=strict) and self._may(b, d, strict=strict):
                    pairs[place : place + 1] = [(a, c), (b, d)]
                    return True
        return False

    def _may(self, a: Candidate, b: Candidate, *, strict: bool) -> bool:
        if b.entrant in a.met:
            return False
        return not strict or preference_clash(self.wishes[a.entrant], self.wishes[b.entrant]) < ABSOLUTE_PREFERENCE


def nearest(playing: Sequence[Candidate]) -> tuple[list[Couple], list[Candidate]]:
    """Return the best pairs, without an order of moves, and who has the bye."""
    ranked = sorted(playing, key=lambda candidate: candidate.rank)
    count, costs = len(ranked), pair_costs(ranked)
    again = (max(costs.values(), default=0) + 1) * count  # more than all of them together
    due = again * MOST_MEETINGS**2 * count  # more than all second meetings
    paired = 2 * due * count  # more than anything else can
    edges = [
        (i, j, paired - costs[a.entrant, b.entrant] - again * times_met(a, b) ** 2 + due * _due_weight(a, b))
        for (i, a), (j, b) in combinations(enumerate(ranked), 2)
    ]
    made = matching(len(ranked), edges)
    alone = set(range(len(ranked))) - {place for pair in made for place in pair}
    return [(ranked[i], ranked[j]) for i, j in made], [ranked[i] for i in sorted(alone)]


def pair_costs(playing: Sequence[Candidate]) -> dict[tuple[int, int], int]:
    """Return for each two entrants, in both orders, how badly they fit: a third move in a row for one of them costs
    more than all differences in points."""
    wishes = {candidate.entrant: move_preference(candidate) for candidate in playing}
    tier = {points: place for place, points in enumerate(sorted({candidate.points for candidate in playing}))}
    worst = len(playing) * (len(tier) + 4) ** 2
    costs = {}
    for a, b in combinations(playing, 2):
        turns = preference_clash(wishes[a.entrant], wishes[b.entrant])
        hurt = worst if turns == ABSOLUTE_PREFERENCE else turns
        costs[a.entrant, b.entrant] = costs[b.entrant, a.entrant] = hurt + (tier[a.points] - tier[b.points]) ** 2
    return costs


def times_met(one: Candidate, other: Candidate) -> int:
    """Return how often the two have met, up to `MOST_MEETINGS`."""
    return min(one.opponents.count(other.entrant), MOST_MEETINGS) if other.entrant in one.met else 0


def _due_weight(a: Candidate, b: Candidate) -> int:
    """Return how many of the two have had a bye, because playing now is worth more to them."""
    return min(a.byes, 1) + min(b.byes, 1)


def by_rank(pairs: Sequence[Couple]) -> list[Couple]:
    """Sort pairs by table: by the points of the higher entrant, then of both, then the pairing number (FIDE C.04.3,
    D.9)."""

    def key(pair: Couple) -> tuple[Fraction, Fraction, int]:
        higher = min(pair, key=lambda candidate: candidate.rank)
        return -higher.points, -sum((candidate.points for candidate in pair), Fraction(0)), higher.number

    return sorted(pairs, key=key)
