"""The rows that a season's events refer to by number. Callers of `describe` look them up and pass them in."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from games.models import Player
from scorebook_games.contract import Event
from tournaments.core.results import FILLER_BOT
from tournaments.seasons import events as ev
from tournaments.seasons.models import Match, MatchGame

AGREED_TIMING: Final = Match.Timing.AGREED.value
MATCH_EVENTS: Final = (ev.GAME_ADJUDICATED, ev.GAME_ANNULLED, ev.GAME_ORDERED, ev.MATCH_DISPUTED, ev.DISPUTE_SETTLED)
CHALLENGE_EVENTS: Final = (
    ev.ENTRANT_CHALLENGED,
    ev.CHALLENGE_ACCEPTED,
    ev.CHALLENGE_LAPSED,
    ev.CHALLENGE_REFUSED,
    ev.CHALLENGE_WITHDRAWN,
)


@dataclass(frozen=True, slots=True)
class EventLookups:
    """The rows behind the numbers in events.

    `players`: entrant number → player. `games`: game id → its place in a match. `matches`: match id → match. `notes`:
    note id → text. `sides`: match id → its players. `divisions`: number → name, empty if the season has only one.
    `late`: the entrants who entered after the start; the others were placed in a division by the start. `imported`: the
    rounds, as (division, round), that came from a file.
    """

    players: Mapping[int, Player]
    games: Mapping[int, MatchGame]
    matches: Mapping[int, Match] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    sides: Mapping[int, Sequence[Player]] = field(default_factory=dict)
    divisions: Mapping[int, str] = field(default_factory=dict)
    late: Collection[int] = ()
    imported: Collection[tuple[int, int]] = ()


def games_in(events: Iterable[Event]) -> set[int]:
    """Return the ids of the games that `describe_events` names."""
    return {event[3]["game"] for event in events if event[0] == ev.GAME_RECORDED} | {
        event[-1] for event in events if event[0] in (ev.GAME_REPLAYED, ev.GAME_OPENED)
    }


def matches_in(events: Iterable[Event]) -> set[int]:
    """Return the ids of the matches that `describe_events` names."""
    named = {event[1] for event in events if event[0] in (*MATCH_EVENTS, ev.MATCH_NUDGED, ev.RESULT_IMPORTED)}
    return named | {event[1] for event in events if event[0] == ev.MATCH_APPOINTED and event[3] == AGREED_TIMING}


def entrants_in(events: Iterable[Event]) -> set[int]:
    """Return the numbers of the entrants that `describe_events` names."""
    return {entrant for event in events for entrant in _entrants(event)}


def notes_in(events: Iterable[Event]) -> set[int]:
    """Return the ids of the notes in `events`, without those of disputes: only organisers read what players write
    there."""
    payloads = [event[-1] for event in events if isinstance(event[-1], dict) and event[0] != ev.MATCH_DISPUTED]
    return {data["note"][0] for data in payloads if data.get("note")}


def nudged_in(events: Iterable[Event]) -> set[int]:
    """Return the ids of the matches whose players `describe_events` names."""
    return {event[1] for event in events if event[0] == ev.MATCH_NUDGED}


def _entrants(event: Event) -> list[int]:
    return _entrants_named(event) or _entrants_listed(event)


def _entrants_named(event: Event) -> list[int]:
    """Return the entrants named by an event about one or two of them."""
    match event:
        case [ev.ENTRANT_JOINED | ev.MATCH_DISPUTED | ev.DISPUTE_SETTLED, _, int(entrant), *_]:
            return [entrant]
        case [
            ev.ENTRANT_LISTED
            | ev.ENTRANT_ADMITTED
            | ev.ENTRANT_CHECKED_IN
            | ev.ENTRANT_LEFT
            | ev.ENTRANT_AWAY
            | ev.ENTRANT_WITHDRAWN,
            int(entrant),
            *_,
        ]:
            return [entrant]
        case [ev.CHALLENGE_REFUSED, _, int(challenger), int(other), dict(cost)] if cost["to"] is not None:
            return [challenger, other, cost["to"]]
        case [str(what), _, int(challenger), int(other), *_] if what in CHALLENGE_EVENTS:
            return [challenger, other]
    return []


def _entrants_listed(event: Event) -> list[int]:
    """Return the entrants of an event that lists several."""
    match event:
        case [ev.PLAYOFF_OPENED, _, list(pairs), _]:
            return [entrant for pair in pairs for entrant in pair]
        case [ev.ENTRANTS_MOVED | ev.POINTS_CARRIED, list(listed)]:
            return [entrant for entrant, _ in listed]
        case [ev.ROUND_PAIRED, _division, _number, _tables, list(byes), _closes]:
            return [entrant for entrant, *_why in byes]
        case [ev.GAME_RECORDED | ev.GAME_ADJUDICATED, _match, _number, dict(result)] | [
            ev.RESULT_IMPORTED,
            _match,
            _number,
            _,
            dict(result),
        ]:
            return [entrant for entrant in result["seats"] if entrant != FILLER_BOT]
        case [ev.SEASON_FINISHED, _division, list(places)]:
            return [entrant for entrant, place in places if place == 1]
    return []
