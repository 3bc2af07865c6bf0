"""The whole suite for one kind: which games are played, what is tested, and the result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import Final

from scorebook_games.conformance.declared import DECLARED, KIND_PROMISES, OF_WHOLE_GAMES, OPENING, KindPromise
from scorebook_games.conformance.game import (
    MAX_MOVES,
    PLAYING,
    STEP_SECONDS,
    Failure,
    Game,
    Promise,
    Story,
    Tally,
    Unplayable,
    sentence_of,
    walk,
)
from scorebook_games.conformance.hidden import shown_to_others
from scorebook_games.conformance.play import Table, tables, unlike_tables
from scorebook_games.conformance.process import LOADING, LOADS
from scorebook_games.conformance.promises import OF_RESULTS, PROMISES
from scorebook_games.conformance.shrink import shrink
from scorebook_games.contract import OptionError
from scorebook_games.step_limit import NeverEnds, step_limit

MOVES: Final = 200  # games that are at least tested at a table that is checked by itself
MOST_GAMES: Final = 8  # at such a table, if games are short
GAMES: Final = 3  # at each of the most different tables, where everything is tested
SHRINKING: Final = 3.0  # seconds for one failure
RESULTS: Final = 3  # games at each table that are played to their end, to test their results
HABITS: Final = ("first", "last", "same")  # how seats play that never try anything else, such as passing for ever
CUT_SHORT: Final = 2  # of the most different tables, the one that its limit cuts short
SEEDS: Final = 1_000_000  # games of one `--seed`
WHOLE: Final = 20_000  # more moves than a random game has
SENTENCES: Final = {
    LOADS: LOADING,
    PLAYING: "The rules start a game, decide every listed move and apply its events without an error.",
    **{
        promise.__name__: " ".join((promise.__doc__ or "").split("\n\n")[0].split())
        for promise in (*KIND_PROMISES, *PROMISES)
    },
}


@dataclass
class Report:
    """The result of a check: each broken promise, and processor seconds by promise."""

    kind: str
    failures: list[Failure] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    cut: bool = False
    """Whether time was up before all games were played."""
    shown: list[str] = field(default_factory=list)
    """How others are shown events, by type (`hidden.shown_to_others`)."""


Progress = Callable[[str, Story | None], None]  # which promise is tested now, and in which game


def check_kind_promise(kind: str, promise: KindPromise, tally: Tally) -> list[Failure]:
    """Test one promise that needs no game."""
    name = promise.__name__
    try:
        with step_limit(4 * tally.step_seconds), tally.timed(name):
            promise(kind)
    except (Exception, NeverEnds) as error:
        return [Failure(name, sentence_of(error), hangs=isinstance(error, NeverEnds))]
    return []


def check_table(
    table: Table,
    *,
    closely: bool = False,
    promises: Sequence[Promise] = PROMISES,
    tally: Tally | None = None,
    moves: int = MOVES,
    results: int = RESULTS,
) -> list[Failure]:
    """Test all promises in enough games at one table, about `moves` moves, and results in as many more whole games.

    Returns the failures of the first game that has some.
    """
    tally = tally or Tally()
    before, seed = tally.moves, 0
    while tally.moves < before + moves and seed < MOST_GAMES:
        found = walk(Story(table, seed, closely=closely), promises, most=moves * MAX_MOVES // MOVES, tally=tally)
        if found:
            return found
        seed += 1
    for more in range(seed, seed + results):
        found = walk(Story(table, more), OF_RESULTS, most=WHOLE, tally=tally)
        if found:
            return found
    return []


def check_kind(
    kind: str, seconds: float, progress: Progress, only: str = "", games: int | None = None, seed: int = 0
) -> Report:
    """Test a kind, or only the promise `only`, in all planned games, or in `games` of them: the first ones, or after
    the planned ones further games of other seeds. Another `seed` plays others from the beginning.

    A broken promise is not tested again, and its game is shortened. A step that never ends also ends the check. No game
    is begun after this many seconds of processor time.
    """
    until = time.process_time() + seconds
    report = Report(kind)
    report.tally.step_seconds = min(STEP_SECONDS, seconds / 5)

    def ask(promise: KindPromise) -> bool:
        if only not in ("", promise.__name__):
            return True
        progress(promise.__name__, None)
        found = check_kind_promise(kind, promise, report.tally)
        report.failures += found
        return not found

    opened = [ask(promise) for promise in OPENING]
    if not all(opened):
        return report  # no game can be opened
    for promise in DECLARED:
        ask(promise)
        if any(failure.hangs for failure in report.failures):
            return report
    asked = [promise for promise in PROMISES if only in ("", PLAYING, promise.__name__)]
    planned = plan(kind, seed)
    for story, promises, most in planned if games is None else islice(chain(planned, further(kind, seed)), games):
        if time.process_time() > until:
            report.cut = True
            return report
        wanted = [promise for promise in promises if promise in asked]
        if not wanted and not (only == PLAYING and promises):
            continue
        progress("", story)
        found = walk(story, wanted, most=most, tally=report.tally)
        for failure in found:
            progress(failure.promise, failure.story)
            left = (until - time.process_time()) / 2
            report.failures.append(shrink(failure, PROMISES, seconds=max(0.2, min(SHRINKING, left))))
        broken = {failure.promise for failure in found}
        if PLAYING in broken or any(failure.hangs for failure in found):
            return report
        asked = [promise for promise in asked if promise.__name__ not in broken]
    for promise in OF_WHOLE_GAMES:
        ask(promise)
    if not report.failures:
        with step_limit(report.tally.step_seconds):
            report.shown = list(shown_to_others(Game(Story(unlike_tables(kind)[0], seed), WHOLE)))
    return report


def plan(kind: str, first: int = 0) -> Iterator[tuple[Story, list[Promise], int]]:
    """Return the games to play, with the promises to test in each, and their maximum number of moves."""
    unlike, base = unlike_tables(kind), first * SEEDS
    for seed in range(base, base + GAMES):
        for table in unlike:
            yield Story(table, seed), PROMISES, MAX_MOVES
    yield Story(unlike[0], base, closely=True), PROMISES, MAX_MOVES // 5
    for seed in range(base + GAMES, base + GAMES + RESULTS):
        for table in unlike:
            yield Story(table, seed), OF_RESULTS, WHOLE
    for habit in HABITS:
        yield Story(unlike[CUT_SHORT], base, habit=habit), OF_RESULTS, WHOLE
    for table in tables(kind):
        yield Story(table, base), PROMISES, MAX_MOVES // 5


def further(kind: str, first: int = 0) -> Iterator[tuple[Story, list[Promise], int]]:
    """Return games without end to dig deeper: whole ones, each with other cards."""
    for seed in count(first * SEEDS + GAMES + RESULTS):
        for table in unlike_tables(kind):
            yield Story(table, seed), PROMISES, WHOLE


def check_story(story: Story, name: str) -> list[Failure]:
    """Test one promise in a recorded game."""
    asked = [promise for promise in PROMISES if promise.__name__ == name]
    try:
        return [each for each in walk(story, asked) if each.promise == name]
    except (Unplayable, OptionError) as error:
        return [Failure(name, f"This game can't be played: {error or 'a move of it is not legal'}.")]
