"""Measures how fast the engines are, plain and compiled, and compares them with OpenSpiel and RLCard.

    python -m tests.bench.engines [--seconds 2] [--rounds 3] [--kind palace] [--peers /path/to/python]

Each figure is the median of some rounds. In each round, every kind, build and other library is measured in turn, in a
separate process. Times are CPU times. An engine is called from Python, as all callers do:

    decisions/s    random play-outs: legal_actions → choose one (where the sets are large: sample_action) → decide →
                   apply every event
    with the deal  the same with `start`, whose draws are HMACs (docs/explanation/fairness.md)
    replayed/s     events (OpenSpiel: actions) applied, from decoded logs
    bytes          of a whole game's log as one stored batch (scorebook_games.gamelog.events.encode_batch)

The compiled build is measured if `bin/dev compile` has made it. `--peers`, or else the variable BENCH_PEERS, names the
Python of an environment in which OpenSpiel and RLCard are installed (`pip install open_spiel rlcard`). Scorebook does
not require them. A ratio compares whole play-outs with their deals; the ratio in brackets leaves out the deal on both
sides. Aims: compiled engines play at least as many games as OpenSpiel and replay at least 5,000,000 events/s, plain
ones play at least half as many and replay at least 1,000,000 events/s.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from scorebook_games import build
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event, Options, Rules, sampler
from scorebook_games.gamelog.events import encode_batch
from scorebook_games.registry import KINDS
from tests.bench.peers import OPEN_SPIEL, RLCARD
from tests.bench.where import where

PEERS = Path(__file__).with_name("peers.py")
MAKERS = {"OpenSpiel": OPEN_SPIEL, "RLCard": RLCARD}
Found = dict[str, Any]
Key = tuple[str, int, str]  # (kind, seats, build), or (game of a peer, 0, the peer)


@dataclass
class Measured:
    """The results of play-outs, with CPU seconds."""

    games: int = 0
    decisions: int = 0
    playing: float = 0.0
    dealing: float = 0.0


def play_out(rules: Rules[Any], seats: int, options: Options, rng: random.Random, measured: Measured) -> list[Event]:
    """Play a random game and return its log."""
    sample, decide, apply, to_act = sampler(rules), rules.decide, rules.apply, rules.to_act
    draw = rng.random
    dealer = SeedDealer(rng.randbytes(32))
    began = time.process_time()
    state = rules.initial(seats, options)
    log = rules.start(state, dealer)
    for event in log:
        apply(state, event)
    dealt = time.process_time()
    decisions = 0
    while acting := to_act(state):
        seat = acting[0]
        events = decide(state, seat, sample(state, seat, draw), dealer)
        for event in events:
            apply(state, event)
        log += events
        decisions += 1
    measured.playing += time.process_time() - dealt
    measured.dealing += dealt - began
    measured.games += 1
    measured.decisions += decisions
    return log


def replay_rate(rules: Rules[Any], seats: int, options: Options, logs: list[list[Event]], seconds: float) -> float:
    """Return how many events a CPU second are applied, when the same logs are replayed for `seconds`."""
    apply = rules.apply
    events = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds or not events:
        for log in logs:
            state = rules.initial(seats, options)
            for event in log:
                apply(state, event)
            events += len(log)
    return events / spent


def measure(kind: str, seats: int, seconds: float) -> Found:
    """Measure one kind on the build of this process: half of `seconds` for play-outs, half for replay.

    The logs that are kept for the replay are frozen, or each collection of garbage would search all of them.
    """
    rules = KINDS[kind].rules
    options = rules.resolve(seats, {})
    rng = random.Random(1)
    measured = Measured()
    logs: list[list[Event]] = []
    began = time.process_time()
    while time.process_time() - began < seconds / 2 or not logs:
        log = play_out(rules, seats, options, rng, measured)
        if len(logs) < 50:
            logs.append(log)
            gc.freeze()
    return {
        "build": build.current_build(),
        "decisions": measured.decisions / measured.playing,
        "whole": measured.decisions / (measured.playing + measured.dealing),
        "replayed": replay_rate(rules, seats, options, logs, seconds / 2),
        "bytes": sum(len(encode_batch(log)) for log in logs) / len(logs),
        "events": sum(map(len, logs)) / len(logs),
        "a_game": measured.decisions / measured.games,
    }


def ask(command: Sequence[str], engines: str = build.PLAIN_BUILD) -> Found | None:
    """Run a command and return the figures that it prints. If it fails, print the reason and return None."""
    environment = {**os.environ, build.BUILD_VARIABLE: engines}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"{' '.join(command[1:4])}: {ran.stderr.strip().splitlines()[-1]}", file=sys.stderr, flush=True)
        return None
    found: Found = json.loads(ran.stdout.splitlines()[-1])
    return found


def ours(kind: str, seats: int, engines: str, seconds: float) -> Found | None:
    """Measure a kind on a build of the engines, in a process that has checked its build."""
    command = [sys.executable, "-m", "tests.bench.engines", "--one", kind, str(seats), "--seconds", str(seconds)]
    found = ask(command, engines)
    assert found is None or found["build"] == engines
    return found


def middle(rounds: Iterable[Found | None]) -> Found | None:
    """Return the median of each figure over the rounds."""
    found = [each for each in rounds if each]
    if not found:
        return None
    return {
        key: median([each[key] for each in found]) if isinstance(value, float) else value
        for key, value in found[0].items()
    }


def figures(found: Found | None) -> str:
    """Return three cells: decisions/s, the same with the deal, and events replayed/s."""
    cells = [found and found[key] for key in ("decisions", "whole", "replayed")]
    return "".join(
        f"{cell:{width},.0f}" if cell else f"{'–':>{width}}" for cell, width in zip(cells, (13, 15, 13), strict=True)
    )


def ratios(found: Found | None, peers: Iterable[Found | None]) -> str:
    """Return how many times faster this engine is than each peer, with the deal; in brackets without it."""
    cells = ""
    for peer in peers:
        if found and peer:
            play = f"({found['decisions'] / peer['decisions']:.2f})"
            cells += f"{found['whole'] / peer['whole']:10.2f} {play:>7}"
        else:
            cells += f"{'–':>18}"
    return cells


def tables(kind: str | None) -> list[tuple[str, int]]:
    """Return (kind, seats) of each row: the fewest seats, and four or the most if those are fewer."""
    specs = [KINDS[name].spec for name in sorted(KINDS) if kind in (None, name)]
    return [(spec.kind, seats) for spec in specs for seats in sorted({spec.seats_min, min(4, spec.seats_max)})]


def measured(keys: Sequence[Key], seconds: float, rounds: int, python: str) -> dict[Key, Found | None]:
    """Return the median figures of each key. Each round measures all keys in turn."""
    found: dict[Key, list[Found | None]] = {key: [] for key in keys}
    for _ in range(rounds):
        for (name, seats, engines), made in found.items():
            command = [python, str(PEERS), name, str(seconds)]
            made.append(ours(name, seats, engines, seconds) if name in KINDS else ask(command))
    return {key: middle(made) for key, made in found.items()}


def report(kind: str | None, seconds: float, rounds: int, python: str) -> None:
    """Measure, and print two tables."""
    rows = tables(kind)
    builds = [build.PLAIN_BUILD] + [build.COMPILED_BUILD] * (ours(*rows[0], build.COMPILED_BUILD, 0) is not None)
    names = [(name, 0, made_by) for made_by, games in MAKERS.items() for name in games if python]
    lines = [(*row, engines) for row in rows for engines in builds]
    found = measured([*lines, *names], seconds, rounds, python)
    rivals = [name for name in names if name[0] in OPEN_SPIEL]

    print(f"{'':14}{'seats':>6} {'build':10}{'decisions/s':>13}{'with the deal':>15}{'replayed/s':>13}", end="")
    print("".join(f"{'÷ ' + name:>18}" for name, *_ in rivals))
    for line in lines:
        name, seats, engines = line
        print(f"{name:14}{seats:6} {engines:10}{figures(found[line])}{ratios(found[line], [found[o] for o in rivals])}")
    for line in names:
        peer = found[line]
        print(f"{line[0]:14}{peer['seats'] if peer else '–':>6} {line[2]:10}{figures(peer)}")

    print(f"\n{'':14}{'seats':>6}{'decisions/game':>16}{'events/game':>14}{'bytes/game':>14}{'bytes/event':>14}")
    for name, seats in rows:
        if sizes := found[name, seats, build.PLAIN_BUILD]:
            share = sizes["bytes"] / sizes["events"]
            print(
                f"{name:14}{seats:6}{sizes['a_game']:16.1f}{sizes['events']:14.1f}{sizes['bytes']:14,.0f}{share:14.1f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="the number of rounds, of which the median is printed")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only this kind")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PEERS", ""), help="a Python with OpenSpiel and RLCard")
    parser.add_argument("--one", nargs=2, metavar=("KIND", "SEATS"), help=argparse.SUPPRESS)
    wish = parser.parse_args()
    if wish.one:
        print(json.dumps(measure(wish.one[0], int(wish.one[1]), wish.seconds)))
        return
    print(f"{where()} before")
    report(wish.kind, wish.seconds, wish.rounds, wish.peers)
    print(f"{where()} after")


if __name__ == "__main__":
    main()
