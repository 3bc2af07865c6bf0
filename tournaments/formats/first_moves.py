"""Which of two entrants moves first, by FIDE C.04.3, A.6 and E, with first and second move for white and black."""

from __future__ import annotations

from dataclasses import dataclass

from scorebook_games.presentation.coded_text import Sentence
from tournaments.formats import reasons
from tournaments.formats.field import MOVES_FIRST, MOVES_SECOND, Candidate

ABSOLUTE_PREFERENCE, STRONG_PREFERENCE, MILD_PREFERENCE, NO_PREFERENCE = 3, 2, 1, 0


@dataclass(frozen=True, slots=True)
class MovePreference:
    """The move that an entrant should have next: `side` is FIRST, SECOND or 0, and `strength` how much it is due."""

    side: int
    strength: int


def move_preference(candidate: Candidate) -> MovePreference:
    """Return the preference. Absolute: two more of one than of the other, or the same twice in a row. Strong: one more.
    Mild: alternation."""
    moves, balance = candidate.moves, candidate.balance
    if not moves:
        return MovePreference(0, NO_PREFERENCE)
    twice = len(moves) > 1 and moves[-1] == moves[-2]
    side = (MOVES_SECOND if balance > 0 else MOVES_FIRST) if balance else -moves[-1]
    if abs(balance) > 1 or twice:
        return MovePreference(side, ABSOLUTE_PREFERENCE)
    return MovePreference(side, STRONG_PREFERENCE if balance else MILD_PREFERENCE)


def preference_clash(one: MovePreference, other: MovePreference) -> int:
    """Return 0 if both can have their preference, else the lesser of the two strengths (1 … 3)."""
    return min(one.strength, other.strength) if one.side == other.side else 0


def in_move_order(a: Candidate, b: Candidate, first_first: bool) -> tuple[Candidate, Candidate]:
    """Return the two in the order of their moves (FIDE C.04.3, E.1 – E.5). `first_first` is the lot of the first
    round."""
    higher, lower = sorted((a, b), key=lambda candidate: candidate.rank)
    return (higher, lower) if _preferred_side(higher, lower, first_first) == MOVES_FIRST else (lower, higher)


def _preferred_side(higher: Candidate, lower: Candidate, first_first: bool) -> int:
    mine, theirs = move_preference(higher), move_preference(lower)
    if mine.side != theirs.side:
        return mine.side or -theirs.side
    if not mine.side:
        return MOVES_FIRST if (higher.number % 2 == 1) == first_first else MOVES_SECOND
    if mine.strength != theirs.strength:
        return mine.side if mine.strength > theirs.strength else -mine.side
    if mine.strength == ABSOLUTE_PREFERENCE and abs(higher.balance) != abs(lower.balance):
        return mine.side if abs(higher.balance) > abs(lower.balance) else -mine.side
    turned = last_difference(higher, lower)
    return -turned if turned else mine.side


def last_difference(one: Candidate, other: Candidate) -> int:
    """Return the move of `one` in the latest round, counted back, in which the two had different moves; 0 if there was
    none."""
    pairs = zip(reversed(one.moves), reversed(other.moves), strict=False)
    return next((mine for mine, theirs in pairs if mine != theirs), 0)


def why_first(first: Candidate, second: Candidate) -> Sentence:
    """Return why `first` moves first."""
    if not first.moves and not second.moves:
        return reasons.first_by_lot()
    if not first.moves or not second.moves:
        return reasons.first_of_newcomer()
    if first.balance < second.balance:
        return reasons.first_less_often(*_first_moves(first), *_first_moves(second))
    if first.moves[-2:] == [MOVES_SECOND, MOVES_SECOND]:
        return reasons.first_after_two_seconds()
    if second.moves[-2:] == [MOVES_FIRST, MOVES_FIRST]:
        return reasons.second_after_two_firsts()
    if last_difference(first, second) == MOVES_SECOND:
        return reasons.first_by_last_difference()
    return reasons.first_by_place()


def _first_moves(candidate: Candidate) -> tuple[int, int]:
    """Return how often they moved first, and in how many matches."""
    return candidate.moves.count(MOVES_FIRST), len(candidate.moves)
