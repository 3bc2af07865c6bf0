"""A season's stream: how it is held, written and folded. Every door of the leagues goes through here."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from games.engines.base import Event
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from tournaments.seasons import events as ev
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import OrganiserAction, Season


def lock_season(season: Season) -> Season:
    """The season as it is now, locked until this transaction ends: all that happens in it happens in one order."""
    held = Season.objects.select_for_update(no_key=True, of=("self",)).select_related("stream", "league__club")
    return held.get(pk=season.pk)


def append_events(stream: Stream, events: Sequence[Event], at: datetime, key: str = "") -> int:
    """Append `events`, which happened at `at`, behind whatever the stream holds, and a row for each act of an organiser
    in them; returns the version after them."""
    ms = max(0, int((at - stream.created).total_seconds() * 1000))
    version = eventlog.append(stream.pk, events, expected=None, times=[ms] * len(events), at=at)
    assert version is not None, "An append behind whatever is there is never stale."
    before = version - len(events)
    if rows := [action_row(stream, before + place, done, at, key) for place, done in ev.organiser_actions_in(events)]:
        OrganiserAction.objects.bulk_create(rows)
    return version


def append_action(stream: Stream, events: Sequence[Event], at: datetime, key: str) -> OrganiserAction:
    """`append_events` events that are one act, and return that."""
    version = append_events(stream, events, at, key)
    return OrganiserAction.objects.select_related("by").get(stream=stream, version__gt=version - len(events))


def action_row(stream: Stream, version: int, events: Sequence[Event], at: datetime, key: str = "") -> OrganiserAction:
    """The row of an act, unsaved."""
    first = events[0]
    match = first[1] if first[0] in ev.MATCH_ACTION_EVENTS else None
    by = first[-1]["by"]
    return OrganiserAction(
        stream=stream, version=version, what=first[0], events=list(events), match_id=match, by_id=by, key=key, at=at
    )


def season_log(season: Season) -> list[Event]:
    """The events of the season's stream."""
    return [entry.event for entry in eventlog.read_events(season.stream_id)]


def fold_season(season: Season) -> SeasonFold:
    """The season as its stream has it now."""
    return SeasonFold(season_log(season))
