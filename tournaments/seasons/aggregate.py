"""A season that a service changes: loaded once, changed by recording events, and committed once."""

from __future__ import annotations

from collections.abc import Callable
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
    """

    def __init__(self, row: Season, *followers: Follower) -> None:
        self.row = row
        self.followers = followers
        self.new: list[SeasonEvent] = []

    @cached_property
    def log(self) -> list[SeasonEvent]:
        """The events of the log, without the new ones."""
        return stream.season_log(self.row)

    @property
    def version(self) -> int:
        """The version of the log, without the new events."""
        return len(self.log)

    @cached_property
    def state(self) -> SeasonFold:
        """The season's state after all events, also the new ones."""
        state = SeasonFold(())
        for event in [*self.log, *self.new]:
            self._follow(event, state)
        return state

    def record(self, *events: SeasonEvent) -> None:
        """Add new events."""
        for event in events:
            self.new.append(event)
            if "state" in self.__dict__:
                self._follow(event, self.state)

    def commit(self, key: str = "") -> int:
        """Append the new events, which happened now, in one batch; return the stream's version after them. Call it
        once, when nothing more is recorded."""
        if not self.new:
            return self.version
        expected = self.version if "log" in self.__dict__ else None
        return stream.append_events(self.row.stream, self.new, clock.now(), key, expected=expected)

    def commit_action(self, key: str = "") -> OrganiserAction:
        """Append the new events, which are one organiser's action with what follows from it; return its row."""
        version = self.commit(key)
        actions = OrganiserAction.objects.select_related("by").filter(stream=self.row.stream_id)
        return actions.get(version__gt=version - len(self.new))

    def _follow(self, event: SeasonEvent, state: SeasonFold) -> None:
        state.apply(event)
        for follower in self.followers:
            follower(event, state)
