"""What is usual at a decision: the moves of a stated policy, with which a ledger compares the move that was made.

The policy is that of the bot Sensible. From the seat's own observation its plan rates every legal move, and it plays
one of those with the highest rating, all with the same probability. For a kind without a plan the policy is that of the
bot Random. Both are built in (`scorebook_games.bots.builtin`).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from scorebook_games.bots.builtin import SENSIBLE, MoveRequest, quick_bot
from scorebook_games.contract import Draw, Rules, has_large_sets, listed_actions
from scorebook_games.search.chance import shuffled

MAX_COMPARED: Final = 12  # moves that are compared; of more, random ones


class Usual(NamedTuple):
    """Moves that are equally usual: all of them, or if `sampled` random ones."""

    moves: list[str]
    sampled: bool = False


def policy_of(kind: str) -> str:
    """Return the name of the built-in bot that is the policy for a kind."""
    return quick_bot(kind)


def usual_moves(rules: Rules[Any], state: Any, seat: int, draw: Draw) -> Usual:
    """Return what is usual for `seat`, which may act in `state`. It depends on nothing but what the seat sees.

    `draw` draws the sample.
    """
    kind, move_text = rules.spec.kind, rules.move_text
    if kind not in SENSIBLE.kinds and has_large_sets(rules):
        drawn = [rules.sample_action(state, seat, draw) for _ in range(MAX_COMPARED)]
        return Usual([move_text(state, action) for action in drawn], sampled=True)
    moves = [move_text(state, action) for action in listed_actions(rules, state, seat)]
    if kind in SENSIBLE.kinds and len(moves) > 1:
        moves = SENSIBLE.equals(MoveRequest(kind, rules.observation(state, seat), 0), moves)
    return Usual(shuffled(moves, draw)[:MAX_COMPARED], sampled=True) if len(moves) > MAX_COMPARED else Usual(moves)
