"""The official ratings of a season's bots: one Plackett–Luce fit over all its games. Pure.

In the model (Plackett 1975, Luce 1959) a game fills its places one after the other: of those left, i comes next with
probability e^θ_i / Σ e^θ_j. With two players this is Elo's formula. The fit is the θ under which the results are most
likely, found by Newton's method; the order of the games does not matter. All intervals have a confidence of 95 %.

Without deals that games share, the covariance is the inverse of the information matrix. Games of one deal depend on
each other through the cards, so they are one observation: with them the covariance is the sandwich estimator, clustered
by deal (Liang and Zeger 1986; White 1982), H⁻¹ (Σ g gᵀ) H⁻¹ · d / (d − 1), where g is the sum of the gradients of a
deal's games, and d the number of deals. It is used where there are at least `MIN_DEALS` deals, and never says less than
the inverse of the information matrix does: with few deals it is too small by chance.

Players who share a place count as the mean over all orders in which they could stand, so a drawn game is half a win and
half a loss. This makes the intervals a little wider than necessary.

Every player has one more drawn game, against an imaginary bot of average strength. So ratings stay finite if a bot has
won or lost all games, or if results do not connect it with the others; for all other bots it matters little.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import mul
from statistics import NormalDist
from typing import Final

MEAN_RATING: Final = 1500.0
UNIT: Final = 400 / math.log(10)  # rating points of 1 in θ: odds of 10 : 1 are 400 points, as in Elo
PRIOR_GAMES: Final = 1.0  # drawn games with the imaginary bot
ALPHA: Final = 0.05
Z: Final = NormalDist().inv_cdf(1 - ALPHA / 2)
MAX_STEPS: Final = 60
MAX_STEP_LENGTH: Final = 2.0
TOLERANCE: Final = 1e-9
MIN_DEALS: Final = 10

GamePlacings = tuple[Sequence[int], Sequence[int]]  # (players, placings), by seat
Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class FittedStrength:
    """A player's rating on Elo's scale, with the season's mean at 1500, and half the width of its interval.

    `place`, and the places `low` … `high` that it may be; `won` and `lost`: whether the player ever finished ahead of,
    or behind, another player or level with one.
    """

    player: int
    rating: float
    half: float
    place: int
    low: int
    high: int
    games: int
    won: bool
    lost: bool

    @property
    def decided(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability that a player finishes ahead of another one, and its interval."""

    chance: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether it is certain which of the two is better."""
        return not self.low <= 0.5 <= self.high


class Fit:
    """The ratings of `players`, the best first. `connected`: whether the results connect all players, so that no rating
    depends on the imaginary bot. `deals` has the deal of each game; without it, no two games share a deal."""

    def __init__(
        self, players: Sequence[int], games: Iterable[GamePlacings], deals: Sequence[Hashable] | None = None
    ) -> None:
        self._index = {player: index for index, player in enumerate(players)}
        tally = Tally(len(players))
        by_deal: dict[Hashable, Tally] = {}
        for number, (seated, placings) in enumerate(games):
            indexes = [self._index[player] for player in seated]
            tally.add(indexes, placings)
            if deals:
                by_deal.setdefault(deals[number], Tally(len(players))).add(indexes, placings)
        shares_deals = bool(deals) and MIN_DEALS <= len(by_deal) < len(deals or ())
        self._theta, self._spread = solve(tally, list(by_deal.values()) if shares_deals else [])
        self.connected = tally.connected()
        self.strengths = self._strengths(players, tally)

    def chance(self, one: int, other: int) -> Chance:
        """Return the probability that player `one` finishes ahead of `other`."""
        gap, deviation = self._gap(self._index[one], self._index[other])
        return Chance(_logistic(gap), _logistic(gap - Z * deviation), _logistic(gap + Z * deviation))

    @property
    def decided(self) -> int:
        """The number of players whose place is certain."""
        return sum(strength.decided for strength in self.strengths)

    def _gap(self, one: int, other: int) -> tuple[float, float]:
        """Return the difference of θ of two players, and its standard deviation."""
        spread = self._spread
        variance = spread[one][one] + spread[other][other] - 2 * spread[one][other]
        return self._theta[one] - self._theta[other], math.sqrt(max(variance, 0.0))

    def _strengths(self, players: Sequence[int], tally: Tally) -> list[FittedStrength]:
        found = []
        for player, index in self._index.items():
            better, worse = self._surely(index)
            found.append(
                FittedStrength(
                    player=player,
                    rating=MEAN_RATING + UNIT * self._theta[index],
                    half=Z * UNIT * math.sqrt(max(self._spread[index][index], 0.0)),
                    place=1 + sum(theta > self._theta[index] + TOLERANCE for theta in self._theta),
                    low=1 + better,
                    high=len(players) - worse,
                    games=tally.games[index],
                    won=bool(tally.before[index]),
                    lost=bool(tally.behind[index]),
                )
            )
        return sorted(found, key=lambda strength: (strength.place, self._index[strength.player]))

    def _surely(self, index: int) -> tuple[int, int]:
        """Return how many players are certainly better than one, and how many certainly worse.

        With a confidence of 95 %, all of the n − 1 comparisons are right, by Holm's procedure (1979).
        """
        gaps = [self._gap(index, other) for other in range(len(self._theta)) if other != index]
        ratios = sorted((gap / deviation for gap, deviation in gaps if deviation), key=abs, reverse=True)
        better = worse = 0
        for done, ratio in enumerate(ratios):
            if abs(ratio) < NormalDist().inv_cdf(1 - ALPHA / 2 / (len(ratios) - done)):
                break
            better, worse = better + (ratio < 0), worse + (ratio > 0)
        return better, worse


class Tally:
    """The statistics of games that the likelihood needs: how often each of `size` players was chosen next, and out of
    which groups a player was chosen."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.chosen = [0.0] * size
        self.groups: dict[tuple[int, ...], float] = defaultdict(float)
        self.games = [0] * size
        # the players that one finished ahead of, or level with
        self.before: list[set[int]] = [set() for _ in range(size)]
        self.behind: list[set[int]] = [set() for _ in range(size)]

    def add(self, seated: Sequence[int], placings: Sequence[int]) -> None:
        """Add one game."""
        level: dict[int, list[int]] = defaultdict(list)
        for index, placing in zip(seated, placings, strict=True):
            level[placing].append(index)
            self.games[index] += 1
        left = sorted(seated)
        for placing in sorted(level):
            self._fill(left, level[placing])
            left = [index for index in left if index not in level[placing]]
        for (a, place_a), (b, place_b) in combinations(zip(seated, placings, strict=True), 2):
            if place_a <= place_b:
                self.before[a].add(b)
                self.behind[b].add(a)
            if place_b <= place_a:
                self.before[b].add(a)
                self.behind[a].add(b)

    def _fill(self, left: Sequence[int], tied: Sequence[int]) -> None:
        """Count that `tied` come next out of `left`, the mean over all their orders. The last one left is not
        chosen."""
        last = len(tied) == len(left)
        for index in tied:
            self.chosen[index] += 1 - (1 / len(tied) if last else 0)
        for gone in range(len(tied) - last):
            weight = 1 / math.comb(len(tied), gone)
            for some in combinations(tied, gone):
                self.groups[tuple(index for index in left if index not in some)] += weight

    def connected(self) -> bool:
        """Return whether the results connect all players: from each one there is a chain to every other one of players
        that it finished ahead of or level with."""
        return self.size < 2 or all(len(_reached(edges)) == self.size for edges in (self.before, self.behind))


def _reached(edges: Sequence[set[int]]) -> set[int]:
    seen, waiting = {0}, [0]
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def solve(tally: Tally, deals: Sequence[Tally] = ()) -> tuple[list[float], Matrix]:
    """Return (θ, its covariance), both relative to the mean of all players. `deals`: the games of each deal."""
    theta = [0.0] * tally.size
    likelihood = _likelihood(tally, theta)
    for _ in range(MAX_STEPS):
        pull, information = _derivatives(tally, theta)
        step = _solved(_cholesky(information), pull)
        longest = max(map(abs, step), default=0.0)
        if longest < TOLERANCE:
            break
        part = min(1.0, MAX_STEP_LENGTH / longest)
        while True:
            tried = [value + part * change for value, change in zip(theta, step, strict=True)]
            found = _likelihood(tally, tried)
            if found >= likelihood or part * longest < TOLERANCE:
                break
            part /= 2
        theta, likelihood = tried, found
    bread = _inverse(_cholesky(_derivatives(tally, theta)[1]))
    centred, spread = _centred(theta, bread)
    if deals:
        spread = _enlarged(_centred(theta, _sandwich(bread, [_pull(deal, theta) for deal in deals]))[1], spread)
    return centred, spread


def _pull(tally: Tally, theta: Sequence[float]) -> list[float]:
    """Return the gradient of the log-likelihood of these games, without the imaginary ones."""
    weights = [math.exp(value) for value in theta]
    pull = list(tally.chosen)
    for group, often in tally.groups.items():
        total = sum([weights[i] for i in group])
        for i in group:
            pull[i] -= often * weights[i] / total
    return pull


def _sandwich(bread: Matrix, pulls: Sequence[Sequence[float]]) -> Matrix:
    """Return the sandwich of the inverse information and the gradients of independent groups of games."""
    scale = len(pulls) / (len(pulls) - 1)
    moved = [[sum(map(mul, row, pull)) for row in bread] for pull in pulls]
    players = range(len(bread))
    return [[scale * sum([each[i] * each[j] for each in moved]) for j in players] for i in players]


def _enlarged(sandwich: Matrix, naive: Matrix) -> Matrix:
    """Return `sandwich`, enlarged so that no player's variance is smaller than in `naive`."""
    players = range(len(naive))
    if not all(sandwich[i][i] > 0 for i in players):
        return naive
    roots = [math.sqrt(max(1.0, naive[i][i] / sandwich[i][i])) for i in players]
    return [[roots[i] * roots[j] * sandwich[i][j] for j in players] for i in players]


def _likelihood(tally: Tally, theta: Sequence[float]) -> float:
    """Return the log-likelihood of all games, including the imaginary ones."""
    weights = [math.exp(value) for value in theta]
    total = float(sum(map(mul, tally.chosen, theta)))
    total -= sum(often * math.log(sum([weights[i] for i in group])) for group, often in tally.groups.items())
    return total - PRIOR_GAMES * sum(
        math.log1p(weight) - value / 2 for weight, value in zip(weights, theta, strict=True)
    )


def _derivatives(tally: Tally, theta: Sequence[float]) -> tuple[list[float], Matrix]:
    """Return (gradient of the log-likelihood, information matrix)."""
    weights = [math.exp(value) for value in theta]
    parts = [_logistic(value) for value in theta]
    pull = [chosen + PRIOR_GAMES * (0.5 - part) for chosen, part in zip(tally.chosen, parts, strict=True)]
    information = [[0.0] * tally.size for _ in theta]
    for index, part in enumerate(parts):
        information[index][index] = PRIOR_GAMES * part * (1 - part)
    for group, often in tally.groups.items():
        total = sum([weights[i] for i in group])
        shares = [weights[i] / total for i in group]
        for i, share in zip(group, shares, strict=True):
            pull[i] -= often * share
            row, factor = information[i], often * share
            row[i] += factor
            for j, other in zip(group, shares, strict=True):
                row[j] -= factor * other
    return pull, information


def _cholesky(matrix: Matrix) -> Matrix:
    """Return the lower triangle L, rows up to the diagonal, with L · Lᵀ = `matrix`."""
    rows: Matrix = []
    for i, wanted in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((wanted[j] - sum(map(mul, row, rows[j]))) / rows[j][j])
        row.append(math.sqrt(wanted[i] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def _solved(rows: Matrix, wanted: Sequence[float]) -> list[float]:
    """Return x with (rows · rowsᵀ) x = wanted."""
    half: list[float] = []
    for row, value in zip(rows, wanted, strict=True):
        half.append((value - sum(map(mul, row, half))) / row[-1])
    found = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        found[i] = half[i] / rows[i][i]
        for j, factor in enumerate(rows[i][:i]):
            half[j] -= factor * found[i]
    return found


def _inverse(rows: Matrix) -> Matrix:
    """Return the inverse of rows · rowsᵀ."""
    size = len(rows)
    columns: Matrix = []  # of the inverse of `rows`, from the diagonal down
    for j in range(size):
        column = [1 / rows[j][j]]
        for i in range(j + 1, size):
            column.append(-sum(map(mul, rows[i][j:i], column)) / rows[i][i])
        columns.append(column)
    full = [[0.0] * size for _ in rows]
    for i in range(size):
        for j in range(i + 1):
            full[i][j] = full[j][i] = sum(map(mul, columns[i], columns[j][i - j :]))
    return full


def _centred(theta: Sequence[float], spread: Matrix) -> tuple[list[float], Matrix]:
    if not theta:
        return [], []
    middle, means = sum(theta) / len(theta), [sum(row) / len(row) for row in spread]
    overall = sum(means) / len(means)
    about = [
        [value - mine - theirs + overall for value, theirs in zip(row, means, strict=True)]
        for row, mine in zip(spread, means, strict=True)
    ]
    return [value - middle for value in theta], about


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
