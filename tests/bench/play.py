"""Measures how many games a second one worker takes through the whole path: opened, played by built-in bots, logged.

    python -m tests.bench.play [--games 300] [--kind chinese_ten] [--bot random] [--profile] [--peers /path/to/python]

For comparison, the engine alone plays the same bots, seeds and moves in one process without storage. Both are also
measured by the CPU time of the worker alone, which other work on the machine disturbs less. Some games are played first
without measuring, because what a process does once (connecting, importing the queue's client) is no game's cost. It
works in a separate database, which it makes and drops (its name is that of the settings' database with `bench_` before
it). `--profile` prints where the time of the whole path goes, by function.

`--peers` names the Python of an environment with kaggle-environments. Its local runner is then measured with its own
random agents, which store nothing (`pip install --no-deps kaggle-environments` and `pip install open_spiel jsonschema
requests flask` are enough for the measured games; all of its dependencies take 1.6 GB). Aim: our random bots play 20
times as many games a second as this runner plays of games with about as many decisions.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.db import connection  # noqa: E402

from config.broker.celery_pool import search_garbage_rarely  # noqa: E402
from config.celery import app  # noqa: E402
from games.eventlog import store as eventlog  # noqa: E402
from games.models import Game  # noqa: E402
from games.play import services as play  # noqa: E402
from games.play.roster import ensure_builtin_bot  # noqa: E402
from games.workers import runner  # noqa: E402
from scorebook_games.bots import requests  # noqa: E402
from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest  # noqa: E402
from scorebook_games.chance import SeedDealer, bot_random  # noqa: E402
from scorebook_games.contract import Event  # noqa: E402
from scorebook_games.gamelog import events as ev  # noqa: E402
from scorebook_games.gamelog.fold import Fold  # noqa: E402
from scorebook_games.gamelog.pacing import beat_events, first_events  # noqa: E402
from scorebook_games.gamelog.terms import BEATS  # noqa: E402
from scorebook_games.registry import KINDS  # noqa: E402
from tests.bench.peers import KAGGLE  # noqa: E402
from tests.bench.where import where  # noqa: E402

PEERS = Path(__file__).with_name("peers.py")
PEER_SECONDS = 5

SEATS = 2
RANDOM = "random"
OPENED_AT_ONCE = 100
WARM_UP = 50  # games before the timed ones


@contextmanager
def own_database() -> Iterator[None]:
    """Provide a new database within the block. Messages stay in this process."""
    app.conf.broker_url = "memory://localhost"
    app.conf.broker_transport_options = {}
    old = connection.settings_dict["NAME"]
    connection.settings_dict["TEST"]["NAME"] = f"bench_{old}"
    connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    try:
        yield
    finally:
        connection.creation.destroy_test_db(old, verbosity=0)


def whole_path(kind: str, bot: str, count: int) -> tuple[list[Game], float, float]:
    """Open and play `count` games. Return the games, and the seconds of opening and of playing."""
    players = [ensure_builtin_bot(bot)] * SEATS
    begun = time.perf_counter()
    games: list[Game] = []
    while len(games) < count:
        games += play.open_many([play.Opening(kind, players)] * min(OPENED_AT_ONCE, count - len(games)))
    opened = time.perf_counter()
    ended = runner.play_due_games("bench", budget_seconds=600)
    assert ended == count
    return games, opened - begun, time.perf_counter() - opened


def bare(kind: str, bot: str, seeds: Sequence[bytes]) -> tuple[list[list[Event]], float]:
    """Play the same games without storage. Return their rule events and the seconds."""
    rules, program = KINDS[kind].rules, BUILTIN_BOTS[bot]
    options = rules.resolve(SEATS, {})
    begun = time.perf_counter()
    logs = []
    for seed in seeds:
        dealer = SeedDealer(seed)
        state = rules.initial(SEATS, options)
        events = rules.start(state, dealer)
        for event in events:
            rules.apply(state, event)
        passed: set[int] = set()  # since the last event: a seat for which nobody waits may want no move
        while acting := [seat for seat in rules.to_act(state) if seat not in passed]:
            seat = acting[0]
            actions = rules.legal_actions(state, seat)
            action = actions[0]
            if len(actions) > 1:
                legal = [rules.move_text(state, each) for each in actions]
                view = MoveRequest(kind, rules.observation(state, seat) if program.looks else {}, len(events))
                action = actions[legal.index(program.move(view, legal, bot_random(seed, seat, len(events))))]
            decided = rules.decide(state, seat, action, dealer)
            passed = set() if decided else passed | {seat}
            for event in decided:
                rules.apply(state, event)
            events += decided
        logs.append(events)
    return logs, time.perf_counter() - begun


def bare_beats(bot: str, openings: Sequence[Event], seeds: Sequence[bytes]) -> tuple[list[list[Event]], float]:
    """Do what `bare` does for a kind that is played in beats; `openings` are the first events of the games."""
    begun = time.perf_counter()
    logs = []
    for opened, seed in zip(openings, seeds, strict=True):
        fold, dealer = Fold(opened), SeedDealer(seed)
        fold.apply_all(first_events(fold, people=False, dealer=dealer))
        while not fold.outcome():
            bundles = {seat: requests.bundle(fold, seat, bot, seed) for seat in fold.to_act()}
            fold.apply_all(beat_events(fold, bundles, dealer))
        logs.append(fold.story)
    return logs, time.perf_counter() - begun


def compare(kind: str, bot: str, count: int) -> float:
    """Check that both ways played the same games, and print one line of the table. Return games/s of the whole path."""
    before = time.process_time()
    games, opening, playing = whole_path(kind, bot, count)
    busy = time.process_time() - before
    stored = eventlog.read_streams([game.stream_id for game in games])
    seeds = [bytes(game.deal.seed) for game in games]
    before = time.process_time()
    openings = [stored[game.stream_id][0].event for game in games]
    in_beats = games[0].terms["pace"] == BEATS
    logs, alone = bare_beats(bot, openings, seeds) if in_beats else bare(kind, bot, seeds)
    busy_alone = time.process_time() - before
    for game, events in zip(games, logs, strict=True):
        assert [e.event for e in stored[game.stream_id] if not ev.is_table_event(e.event)] == events
    total = opening + playing
    print(
        f"{kind:12} {bot:9} {sum(map(len, logs)) / count:7.0f} {count / opening:8.0f} {count / playing:8.0f} "
        f"{count / total:8.0f} {count / alone:8.0f} {alone / total:7.2f} "
        f"{1000 * busy / count:9.2f} {1000 * busy_alone / count:8.2f}"
    )
    return count / total


def peers(python: str, ours: dict[str, float]) -> None:
    """Print a line for each game of kaggle-environments: its games/s, and how many times faster each of our kinds
    is."""
    print("\nkaggle-environments      decisions  games/s  CPU ms   " + " ".join(f"{kind:>13}" for kind in ours))
    for name in KAGGLE:
        ran = subprocess.run([python, PEERS, name, str(PEER_SECONDS)], check=True, capture_output=True, text=True)
        data = json.loads(ran.stdout.splitlines()[-1])
        times = " ".join(f"{games / data['games']:12.0f}×" for games in ours.values())
        print(f"{name:24} {data['a_game']:9.0f} {data['games']:8.2f} {data['cpu']:7.0f}   {times}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--kind", choices=sorted(KINDS), action="append")
    parser.add_argument("--bot", choices=sorted(BUILTIN_BOTS), action="append")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--peers", default=os.environ.get("BENCH_PEERS", ""), help="a Python with kaggle-environments")
    wish = parser.parse_args()
    print(where())
    profile = cProfile.Profile()
    ours: dict[str, float] = {}
    with own_database():
        whole_path("chinese_ten", "random", WARM_UP)
        search_garbage_rarely()  # as a worker does
        if wish.profile:
            profile.enable()
        print(f"{SEATS} seats, 1 worker; games/s, and ms of CPU a game")
        print("kind         bot        events   opened   played    whole     bare   ratio CPU whole     bare")
        for kind in wish.kind or sorted(KINDS):
            for bot in wish.bot or sorted(BUILTIN_BOTS):
                if wish.profile:
                    whole_path(kind, bot, wish.games)
                else:
                    rate = compare(kind, bot, wish.games)
                    ours |= {kind: rate} if bot == RANDOM else {}
    if wish.peers and ours:
        peers(wish.peers, ours)
    if wish.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
