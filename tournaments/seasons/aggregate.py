"""A season that a service changes: loaded once, changed by recording events, and committed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Protocol

from django.db.models import Model

from games.common import clock
from tournaments.seasons import row_writer, stream
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.fold import SeasonFold, Touched
from tournaments.seasons.models import OrganiserAction, Season
from tournaments.seasons.projection import Columns, Key


class Follower(Protocol):
    """Follows the events of a season for a projection that has a log of its own, such as ratings. It sees the state
    `before` and `after` each event; `write` is called in the transaction that appends new events."""

    def before(self, event: SeasonEvent, state: SeasonFold, /) -> None: ...

    def after(self, event: SeasonEvent, state: SeasonFold, /) -> None: ...

    def write(self, season: Season, /) -> None: ...


# Each makes a follower from the version of the log that is read. Packages above this one add theirs when they start.
FOLLOWERS: Final[list[Callable[[int], Follower]]] = []


class SeasonAggregate:
    """A season that the caller has locked until the transaction ends: its row, its state, and its new events.

    The log is read and folded once, when `state` is first needed. `commit` writes all rows that follow from the new
    events, and appends the events in one batch, behind the version that was read. `at` is when the new events happen;
    rows that tell a time of theirs have this one.
    """

    def __init__(self, row: Season) -> None:
        self.row, self.at = row, clock.now()
        self.new: list[SeasonEvent] = []
        self._beyond: defaultdict[type[Model], dict[Key, Columns]] = defaultdict(dict)

    @classmethod
    def of_new(cls, row: Season) -> SeasonAggregate:
        """Return the aggregate of a season that was just created: its log is empty, so it is not read."""
        made = cls(row)
        made.log = []
        return made

    @cached_property
    def log(self) -> list[tuple[SeasonEvent, datetime]]:
        """The events of the log, each with its time; without the new ones."""
        return stream.timed_season_log(self.row)

    @property
    def version(self) -> int:
        """The version of the log, without the new events."""
        return len(self.log)

    @cached_property
    def followers(self) -> list[Follower]:
        """What follows the events, from the first of the log on."""
        return [make(self.version) for make in FOLLOWERS]

    @cached_property
    def state(self) -> SeasonFold:
        """The season's state after all events, also the new ones."""
        state = SeasonFold(())
        for event, at in self.log:
            self._follow(event, state, at)
        state.touched = Touched()
        for event in self.new:
            self._follow(event, state, self.at)
        return state

    def record(self, *events: SeasonEvent) -> None:
        """Add new events."""
        for event in events:
            self.new.append(event)
            if "state" in self.__dict__:
                self._follow(event, self.state, self.at)

    def describe_row(self, model: type[Model], key: Key, **columns: Any) -> None:
        """Give a row columns that no event says, such as a name. `key` is its key in the projection."""
        self._beyond[model].setdefault(key, {}).update(columns)

    def write_rows(self) -> None:
        """Write the rows that follow from the new events so far, for what reads rows before the commit. Only the parts
        that the events touched are projected and compared. Standings are written once, by the commit."""
        part, self.state.touched = self.state.touched, self.state.touched.take_standings()
        row_writer.write_part(self.row, self.state, part, self._beyond)

    def commit(self, key: str = "") -> int:
        """Write the rows, and append the new events in one batch; return the stream's version after them. Call it
        once, when nothing more is recorded."""
        if not self.new:
            return self.version
        part, self.state.touched = self.state.touched, Touched()
        row_writer.write_part(self.row, self.state, part, self._beyond)
        for follower in self.followers:
            follower.write(self.row)
        return stream.append_events(self.row.stream, self.new, self.at, key, expected=self.version)

    def commit_action(self, key: str = "") -> OrganiserAction:
        """Append the new events, which are one organiser's action with what follows from it; return its row."""
        version = self.commit(key)
        actions = OrganiserAction.objects.select_related("by").filter(stream=self.row.stream_id)
        return actions.get(version__gt=version - len(self.new))

    def _follow(self, event: SeasonEvent, state: SeasonFold, at: datetime) -> None:
        for follower in self.followers:
            follower.before(event, state)
        state.apply(event, at)
        for follower in self.followers:
            follower.after(event, state)
