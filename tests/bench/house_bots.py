"""How much better `sensible` is than `random`, and how often games are cut short.

    python -m tests.bench.house_bots --games 400 --kinds plates

For each kind and number of seats: the share of games that one `sensible` wins against `random` on every other seat, and
its placing share (1 for the first place, 0 for the last, even steps between, ties shared), with 95 % intervals. Its
seat rotates from game to game, and each deal is played once from every seat. Then how often games meet their turn
limit, of only random bots, of only sensible ones, and of one sensible among random ones. Last, what a move takes.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from games.bots.house import BOTS, HouseBot, View
from games.engines.base import TURN_LIMIT, LargeSets, Outcome, Paced, listed_actions
from games.engines.chance import SeedDealer, bot_random
from games.kinds import KINDS
from tests.bench.where import where

SEATS = (2, 3, 4)
Z = 1.96  # a normal variable lies within ± Z in 95 % of cases


@dataclass(frozen=True)
class Played:
    """One game: how it ended for `seat`, how many moves it had, and the processor time in seconds that the bots and all
    of it took."""

    outcome: Outcome
    seat: int
    moves: int
    thinking: float
    seconds: float

    @property
    def win_share(self) -> float:
        """1 for a win of `seat`, a part of it for a shared one."""
        places = self.outcome.placings
        return 1 / places.count(1) if places[self.seat] == 1 else 0.0

    @property
    def placing_share(self) -> float:
        """The share of the other seats that `seat` beat; a tie is half."""
        places = self.outcome.placings
        mine = places[self.seat]
        beaten = sum(place > mine for place in places) + (places.count(mine) - 1) / 2
        return beaten / (len(places) - 1)

    @property
    def cut(self) -> bool:
        """Whether the turn limit ended it or one of its rounds."""
        return self.outcome.termination == TURN_LIMIT


def play(kind: str, bots: Sequence[HouseBot], number: int, seat: int = 0) -> Played:
    """A game of `kind` between `bots`, by seat; the same `number`, the same deal.

    Where several seats may act they do so in beats (PS-17): the lot says in which order, and in its turn a seat assigns
    dice until it does something else.
    """
    began = time.process_time()
    rules = KINDS[kind]
    seed = number.to_bytes(32, "big")
    lots = random.Random(number)
    dealer = SeedDealer(seed)
    state = rules.initial(len(bots), rules.resolve(len(bots), {}))
    events = rules.start(state, dealer)
    version = moves = mover = 0
    beat: list[int] = []
    thinking = 0.0
    while True:
        for event in events:
            rules.apply(state, event)
        version += len(events)
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
                view = View(kind, rules.observation(state, mover), version)
                asked = time.process_time()
                action = rules.parse_move(state, bot.move(view, legal, rng))
            thinking += time.process_time() - asked
            events = rules.decide(state, mover, action, dealer)
            moves += 1
            if events:  # else it passed, and the next one is asked
                break
    outcome = rules.outcome(state)
    assert outcome is not None
    return Played(outcome, seat, moves, thinking, time.process_time() - began)


def against(kind: str, seats: int, games: int) -> Iterator[Played]:
    """Games of one sensible bot against random ones, told from its seat, which rotates over each deal."""
    for number in range(games):
        seat = number % seats
        bots = [BOTS["random"]] * seats
        bots[seat] = BOTS["sensible"]
        yield play(kind, bots, number // seats, seat)


def among(name: str, kind: str, seats: int, games: int) -> Iterator[Played]:
    """Games of equals."""
    return (play(kind, [BOTS[name]] * seats, number) for number in range(games))


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """A 95 % interval for the mean of `shares`, each 0 … 1: Wilson's score interval, which holds near 0 and 1 too.

    It is that of a proportion, so rather too wide where shares lie between 0 and 1.
    """
    n, mean = len(shares), statistics.fmean(shares)
    middle = (mean + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(mean * (1 - mean) / n + Z * Z / (4 * n * n))
    return middle - half, middle + half


def share(values: Iterable[float]) -> str:
    """`61.2 % (56.3–65.9)`."""
    shares = list(values)
    low, high = interval(shares)
    return f"{100 * statistics.fmean(shares):5.1f} % ({100 * low:.1f}–{100 * high:.1f})"


def microseconds(games: Sequence[Played], seconds: Callable[[Played], float]) -> float:
    """What a move of `games` took."""
    return 1e6 * sum(map(seconds, games)) / sum(game.moves for game in games)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Sensible against random, and how often games are cut short.")
    parser.add_argument("--games", type=int, default=400, help="games a row (default: 400)")
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS), help="these kinds alone")
    arguments = parser.parse_args()
    games = max(1, arguments.games)
    print(where())
    rows = [(kind, seats) for kind in sorted(KINDS) if kind in arguments.kinds for seats in SEATS]
    results = {row: list(against(*row, games)) for row in rows}
    equals = {(name, *row): list(among(name, *row, games)) for row in rows for name in BOTS}

    print(f"One sensible bot against random ones, rotated seats, {games} games a row")
    print(f"{'kind':12} seats  {'wins':22} {'even':>6}   placing share (even: 50.0 %)")
    for (kind, seats), played in results.items():
        wins = share(game.win_share for game in played)
        places = share(game.placing_share for game in played)
        print(f"{kind:12} {seats:5}  {wins:22} {100 / seats:4.1f} %   {places}")

    print("\nGames that met their turn limit, and moves a game")
    print(f"{'kind':12} seats  {'all random':>18}  {'all sensible':>18}  {'one sensible':>18}")
    for kind, seats in rows:
        row = (kind, seats)
        cells = [cut(equals["random", *row]), cut(equals["sensible", *row]), cut(results[row])]
        print(f"{kind:12} {seats:5}  " + "  ".join(f"{cell:>18}" for cell in cells))

    print("\nMicroseconds of processor time a move: choosing, and all of it (views, chance, deciding, applying)")
    print(f"{'kind':12} seats  {'random':>14}  {'sensible':>14}")
    for kind, seats in rows:
        cells = [pace(equals[name, kind, seats]) for name in ("random", "sensible")]
        print(f"{kind:12} {seats:5}  " + "  ".join(f"{cell:>14}" for cell in cells))


def cut(games: Sequence[Played]) -> str:
    """`1.3 %   121`."""
    moves = statistics.fmean(game.moves for game in games)
    return f"{100 * statistics.fmean(game.cut for game in games):.1f} % {moves:6.0f}"


def pace(games: Sequence[Played]) -> str:
    """`1.9   24.0`."""
    thinking = microseconds(games, lambda game: game.thinking)
    return f"{thinking:.1f} {microseconds(games, lambda game: game.seconds):7.1f}"


if __name__ == "__main__":
    main()
