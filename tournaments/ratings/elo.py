"""Elo ratings as a fold of a pool's stream. Pure.

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

from scorebook_games.contract import Event

START_RATING = 1500.0
PROVISIONAL_GAMES = 20  # games
STEADY_GAMES = 200
K = {PROVISIONAL_GAMES: 40.0, STEADY_GAMES: 24.0}  # K below this number of games
MIN_K = 16.0
ELO_SCALE = 400.0

# ["rated", game, [[player, placing], …]]: a game of the pool. The order of these events is the order of rating.
RATED = "rated"
# ["corrected", game, [[player, placing], …]]: the new result of a rated game; without places it does not count.
CORRECTED = "corrected"
EVENT_TYPES = (RATED, CORRECTED)

PlayerPlaces = Iterable[tuple[int, int]]


def rated(game: int, places: PlayerPlaces) -> Event:
    """Return the event of a rated game; `places` are (player, placing) by seat."""
    return [RATED, game, [list(place) for place in places]]


def corrected(game: int, places: PlayerPlaces = ()) -> Event:
    """Return the event that changes a rated game's result to `places`; without places the game does not count."""
    return [CORRECTED, game, [list(place) for place in places]]


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
                (place < other) + (place == other) / 2 - expected_score(mine.rating, theirs.rating)
                for j, (theirs, other) in enumerate(zip(before, placings, strict=True))
                if j != i
            ]
        )
        for i, (mine, place) in enumerate(zip(before, placings, strict=True))
    ]


def fold_ratings(
    events: Iterable[Event],
    start: Mapping[int, PlayerRating] | None = None,
    position: int = 0,
    earlier: Iterable[RatingStep] = (),
) -> tuple[dict[int, PlayerRating], list[RatingStep]]:
    """Return player → rating after `events`, and all changes in order.

    `start` and `position` continue a fold of the `position` events before. `earlier` are the changes so far of those
    games that are corrected now.
    """
    ratings = dict(start or {})
    changes: list[RatingStep] = []
    of_game: dict[int, list[RatingStep]] = defaultdict(list)
    for change in earlier:
        of_game[change.game].append(change)
    for event in events:
        position += 1
        new: list[RatingStep] = []
        match event:
            case [kind, int(game), list(places)] if kind == RATED:
                new = _apply_rated(ratings, position, game, places)
            case [kind, int(game), list(places)] if kind == CORRECTED and game in of_game:
                new = _apply_corrected(ratings, position, game, places, of_game[game])
        for change in new:
            ratings[change.player] = PlayerRating(change.after, change.games + change.counted)
            of_game[change.game].append(change)
        changes += new
    return ratings, changes


def _apply_rated(
    ratings: Mapping[int, PlayerRating], position: int, game: int, places: list[list[int]]
) -> list[RatingStep]:
    before = [ratings.get(player, PlayerRating()) for player, _ in places]
    moved = deltas(before, [placing for _, placing in places])
    return [
        RatingStep(position, game, player, one.rating, one.rating + delta, one.games)
        for (player, _), one, delta in zip(places, before, moved, strict=True)
    ]


def _apply_corrected(
    ratings: Mapping[int, PlayerRating], position: int, game: int, places: list[list[int]], past: Sequence[RatingStep]
) -> list[RatingStep]:
    """Return the changes that correct a game; `past` are all changes that it made so far."""
    first: dict[int, PlayerRating] = {}
    done: dict[int, float] = defaultdict(float)
    counts: dict[int, int] = defaultdict(int)
    for change in past:
        first.setdefault(change.player, PlayerRating(change.before, change.games))
        done[change.player] += change.after - change.before
        counts[change.player] += change.counted
    due = dict.fromkeys(first, 0.0)
    if places:
        due |= dict(
            zip(
                [player for player, _ in places],
                deltas([first[player] for player, _ in places], [placing for _, placing in places]),
                strict=True,
            )
        )
    changes = []
    for player, should in due.items():
        now, counted = ratings[player], (1 if places else 0) - counts[player]
        after = now.rating + should - done[player]
        changes.append(RatingStep(position, game, player, now.rating, after, now.games, counted))
    return changes
