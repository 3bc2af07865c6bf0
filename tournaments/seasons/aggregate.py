"""A season that a service changes: loaded once, changed by recording events, and committed once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from games.common import clock
from tournaments.seasons import stream
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import OrganiserAction, Season

Follower = Callable[[SeasonEvent, SeasonFold], None]


class SeasonAggregate:
    """A season that the caller has locked until the transaction ends: its row, its state, and its new events.

    The log is read and folded once, when `state` is first needed. A `follower` is called after each event, of the log
    and new, with the state after it. `commit` appends the new events in one batch, behind the version that was read.
    `at` is when the new events happen; rows that tell a time of theirs have this one.
    """

    def __init__(self, row: Season, *followers: Follower) -> None:
        self.row, self.at = row, clock.now()
        self.followers = followers
        self.new: list[SeasonEvent] = []

    @cached_property
    def log(self) -> list[tuple[SeasonEvent, datetime]]:
        """The events of the log, each with its time; without the new ones."""
        return stream.timed_season_log(self.row)

    @property
    def version(self) -> int:
        """The version of the log, without the new events."""
        return len(self.log)

    @cached_property
    def state(self) -> SeasonFold:
        """The season's state after all events, also the new ones."""
        state = SeasonFold(())
        for event, at in [*self.log, *((event, self.at) for event in self.new)]:
            self._follow(event, state, at)
        return state

    def record(self, *events: SeasonEvent) -> None:
        """Add new events."""
        for event in events:
            self.new.append(event)
            if "state" in self.__dict__:
                self._follow(event, self.state, self.at)

    def commit(self, key: str = "") -> int:
        """Append the new events in one batch; return the stream's version after them. Call it
        once, when nothing more is recorded."""
        if not self.new:
            return self.version
        expected = self.version if "log" in self.__dict__ else None
        return stream.append_events(self.row.stream, self.new, self.at, key, expected=expected)

    def commit_action(self, key: str = "") -> OrganiserAction:
        """Append the new events, which are one organiser's action with what follows from it; return its row."""
        version = self.commit(key)
        actions = OrganiserAction.objects.select_related("by").filter(stream=self.row.stream_id)
        return actions.get(version__gt=version - len(self.new))

    def _follow(self, event: SeasonEvent, state: SeasonFold, at: datetime) -> None:
        state.apply(event, at)
        for follower in self.followers:
            follower(event, state)
