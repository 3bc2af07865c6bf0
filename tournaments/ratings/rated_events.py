"""The events that a season adds to its rating pool. Pure.

A round is rated when it closes, its games in the order of the tables. Later changes of a result (an adjudication, an
annulment, an undone round) add a correction. A game is not rated if a player was absent, if it was decided without
being played to its end, or if a built-in bot filled a seat. A game that is played after its round closed is rated when
it is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tournaments.core.results import FILLER_BOT
from tournaments.ratings.elo import Corrected, Rated, RatingEvent
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.rounds import RoundClosed
from tournaments.seasons.fold import DivisionState, RoundState, SeasonFold

PlayerPlaces = tuple[tuple[int, int], ...]  # (player, placing) by seat


class RatingCalls:
    """Follows a season event by event, and collects the rating events that its pool needs, in order."""

    def __init__(self) -> None:
        self.version = 0  # of the season, after the events so far
        self.called: list[tuple[int, RatingEvent]] = []  # with the version after the event that called for it
        self.known: dict[int, PlayerPlaces] = {}

    def follow(self, event: SeasonEvent, folded: SeasonFold) -> None:
        """Add the rating events that follow from `event`; `folded` is the season after it."""
        self.version += 1
        if isinstance(event, RoundClosed):
            division = folded.division(event.division)
            new = rated_games(division, division.rounds[event.number - 1])
        elif event.changes_results(folded):
            new = outstanding_rating_events(self.known, folded)
        else:
            return
        self.known |= {each.game: tuple((player, placing) for player, placing in each.places) for each in new}
        self.called += [(self.version, each) for each in new]

    def after(self, version: int) -> list[RatingEvent]:
        """Return the rating events that follow from the season's events after `version`."""
        return [event for at, event in self.called if at > version]


def rated_games(division: DivisionState, past: RoundState) -> list[RatingEvent]:
    """Return the rating events of a round that closes, by table and game."""
    return [Rated.of(game, places) for game, places in _rated_games(division, past)]


def counted_games(folded: SeasonFold) -> dict[int, PlayerPlaces]:
    """Return game → its players and places, for all games of closed rounds as they count now."""
    return {
        game: places
        for division in folded.divisions.values()
        for past in division.rounds
        if past.closed
        for game, places in _rated_games(division, past)
    }


def outstanding_rating_events(known: Mapping[int, PlayerPlaces], folded: SeasonFold) -> list[RatingEvent]:
    """Return the events that the pool still needs, if it knows the season's games as in `known` (no places: the game
    does not count)."""
    now = counted_games(folded)
    gone = [Corrected.of(game) for game, places in known.items() if places and game not in now]
    changed = [Corrected.of(game, now[game]) for game, places in known.items() if now.get(game, places) != places]
    return gone + changed + [Rated.of(game, places) for game, places in now.items() if game not in known]


def is_rated(record: Mapping[str, Any]) -> bool:
    """Return whether a recorded game counts for ratings: nobody was absent, it was played to its end, and no built-in
    bot filled a seat."""
    return not (record.get("absent") or record.get("unrated") or FILLER_BOT in record["seats"])


def _rated_games(division: DivisionState, past: RoundState) -> Iterator[tuple[int, PlayerPlaces]]:
    for match in past.matches:
        for _, record in sorted(match.records.items()):
            if is_rated(record):
                yield record["game"], _player_places(division, record)


def _player_places(division: DivisionState, record: Mapping[str, Any]) -> PlayerPlaces:
    players = [division.entrants[entrant] for entrant in record["seats"]]
    return tuple(zip(players, record["placings"], strict=True))
