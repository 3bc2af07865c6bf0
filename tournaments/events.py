"""The events of a season's stream: every type, its shape, and a function that makes it.

Events hold ids and numbers only, never a name or what somebody wrote. `division` is a division's number, `entrant` an
entrant's number in it, `match`, `game` and `player` are ids of rows. Reasons of pairings are sentences of ours.
A rating pool's stream has one type of event, `tournaments.ratings.RATED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from games.engines.base import Event

# ["season_created", settings]: kind, rules_version, options, terms, format, table_size, games_a_match, points,
# tie_breaks, round_seconds: all that pairing and counting depend on
CREATED: Final = "season_created"
# ["season_changed", settings]: the same anew, complete; before the start only
CHANGED: Final = "season_changed"
# ["entrant_joined", division, entrant, player]
JOINED: Final = "entrant_joined"
# ["season_started", {"seed", "pool"}]: seed, 64 hex digits, is the chance of lots and pairings; pool is people, bots
# or mixed
STARTED: Final = "season_started"
# ["round_paired", division, round, [[match, [entrant, …], reason, [game, …]], …], [[entrant, reason], …]]: tables in
# order, with the games opened for each; then who rests
PAIRED: Final = "round_paired"
# ["game_replayed", match, number, aborted game, new game]: game `number` of the match is played again
REPLAYED: Final = "game_replayed"
# ["game_opened", match, number, game]: the next game of a match whose games are played one after the other
OPENED: Final = "game_opened"
# ["game_recorded", match, number, {"game", "head", "termination", "seats", "scores", "placings", "left"}]: seats are
# entrants by seat, head is the end of the game's hash chain in hex, left the seats that left
RECORDED: Final = "game_recorded"
# ["round_closed", division, round]
CLOSED: Final = "round_closed"
# ["season_finished", division, [[entrant, place], …]]
FINISHED: Final = "season_finished"
# ["season_removed"]: given up before anything was paired; always the last
REMOVED: Final = "season_removed"

TYPES: Final = (CREATED, CHANGED, JOINED, STARTED, PAIRED, REPLAYED, OPENED, RECORDED, CLOSED, FINISHED, REMOVED)


def created(settings: Mapping[str, Any]) -> Event:
    return [CREATED, dict(settings)]


def changed(settings: Mapping[str, Any]) -> Event:
    return [CHANGED, dict(settings)]


def removed() -> Event:
    return [REMOVED]


def joined(division: int, entrant: int, player: int) -> Event:
    return [JOINED, division, entrant, player]


def started(seed: str, pool: str) -> Event:
    return [STARTED, {"seed": seed, "pool": pool}]


def paired(
    division: int,
    number: int,
    tables: Iterable[tuple[int, tuple[int, ...], str, list[int]]],
    byes: Iterable[tuple[int, str]],
) -> Event:
    """`tables`: (match, entrants, reason, games) in order; `byes`: (entrant, reason)."""
    listed = [[match, list(entrants), reason, games] for match, entrants, reason, games in tables]
    return [PAIRED, division, number, listed, [list(bye) for bye in byes]]


def replayed(match: int, number: int, aborted: int, game: int) -> Event:
    return [REPLAYED, match, number, aborted, game]


def opened(match: int, number: int, game: int) -> Event:
    return [OPENED, match, number, game]


def recorded(match: int, number: int, result: Mapping[str, Any]) -> Event:
    return [RECORDED, match, number, dict(result)]


def closed(division: int, number: int) -> Event:
    return [CLOSED, division, number]


def finished(division: int, places: Mapping[int, int]) -> Event:
    return [FINISHED, division, [[entrant, place] for entrant, place in places.items()]]
