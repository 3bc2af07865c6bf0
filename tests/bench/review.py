"""Measures how good reviews are: whether chances come true, what a review takes, and how many mistakes it finds.

    python -m tests.bench.review calibration --games 400 --kinds chinese_ten
    python -m tests.bench.review hope --games 100 --kinds plates
    python -m tests.bench.review time
    python -m tests.bench.review mistakes --games 3
    python -m tests.bench.review same --games 2

`calibration` takes one random position of each of so many games between sensible bots, and sorts them by tenths of the
chance of a random seat. It prints the number of positions, the mean chance, the mean result, their difference with its
standard error, and whether it is within 3 points. A position gets as many play-outs as fit into `--positions`, about
0.1 s. Half of the games are for two, the others for three and four. `Brier` is the mean square of chance − result;
beside it is that of a chance of one half. With `--mixed` the seat plays sensibly against players of whom half play
carelessly or at random: this shows by how much chances are too low there.

`hope` takes the chances of both players of games for two at one moment, whose sum should be 1. It prints by quarters of
the game how much the sum is above 1, and at the end by how many logits `KindBots.review_hope` should be greater.

`time` prints the CPU seconds of one review, the longest step between two moments at which it can stop, positions,
points of the curve and their mean error, and decisions by mark, for two and four seats.

`mistakes` prints the mistakes of a game, those of a hundred decisions that were looked at, and what they cost together,
for a random, a sensible and a strong player against a sensible one.

`same` reviews so many games of each kind twice: once without a break, and once stopped after each step, where another
reviewer continues from the stored state. It prints a hash of the bytes, and whether both reviews are equal. Run it
twice with different PYTHONHASHSEED to compare processes. `--budget` sets the positions of a review.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import statistics
import time
from collections import Counter
from typing import Any

from scorebook_games.bots.requests import ask_builtin
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, listed_actions
from scorebook_games.gamelog.events import OPENED
from scorebook_games.gamelog.fold import Fold
from scorebook_games.luck.games import MIXED, SENSIBLE, play
from scorebook_games.registry import KINDS
from scorebook_games.review import Reviewer, review_of
from scorebook_games.review.lines import Setting
from scorebook_games.review.reviewer import chance_at
from scorebook_games.review.sight import sight_of
from tests.bench.where import where

SEATS = (2, 2, 3, 4)
BINS = 10
WITHIN = 0.03
PHASES = 5
PLAYERS = ("random", "sensible", "strong")


def print_calibration(kind: str, games: int, first: int, positions: int, *, mixed: bool) -> None:
    """Print a line for each tenth of the chances."""
    rows: list[tuple[float, float]] = []
    spent, lines = 0.0, 0
    for number in range(first, first + games):
        rng = random.Random(f"calibration {kind} {number}")
        seats = rng.choice(SEATS)
        players = [SENSIBLE] * seats
        log_seed, seat = rng.randbytes(32), rng.randrange(seats)
        if mixed:
            players = [SENSIBLE if each == seat else rng.choice(MIXED) for each in range(seats)]
        sight = sight_of(play(kind, players, log_seed), seat)
        at = rng.choice([each for each in sight.positions if each.listed])
        began = time.process_time()
        found = chance_at(Setting(sight), at, str(number), positions)
        spent += time.process_time() - began
        lines += found.lines
        assert sight.result is not None
        rows.append((found.mean, sight.result))
    brier = statistics.fmean((chance - result) ** 2 for chance, result in rows)
    half = statistics.fmean((0.5 - result) ** 2 for _, result in rows)
    print(
        f"{kind}: {games} games, {lines / games:.0f} lines and {1000 * spent / games:.0f} ms a position, "
        f"Brier {brier:.4f} ({half:.4f})"
    )
    apart = [result - chance for chance, result in rows]
    error = statistics.stdev(apart) / len(apart) ** 0.5
    print(f"result − chance over all: {statistics.fmean(apart):+.3f} ± {error:.3f}")
    print("games  chance  result  difference")
    for place in range(BINS):
        inside = [row for row in rows if min(BINS - 1, int(BINS * row[0])) == place]
        if len(inside) > 1:
            apart = [result - chance for chance, result in inside]
            error = statistics.stdev(apart) / len(apart) ** 0.5
            mean = statistics.fmean(apart)
            chance, result = (statistics.fmean(row[side] for row in inside) for side in (0, 1))
            sentence = (
                "ok" if abs(mean) <= WITHIN else "within two errors" if abs(mean) <= WITHIN + 2 * error else "OUT"
            )
            print(f"{len(inside):5}  {chance:.3f}   {result:.3f}   {mean:+.3f} ± {error:.3f}  {sentence}", flush=True)


def print_hope(kind: str, games: int, first: int, positions: int) -> None:
    """Print a line for each quarter of the games."""
    quarters: list[list[float]] = [[], [], [], []]
    logits: list[float] = []
    for number in range(first, first + games):
        rng = random.Random(f"hope {kind} {number}")
        log = play(kind, [0.0, 0.0], rng.randbytes(32))
        one, other = (sight_of(log, seat) for seat in (0, 1))
        theirs = {at.version: at for at in other.positions if at.listed}
        both = [(at, theirs[at.version]) for at in one.positions if at.listed and at.version in theirs]
        for quarter in range(4):
            mine, yours = both[(len(both) * (2 * quarter + 1)) // 8]
            found = [
                chance_at(Setting(sight), at, str(number), positions).mean
                for sight, at in ((one, mine), (other, yours))
            ]
            quarters[quarter].append(sum(found) - 1)
            logits.append((sum(found) - 1) / sum(each * (1 - each) for each in found))
    for quarter, above in enumerate(quarters, 1):
        error = statistics.stdev(above) / len(above) ** 0.5
        print(f"{kind:14} quarter {quarter}  {statistics.fmean(above):+.3f} ± {error:.3f}", flush=True)
    error = statistics.stdev(logits) / len(logits) ** 0.5
    print(f"{kind:14} logits    {statistics.median(logits):+.3f} ± {error:.3f}", flush=True)


def print_time(kind: str, games: int, first: int) -> None:
    """Print a line for each number of seats and game."""
    for seats in (2, 4):
        for number in range(first, first + games):
            log = play(kind, [0.0] * seats, random.Random(f"time {kind} {seats} {number}").randbytes(32))
            began = last = time.process_time()
            longest = 0.0
            work = Reviewer(log, 0)
            for _ in work.steps():
                now = time.process_time()
                longest, last = max(longest, now - last), now
            found = work.review().plain()
            took = time.process_time() - began
            error = statistics.fmean(point["error"] for point in found["curve"])
            marks = Counter(made["mark"] for made in found["decisions"])
            print(
                f"{kind:14}{seats:5}  {took:6.2f}  {longest:5.2f}  {found['spent']:9}  {len(found['curve']):5}  "
                f"{error:.3f}  {dict(marks)}",
                flush=True,
            )


def played(kind: str, program: str, number: int) -> list[Event]:
    """Play a game of `program` against the sensible bot, and return its log."""
    rng = random.Random(f"mistakes {kind} {number}")
    seed = rng.randbytes(32)
    if program != "strong":
        return play(kind, [1.0 if program == "random" else 0.0, 0.0], seed)
    rules = KINDS[kind].rules
    data: dict[str, Any] = {"kind": kind, "rules_version": rules.spec.rules_version, "seats": 2}
    data |= {"options": rules.resolve(2, {}), "terms": {}}
    fold, dealer = Fold([OPENED, data]), SeedDealer(seed)
    made = rules.start(fold.state, dealer)
    while made:
        for event in made:
            fold.apply(event)
        made = []
        acting = fold.to_act()
        for seat in rng.sample(acting, len(acting)):
            actions = listed_actions(rules, fold.state, seat)
            bot = program if seat == 0 else "sensible"
            action = actions[0] if len(actions) == 1 else ask_builtin(fold, seat, bot, actions, rng)
            if made := rules.decide(fold.state, seat, action, dealer):
                break
    return [[OPENED, data], *fold.story]


def print_mistakes(kind: str, games: int, first: int) -> None:
    """Print a line for each sort of player."""
    for program in PLAYERS:
        mistakes, decisions, cost = 0, 0, 0.0
        for number in range(first, first + games):
            found = review_of(played(kind, program, number), 0).plain()
            mistakes += len(found["mistakes"])
            decisions += sum(made["mark"] != "skipped" for made in found["decisions"])
            cost += sum(each["cost"] for each in found["mistakes"])
        print(
            f"{kind:14}{program:10}{games:5}  {mistakes / games:6.2f}  {100 * mistakes / max(1, decisions):6.2f}  "
            f"{cost / games:.3f}",
            flush=True,
        )


def print_same(kind: str, games: int, first: int, budget: int | None) -> None:
    """Print a line for each game."""
    for number in range(first, first + games):
        seats, seat = 2 + number % 2, number % 2
        log = play(kind, [0.3] * seats, random.Random(f"same {kind} {number}").randbytes(32))
        whole = json.dumps(review_of(log, seat, budget=budget).plain())
        stops, work = 0, Reviewer(log, seat, budget=budget)
        while work.state()["phase"] < PHASES:
            next(work.steps())
            stops += 1
            work = Reviewer(log, seat, budget=budget, state=json.loads(json.dumps(work.state())))
        other = json.dumps(work.review().plain())
        digest = hashlib.sha256(whole.encode()).hexdigest()[:16]
        sentence = "equal" if other == whole else "DIFFERENT"
        print(f"{kind:14}{number:5}{seats:7}  {len(whole):7}  {digest}  {stops:5}  {sentence}", flush=True)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description="How good reviews are.")
    parser.add_argument("table", choices=("calibration", "hope", "time", "mistakes", "same"))
    parser.add_argument("--kinds", nargs="*", choices=sorted(KINDS), default=sorted(KINDS))
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--positions", type=int, default=8000, help="of `calibration` and `hope`, for each chance")
    parser.add_argument("--mixed", action="store_true", help="of `calibration`: weaker players in the other seats")
    parser.add_argument("--budget", type=int, help="positions of a review, in `same`; those of the kind by default")
    arguments = parser.parse_args()
    print(where())
    if arguments.table == "time":
        print("kind          seats  seconds  step  positions  curve  error  decisions")
    if arguments.table == "same":
        print("kind           game  seats    bytes  their hash        stops  both reviews")
    if arguments.table == "mistakes":
        print("kind          player    games  a game  of 100  cost a game")
    for kind in arguments.kinds:
        if arguments.table == "calibration":
            print_calibration(kind, arguments.games, arguments.first, arguments.positions, mixed=arguments.mixed)
        elif arguments.table == "hope":
            print_hope(kind, arguments.games, arguments.first, arguments.positions)
        elif arguments.table == "time":
            print_time(kind, arguments.games, arguments.first)
        elif arguments.table == "same":
            print_same(kind, arguments.games, arguments.first, arguments.budget)
        else:
            print_mistakes(kind, arguments.games, arguments.first)


if __name__ == "__main__":
    main()
