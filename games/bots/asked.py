"""What a house bot answers when it is asked for a move, or in beats for a bundle. Pure.

A bot with one legal move is not asked. It is told nothing that a worker's death could change: its version counts rule
events, and it sees the engine's observation without what the table adds. So whoever asks it gets the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from games.bots.house import BOTS, View
from games.engines.base import has_large_sets, listed_actions
from games.engines.chance import bot_random
from games.fold import Fold
from games.paces import MOST_MOVES, BlankDealer, ends_bundle


class NoLegalMove(Exception):
    """A house bot wants a move that is not legal."""


def action(fold: Fold, seat: int, program: str, seed: bytes) -> int:
    """The action that the house bot `program` chooses for `seat`. Raises `NoLegalMove`, and whatever the bot does."""
    actions = listed_actions(fold.rules, fold.state, seat)
    if len(actions) == 1:
        return actions[0]
    return ask(fold, fold.state, seat, program, actions, bot_random(seed, seat, fold.rule_events))


def bundle(fold: Fold, seat: int, program: str, seed: bytes) -> list[str]:
    """What it would play, move after move, until one ends the bundle. Raises likewise."""
    rules, state = fold.rules, fold.state.copy()
    chance = bot_random(seed, seat, fold.rule_events)
    texts: list[str] = []
    while len(texts) < MOST_MOVES:
        chosen = _choice(fold, state, seat, program, chance)
        texts.append(rules.move_text(state, chosen))
        if ends_bundle(rules, state, chosen):
            return texts
        rules.apply(state, rules.decide(state, seat, chosen, BlankDealer())[0])
    raise NoLegalMove(f"None of {MOST_MOVES} moves ended its bundle.")


def _choice(fold: Fold, state: Any, seat: int, program: str, chance: random.Random) -> int:
    actions = listed_actions(fold.rules, state, seat)
    return actions[0] if len(actions) == 1 else ask(fold, state, seat, program, actions, chance)


def ask(fold: Fold, state: Any, seat: int, program: str, actions: Sequence[int], chance: random.Random) -> int:
    """What the bot says where there is a choice."""
    rules, bot = fold.rules, BOTS[program]
    if not bot.looks and has_large_sets(rules):
        return rules.sample_action(state, seat, chance.random)
    legal = [rules.move_text(state, each) for each in actions]
    view = View(fold.opened["kind"], rules.observation(state, seat) if bot.looks else {}, fold.rule_events)
    text = bot.move(view, legal, chance)
    if text not in legal:
        raise NoLegalMove(f"{text!r} is none of {', '.join(legal)}.")
    return actions[legal.index(text)]
