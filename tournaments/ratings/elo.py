"""Elo ratings as a fold of a pool's stream. Pure.

    E_ij = 1 / (1 + 10 ** ((R_j − R_i) / 400))         what i may expect against j
    S_ij = 1 if i is placed before j, ½ if level, 0 if after
    ΔR_i = K / (n − 1) · Σ_j (S_ij − E_ij)              n seats, all from the ratings before the game

K is a player's own, by how many rated games of the pool they have played: 40 in the first 20, for a newcomer to come to
where they belong; 24 until 200; 16 from then on, so that a bot that plays all day stands still within ±30 or so. Until
20 games a rating is provisional. As one's K may differ from another's, points are made and lost while newcomers settle.

A game that was rated and is adjudicated or annulled afterwards is corrected by an event of its own: every seat gets the
difference between what the game should have done, with the ratings and K of its time, and what it has done. Nothing
that came after it is reckoned anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from games.engines.base import Event

START_RATING = 1500.0
PROVISIONAL_GAMES = 20  # games
STEADY_GAMES = 200
K = {PROVISIONAL_GAMES: 40.0, STEADY_GAMES: 24.0}  # below so many games
MIN_K = 16.0
ELO_SCALE = 400.0

# ["rated", game, [[player, placing], …]]: a game of the pool, in the order in which it counts. Ids only.
RATED = "rated"
# ["corrected", game, [[player, placing], …]]: what a rated game counts for from now on; without places for nothing
CORRECTED = "corrected"
EVENT_TYPES = (RATED, CORRECTED)

PlayerPlaces = Iterable[tuple[int, int]]


def rated(game: int, places: PlayerPlaces) -> Event:
    """The event of a rated game; `places` are (player, placing) by seat."""
    return [RATED, game, [list(place) for place in places]]


def corrected(game: int, places: PlayerPlaces = ()) -> Event:
    """The event that a rated game counts so instead; for nothing without `places`."""
    return [CORRECTED, game, [list(place) for place in places]]


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """A player's rating and over how many games it was made."""

    rating: float = START_RATING
    games: int = 0


@dataclass(frozen=True, slots=True)
class RatingStep:
    """What the event at `position` (1 …) of the pool's stream did to one player, who had `games` rated games before;
    `counted` is 1 where the game counts from now on, −1 where it does no more, 0 where it counts otherwise."""

    position: int
    game: int
    player: int
    before: float
    after: float
    games: int = 0
    counted: int = 1


def is_provisional(games: int) -> bool:
    """Whether a rating from so many games says little yet."""
    return games < PROVISIONAL_GAMES


def k_factor(games: int) -> float:
    """K of who has played so many."""
    return next((k for below, k in K.items() if games < below), MIN_K)


def expected_score(mine: float, theirs: float) -> float:
    """The part of a game that `mine` may expect of `theirs`, 0 … 1."""
    return float(1.0 / (1.0 + 10.0 ** ((theirs - mine) / ELO_SCALE)))


def deltas(before: Sequence[PlayerRating], placings: Sequence[int]) -> list[float]:
    """By how much a game changes the rating of each seat."""
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
    """The ratings after `events`, by player, and every change, in order.

    `start` and `position` go on from a fold of the `position` events before these; `earlier` are those of its changes
    that belong to games which are corrected now.
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
    """The changes that make up for what the game has done by `past`, all of its changes so far."""
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
