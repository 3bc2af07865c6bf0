"""The official strengths of a season's bots: one Plackett–Luce fit over all its games. Pure.

In the model (Plackett 1975, Luce 1959) a game fills its places one after the other: of those left over, i comes next
with probability e^θ_i / Σ e^θ_j. Of two, that is Elo's own formula. The fit is the θ under which all that happened is
likeliest, found by Newton's method; the order of the games does not matter. Its precision is the inverse of the
information matrix, and all intervals hold with 95 %.

Ties: those who share a place count as the mean over all orders in which they could stand, so that a drawn game is half
a win and half a loss. That takes their results for a little less certain than they are.

Nobody's figure is endless: everybody has one drawn game with an imaginary bot of middling strength on top. That holds
who has won or lost everything, and those whose results do not tie them to the others; to the rest it matters little.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import mul
from statistics import NormalDist
from typing import Final

MEAN_RATING: Final = 1500.0
UNIT: Final = 400 / math.log(10)  # rating points for 1 of θ: ten to one is 400 points, as in Elo
PRIOR_GAMES: Final = 1.0  # drawn games with the imaginary bot
ALPHA: Final = 0.05
Z: Final = NormalDist().inv_cdf(1 - ALPHA / 2)
MAX_STEPS: Final = 60
MAX_STEP_LENGTH: Final = 2.0
TOLERANCE: Final = 1e-9

GamePlacings = tuple[Sequence[int], Sequence[int]]  # (players, placings), by seat
Matrix = list[list[float]]


@dataclass(frozen=True, slots=True)
class FittedStrength:
    """A player's figure, on Elo's scale with the season's mean at 1500, and half the width of its interval.

    `place`, and from which to which it may be; `won` and `lost`: whether there was anybody that they came in before,
    and behind, or level with.
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
    """How likely a player is to come in before another, and the interval of that."""

    chance: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether one of the two is the better one."""
        return not self.low <= 0.5 <= self.high


class Fit:
    """The strengths of `players`, the best first. `connected`: whether the results tie everybody to everybody, so that
    no figure hangs on the imaginary bot."""

    def __init__(self, players: Sequence[int], games: Iterable[GamePlacings]) -> None:
        self._index = {player: index for index, player in enumerate(players)}
        tally = Tally(len(players))
        for seated, placings in games:
            tally.add([self._index[player] for player in seated], placings)
        self._theta, self._spread = solve(tally)
        self.connected = tally.connected()
        self.strengths = self._strengths(players, tally)

    def chance(self, one: int, other: int) -> Chance:
        """How likely player `one` comes in before `other`."""
        gap, deviation = self._gap(self._index[one], self._index[other])
        return Chance(_logistic(gap), _logistic(gap - Z * deviation), _logistic(gap + Z * deviation))

    @property
    def decided(self) -> int:
        """How many places are."""
        return sum(strength.decided for strength in self.strengths)

    def _gap(self, one: int, other: int) -> tuple[float, float]:
        """By how much θ of one is greater, and the standard deviation of that."""
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
        """How many are surely better than one, and surely worse.

        Each of the n − 1 comparisons could be wrong, and with 95 % none of them is: Holm's procedure (1979).
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
    """All that the likelihood knows of the games: how often each of `size` players came next, and out of which groups
    somebody did."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.chosen = [0.0] * size
        self.groups: dict[tuple[int, ...], float] = defaultdict(float)
        self.games = [0] * size
        self.before: list[set[int]] = [set() for _ in range(size)]  # whom one came in before, or level with
        self.behind: list[set[int]] = [set() for _ in range(size)]

    def add(self, seated: Sequence[int], placings: Sequence[int]) -> None:
        """Count one game."""
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
        """`tied` come next out of `left`, in all orders alike. Who is left alone at the end is not chosen."""
        last = len(tied) == len(left)
        for index in tied:
            self.chosen[index] += 1 - (1 / len(tied) if last else 0)
        for gone in range(len(tied) - last):
            weight = 1 / math.comb(len(tied), gone)
            for some in combinations(tied, gone):
                self.groups[tuple(index for index in left if index not in some)] += weight

    def connected(self) -> bool:
        """Whether from everybody one comes to everybody by going on to whom they came in before, or level with."""
        return self.size < 2 or all(len(_reached(edges)) == self.size for edges in (self.before, self.behind))


def _reached(edges: Sequence[set[int]]) -> set[int]:
    seen, waiting = {0}, [0]
    while waiting:
        new = edges[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def solve(tally: Tally) -> tuple[list[float], Matrix]:
    """(θ, its covariance), both about the mean of all: what is known of a player is known against the others."""
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
    return _centred(theta, _inverse(_cholesky(_derivatives(tally, theta)[1])))


def _likelihood(tally: Tally, theta: Sequence[float]) -> float:
    """The logarithm of how likely all that is, with the imaginary games."""
    weights = [math.exp(value) for value in theta]
    total = float(sum(map(mul, tally.chosen, theta)))
    total -= sum(often * math.log(sum([weights[i] for i in group])) for group, often in tally.groups.items())
    return total - PRIOR_GAMES * sum(
        math.log1p(weight) - value / 2 for weight, value in zip(weights, theta, strict=True)
    )


def _derivatives(tally: Tally, theta: Sequence[float]) -> tuple[list[float], Matrix]:
    """(gradient of the likelihood, information matrix)."""
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
    """The rows, up to the diagonal, of the lower triangle that times its own transpose is `matrix`."""
    rows: Matrix = []
    for i, wanted in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((wanted[j] - sum(map(mul, row, rows[j]))) / rows[j][j])
        row.append(math.sqrt(wanted[i] - sum(map(mul, row, row))))
        rows.append(row)
    return rows


def _solved(rows: Matrix, wanted: Sequence[float]) -> list[float]:
    """x where (rows · rowsᵀ) x = wanted."""
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
    """The inverse of rows · rowsᵀ."""
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
