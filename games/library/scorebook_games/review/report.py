"""What a review says, as data. `Review.plain` is described in the docstring of the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import erfc, exp, sqrt
from typing import Any, Final, NamedTuple

SCHEMA: Final = 2
PLACES: Final = 4
BEST: Final = "best"  # the move is the best one found
FINE: Final = "fine"  # no move is certainly better
MISTAKE: Final = "mistake"
SKIPPED: Final = "skipped"  # not looked at, in a very long game
UNMEASURED: Final = "unmeasured"  # no world was found


class Estimate(NamedTuple):
    """The mean of so many lines, and its standard error."""

    mean: float
    error: float
    lines: int

    @property
    def certainty(self) -> float:
        """How many standard errors the mean lies above 0."""
        return self.mean / self.error if self.error else 0.0


def estimate(sums: Sequence[float]) -> Estimate:
    """Return the mean of values from their number, sum and sum of squares.

    The error counts one more value half a unit away: a few lines that end alike are no certainty.
    """
    count, total, squares = int(sums[0]), sums[1], sums[2]
    if not count:
        return Estimate(0.0, 0.0, 0)
    mean = total / count
    return Estimate(mean, sqrt((max(0.0, squares - total * mean) + 0.25) / (count * max(1, count - 1))), count)


def chance(sums: Sequence[float], hope: float = 0.0) -> Estimate:
    """Return a chance from the number, sum and sum of squares of results between 0 and 1, which are too hopeful by so
    many logits.

    Four more results, two of them 1 and two 0, keep few lines from looking certain (Agresti and Coull, "Approximate is
    Better than 'Exact'", 1998).
    """
    if not sums[0]:
        return Estimate(0.5, 0.5, 0)
    count, mean = sums[0] + 4, (sums[1] + 2) / (sums[0] + 4)
    error = sqrt(max(0.0, (sums[2] + 2) / count - mean * mean) / count)
    sober = mean / (mean + (1 - mean) * exp(hope))
    return Estimate(sober, error * sober * (1 - sober) / (mean * (1 - mean)), int(sums[0]))


def false_alarm(certainty: float) -> float:
    """Return how likely it is to find a mean so many standard errors above 0, or more, if it is not above 0."""
    return 0.5 * erfc(certainty / sqrt(2))


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the curve. Chance and error are None where they were not measured."""

    version: int
    what: str
    seat: int | None
    chance: float | None
    error: float | None


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the seat, and what it cost beside the best move that was found; None if it was not measured."""

    version: int
    event: int
    move: str
    best: str
    legal: int
    cost: float | None
    error: float | None
    worlds: int
    mark: str

    @property
    def measured(self) -> bool:
        """Whether it is known what the decision cost."""
        return self.cost is not None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake, what the strong bot would have played, and a line that shows why."""

    version: int
    event: int
    move: str
    best: str
    cost: float
    error: float
    strong: str | None
    line: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Swing:
    """A great change of the curve."""

    version: int
    to: int
    event: int
    seat: int | None
    before: float
    after: float
    change: float
    error: float
    decision: int | None


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a game for one seat."""

    method: str
    kind: str
    rules_version: int
    seats: int
    seat: int
    seen: str
    budget: int
    spent: int
    finished: bool
    result: float | None
    policy: str
    curve: list[Point]
    decisions: list[Decision]
    mistakes: list[Mistake]
    swings: list[Swing]
    skipped: dict[str, int]
    unmeasured: dict[str, int]
    summary: list[Any]

    def plain(self) -> dict[str, Any]:
        """Return the review as JSON data."""
        data: dict[str, Any] = rounded({"schema": SCHEMA, **asdict(self)})
        return data


def rounded(value: Any) -> Any:
    """Return JSON data with each float rounded."""
    if isinstance(value, float):
        return round(value, PLACES) + 0.0  # no −0.0
    if isinstance(value, dict):
        return {name: rounded(value) for name, value in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value
