"""Counts how often the logs of seasons are read and folded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from games.eventlog import store as eventlog
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Season


@contextmanager
def counted(season: Season) -> Iterator[Counter[str]]:
    """Count the `reads` and `folds` of the season's log in the block."""
    counts: Counter[str] = Counter()
    with counted_streams() as all_counts:
        yield counts
    counts.update(reads=all_counts[season.stream_id], folds=all_counts["folds"])


@contextmanager
def counted_streams() -> Iterator[Counter[int | str]]:
    """Count in the block how often each stream is read, by its id, and all `folds` of seasons."""
    read, fold = eventlog.stored_batches, SeasonFold.__init__
    counts: Counter[int | str] = Counter()

    def counted_read(stream: int, *args: Any, **kwargs: Any) -> Any:
        counts[stream] += 1
        return read(stream, *args, **kwargs)

    def counted_fold(self: SeasonFold, events: Any) -> None:
        counts["folds"] += 1
        fold(self, events)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(eventlog, "stored_batches", counted_read)
        patched.setattr(SeasonFold, "__init__", counted_fold)
        yield counts
