"""Locks, appends to and folds a season's stream. Every change of a season begins here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from games.common import clock
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from tournaments.core.event import StreamEvent
from tournaments.formats import FORMATS
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_event
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import GOING_ON, Match, OrganiserAction, Season


def lock_season(season: Season) -> Season:
    """Return the season, reloaded and locked until the transaction ends, so that its events have one order."""
    locked = Season.objects.select_for_update(no_key=True, of=("self",)).select_related("stream", "league__club")
    return locked.get(pk=season.pk)


def lock_running_season(season_id: int, *status: str) -> Season | None:
    """Return the season, locked until the transaction ends; None if it is not running or paused (or has none of the
    given `status`), or if another process has locked it."""
    locked = Season.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    return locked.select_related("stream", "league__club").filter(pk=season_id, status__in=status or GOING_ON).first()


def continuous_formats() -> list[str]:
    """Return the formats that pair new rounds while others are played."""
    return [name for name, format in FORMATS.items() if format.continuous]


def challenge_formats() -> list[str]:
    """Return the formats in which entrants challenge one another."""
    return [name for name, format in FORMATS.items() if format.by_challenge]


def is_past_end(season: Season) -> bool:
    """Return whether the time of a season without a last round has ended."""
    ends = ends_at(season)
    return ends is not None and clock.now() >= ends


def ends_at(season: Season) -> datetime | None:
    """Return when the time of a season without a last round ends; None if it goes on until it is ended by hand."""
    lasts = season.settings["duration_seconds"]
    return season.starts_at + timedelta(seconds=lasts + season.delay_seconds) if lasts else None


def append_events(
    stream: Stream, events: Sequence[StreamEvent], at: datetime, key: str = "", *, expected: int | None = None
) -> int:
    """Append `events`, which happened at `at`, to the stream, and write a row for each organiser's action among them.
    Return the stream's new version. `expected` is the version behind which they belong; None is any."""
    ms = max(0, int((at - stream.created).total_seconds() * 1000))
    stored = [event.stored() for event in events]
    version = eventlog.append(stream.pk, stored, expected=expected, times=[ms] * len(events), at=at)
    assert version is not None, "Nobody appends to a stream whose season or pool another transaction has locked."
    before = version - len(events)
    if rows := [action_row(stream, before + place, done, at, key) for place, done in organiser_actions(events)]:
        OrganiserAction.objects.bulk_create(rows)
    return version


def organiser_actions(events: Iterable[StreamEvent]) -> list[tuple[int, list[SeasonEvent]]]:
    """Return the organisers' actions among `events`: the position of each one's first event (1 …), and its events.
    Events with the same reason are one action."""
    actions: dict[int, tuple[int, list[SeasonEvent]]] = {}
    for place, event in enumerate(events, start=1):
        if isinstance(event, SeasonEvent) and event.by_organiser():
            actions.setdefault(event.note_id() or -place, (place, []))[1].append(event)
    return list(actions.values())


def action_row(
    stream: Stream, version: int, events: Sequence[SeasonEvent], at: datetime, key: str = ""
) -> OrganiserAction:
    """Return the unsaved row of an organiser's action."""
    first = events[0]
    return OrganiserAction(
        stream=stream,
        version=version,
        what=first.type,
        events=[event.stored() for event in events],
        match_id=getattr(first, "match", None),
        by_id=first.details_of()["by"],
        key=key,
        at=at,
    )


def season_log(season: Season) -> list[SeasonEvent]:
    """Return the events of the season's stream."""
    return [read_event(entry.event) for entry in eventlog.read_events(season.stream_id)]


def timed_season_log(season: Season) -> list[tuple[SeasonEvent, datetime]]:
    """Return the events of the season's stream, each with the time at which it was appended."""
    return [(read_event(event), at) for event, at in eventlog.read_timed_events(season.stream_id)]


def match_version(match: Match) -> int:
    """Return the version of a match: how many events have changed it. A page sends it back with a ruling, which is
    refused if the match has changed."""
    folded = fold_season(match.round.division.season).match(match.pk)
    return folded.version if folded else 0


def fold_season(season: Season) -> SeasonFold:
    """Return the season's present state, folded from its stream."""
    return SeasonFold(season_log(season))
