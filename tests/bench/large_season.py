"""Measures the folds of a season with ten thousand entrants, and the fold of ratings over a million games.

    python -m tests.bench.large_season [--entrants 10000] [--rounds 4] [--games 1000000]

The Swiss format pairs round after round, with random results. For each round it prints the CPU seconds of the pairing,
of folding the season's stream from its start and of the standings. Then it folds the ratings of so many games between
these entrants, as `rebuild` does. It also prints the largest memory of the process so far. It stores nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import time
from collections.abc import Callable
from typing import Any, TypeVar

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from tests.bench.where import where  # noqa: E402
from tournaments.formats.base import Pairings  # noqa: E402
from tournaments.ratings import elo  # noqa: E402
from tournaments.seasons.events.base import SeasonEvent  # noqa: E402
from tournaments.seasons.events.entries import EntrantJoined  # noqa: E402
from tournaments.seasons.events.games import GameRecorded  # noqa: E402
from tournaments.seasons.events.lifecycle import SeasonCreated, SeasonStarted  # noqa: E402
from tournaments.seasons.events.rounds import RoundClosed, RoundPaired  # noqa: E402
from tournaments.seasons.fold import SeasonFold  # noqa: E402
from tournaments.seasons.pairing import division_standings, next_round  # noqa: E402
from tournaments.seasons.settings import parse_settings  # noqa: E402

T = TypeVar("T")
GAMES_A_MATCH = 2
RESULTS = ([1, 2], [2, 1], [1, 1])


def timed(what: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """Call a function. Return its result and the CPU seconds."""
    began = time.process_time()
    answer = what(*arguments)
    return answer, time.process_time() - began


def begin(entrants: int, rounds: int) -> list[SeasonEvent]:
    """Return the stream of a season that has started."""
    options = {"rounds": rounds + 1}
    agreed = parse_settings(
        {"kind": "chinese_ten", "format": "swiss", "games_a_match": GAMES_A_MATCH, "format_options": options}
    )
    joined = [EntrantJoined(1, number, number) for number in range(1, entrants + 1)]
    return [SeasonCreated(agreed.logged()), *joined, SeasonStarted.of("11" * 32, "people")]


def played(answer: Pairings, number: int, chance: random.Random) -> list[SeasonEvent]:
    """Return the events of a round: its pairing, a random result of every game, and its end."""
    tables, recorded = [], []
    for place, pairing in enumerate(answer.tables, start=1):
        match = number * 100_000 + place
        tables.append((match, pairing.seats, pairing.reason, [2 * match, 2 * match + 1], pairing.slot))
        for game, seats in ((1, pairing.seats), (2, pairing.seats[::-1])):
            placings = chance.choice(RESULTS)
            record: dict[str, Any] = {"game": 2 * match + game - 1, "head": "00" * 32, "termination": "finished"}
            record |= {"seats": list(seats), "scores": [10 - place for place in placings], "placings": placings}
            recorded.append(GameRecorded(match, game, record | {"left": [], "absent": []}))
    byes = [(rest.entrant, rest.reason, "bye", None) for rest in answer.byes]
    return [RoundPaired.of(1, number, tables, byes), *recorded, RoundClosed(1, number)]


def memory() -> float:
    """Return the largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entrants", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--games", type=int, default=1_000_000)
    wish = parser.parse_args()
    print(where())
    chance = random.Random(1)
    events = begin(wish.entrants, wish.rounds)
    print(f"{wish.entrants:,} entrants; CPU seconds\nround  pairing  whole fold  standings   MiB")
    for number in range(1, wish.rounds + 1):
        folded, folded_again = timed(SeasonFold, events)
        answer, pairing = timed(next_round, folded, folded.division(1))
        assert isinstance(answer, Pairings)
        events += played(answer, number, chance)
        for event in events[-2 - GAMES_A_MATCH * len(answer.tables) :]:
            folded.apply(event)
        _rows, standing = timed(division_standings, folded, folded.division(1))
        print(f"{number:5} {pairing:8.1f} {folded_again:11.1f} {standing:10.1f} {memory():6.0f}", flush=True)
    people = range(1, wish.entrants + 1)
    rated = [
        elo.Rated.of(game, list(zip(chance.sample(people, 2), chance.choice(RESULTS), strict=True)))
        for game in range(wish.games)
    ]
    before = memory()
    (_ratings, changes), seconds = timed(elo.fold_ratings, rated)
    print(
        f"ratings of {wish.games:,} games: {seconds:.1f} s, {len(changes):,} changes, {before:.0f} → {memory():.0f} MiB"
    )
    print(where())


if __name__ == "__main__":
    main()
