"""How fast the engines are: `python -m tests.bench.engines [--seconds 5] [--kind chinese_ten]`.

For each kind, in one process, by its CPU time, the engine driven from Python as every caller drives it:

    decisions/s      random play-outs: legal_actions → choose one (where the sets are large: sample_action) → decide →
                     apply every event
    … with the deal  the same with `start`, whose draws are HMACs (docs/fairness.md)
    replayed         events/s of `apply`, from decoded logs
    bytes/event      of a whole game's log as one stored batch (games.events.encode)
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass
from typing import Any

from games.engines.base import Event, Options, Rules, sampler
from games.engines.chance import SeedDealer
from games.events import encode
from games.kinds import KINDS


@dataclass
class Measured:
    """What play-outs came to; seconds of CPU."""

    games: int = 0
    decisions: int = 0
    playing: float = 0.0
    dealing: float = 0.0


def play_out(rules: Rules[Any], seats: int, options: Options, rng: random.Random, measured: Measured) -> list[Event]:
    """One random game; its log."""
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
    """Events applied a second, over and over the same logs."""
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


def measure(kind: str, seats: int, seconds: float) -> str:
    """One line of the table: half of `seconds` for play-outs, half for replay."""
    rules = KINDS[kind]
    options = rules.resolve(seats, {})
    rng = random.Random(1)
    measured = Measured()
    logs: list[list[Event]] = []
    began = time.process_time()
    while time.process_time() - began < seconds / 2 or not logs:
        log = play_out(rules, seats, options, rng, measured)
        if len(logs) < 50:
            logs.append(log)
    events = sum(map(len, logs))
    size = sum(len(encode(log)) for log in logs)
    rate = measured.decisions / measured.playing
    dealt = measured.decisions / (measured.playing + measured.dealing)
    replayed = replay_rate(rules, seats, options, logs, seconds / 2)
    return (
        f"{kind:14}{seats:6}{rate:14,.0f}{dealt:15,.0f}{replayed:14,.0f}{size / events:13.1f}"
        f"{measured.decisions / measured.games:16.1f}{events / len(logs):13.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each line of the table")
    parser.add_argument("--kind", choices=sorted(KINDS), help="this kind alone")
    arguments = parser.parse_args()
    print(
        f"{'kind':14}{'seats':>6}{'decisions/s':>14}{'with the deal':>15}{'replayed/s':>14}{'bytes/event':>13}"
        f"{'decisions/game':>16}{'events/game':>13}"
    )
    for kind in [arguments.kind] if arguments.kind else sorted(KINDS):
        spec = KINDS[kind].spec
        for seats in sorted({spec.seats_min, min(4, spec.seats_max)}):
            print(measure(kind, seats, arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
