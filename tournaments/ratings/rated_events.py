"""Which events a season calls for in its rating pool. Pure.

A round is rated when it closes, its games in the order of the tables. What changes a result afterwards (it is
adjudicated, annulled, its round undone) calls for a correction. A game that somebody never came to is not rated, nor
one that was decided without having been played to its end, nor one that the house filled up. One that is played late is
rated when it is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from games.engines.base import Event
from tournaments.core.results import NOBODY
from tournaments.ratings import elo
from tournaments.seasons import events as ev
from tournaments.seasons.fold import FoldedDivision, FoldedRound, SeasonFold

Places = tuple[tuple[int, int], ...]  # (player, placing) by seat

# Events after which no round that is closed has other results than before.
# A result is one unless its round is closed.
ROUTINE = (ev.JOINED, ev.PAIRED, ev.REPLAYED, ev.OPENED, ev.RECORDED, ev.CLOSED)


def called_for(events: Iterable[Event]) -> list[Event]:
    """Every rating event that a season's stream calls for, in order."""
    folded = SeasonFold(())
    known: dict[int, Places] = {}
    found: list[Event] = []
    for event in events:
        folded.apply(event)
        if event[0] not in ROUTINE or (event[0] == ev.RECORDED and folded.late(event[1])):
            new = owed(known, folded)
        elif event[0] == ev.CLOSED:
            division = folded.division(event[1])
            new = rated_games(division, division.rounds[event[2] - 1])
        else:
            continue
        known |= {game: tuple((player, placing) for player, placing in places) for _, game, places in new}
        found += new
    return found


def rated_games(division: FoldedDivision, past: FoldedRound) -> list[Event]:
    """The rating events of a round that closes, in schedule order: by table, then by game."""
    return [elo.rated(game, places) for game, places in _games(division, past)]


def counted(folded: SeasonFold) -> dict[int, Places]:
    """Game → how it counts, of all games of closed rounds as they stand now."""
    return {
        game: places
        for division in folded.divisions.values()
        for past in division.rounds
        if past.closed
        for game, places in _games(division, past)
    }


def owed(known: Mapping[int, Places], folded: SeasonFold) -> list[Event]:
    """What the pool is to be told, if it knows of the season's games what `known` says (no places: counts for nothing),
    so that it counts them as they stand now."""
    now = counted(folded)
    gone = [elo.corrected(game) for game, places in known.items() if places and game not in now]
    changed = [elo.corrected(game, now[game]) for game, places in known.items() if now.get(game, places) != places]
    return gone + changed + [elo.rated(game, places) for game, places in now.items() if game not in known]


def is_rated(record: Mapping[str, Any]) -> bool:
    """Whether a recorded game counts for ratings: everybody came to it, somebody played it to its end, and no house bot
    filled it up."""
    return not (record.get("absent") or record.get("unrated") or NOBODY in record["seats"])


def _games(division: FoldedDivision, past: FoldedRound) -> Iterator[tuple[int, Places]]:
    for match in past.matches:
        for _, record in sorted(match.records.items()):
            if is_rated(record):
                yield record["game"], _places(division, record)


def _places(division: FoldedDivision, record: Mapping[str, Any]) -> Places:
    players = [division.entrants[entrant] for entrant in record["seats"]]
    return tuple(zip(players, record["placings"], strict=True))
