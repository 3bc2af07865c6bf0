"""What the places of a game say: who won, who finished ahead of whom. Whatever asks this asks here. Pure.

`placings` have one entry a seat (`contract.Outcome`): 1 … n, tied seats share the better place, none without a result.
"""

from __future__ import annotations

from collections.abc import Sequence


def has_won(placing: int | None) -> bool:
    """Return whether a player has won, alone or with others."""
    return placing == 1


def winners(placings: Sequence[int]) -> list[int]:
    """Return the seats in the first place, which several may share; [] without a result."""
    return [seat for seat, placing in enumerate(placings) if has_won(placing)]


def share_against(mine: int, theirs: int) -> float:
    """Return 1 if the first of two players finished ahead of the second, ½ if they share a place, else 0."""
    return (mine < theirs) + (mine == theirs) / 2


def letter_against(mine: int, theirs: int) -> str:
    """Return W, D or L, the result of the first of two players."""
    return "D" if mine == theirs else "W" if mine < theirs else "L"


def result_mark(mine: int | None, others: Sequence[int | None]) -> str:
    """Return W, D or L for two players, the place for more; "–" without a result."""
    if mine is None or None in others:
        return "–"
    return letter_against(mine, others[0] or mine) if len(others) == 1 else str(mine)


def points_share(placings: Sequence[int], seat: int) -> float:
    """Return the share of opponents that `seat` finished ahead of; a shared place counts half."""
    placing = placings[seat]
    before = sum([place > placing for place in placings])
    return (before + (placings.count(placing) - 1) / 2) / (len(placings) - 1)


def without_gaps(placings: Sequence[int]) -> list[int]:
    """Return the places as they are counted: whoever shares a place takes up the next ones, so 1, 1, 3 and not
    1, 1, 2."""
    return [1 + sum(other < place for other in placings) for place in placings]
