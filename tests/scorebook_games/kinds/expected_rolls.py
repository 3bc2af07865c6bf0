"""How many rolls a requirement takes on average, computed exactly: dynamic programming over the dice (PS-5).

Written from the clauses, apart from the engine. Best play of one requirement alone keeps some of the dice that lie
there and rolls the others, until what lies there fills every group; to assign early gains nothing, for kept dice may
be assigned at any time. A roll's outcomes are counted, not drawn.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

Dice = tuple[int, ...]  # ascending
Need = dict[str, Any]


@cache
def throws(count: int) -> dict[Dice, float]:
    """Return the chance of each outcome of so many dice."""
    found: dict[Dice, float] = {}
    for dice in itertools.combinations_with_replacement(range(1, 7), count):
        ways = math.factorial(count)
        for alike in Counter(dice).values():
            ways //= math.factorial(alike)
        found[dice] = ways / 6**count
    return found


def accepts(slot: str, value: int) -> bool:
    """PS-4: an exact value, at least k, at most k, odd, even, any."""
    match slot[0]:
        case "=":
            return value == int(slot[1:])
        case ">":
            return value >= int(slot[2:])
        case "<":
            return value <= int(slot[2:])
    return {"any": True, "odd": value % 2 == 1, "even": value % 2 == 0}[slot]


def size(need: Need) -> int:
    return len(need["slots"]) if need["kind"] == "slots" else int(need["dice"])


def fills(dice: Dice, need: Need) -> bool:
    """Return whether exactly these dice fill a group (PS-4)."""
    match need["kind"]:
        case "slots":
            return any(all(map(accepts, need["slots"], order)) for order in itertools.permutations(dice))
        case "same":
            return len(set(dice)) == 1
        case "run":
            return len(set(dice)) == len(dice) == max(dice) - min(dice) + 1
    return sum(dice) >= int(need["total"])


def can_fill(dice: Dice, needs: Sequence[Need]) -> bool:
    """Return whether some of `dice` fill every group, each with different dice."""
    if not needs:
        return True
    for some in set(itertools.combinations(dice, size(needs[0]))):
        if fills(some, needs[0]):
            rest = list(dice)
            for value in some:
                rest.remove(value)
            if can_fill(tuple(rest), needs[1:]):
                return True
    return False


def expected_rolls(needs: Sequence[Need], dice: int) -> float:
    """Return the expected rolls until `needs` are filled by best play with so many dice, including the roll on GO."""
    kept = [keep for count in range(dice) for keep in itertools.combinations_with_replacement(range(1, 7), count)]
    full = list(itertools.combinations_with_replacement(range(1, 7), dice))
    done = {outcome for outcome in full if can_fill(outcome, needs)}
    choices = {
        outcome: sorted({keep for count in range(dice) for keep in itertools.combinations(outcome, count)})
        for outcome in full
        if outcome not in done
    }
    leads = {
        keep: [
            (chance, outcome)
            for shown, chance in throws(dice - len(keep)).items()
            if (outcome := tuple(sorted(keep + shown))) not in done
        ]
        for keep in kept
    }
    value = dict.fromkeys(kept, 1.0)
    while True:
        best = {outcome: min([value[keep] for keep in keeps]) for outcome, keeps in choices.items()}
        after = {keep: 1 + sum([chance * best[outcome] for chance, outcome in leads[keep]]) for keep in kept}
        # From below, and each step is a contraction: what is left to gain is small where a step gains next to nothing.
        if max([after[keep] - value[keep] for keep in kept]) < 1e-9:
            return after[()]
        value = after


def ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal values have the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation, which is Pearson's of the ranks."""
    a, b = ranks(first), ranks(second)
    middle = (len(a) + 1) / 2
    cross = sum((x - middle) * (y - middle) for x, y in zip(a, b, strict=True))
    return cross / math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
