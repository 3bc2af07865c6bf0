"""Elo ratings as a fold of a pool's stream, and the events of that stream. Pure.

    E_ij = 1 / (1 + 10 ** ((R_j − R_i) / 400))         the score that i expects against j
    S_ij = 1 if i is placed before j, ½ if level, 0 if after
    ΔR_i = K / (n − 1) · Σ_j (S_ij − E_ij)              n seats, all from the ratings before the game

K depends on how many rated games of the pool a player has played: 40 in the first 20, so that newcomers quickly reach
their level; 24 until 200; then 16, so that a bot that plays all day stays within about ±30. A rating is provisional
until 20 games. Because players may have different K, a game with newcomers may change the sum of all ratings.

If a rated game is adjudicated or annulled later, an event corrects it: every seat gets the difference between what the
game should have changed, with the ratings and K of its time, and what it did change. Later games are not computed
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from scorebook_games.contract import Event
from scorebook_games.placings import share_against
from tournaments.core.event import StreamEvent, UnknownEventType, event

START_RATING = 1500.0
PROVISIONAL_GAMES = 20  # games
STEADY_GAMES = 200
K = {PROVISIONAL_GAMES: 40.0, STEADY_GAMES: 24.0}  # K below this number of games
MIN_K = 16.0
ELO_SCALE = 400.0

PlayerPlaces = Iterable[Sequence[int]]  # (player, placing) by seat


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's rating and the number of rated games behind it."""

    rating: float = START_RATING
    games: int = 0


@dataclass(frozen=True, slots=True)
class RatingStep:
    """How the event at `position` (1 …) of the pool's stream changed one player's rating, after `games` rated games.
    `counted`: 1 if the game begins to count, −1 if it stops counting, 0 if it counts differently."""

    position: int
    game: int
    player: int
    before: float
    after: float
    games: int = 0
    counted: int = 1


def is_provisional(games: int) -> bool:
    """Return whether a rating from so few games is uncertain."""
    return games < PROVISIONAL_GAMES


def k_factor(games: int) -> float:
    """Return K of a player with so many rated games."""
    return next((k for below, k in K.items() if games < below), MIN_K)


def expected_score(mine: float, theirs: float) -> float:
    """Return the expected score of rating `mine` against `theirs`, 0 … 1."""
    return float(1.0 / (1.0 + 10.0 ** ((theirs - mine) / ELO_SCALE)))


def deltas(before: Sequence[PlayerRating], placings: Sequence[int]) -> list[float]:
    """Return by how much a game changes the rating of each seat."""
    return [
        k_factor(mine.games)
        / (len(before) - 1)
        * sum(
            [
                share_against(place, other) - expected_score(mine.rating, theirs.rating)
                for j, (theirs, other) in enumerate(zip(before, placings, strict=True))
                if j != i
            ]
        )
        for i, (mine, place) in enumerate(zip(before, placings, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class RatingEvent(StreamEvent):
    """An event of a rating pool: a game, and the `[player, placing]` of each seat. Their order is the order of
    rating."""

    types: ClassVar[dict[str, Any]] = {}
    game: int
    places: list[list[int]]

    @classmethod
    def of(cls, game: int, places: PlayerPlaces = ()) -> Self:
        return cls(game, [list(place) for place in places])

    def steps(self, fold: RatingFold, position: int) -> list[RatingStep]:
        """Return what the event at `position` of the stream changes."""
        raise NotImplementedError


@event
class Rated(RatingEvent):
    """A round is closed, its games in schedule order; a late or casual game is rated by itself."""

    type: ClassVar = "rated"
    game: int
    places: Annotated[list[list[int]], "`[player, placing]` of each seat"]

    def steps(self, fold: RatingFold, position: int) -> list[RatingStep]:
        before = [fold.ratings.get(player, PlayerRating()) for player, _ in self.places]
        moved = deltas(before, [placing for _, placing in self.places])
        return [
            RatingStep(position, self.game, player, one.rating, one.rating + delta, one.games)
            for (player, _), one, delta in zip(self.places, before, moved, strict=True)
        ]


@event
class Corrected(RatingEvent):
    """A rated game was adjudicated or annulled, or its round undone: from now on it counts in this way, or, without
    places, not at all."""

    type: ClassVar = "corrected"
    game: int
    places: Annotated[list[list[int]], "`[player, placing]` of each seat, or nothing"]

    def steps(self, fold: RatingFold, position: int) -> list[RatingStep]:
        first: dict[int, PlayerRating] = {}
        done: dict[int, float] = defaultdict(float)
        counts: dict[int, int] = defaultdict(int)
        for change in fold.of_game.get(self.game, ()):
            first.setdefault(change.player, PlayerRating(change.before, change.games))
            done[change.player] += change.after - change.before
            counts[change.player] += change.counted
        due = dict.fromkeys(first, 0.0)
        if first and self.places:
            seats = [first[player] for player, _ in self.places]
            moved = deltas(seats, [placing for _, placing in self.places])
            due |= dict(zip([player for player, _ in self.places], moved, strict=True))
        changes = []
        for player, should in due.items():
            now, counted = fold.ratings[player], (1 if self.places else 0) - counts[player]
            after = now.rating + should - done[player]
            changes.append(RatingStep(position, self.game, player, now.rating, after, now.games, counted))
        return changes


def read_rating_event(stored: Event) -> RatingEvent:
    """Return an event of a pool's log. Raises `UnknownEventType`, and ValueError for the wrong fields."""
    known: type[RatingEvent] | None = RatingEvent.types.get(stored[0])
    if known is None:
        raise UnknownEventType(stored[0])
    return known.read(stored[1:])


class RatingFold:
    """The ratings after some events. `ratings`: player → rating; `of_game`: game → all changes that it made so far."""

    def __init__(self, start: Mapping[int, PlayerRating], earlier: Iterable[RatingStep]) -> None:
        self.ratings = dict(start)
        self.of_game: dict[int, list[RatingStep]] = defaultdict(list)
        for change in earlier:
            self.of_game[change.game].append(change)

    def apply(self, event: RatingEvent, position: int) -> list[RatingStep]:
        """Apply the event at `position`, and return its changes."""
        changes = event.steps(self, position)
        for change in changes:
            self.ratings[change.player] = PlayerRating(change.after, change.games + change.counted)
            self.of_game[change.game].append(change)
        return changes


def fold_ratings(
    events: Iterable[RatingEvent],
    start: Mapping[int, PlayerRating] | None = None,
    position: int = 0,
    earlier: Iterable[RatingStep] = (),
) -> tuple[dict[int, PlayerRating], list[RatingStep]]:
    """Return player → rating after `events`, and all changes in order.

    `start` and `position` continue a fold of the `position` events before. `earlier` are the changes so far of those
    games that are corrected now.
    """
    fold = RatingFold(start or {}, earlier)
    changes = [change for at, event in enumerate(events, start=position + 1) for change in fold.apply(event, at)]
    return fold.ratings, changes
