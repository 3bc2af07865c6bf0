"""The events of a season's stream: every type, its shape, and a function that makes it.

Events hold ids and numbers only, never a name or a text by people. `division` is a division's number, `entrant` an
entrant's number in the season; `match`, `game` and `player` are ids of rows. Reasons of pairings are sentences of the
platform. Times are seconds since 1970. The types of a rating pool's stream are in `tournaments.ratings.elo`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from scorebook_games.contract import Event

# Who did it and why: {"by": id of the user, or null for the platform, "note": [id, hash] of a Note, or null}
Audit = Mapping[str, Any]

# ["season_created", settings]: complete tournaments.seasons.settings.SeasonSettings, without names
SEASON_CREATED: Final = "season_created"
# ["season_changed", settings]: the new settings, complete; only before the start
SEASON_CHANGED: Final = "season_changed"
# ["entrant_listed", entrant, player, "asked" | "waiting" | "alternate"]: waits for approval or for a place
ENTRANT_LISTED: Final = "entrant_listed"
# ["entrant_joined", division, entrant, player]: is in, from the next round on
ENTRANT_JOINED: Final = "entrant_joined"
# ["entrant_admitted", entrant, {"by", "note"}]: an organiser approved the entry; the next event says with which status
ENTRANT_ADMITTED: Final = "entrant_admitted"
# ["entrant_checked_in", entrant]: confirmed to be there at the start
ENTRANT_CHECKED_IN: Final = "entrant_checked_in"
# ["entrant_left", entrant, {"why", "by", "note"}]: left before playing, or left a list; why is left, declined,
# not_checked_in, no_place or account
ENTRANT_LEFT: Final = "entrant_left"
# ["entrant_away", entrant, [round, …]]: all rounds that the entrant misses; replaces the earlier list
ENTRANT_AWAY: Final = "entrant_away"
# ["entrant_withdrawn", entrant, {"why", "played", "of", "by", "note"}]: plays no more; why is asked, organiser,
# no_shows, account or admin. They had played `played` of `of` games; the season's settings say what happens to these
ENTRANT_WITHDRAWN: Final = "entrant_withdrawn"
# ["entrant_challenged", division, challenger, challenged, until]: in formats with challenges; until is when it expires,
# or null
ENTRANT_CHALLENGED: Final = "entrant_challenged"
# ["challenge_lapsed", division, challenger, challenged]: it expired, or the places do not allow it any more
CHALLENGE_LAPSED: Final = "challenge_lapsed"
# ["challenge_accepted", division, challenger, challenged]: the challenged entrant will play; a bot accepts at once
CHALLENGE_ACCEPTED: Final = "challenge_accepted"
# ["challenge_refused", division, challenger, challenged, {"how", "at", "count", "place", "to", "note"}]: how is
# declined or unanswered (it expired); count is the number of refusals within the days that count, with this one; place
# is the lost place and to the entrant who takes it, null if it costs nothing; note is [id, hash] of a Note
CHALLENGE_REFUSED: Final = "challenge_refused"
# ["challenge_withdrawn", division, challenger, challenged]: the challenger takes it back
CHALLENGE_WITHDRAWN: Final = "challenge_withdrawn"
# ["entrants_placed", [[division, [entrant, …]], …]]: who plays where, the strongest first; before the start
ENTRANTS_PLACED: Final = "entrants_placed"
# ["points_carried", [[entrant, points], …]]: points carried over from the season before
POINTS_CARRIED: Final = "points_carried"
# ["season_started", {"seed", "pool"}]: seed, 64 hex digits, determines lots and pairings; pool is people, bots or mixed
SEASON_STARTED: Final = "season_started"
# ["round_paired", division, round, [[match, [entrant, …], reason, [game, …], slot], …], [[entrant, reason, kind,
# missing], …], closes]: tables in order, with the games opened for each; then the entrants without a match: kind is
# bye, away or walkover, and missing is the opponent of a walkover; closes is when the round ends, or null
ROUND_PAIRED: Final = "round_paired"
# ["game_replayed", match, number, aborted game, new game]: game `number` of the match is played again
GAME_REPLAYED: Final = "game_replayed"
# ["game_opened", match, number, game]: the next game of a match whose games are played one after the other
GAME_OPENED: Final = "game_opened"
# ["match_appointed", match, seconds, how]: when its first game begins; how is fixed, fallback (unless the players agree
# on another time), agreed or night
MATCH_APPOINTED: Final = "match_appointed"
# ["game_recorded", match, number, {"game", "head", "termination", "seats", "scores", "placings", "left", "absent",
# "deal"}]: seats are entrants by seat, 0 for a built-in bot that filled the table; head is the end of the game's hash
# chain in hex; left are the seats that left, absent those of them that never came; deal is its number, only where games
# share deals
GAME_RECORDED: Final = "game_recorded"
# ["game_adjudicated", match, number, {"game", "termination", "seats", "scores", "placings", "left", "absent",
# "adjudicated", "unrated", "by", "note"}]: its result from now on; unrated: it was not played to its end
GAME_ADJUDICATED: Final = "game_adjudicated"
# ["game_annulled", match, number, {"by", "note"}]: it counts for nobody, or will not be played
GAME_ANNULLED: Final = "game_annulled"
# ["game_ordered", match, number, old game, new game, {"by", "note"}]: it is replayed in the same seats; the old result
# does not count any more
GAME_ORDERED: Final = "game_ordered"
# ["round_undone", division, round, {"by", "note"}]: the last round; the next one paired has its number, but waits for:
ROUND_UNDONE: Final = "round_undone"
# ["pairing_released", division, {"by", "note"}]: the round after an undone one may be paired
PAIRING_RELEASED: Final = "pairing_released"
# ["match_disputed", match, entrant, {"by", "note"}]: one of its entrants asks the organisers to check it
MATCH_DISPUTED: Final = "match_disputed"
# ["dispute_settled", match, entrant, "upheld" | "declined", {"by", "note"}]
DISPUTE_SETTLED: Final = "dispute_settled"
# ["round_extended", division, round, closes, {"by", "note"}]: its new end
ROUND_EXTENDED: Final = "round_extended"
# ["round_overdue", division, round, [game, …]]: the round's time ended, and these games were not over
ROUND_OVERDUE: Final = "round_overdue"
# ["match_nudged", match, {"by", "note"}]: the players for whom it waits were reminded to play
MATCH_NUDGED: Final = "match_nudged"
# ["round_closed", division, round]
ROUND_CLOSED: Final = "round_closed"
# ["season_paused", {"by", "note"}]
SEASON_PAUSED: Final = "season_paused"
# ["season_resumed", {"by", "note", "delay"}]: future rounds, and ends of open ones, are later by so many seconds
SEASON_RESUMED: Final = "season_resumed"
# ["season_finished", division, [[entrant, place], …]]
SEASON_FINISHED: Final = "season_finished"
# ["playoff_opened", division, [[entrant, …], …], above]: a division of its own; the first entrant of each pair holds a
# place of division `above`, and the others play for it
PLAYOFF_OPENED: Final = "playoff_opened"
# ["entrants_moved", [[entrant, division], …]]: the next division of promoted and relegated entrants
ENTRANTS_MOVED: Final = "entrants_moved"
# ["season_abandoned", {"how", "by", "note"}]: how is stands (the standings are final) or void
SEASON_ABANDONED: Final = "season_abandoned"
# ["season_imported", [[division, [entrant, …]], …], {"by", "note", "file", "rounds", "games"}]: the following events,
# up to the first that is not part of an import, were played elsewhere and imported from a file with the SHA-256 "file";
# the lists are the lots drawn there, the first lot first
SEASON_IMPORTED: Final = "season_imported"
# ["result_imported", match, number, ruling, {"replay", "termination", "seats", "scores", "placings", "left", "absent",
# "adjudicated", "unrated", "deal", "played", "finished"}]: the result of game `number` there; ruling is played or
# adjudicated; or annulled, replaced or aborted, which do not count; deal is negative, and equal in games with the same
# cards
RESULT_IMPORTED: Final = "result_imported"
# ["season_removed"]: removed before anything was paired; always the last
SEASON_REMOVED: Final = "season_removed"

EVENT_TYPES: Final = (
    SEASON_CREATED,
    SEASON_CHANGED,
    ENTRANT_LISTED,
    ENTRANT_JOINED,
    ENTRANT_ADMITTED,
    ENTRANT_CHECKED_IN,
    ENTRANT_LEFT,
    ENTRANT_AWAY,
    ENTRANT_WITHDRAWN,
    ENTRANT_CHALLENGED,
    CHALLENGE_LAPSED,
    CHALLENGE_ACCEPTED,
    CHALLENGE_REFUSED,
    CHALLENGE_WITHDRAWN,
    ENTRANTS_PLACED,
    POINTS_CARRIED,
    SEASON_STARTED,
    ROUND_PAIRED,
    GAME_REPLAYED,
    GAME_OPENED,
    MATCH_APPOINTED,
    GAME_RECORDED,
    GAME_ADJUDICATED,
    GAME_ANNULLED,
    GAME_ORDERED,
    ROUND_UNDONE,
    PAIRING_RELEASED,
    MATCH_DISPUTED,
    DISPUTE_SETTLED,
    ROUND_EXTENDED,
    ROUND_OVERDUE,
    MATCH_NUDGED,
    ROUND_CLOSED,
    SEASON_PAUSED,
    SEASON_RESUMED,
    SEASON_FINISHED,
    PLAYOFF_OPENED,
    ENTRANTS_MOVED,
    SEASON_ABANDONED,
    SEASON_IMPORTED,
    RESULT_IMPORTED,
    SEASON_REMOVED,
)


CAUSES_WITHOUT_ORGANISER: Final = ("left", "asked", "account", "admin", "no_shows", "not_checked_in", "no_place")


# In these the event's second item is the match.
MATCH_ACTION_EVENTS: Final = (GAME_ADJUDICATED, GAME_ANNULLED, GAME_ORDERED, DISPUTE_SETTLED, MATCH_NUDGED)


def is_organiser_action(event: Event) -> bool:
    """Return whether an organiser's action made this event: not the platform, not an entrant for themselves, and not a
    dispute that a correction settled."""
    payload = event[-1]
    if (
        event[0] == MATCH_DISPUTED
        or not isinstance(payload, dict)
        or (event[0] == DISPUTE_SETTLED and event[3] == "upheld")
    ):
        return False
    return payload.get("by") is not None and payload.get("why") not in CAUSES_WITHOUT_ORGANISER


def organiser_actions_in(events: Iterable[Event]) -> list[tuple[int, list[Event]]]:
    """Return the organisers' actions among `events`: the position of each one's first event (1 …), and its events.
    Events with the same reason are one action."""
    acts: dict[int, tuple[int, list[Event]]] = {}
    for place, event in enumerate(events, start=1):
        if is_organiser_action(event):
            note = event[-1].get("note")
            acts.setdefault(note[0] if note else -place, (place, []))[1].append(event)
    return list(acts.values())


def season_created(settings: Mapping[str, Any]) -> Event:
    return [SEASON_CREATED, dict(settings)]


def season_changed(settings: Mapping[str, Any]) -> Event:
    return [SEASON_CHANGED, dict(settings)]


def season_removed() -> Event:
    return [SEASON_REMOVED]


def entrant_joined(division: int, entrant: int, player: int) -> Event:
    return [ENTRANT_JOINED, division, entrant, player]


def season_started(seed: str, pool: str) -> Event:
    return [SEASON_STARTED, {"seed": seed, "pool": pool}]


def round_paired(
    division: int,
    number: int,
    tables: Iterable[tuple[int, tuple[int, ...], str, list[int], str]],
    byes: Iterable[tuple[int, str, str, int | None]],
    closes: int | None = None,
) -> Event:
    """Return the event. `tables`: (match, entrants, reason, games, slot) in order; `byes`: (entrant, reason, kind,
    missing)."""
    listed = [[match, list(entrants), reason, games, slot] for match, entrants, reason, games, slot in tables]
    return [ROUND_PAIRED, division, number, listed, [list(bye) for bye in byes], closes]


def game_replayed(match: int, number: int, aborted: int, game: int) -> Event:
    return [GAME_REPLAYED, match, number, aborted, game]


def game_opened(match: int, number: int, game: int) -> Event:
    return [GAME_OPENED, match, number, game]


def match_appointed(match: int, begins_at: datetime, how: str) -> Event:
    return [MATCH_APPOINTED, match, int(begins_at.timestamp()), how]


def game_recorded(match: int, number: int, result: Mapping[str, Any]) -> Event:
    return [GAME_RECORDED, match, number, dict(result)]


def game_adjudicated(match: int, number: int, ruling: Mapping[str, Any]) -> Event:
    return [GAME_ADJUDICATED, match, number, dict(ruling)]


def game_annulled(match: int, number: int, said: Audit) -> Event:
    return [GAME_ANNULLED, match, number, dict(said)]


def game_ordered(match: int, number: int, old: int, game: int, said: Audit) -> Event:
    return [GAME_ORDERED, match, number, old, game, dict(said)]


def round_undone(division: int, number: int, said: Audit) -> Event:
    return [ROUND_UNDONE, division, number, dict(said)]


def pairing_released(division: int, said: Audit) -> Event:
    return [PAIRING_RELEASED, division, dict(said)]


def match_disputed(match: int, entrant: int, said: Audit) -> Event:
    return [MATCH_DISPUTED, match, entrant, dict(said)]


def dispute_settled(match: int, entrant: int, how: str, said: Audit) -> Event:
    return [DISPUTE_SETTLED, match, entrant, how, dict(said)]


def round_closed(division: int, number: int) -> Event:
    return [ROUND_CLOSED, division, number]


def season_finished(division: int, places: Mapping[int, int]) -> Event:
    return [SEASON_FINISHED, division, [[entrant, place] for entrant, place in places.items()]]


def entrant_listed(entrant: int, player: int, state: str) -> Event:
    return [ENTRANT_LISTED, entrant, player, state]


def entrant_checked_in(entrant: int) -> Event:
    return [ENTRANT_CHECKED_IN, entrant]


def entrant_admitted(entrant: int, said: Audit) -> Event:
    return [ENTRANT_ADMITTED, entrant, dict(said)]


def entrant_left(entrant: int, why: str, said: Audit) -> Event:
    return [ENTRANT_LEFT, entrant, {"why": why, **said}]


def entrant_away(entrant: int, rounds: Iterable[int]) -> Event:
    return [ENTRANT_AWAY, entrant, sorted(rounds)]


def entrant_withdrawn(entrant: int, why: str, played: int, of: int, said: Audit) -> Event:
    return [ENTRANT_WITHDRAWN, entrant, {"why": why, "played": played, "of": of, **said}]


def entrant_challenged(division: int, challenger: int, other: int, until: int | None = None) -> Event:
    return [ENTRANT_CHALLENGED, division, challenger, other, until]


def challenge_lapsed(division: int, challenger: int, other: int) -> Event:
    return [CHALLENGE_LAPSED, division, challenger, other]


def challenge_accepted(division: int, challenger: int, challenged: int) -> Event:
    return [CHALLENGE_ACCEPTED, division, challenger, challenged]


def challenge_refused(division: int, challenger: int, challenged: int, cost: Mapping[str, Any]) -> Event:
    return [CHALLENGE_REFUSED, division, challenger, challenged, dict(cost)]


def challenge_withdrawn(division: int, challenger: int, challenged: int) -> Event:
    return [CHALLENGE_WITHDRAWN, division, challenger, challenged]


def entrants_placed(divisions: Mapping[int, Iterable[int]]) -> Event:
    return [ENTRANTS_PLACED, [[division, list(entrants)] for division, entrants in divisions.items()]]


def points_carried(points: Mapping[int, float]) -> Event:
    return [POINTS_CARRIED, [[entrant, worth] for entrant, worth in points.items()]]


def round_extended(division: int, number: int, closes: int, said: Audit) -> Event:
    return [ROUND_EXTENDED, division, number, closes, dict(said)]


def round_overdue(division: int, number: int, games: Iterable[int]) -> Event:
    return [ROUND_OVERDUE, division, number, list(games)]


def match_nudged(match: int, said: Audit) -> Event:
    return [MATCH_NUDGED, match, dict(said)]


def season_paused(said: Audit) -> Event:
    return [SEASON_PAUSED, dict(said)]


def season_resumed(delay: int, said: Audit) -> Event:
    return [SEASON_RESUMED, {**said, "delay": delay}]


def playoff_opened(division: int, pairs: Iterable[tuple[int, int]], above: int) -> Event:
    return [PLAYOFF_OPENED, division, [list(pair) for pair in pairs], above]


def entrants_moved(places: Mapping[int, int]) -> Event:
    return [ENTRANTS_MOVED, [[entrant, division] for entrant, division in places.items()]]


def season_imported(lots: Mapping[int, Iterable[int]], said: Audit) -> Event:
    return [SEASON_IMPORTED, [[division, list(entrants)] for division, entrants in lots.items()], dict(said)]


def result_imported(match: int, number: int, ruling: str, told: Mapping[str, Any]) -> Event:
    return [RESULT_IMPORTED, match, number, ruling, dict(told)]


def season_abandoned(how: str, said: Audit) -> Event:
    return [SEASON_ABANDONED, {"how": how, **said}]
