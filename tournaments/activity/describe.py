"""A season's events as sentences for its timeline: each describes itself (`tournaments.seasons.events`).

Events hold ids and numbers. The caller looks up their rows (`lookups` says which) and passes them as `EventLookups`. A
sentence holds players as rows, so that a page can link them and mark bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

from django.utils.translation import gettext as _

from games.models import Player
from tournaments.activity.lookups import EventLookups
from tournaments.seasons.events.base import Line, SeasonEvent, listed
from tournaments.seasons.events.entries import EntrantEvent, EntrantJoined, EntrantLeft
from tournaments.seasons.models import MatchGame

OWN_DECISIONS: Final = ("left", "not_accepted")  # why an entrant left who need not be named

RichText = list["str | Player"]
TimedEvent = tuple[datetime, SeasonEvent]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An entry of the timeline: the time, a short title (`what`), and the sentence. `game` is set where there is a
    replay to watch; `type` is the event's type."""

    at: datetime
    what: str
    text: RichText
    game: MatchGame | None = None
    head: str = ""
    round: int | None = None
    type: str = ""


def describe_events(entries: Sequence[TimedEvent], names: EventLookups) -> list[TimelineEntry]:
    """Return the lines for `entries`, in their order. Entrants who joined one after the other share a line;
    those who left before they played have none. In a season
    with several divisions, a line begins with the name of its division."""
    described: list[TimelineEntry] = []
    shown = [entry for entry in entries if not _leaves_no_trace(entry[1], names)]
    for (joined, _division), group in groupby(shown, key=lambda entry: _shared_line_key(entry[1], names)):
        lines = list(group)
        if joined:
            described.append(_entry(lines[-1], _joined_line(lines, names), names))
        else:
            described += [_entry(each, line, names) for each in lines if (line := each[1].describe(names)) is not None]
    return described


def _leaves_no_trace(event: SeasonEvent, names: EventLookups) -> bool:
    """Return whether an event is about an entrant who left before playing. Others have decided if it says so."""
    if isinstance(event, EntrantLeft) and event.details["why"] not in OWN_DECISIONS:
        return False
    return isinstance(event, EntrantEvent | EntrantJoined) and event.entrant in names.gone


def _shared_line_key(event: SeasonEvent, names: EventLookups) -> tuple[bool, int | None]:
    """Return a key that is equal for events that share a line: neighbouring entries into the same list or division."""
    joined = isinstance(event, EntrantJoined) and event.place_of is None
    return joined, _division_of(event, names) if joined else None


def _joined_line(entries: Sequence[TimedEvent], names: EventLookups) -> Line:
    players = [names.player(entrant) for _at, event in entries for entrant in event.refers().entrants]
    return Line(_("Joined."), [*listed(sorted(players, key=lambda player: player.name)), "."])


def _entry(timed: TimedEvent, line: Line, names: EventLookups) -> TimelineEntry:
    """Return the entry of an event, with the name of its division in front."""
    at, event = timed
    name = names.divisions.get(_division_of(event, names) or 0)
    text = [f"{name} · ", *line.text] if name else line.text
    game = names.games[line.game] if line.game is not None else None
    return TimelineEntry(at, line.title, text, game, line.head, line.round, event.type)


def _division_of(event: SeasonEvent, names: EventLookups) -> int | None:
    """Return the number of the division that an event is about, or None."""
    if not names.divisions or (isinstance(event, EntrantJoined) and event.entrant not in names.late):
        return None
    refers = event.refers()
    if refers.division is not None:
        return refers.division
    matches = [names.games[game].match for game in refers.games] or [names.matches[match] for match in refers.matches]
    return matches[0].round.division.number if matches else None
