"""Measures how often games meet their turn limit: `python -m tests.bench.turn_limits [--games 60] [--kind plates]`.

For each kind, with its usual options, random and sensible built-in bots play at tables of 2, 3 … seats in turn. Each
game has a different deal. Seats are asked as the runner asks them on the pace "turns". It uses no database.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
from statistics import median
from typing import NamedTuple

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_DEBUG", "1")
os.environ.setdefault("DATABASE_URL", "postgresql://nobody@localhost/none")  # no database is used

import django

django.setup()

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest  # noqa: E402
from scorebook_games.chance import SeedDealer  # noqa: E402
from scorebook_games.contract import LargeSets, Outcome, listed_actions  # noqa: E402
from scorebook_games.registry import KINDS  # noqa: E402


class Played(NamedTuple):
    """The outcome of a game, and its number of moves."""

    outcome: Outcome
    moves: int


def play(kind: str, bot: str, seats: int, number: int) -> Played:
    """Play one game of equal bots."""
    rules, program = KINDS[kind].rules, BUILTIN_BOTS[bot]
    seed = hashlib.sha256(f"{kind} {number}".encode()).digest()
    dealer, rng = SeedDealer(seed), random.Random(number)
    state = rules.initial(seats, rules.resolve(seats, {}))
    for event in rules.start(state, dealer):
        rules.apply(state, event)
    moves, passed = 0, set[int]()
    while (outcome := rules.outcome(state)) is None:
        seat = next(seat for seat in rules.to_act(state) if seat not in passed)
        actions = listed_actions(rules, state, seat)
        if not program.looks and isinstance(rules, LargeSets):
            action = rules.sample_action(state, seat, rng.random)
        else:
            legal = [rules.move_text(state, each) for each in actions]
            seen = rules.observation(state, seat) if program.looks else {}
            action = actions[legal.index(program.move(MoveRequest(kind, seen, moves), legal, rng))]
        events = rules.decide(state, seat, action, dealer)
        passed = set() if events else passed | {seat}
        moves += bool(events)
        for event in events:
            rules.apply(state, event)
    return Played(outcome, moves)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--kind", choices=sorted(KINDS))
    given = parser.parse_args()
    print(f"{'kind':14} {'bot':9} {'limit':>6} {'games':>6} {'met the limit':>14} {'moves (median)':>15}")
    for kind in [given.kind] if given.kind else sorted(KINDS):
        spec = KINDS[kind].spec
        limit = next(option.default for option in spec.options if option.name == "turn_limit")
        for bot in sorted(BUILTIN_BOTS):
            span = spec.seats_max - spec.seats_min + 1
            played = [play(kind, bot, spec.seats_min + number % span, number) for number in range(given.games)]
            met = sum(each.outcome.termination == "turn_limit" for each in played)
            share = f"{met} ({100 * met / len(played):.0f} %)"
            moves = median(each.moves for each in played)
            print(f"{kind:14} {bot:9} {limit:6} {len(played):6} {share:>14} {moves:15.0f}", flush=True)


if __name__ == "__main__":
    main()
