"""Measures how strong the built-in bots are, what their moves cost, and how often games meet their turn limit.

    python -m tests.bench.builtin_bots --kinds plates --deals 60 --quick-deals 400

It prints a row for each kind, number of seats and pair of bots, with the placing share of one bot (1 for the first
place, 0 for the last, even steps between, ties shared) and its share of wins. The other bot sits in every other seat.
Each deal is played once from every seat, and the 95 % intervals are those of the means of deals. The row also has the
time in which the first bot chooses a move, where it has a choice. `--limits` prints instead how often games of equal
bots meet their turn limit, and what a move takes.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorebook_games.bots.builtin import BUILTIN_BOTS, BuiltinBot, MoveRequest, SearchBot
from scorebook_games.chance import SeedDealer, bot_random
from scorebook_games.contract import TURN_LIMIT, Event, LargeSets, Outcome, Paced, listed_actions
from scorebook_games.registry import KINDS
from scorebook_games.search.record import record_for
from tests.bench.where import where

SEATS = (2, 3, 4)
PAIRS = (("sensible", "random"), ("strong", "random"), ("strong", "sensible"))
GENERAL = "general"  # the bot `strong`, without the guide or plan that a kind may have for it
BOTS: Mapping[str, BuiltinBot] = {**BUILTIN_BOTS, GENERAL: SearchBot({}, {})}
Z = 1.96  # a normal variable lies within ± Z in 95 % of cases


@dataclass(frozen=True)
class Played:
    """A game: its outcome, the seat under test, its number of moves, the CPU seconds of the bots and of the whole game,
    and the seconds of each move for which `seat` had a choice."""

    outcome: Outcome
    seat: int
    moves: int
    thinking: float
    seconds: float
    thoughts: list[float]

    @property
    def win_share(self) -> float:
        """Return 1 if `seat` won alone, its part of a shared win, or 0."""
        places = self.outcome.placings
        return 1 / places.count(1) if places[self.seat] == 1 else 0.0

    @property
    def placing_share(self) -> float:
        """Return the share of the other seats that `seat` beat; a tie is half."""
        places = self.outcome.placings
        mine = places[self.seat]
        beaten = sum(place > mine for place in places) + (places.count(mine) - 1) / 2
        return beaten / (len(places) - 1)

    @property
    def cut(self) -> bool:
        """Return whether the turn limit ended the game or one of its rounds."""
        return self.outcome.termination == TURN_LIMIT


def play(
    kind: str, bots: Sequence[BuiltinBot], number: int, seat: int = 0, options: Mapping[str, Any] | None = None
) -> Played:
    """Play a game of `kind` between `bots`, by seat. The same `number` gives the same deal.

    If several seats may act, they do so in beats (PS-17): a draw decides the order, and a seat assigns dice until it
    makes another move.
    """
    began = time.process_time()
    rules = KINDS[kind].rules
    seed = number.to_bytes(32, "big")
    lots = random.Random(number)
    dealer = SeedDealer(seed)
    resolved = rules.resolve(len(bots), options or {})
    state = rules.initial(len(bots), resolved)
    events = rules.start(state, dealer)
    log: list[Event] = []
    version = moves = mover = 0
    beat: list[int] = []
    thinking = 0.0
    thoughts: list[float] = []
    while True:
        for event in events:
            rules.apply(state, event)
        version += len(events)
        log += events
        acting = rules.to_act(state)
        if not acting:
            break
        if len(acting) > 1 and isinstance(rules, Paced):
            if events[0][0] != "assigned" or mover not in acting:
                beat = [each for each in beat if each in acting] or lots.sample(acting, len(acting))
                mover = beat.pop()
            acting = [mover]
        for mover in acting:
            rng = bot_random(seed, mover, version)
            bot = bots[mover]
            asked = time.process_time()
            if isinstance(rules, LargeSets) and not bot.looks:
                action = rules.sample_action(state, mover, rng.random)
            else:
                legal = [rules.move_text(state, action) for action in listed_actions(rules, state, mover)]
                view = MoveRequest(kind, rules.observation(state, mover), version)
                if bot.recalls(kind):
                    view = view._replace(record=record_for(rules, len(bots), resolved, mover, log))
                asked = time.process_time()
                action = rules.parse_move(state, bot.move(view, legal, rng))
                if mover == seat and len(legal) > 1:
                    thoughts.append(time.process_time() - asked)
            thinking += time.process_time() - asked
            events = rules.decide(state, mover, action, dealer)
            moves += 1
            if events:  # without events the seat passed, and the next seat is asked
                break
    outcome = rules.outcome(state)
    assert outcome is not None
    return Played(outcome, seat, moves, thinking, time.process_time() - began, thoughts)


def against(
    kind: str,
    seats: int,
    games: int,
    one: str = "sensible",
    others: str = "random",
    first: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Iterator[Played]:
    """Play games of one bot against others from the deal `first` on. The bot's seat rotates over each deal."""
    for number in range(first * seats, first * seats + games):
        seat = number % seats
        bots = [BOTS[others]] * seats
        bots[seat] = BOTS[one]
        yield play(kind, bots, number // seats, seat, options)


def among(name: str, kind: str, seats: int, games: int) -> Iterator[Played]:
    """Play games of equal bots."""
    return (play(kind, [BUILTIN_BOTS[name]] * seats, number) for number in range(games))


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """Return Wilson's 95 % interval for the mean of `shares`, each 0 … 1. It also holds near 0 and 1.

    It is the interval of a proportion, so it is a little too wide for shares between 0 and 1.
    """
    n, mean = len(shares), statistics.fmean(shares)
    middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half


def share(values: Iterable[float]) -> str:
    """Return the mean of `values` with its interval, as in `61.2 % (56.3–65.9)`."""
    shares = list(values)
    low, high = interval(shares)
    return f"{100 * statistics.fmean(shares):5.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def of_deals(values: Sequence[float], seats: int) -> str:
    """Return the mean of `values` with its interval, as in `61.2 % (56.3–65.9)`. Only deals are independent of one
    another."""
    deals = [statistics.fmean(values[first : first + seats]) for first in range(0, len(values), seats)]
    if len(set(deals)) < 2:
        return share(deals)
    mean = statistics.fmean(deals)
    half = Z * statistics.stdev(deals) / math.sqrt(len(deals))
    return f"{100 * mean:5.1f} % ({100 * max(0.0, mean - half):.1f}–{100 * min(1.0, mean + half):.1f})"


def microseconds(games: Sequence[Played], seconds: Callable[[Played], float]) -> float:
    """Return the mean µs of a move of `games`."""
    return 1e6 * sum(map(seconds, games)) / sum(game.moves for game in games)


def main() -> None:
    """Print the tables, row by row."""
    parser = argparse.ArgumentParser(
        description="Built-in bots against one another, and how often games are cut short."
    )
    parser.add_argument("--deals", type=int, default=60, help="deals a row in which a bot searches (default: 60)")
    parser.add_argument("--quick-deals", type=int, default=300, help="deals a row of the others (default: 300)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first deal (default: 0)")
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS), help="only these kinds")
    parser.add_argument("--seats", nargs="*", type=int, default=SEATS, help="only these numbers of seats")
    parser.add_argument("--options", type=json.loads, default={}, help="options of the games, as JSON")
    parser.add_argument("--general", action="store_true", help="only `strong` without a kind's guide or plan for it")
    parser.add_argument("--limits", action="store_true", help="print only how often games meet their turn limit")
    arguments = parser.parse_args()
    print(where())
    rows = [(kind, seats) for kind in sorted(KINDS) if kind in arguments.kinds for seats in arguments.seats]
    if arguments.limits:
        print_limits(rows, max(1, arguments.quick_deals))
        return
    print("One bot against another in every other seat; each deal from every seat; 95 % intervals by deals")
    print(f"{'kind':13} seats  {'one':8} {'others':8} deals  {'placing share':22}  {'wins':22}   even  ms a move, 99 %")
    for kind, seats in rows:
        for one, others in ((GENERAL, "random"), (GENERAL, "sensible")) if arguments.general else PAIRS:
            if kind in BOTS[one].kinds & BOTS[others].kinds:
                deals = max(1, arguments.quick_deals if one == "sensible" else arguments.deals)
                options = arguments.options
                played = list(against(kind, seats, deals * seats, one, others, arguments.first, options))
                print(f"{kind:13} {seats:5}  {one:8} {others:8} {deals:5}  {duel(played, seats)}", flush=True)


def duel(games: Sequence[Played], seats: int) -> str:
    """Return the figures of one bot against another, for its row."""
    places = of_deals([game.placing_share for game in games], seats)
    wins = of_deals([game.win_share for game in games], seats)
    thoughts = sorted(thought for game in games for thought in game.thoughts)
    median, most = (1000 * thoughts[int(part * (len(thoughts) - 1))] for part in (0.5, 0.99))
    return f"{places:22}  {wins:22} {100 / seats:5.1f} %  {median:8.2f} {most:6.1f}"


def print_limits(rows: Sequence[tuple[str, int]], games: int) -> None:
    """Print how often games of equal bots are cut short, and how long they take. None of the bots searches."""
    names = ("random", "sensible")
    equals = {(name, *row): list(among(name, *row, games)) for row in rows for name in names}
    print(f"Games that met their turn limit, and moves a game; {games} games a row")
    print(f"{'kind':13} seats  {'all random':>18}  {'all sensible':>18}")
    for kind, seats in rows:
        print(f"{kind:13} {seats:5}  " + "  ".join(f"{cut(equals[name, kind, seats]):>18}" for name in names))

    print("\nMicroseconds of processor time a move: choosing, and all of it (views, chance, deciding, applying)")
    print(f"{'kind':13} seats  {'random':>14}  {'sensible':>14}")
    for kind, seats in rows:
        print(f"{kind:13} {seats:5}  " + "  ".join(f"{pace(equals[name, kind, seats]):>14}" for name in names))


def cut(games: Sequence[Played]) -> str:
    """Return the share of games that met a limit and the mean number of moves, as in `1.3 %   121`."""
    moves = statistics.fmean(game.moves for game in games)
    return f"{100 * statistics.fmean(game.cut for game in games):.1f} % {moves:6.0f}"


def pace(games: Sequence[Played]) -> str:
    """Return the µs of choosing a move and of the whole move, as in `1.9   24.0`."""
    thinking = microseconds(games, lambda game: game.thinking)
    return f"{thinking:.1f} {microseconds(games, lambda game: game.seconds):7.1f}"


if __name__ == "__main__":
    main()
