"""What the events of a season speak of by number: which rows whoever tells of them looks up, and hands in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from games.engines.base import Event
from games.models import Player
from tournaments.core.results import NOBODY
from tournaments.models import Match, MatchGame
from tournaments.seasons import events as ev

AGREED: Final = Match.Timing.AGREED.value
OF_MATCHES: Final = (ev.ADJUDICATED, ev.ANNULLED, ev.ORDERED, ev.DISPUTED, ev.SETTLED)


@dataclass(frozen=True, slots=True)
class Names:
    """Rows to the numbers in events: entrant → player, game id → its place in a match, match id → match, note → what
    was written, match id → its `sides`; division's number → its name, where the season has several. `late` are entrants
    who came when it was being played: only they joined a division, the others were placed in one by the start.
    Which rounds, as (division, round), were `imported`."""

    players: Mapping[int, Player]
    games: Mapping[int, MatchGame]
    matches: Mapping[int, Match] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    sides: Mapping[int, Sequence[Player]] = field(default_factory=dict)
    divisions: Mapping[int, str] = field(default_factory=dict)
    late: Collection[int] = ()
    imported: Collection[tuple[int, int]] = ()


def games_in(events: Iterable[Event]) -> set[int]:
    """The ids of the games that `tell` will want to name."""
    return {event[3]["game"] for event in events if event[0] == ev.RECORDED} | {
        event[-1] for event in events if event[0] in (ev.REPLAYED, ev.OPENED)
    }


def matches_in(events: Iterable[Event]) -> set[int]:
    """The ids of the matches that `tell` will want to name."""
    named = {event[1] for event in events if event[0] in (*OF_MATCHES, ev.NUDGED, ev.RESULT)}
    return named | {event[1] for event in events if event[0] == ev.APPOINTED and event[3] == AGREED}


def entrants_in(events: Iterable[Event]) -> set[int]:
    """The numbers of the entrants that `tell` will want to name."""
    return {entrant for event in events for entrant in _entrants(event)}


def notes_in(events: Iterable[Event]) -> set[int]:
    """The ids of the notes in `events`, but of what players write in disputes, which is for the organisers."""
    said = [event[-1] for event in events if isinstance(event[-1], dict) and event[0] != ev.DISPUTED]
    return {data["note"][0] for data in said if data.get("note")}


def nudged_in(events: Iterable[Event]) -> set[int]:
    """The ids of the matches whose players `tell` will want to name."""
    return {event[1] for event in events if event[0] == ev.NUDGED}


def _entrants(event: Event) -> list[int]:
    match event:
        case [ev.JOINED, _, int(entrant), _]:
            return [entrant]
        case [ev.LISTED | ev.ADMITTED | ev.CHECKED_IN | ev.LEFT | ev.AWAY | ev.WITHDRAWN, int(entrant), *_]:
            return [entrant]
        case [ev.REFUSED, _, int(challenger), int(other), dict(cost)]:
            return [challenger, other, *([cost["to"]] if cost["to"] is not None else [])]
        case [ev.CHALLENGED | ev.LAPSED | ev.TAKEN_UP | ev.TAKEN_BACK, _, int(challenger), int(other), *_until]:
            return [challenger, other]
        case [ev.PLAYOFF, _, list(pairs), _]:
            return [entrant for pair in pairs for entrant in pair]
        case [ev.MOVED | ev.CARRIED, list(listed)]:
            return [entrant for entrant, _ in listed]
        case [ev.PAIRED, _division, _number, _tables, list(byes), _closes]:
            return [entrant for entrant, *_why in byes]
        case [ev.RECORDED | ev.ADJUDICATED, _match, _number, dict(record)]:
            return [entrant for entrant in record["seats"] if entrant != NOBODY]
        case [ev.RESULT, _match, _number, _ruling, dict(result)]:
            return [entrant for entrant in result["seats"] if entrant != NOBODY]
        case [ev.DISPUTED | ev.SETTLED, _match, int(entrant), *_rest]:
            return [entrant]
        case [ev.FINISHED, _division, list(places)]:
            return [entrant for entrant, place in places if place == 1]
    return []
