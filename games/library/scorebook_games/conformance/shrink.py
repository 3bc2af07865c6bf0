"""Finds the shortest game that shows a broken promise, within a few seconds of search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from scorebook_games.conformance.game import STEP_SECONDS, Failure, Promise, Story, Tally, Unplayable, walk
from scorebook_games.conformance.play import Table
from scorebook_games.contract import OptionError
from scorebook_games.registry import KINDS

SECONDS: Final = 4.0  # of processor time for one failure
OTHER_GAMES: Final = 20  # that are tried to find a shorter one


def shrink(failure: Failure, promises: list[Promise], seconds: float = SECONDS) -> Failure:
    """Return the same failure in a game with fewer moves, options and seats, which was played to confirm it."""
    story = failure.story
    if story is None or weight(story) <= (0, 0, KINDS[story.table.kind].spec.seats_min, False):
        return failure
    asked = [promise for promise in promises if promise.__name__ == failure.promise]
    until = time.process_time() + seconds
    best = failure
    step_seconds = seconds / 4 if failure.hangs else STEP_SECONDS
    tried = {failure.story}
    while time.process_time() < until:
        for story in candidates(best.story):
            if story in tried or time.process_time() > until:
                continue
            tried.add(story)
            found = broken_by(story, failure.promise, asked, step_seconds)
            if found and weight(found.story) < weight(best.story):
                best = found
                break
        else:
            return best
    return best


def broken_by(story: Story, name: str, promises: list[Promise], step_seconds: float) -> Failure | None:
    """Return how this game breaks the promise; None if it does not, or cannot be played."""
    try:
        found = [each for each in walk(story, promises, tally=Tally(step_seconds=step_seconds)) if each.promise == name]
    except (Unplayable, OptionError):
        return None
    return found[0] if found else None


def weight(story: Story | None) -> tuple[int, ...]:
    """Return what should be small: the numbers of moves, options set and seats."""
    return (len(story.moves or ()), len(story.table.given), story.table.seats, story.closely) if story else ()


def candidates(story: Story | None) -> Iterator[Story]:
    """Yield games that may show the same, the smallest first."""
    if story is None:
        return
    moves = story.moves or ()
    table = story.table
    if story.closely:
        yield replace(story, closely=False)
    for length in sorted({0, 1, 2, len(moves) // 4, len(moves) // 2, len(moves) - 2, len(moves) - 1}):
        if 0 <= length < len(moves):
            yield replace(story, moves=moves[:length])
    for place in range(len(table.given)):
        yield replace(story, table=replace(table, given=table.given[:place] + table.given[place + 1 :]))
    smallest = Table(table.kind, KINDS[table.kind].spec.seats_min)
    for other in dict.fromkeys((smallest, replace(table, seats=smallest.seats), table)):
        for seed in range(OTHER_GAMES):
            yield Story(other, seed, closely=story.closely)
    for chunk in (len(moves) // 2, len(moves) // 4, 4, 2, 1):
        for start in range(0, len(moves), max(chunk, 1)):
            if 0 < chunk < len(moves):
                yield replace(story, moves=moves[:start] + moves[start + chunk :])
