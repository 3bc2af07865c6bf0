"""The events of a season's stream: every type, its shape, and a function that makes it.

Events hold ids and numbers only, never a name or what somebody wrote. `division` is a division's number, `entrant` an
entrant's number in the season, `match`, `game` and `player` are ids of rows. Reasons of pairings are sentences of ours.
A rating pool's stream has the types of `tournaments.ratings.elo`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from games.engines.base import Event

# Who did it and why: {"by": id of the user, or null for the house, "note": [id, hash] of a Note, or null}
Said = Mapping[str, Any]

# ["season_created", settings]: tournaments.seasons.settings.Settings, complete, without names
CREATED: Final = "season_created"
# ["season_changed", settings]: the same anew, complete; before the start only
CHANGED: Final = "season_changed"
# ["entrant_listed", entrant, player, "asked" | "waiting" | "alternate"]: asks to be let in, or has no place yet
LISTED: Final = "entrant_listed"
# ["entrant_joined", division, entrant, player]: is in, from the next round on
JOINED: Final = "entrant_joined"
# ["entrant_admitted", entrant, {"by", "note"}]: an organiser lets in who asks; as what is in the event that follows
ADMITTED: Final = "entrant_admitted"
# ["entrant_checked_in", entrant]: is there for the start
CHECKED_IN: Final = "entrant_checked_in"
# ["entrant_left", entrant, {"why", "by", "note"}]: before it played, or from a list; why is left, declined,
# not_checked_in, no_place or account
LEFT: Final = "entrant_left"
# ["entrant_away", entrant, [round, …]]: the rounds without them, all anew
AWAY: Final = "entrant_away"
# ["entrant_withdrawn", entrant, {"why", "played", "of", "by", "note"}]: plays no more; why is asked, organiser,
# no_shows or account. They had played so many games of so many; the season's settings say what becomes of these
WITHDRAWN: Final = "entrant_withdrawn"
# ["entrant_challenged", division, challenger, challenged, until]: for formats in which one asks for a match; in seconds
# since 1970 when it runs out, or null
CHALLENGED: Final = "entrant_challenged"
# ["challenge_lapsed", division, challenger, challenged]: it has run out, or they stand so that it cannot be played
LAPSED: Final = "challenge_lapsed"
# ["challenge_accepted", division, challenger, challenged]: who is challenged will play it; a bot says so at once
TAKEN_UP: Final = "challenge_accepted"
# ["challenge_refused", division, challenger, challenged, {"how", "at", "count", "place", "to", "note"}]: how is
# declined or unanswered (it has run out); at in seconds since 1970; count, of the refusals within the days that count,
# with this one; the place that it costs and the entrant who takes it, null where it is free; note [id, hash] of a Note
REFUSED: Final = "challenge_refused"
# ["challenge_withdrawn", division, challenger, challenged]: the challenger takes it back
TAKEN_BACK: Final = "challenge_withdrawn"
# ["entrants_placed", [[division, [entrant, …]], …]]: who plays where, the strongest first; before the start
PLACED: Final = "entrants_placed"
# ["points_carried", [[entrant, points], …]]: with what they begin, from the season before
CARRIED: Final = "points_carried"
# ["season_started", {"seed", "pool"}]: seed, 64 hex digits, is the chance of lots and pairings; pool is people, bots
# or mixed
STARTED: Final = "season_started"
# ["round_paired", division, round, [[match, [entrant, …], reason, [game, …], slot], …], [[entrant, reason, kind,
# missing], …], closes]: tables in order, with the games opened for each; then who has none: kind is bye, away or
# walkover, the last with the entrant who is missing; then when its time is up, in seconds since 1970, or null
PAIRED: Final = "round_paired"
# ["game_replayed", match, number, aborted game, new game]: game `number` of the match is played again
REPLAYED: Final = "game_replayed"
# ["game_opened", match, number, game]: the next game of a match whose games are played one after the other
OPENED: Final = "game_opened"
# ["match_appointed", match, seconds, how]: its first game begins so many seconds after 1970; how is fixed, otherwise
# (unless its people agree on another time), agreed or night
APPOINTED: Final = "match_appointed"
# ["game_recorded", match, number, {"game", "head", "termination", "seats", "scores", "placings", "left", "absent",
# "deal"}]: seats are entrants by seat, 0 for a house bot that filled the table, head is the end of the game's hash
# chain in hex, left the seats that left, absent those of them that never came; deal, only where games share theirs, is
# its number
RECORDED: Final = "game_recorded"
# ["game_adjudicated", match, number, {"game", "termination", "seats", "scores", "placings", "left", "absent",
# "adjudicated", "unrated", "by", "note"}]: this is its result from now on; unrated: nobody has played it to its end
ADJUDICATED: Final = "game_adjudicated"
# ["game_annulled", match, number, {"by", "note"}]: it counts for nobody, or will not be played
ANNULLED: Final = "game_annulled"
# ["game_ordered", match, number, old game, new game, {"by", "note"}]: it is played again in the same seats; what the
# old one came to counts no longer
ORDERED: Final = "game_ordered"
# ["round_undone", division, round, {"by", "note"}]: the last one; its number is free for the next one paired, which
# waits for:
UNDONE: Final = "round_undone"
# ["pairing_released", division, {"by", "note"}]: the round after one that was undone may be paired
RELEASED: Final = "pairing_released"
# ["match_disputed", match, entrant, {"by", "note"}]: one of its entrants asks the organisers to look at it
DISPUTED: Final = "match_disputed"
# ["dispute_settled", match, entrant, "upheld" | "declined", {"by", "note"}]
SETTLED: Final = "dispute_settled"
# ["round_extended", division, round, closes, {"by", "note"}]: it has until then, in seconds since 1970
EXTENDED: Final = "round_extended"
# ["round_overdue", division, round, [game, …]]: its time was up, and these games were not over
OVERDUE: Final = "round_overdue"
# ["match_nudged", match, {"by", "note"}]: those for whom it waits were asked to play it
NUDGED: Final = "match_nudged"
# ["round_closed", division, round]
CLOSED: Final = "round_closed"
# ["season_paused", {"by", "note"}]
PAUSED: Final = "season_paused"
# ["season_resumed", {"by", "note", "delay"}]: the rounds to come, and the ends of those open, are later by so many
# seconds
RESUMED: Final = "season_resumed"
# ["season_finished", division, [[entrant, place], …]]
FINISHED: Final = "season_finished"
# ["playoff_opened", division, [[entrant, …], …], above]: a division of its own, whose first entrants hold the places of
# division `above` and whose others ask for them
PLAYOFF: Final = "playoff_opened"
# ["entrants_moved", [[entrant, division], …]]: where who goes up or down plays in the next season
MOVED: Final = "entrants_moved"
# ["season_abandoned", {"how", "by", "note"}]: how is stands, the standings being the last word, or void
ABANDONED: Final = "season_abandoned"
# ["season_imported", [[division, [entrant, …]], …], {"by", "note", "file", "rounds", "games"}]: what follows, up to the
# next event that is none of an import, was played elsewhere and came in a file, of which "file" is the SHA-256 in hex;
# the lots of each division as they were drawn there, the first first
IMPORTED: Final = "season_imported"
# ["result_imported", match, number, ruling, {"replay", "termination", "seats", "scores", "placings", "left", "absent",
# "adjudicated", "unrated", "deal", "played", "finished"}]: what game `number` came to there; ruling is played
# or adjudicated, or annulled, replaced or aborted, which count for nobody; deal is below 0, the same in games with the
# same cards
RESULT: Final = "result_imported"
# ["season_removed"]: given up before anything was paired; always the last
REMOVED: Final = "season_removed"

TYPES: Final = (
    CREATED,
    CHANGED,
    LISTED,
    JOINED,
    ADMITTED,
    CHECKED_IN,
    LEFT,
    AWAY,
    WITHDRAWN,
    CHALLENGED,
    LAPSED,
    TAKEN_UP,
    REFUSED,
    TAKEN_BACK,
    PLACED,
    CARRIED,
    STARTED,
    PAIRED,
    REPLAYED,
    OPENED,
    APPOINTED,
    RECORDED,
    ADJUDICATED,
    ANNULLED,
    ORDERED,
    UNDONE,
    RELEASED,
    DISPUTED,
    SETTLED,
    EXTENDED,
    OVERDUE,
    NUDGED,
    CLOSED,
    PAUSED,
    RESUMED,
    FINISHED,
    PLAYOFF,
    MOVED,
    ABANDONED,
    IMPORTED,
    RESULT,
    REMOVED,
)


BY_THEMSELVES: Final = ("left", "asked", "account", "house", "no_shows", "not_checked_in", "no_place")


# Of these the event's second part is the match that it is about.
OF_A_MATCH: Final = (ADJUDICATED, ANNULLED, ORDERED, SETTLED, NUDGED)


def is_act(event: Event) -> bool:
    """Whether somebody did it in running the season: not the house, not an entrant for themselves, and no answer that
    a decision is."""
    said = event[-1]
    if event[0] == DISPUTED or not isinstance(said, dict) or (event[0] == SETTLED and event[3] == "upheld"):
        return False
    return said.get("by") is not None and said.get("why") not in BY_THEMSELVES


def acts_in(events: Iterable[Event]) -> list[tuple[int, list[Event]]]:
    """The acts among `events`: where in them (1 …) each begins, and its events, which are several where one reason was
    given for all of them."""
    acts: dict[int, tuple[int, list[Event]]] = {}
    for place, event in enumerate(events, start=1):
        if is_act(event):
            note = event[-1].get("note")
            acts.setdefault(note[0] if note else -place, (place, []))[1].append(event)
    return list(acts.values())


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
    tables: Iterable[tuple[int, tuple[int, ...], str, list[int], str]],
    byes: Iterable[tuple[int, str, str, int | None]],
    closes: int | None = None,
) -> Event:
    """`tables`: (match, entrants, reason, games, slot) in order; `byes`: (entrant, reason, kind, missing)."""
    listed = [[match, list(entrants), reason, games, slot] for match, entrants, reason, games, slot in tables]
    return [PAIRED, division, number, listed, [list(bye) for bye in byes], closes]


def replayed(match: int, number: int, aborted: int, game: int) -> Event:
    return [REPLAYED, match, number, aborted, game]


def opened(match: int, number: int, game: int) -> Event:
    return [OPENED, match, number, game]


def appointed(match: int, begins_at: datetime, how: str) -> Event:
    return [APPOINTED, match, int(begins_at.timestamp()), how]


def recorded(match: int, number: int, result: Mapping[str, Any]) -> Event:
    return [RECORDED, match, number, dict(result)]


def adjudicated(match: int, number: int, ruling: Mapping[str, Any]) -> Event:
    return [ADJUDICATED, match, number, dict(ruling)]


def annulled(match: int, number: int, said: Said) -> Event:
    return [ANNULLED, match, number, dict(said)]


def ordered(match: int, number: int, old: int, game: int, said: Said) -> Event:
    return [ORDERED, match, number, old, game, dict(said)]


def undone(division: int, number: int, said: Said) -> Event:
    return [UNDONE, division, number, dict(said)]


def released(division: int, said: Said) -> Event:
    return [RELEASED, division, dict(said)]


def disputed(match: int, entrant: int, said: Said) -> Event:
    return [DISPUTED, match, entrant, dict(said)]


def settled(match: int, entrant: int, how: str, said: Said) -> Event:
    return [SETTLED, match, entrant, how, dict(said)]


def closed(division: int, number: int) -> Event:
    return [CLOSED, division, number]


def finished(division: int, places: Mapping[int, int]) -> Event:
    return [FINISHED, division, [[entrant, place] for entrant, place in places.items()]]


def listed(entrant: int, player: int, state: str) -> Event:
    return [LISTED, entrant, player, state]


def checked_in(entrant: int) -> Event:
    return [CHECKED_IN, entrant]


def admitted(entrant: int, said: Said) -> Event:
    return [ADMITTED, entrant, dict(said)]


def left(entrant: int, why: str, said: Said) -> Event:
    return [LEFT, entrant, {"why": why, **said}]


def away(entrant: int, rounds: Iterable[int]) -> Event:
    return [AWAY, entrant, sorted(rounds)]


def withdrawn(entrant: int, why: str, played: int, of: int, said: Said) -> Event:
    return [WITHDRAWN, entrant, {"why": why, "played": played, "of": of, **said}]


def challenged(division: int, challenger: int, other: int, until: int | None = None) -> Event:
    return [CHALLENGED, division, challenger, other, until]


def lapsed(division: int, challenger: int, other: int) -> Event:
    return [LAPSED, division, challenger, other]


def taken_up(division: int, challenger: int, challenged: int) -> Event:
    return [TAKEN_UP, division, challenger, challenged]


def refused(division: int, challenger: int, challenged: int, cost: Mapping[str, Any]) -> Event:
    return [REFUSED, division, challenger, challenged, dict(cost)]


def taken_back(division: int, challenger: int, challenged: int) -> Event:
    return [TAKEN_BACK, division, challenger, challenged]


def placed(divisions: Mapping[int, Iterable[int]]) -> Event:
    return [PLACED, [[division, list(entrants)] for division, entrants in divisions.items()]]


def carried(points: Mapping[int, float]) -> Event:
    return [CARRIED, [[entrant, worth] for entrant, worth in points.items()]]


def extended(division: int, number: int, closes: int, said: Said) -> Event:
    return [EXTENDED, division, number, closes, dict(said)]


def overdue(division: int, number: int, games: Iterable[int]) -> Event:
    return [OVERDUE, division, number, list(games)]


def nudged(match: int, said: Said) -> Event:
    return [NUDGED, match, dict(said)]


def paused(said: Said) -> Event:
    return [PAUSED, dict(said)]


def resumed(delay: int, said: Said) -> Event:
    return [RESUMED, {**said, "delay": delay}]


def playoff(division: int, pairs: Iterable[tuple[int, int]], above: int) -> Event:
    return [PLAYOFF, division, [list(pair) for pair in pairs], above]


def moved(places: Mapping[int, int]) -> Event:
    return [MOVED, [[entrant, division] for entrant, division in places.items()]]


def imported(lots: Mapping[int, Iterable[int]], said: Said) -> Event:
    return [IMPORTED, [[division, list(entrants)] for division, entrants in lots.items()], dict(said)]


def result(match: int, number: int, ruling: str, told: Mapping[str, Any]) -> Event:
    return [RESULT, match, number, ruling, dict(told)]


def abandoned(how: str, said: Said) -> Event:
    return [ABANDONED, {"how": how, **said}]
