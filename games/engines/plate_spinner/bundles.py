"""Beats (docs/rules/plate_spinner.md, PS-17): a bundle is checked against its own seat, and a beat of them is played.

Pure functions. Who gives bundles, and in which order they are taken, is the table's business.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from games.engines.base import Dealer, Event, IllegalMove, MalformedMove
from games.engines.plate_spinner.rules import ASSIGN, FINISH, GRAB, ROLL, PlateSpinner
from games.engines.plate_spinner.state import SPIN, State


class Played(NamedTuple):
    """What became of one bundle: the events of each move that was taken, and the last move if it was not."""

    seat: int
    events: list[list[Event]]
    refused: int | None


def check_bundle(rules: PlateSpinner, state: State, seat: int, moves: Sequence[str]) -> list[int]:
    """The actions of a bundle: any assigns, then exactly one roll, grab or finish, each legal after those before it.

    Raises `MalformedMove` or `IllegalMove`, as for the first move at fault played by itself.
    """
    if state.phase != SPIN or seat not in state.racing:
        raise IllegalMove("not_spinning", "PS-17", "Bundles are for seats that spin plates.")
    if not moves:
        raise MalformedMove("A bundle is a list of moves: any assigns, then one roll, grab or finish.")
    actions = [rules.parse_move(state, move) for move in moves]
    if not ends(actions[-1]) or not all(ASSIGN <= action < ROLL for action in actions[:-1]):
        sentence = "A bundle is any assigns and then exactly one roll, grab or finish."
        raise IllegalMove("not_a_bundle", "PS-17", sentence)
    after = state.copy()
    for action in actions[:-1]:
        rules.check(after, seat, action)
        rules.apply(after, assigned(seat, action))
    rules.check(after, seat, actions[-1])
    return actions


def ends(action: int) -> bool:
    """Whether a bundle may end with `action`."""
    return action >= ROLL or action in (GRAB, FINISH)


def assigned(seat: int, action: int) -> Event:
    """The event of an assign."""
    place, code = (action - ASSIGN) >> 6, action & 63
    return ["assigned", seat, code & 7, place >> 4, place & 15, code >> 3]


def play_beat(
    rules: PlateSpinner, state: State, bundles: Mapping[int, Sequence[int]], order: Sequence[int], dealer: Dealer
) -> list[Played]:
    """Take the checked `bundles`, by seat, in `order`, and move `state` on; what became of each.

    A roll or grab that is not legal any more when its turn comes is not taken; its assigns stand (PS-17). Where the
    game ends within the beat, by its turn limit, nothing more is taken.
    """
    beat: list[Played] = []
    for seat in order:
        taken: list[list[Event]] = []
        refused: int | None = None
        for action in bundles[seat]:
            if seat not in rules.to_act(state):
                break
            try:
                events = rules.decide(state, seat, action, dealer)
            except IllegalMove:
                refused = action
                break
            for event in events:
                rules.apply(state, event)
            taken.append(events)
        beat.append(Played(seat, taken, refused))
    return beat
