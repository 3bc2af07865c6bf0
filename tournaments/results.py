"""What came of the rounds of a division, as plain values: formats pair from it, standings add it up.

An entrant is its number in the division (1 …) throughout; no value here holds a name or a row.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class GameResult:
    """One recorded game. `seats` are the entrants by seat; `scores` and `placings` likewise, as the game counts them.

    `left` are the seats whose players resigned or forfeited. `adjudicated`: the placings are an organiser's, the scores
    those of a game that was not played out.
    """

    seats: tuple[int, ...]
    scores: tuple[int, ...]
    placings: tuple[int, ...]
    left: tuple[int, ...] = ()
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match as it was paired (`entrants`: who sat in seat 0, 1 … of its first game) and its recorded games.

    `slot` is its place in a bracket or group, as the format named it. `over`: whether all of it is recorded. `struck`
    are those of its entrants for whom it is void, since they have withdrawn; it stays a match among the others if these
    are two at least, and else counts for nobody.
    """

    entrants: tuple[int, ...]
    games: tuple[GameResult, ...] = ()
    slot: str = ""
    over: bool = True
    struck: tuple[int, ...] = ()

    def counted(self) -> MatchResult | None:
        """The match as if those who are struck had never played it; the others of a table move up. None if it counts
        for nobody."""
        stay = tuple(entrant for entrant in self.entrants if entrant not in self.struck)
        if len(stay) < 2:
            return None
        return replace(self, entrants=stay, games=tuple(_among(game, stay) for game in self.games))


def _among(game: GameResult, stay: Collection[int]) -> GameResult:
    """A game as it was among those of its seats."""
    if len(stay) == len(game.seats):
        return game
    seats = [seat for seat, entrant in enumerate(game.seats) if entrant in stay]
    placings = [game.placings[seat] for seat in seats]
    return replace(
        game,
        seats=tuple(game.seats[seat] for seat in seats),
        scores=tuple(game.scores[seat] for seat in seats),
        placings=tuple(1 + sum(other < place for other in placings) for place in placings),
        left=tuple(new for new, seat in enumerate(seats) if seat in game.left),
    )


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round: its matches in the order of their tables, who rested, and whether all of it is played and closed.

    `away` are those who had asked not to be paired, or came later; `walkovers` those who met nobody since their
    opponent had withdrawn.
    """

    number: int
    matches: tuple[MatchResult, ...]
    byes: tuple[int, ...] = ()
    closed: bool = True
    away: tuple[int, ...] = ()
    walkovers: tuple[int, ...] = ()
