"""Who of two moves first: FIDE C.04.3, A.6 and E, with first and second move for white and black."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.formats.field import FIRST, SECOND, Candidate

ABSOLUTE, STRONG, MILD, NONE = 3, 2, 1, 0


@dataclass(frozen=True, slots=True)
class Wish:
    """The move that an entrant should have next: `side` FIRST, SECOND or 0, and how much it is due (`strength`)."""

    side: int
    strength: int


def wish(candidate: Candidate) -> Wish:
    """Absolute: two more of the one than of the other, or the same twice running. Strong: one more. Mild: in turn."""
    moves, balance = candidate.moves, candidate.balance
    if not moves:
        return Wish(0, NONE)
    twice = len(moves) > 1 and moves[-1] == moves[-2]
    side = (SECOND if balance > 0 else FIRST) if balance else -moves[-1]
    if abs(balance) > 1 or twice:
        return Wish(side, ABSOLUTE)
    return Wish(side, STRONG if balance else MILD)


def clash(one: Wish, other: Wish) -> int:
    """0 if both can have what they wish; else by how much it hurts: the lesser of the two strengths, 1 … 3."""
    return min(one.strength, other.strength) if one.side == other.side else 0


def seated(a: Candidate, b: Candidate, first_first: bool) -> tuple[Candidate, Candidate]:
    """The two in the order of their moves (FIDE C.04.3, E.1 – E.5). `first_first`: the lot of the first round."""
    higher, lower = sorted((a, b), key=lambda candidate: candidate.rank)
    return (higher, lower) if _side(higher, lower, first_first) == FIRST else (lower, higher)


def _side(higher: Candidate, lower: Candidate, first_first: bool) -> int:
    mine, theirs = wish(higher), wish(lower)
    if mine.side != theirs.side:
        return mine.side or -theirs.side
    if not mine.side:
        return FIRST if (higher.number % 2 == 1) == first_first else SECOND
    if mine.strength != theirs.strength:
        return mine.side if mine.strength > theirs.strength else -mine.side
    if mine.strength == ABSOLUTE and abs(higher.balance) != abs(lower.balance):
        return mine.side if abs(higher.balance) > abs(lower.balance) else -mine.side
    turned = last_difference(higher, lower)
    return -turned if turned else mine.side


def last_difference(one: Candidate, other: Candidate) -> int:
    """What `one` had when the two last had different moves, counted back from their latest pairs; 0 if never."""
    pairs = zip(reversed(one.moves), reversed(other.moves), strict=False)
    return next((mine for mine, theirs in pairs if mine != theirs), 0)


def why_first(first: Candidate, second: Candidate) -> str:
    """Why the one moves first, as a sentence for whoever looks at the pairing."""
    if not first.moves and not second.moves:
        return "Neither has played yet: the lot of the first round decides who moves first."
    if not first.moves or not second.moves:
        return "One of them has played before and moves in turn; the other has no turn yet."
    if first.balance < second.balance:
        return f"Who moves first has done so in {_share(first)}, the other in {_share(second)}."
    if first.moves[-2:] == [SECOND, SECOND]:
        return "Who moves first has moved second twice running, and is not to do so a third time."
    if second.moves[-2:] == [FIRST, FIRST]:
        return "Who moves second has moved first twice running, and is not to do so a third time."
    if last_difference(first, second) == SECOND:
        return "Both have moved first equally often; who moves first moved second when they last differed."
    return "Both have moved first equally often, and in the same turns: the higher in the standing has the turn."


def _share(candidate: Candidate) -> str:
    played = len(candidate.moves)
    return f"{candidate.moves.count(FIRST)} of {played} {'match' if played == 1 else 'matches'}"
