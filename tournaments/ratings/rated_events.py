"""The events that a season adds to its rating pool. Pure.

A round is rated when it closes, its games in the order of the tables. Later changes of a result (an adjudication, an
annulment, an undone round) add a correction. A game is not rated if a player was absent, if it was decided without
being played to its end, or if a built-in bot filled a seat. A game that is played after its round closed is rated when
it is recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tournaments.core.results import FILLER_BOT
from tournaments.ratings.elo import Corrected, Rated, RatingEvent
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.rounds import RoundClosed
from tournaments.seasons.fold import DivisionState, MatchState, RoundState, SeasonFold

PlayerPlaces = tuple[tuple[int, int], ...]  # (player, placing) by seat
RatedGames = dict[int, PlayerPlaces]  # game → its players and places; () for one that does not count any more


class RatingCalls:
    """Follows a season event by event, and collects the rating events that its pool needs, in order.

    `since`: only those that events after this version of the log call for. `known`: match → what the pool knows of its
    games; `order`: game → its number in the order in which the pool heard of them.
    """

    def __init__(self, since: int = 0) -> None:
        self.since, self.version = since, 0  # the version after the events so far
        self.called: list[RatingEvent] = []
        self.known: dict[int, RatedGames] = {}
        self.order: dict[int, int] = {}
        self._closed: list[tuple[DivisionState, RoundState]] = []  # rounds that are not in `known` yet
        self._changed: Collection[int] = ()  # the matches whose results the present event changes

    def before(self, event: SeasonEvent, folded: SeasonFold) -> None:
        """Note what the pool knows of the results that `event` changes; `folded` is the season before it."""
        self._changed = event.changed_results(folded)
        if self._changed:
            for division, past in self._closed:
                for match in past.matches:
                    self._learn(match.id, rated_games(division, match))
            self._closed.clear()

    def after(self, event: SeasonEvent, folded: SeasonFold) -> None:
        """Add the rating events that follow from `event`; `folded` is the season after it."""
        self.version += 1
        if isinstance(event, RoundClosed):
            division = folded.division(event.division)
            past = division.rounds[event.number - 1]
            self._closed.append((division, past))
            if self.version > self.since:
                self.called += [
                    Rated.of(game, places)
                    for match in past.matches
                    for game, places in rated_games(division, match).items()
                ]
        elif self._changed:
            self._correct(folded)

    def _correct(self, folded: SeasonFold) -> None:
        before = _all_of(self.known.get(match, {}) for match in self._changed)
        now = {match: counted_games(folded, match) for match in self._changed}
        if self.version > self.since:
            ordered = sorted(before, key=self.order.__getitem__)
            self.called += corrections({game: before[game] for game in ordered}, _all_of(now.values()))
        for match, games in now.items():
            self._learn(match, dict.fromkeys(self.known.get(match, {}), ()) | games)

    def _learn(self, match: int, games: RatedGames) -> None:
        self.known[match] = games
        for game in games:
            self.order.setdefault(game, len(self.order))


def rated_games(division: DivisionState, match: MatchState) -> RatedGames:
    """Return the games of a match that count for ratings once its round is closed."""
    return {
        record["game"]: _player_places(division, match, number, record)
        for number, record in sorted(match.records.items())
        if is_rated(record)
    }


def counted_games(folded: SeasonFold, match_id: int) -> RatedGames:
    """Return the games of a match as they count now: none unless its round is closed."""
    match = folded.match(match_id)
    if match is None or not folded.late(match_id):
        return {}
    return rated_games(folded.division(match.division), match)


def corrections(known: RatedGames, now: RatedGames) -> list[RatingEvent]:
    """Return the events that a pool still needs, if it knows games as in `known` and they count as in `now`."""
    gone = [Corrected.of(game) for game, places in known.items() if places and game not in now]
    changed = [Corrected.of(game, now[game]) for game, places in known.items() if now.get(game, places) != places]
    return gone + changed + [Rated.of(game, places) for game, places in now.items() if game not in known]


def _all_of(by_match: Iterable[RatedGames]) -> RatedGames:
    return {game: places for games in by_match for game, places in games.items()}


def is_rated(record: Mapping[str, Any]) -> bool:
    """Return whether a recorded game counts for ratings: nobody was absent, it was played to its end, and no built-in
    bot filled a seat."""
    return not (record.get("absent") or record.get("unrated") or FILLER_BOT in record["seats"])


def _player_places(division: DivisionState, match: MatchState, number: int, record: Mapping[str, Any]) -> PlayerPlaces:
    players = [match.player_of(number, entrant, division.entrants) for entrant in record["seats"]]
    return tuple((player or 0, place) for player, place in zip(players, record["placings"], strict=True))
