"""What came of the rounds of a division, as plain values: formats pair from it, standings add it up.

An entrant is its number in the division (1 …) throughout; no value here holds a name or a row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

T = TypeVar("T")
FILLER_BOT: Final = 0  # in the place of an entrant: a built-in bot that fills a table


@dataclass(frozen=True, slots=True)
class GameResult:
    """One recorded game. `seats` are the entrants by seat; `scores` and `placings` likewise, as the game counts them.

    `left` are the seats whose players resigned or forfeited, `absent` those of them who never came. `adjudicated`: the
    placings are an organiser's, the scores those of a game that was not played out. `deal`: games with the same number
    were played with the same cards, seat by seat; None where that is not to be compared.
    """

    seats: tuple[int, ...]
    scores: tuple[int, ...]
    placings: tuple[int, ...]
    left: tuple[int, ...] = ()
    adjudicated: bool = False
    deal: int | None = None
    absent: tuple[int, ...] = ()

    @property
    def unplayed(self) -> bool:
        """Whether fewer than two came to it."""
        return len(self.seats) - len(self.absent) < 2


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

    @property
    def away(self) -> tuple[int, ...]:
        """Those of its entrants who came to none of its games."""
        if not any(game.absent for game in self.games):
            return ()
        came = {entrant for game in self.games for seat, entrant in enumerate(game.seats) if seat not in game.absent}
        return tuple(entrant for entrant in self.entrants if entrant not in came)

    @property
    def met(self) -> tuple[int, ...]:
        """Those who sat there together, or still may; nobody where fewer than two came."""
        away = self.away
        there = tuple(entrant for entrant in self.entrants if entrant not in away) if away else self.entrants
        return there if len(there) > 1 else ()

    def counted(self) -> MatchResult | None:
        """The match as if those who are struck had never played it; the others of a table move up. None if it counts
        for nobody."""
        stay = tuple(entrant for entrant in self.entrants if entrant not in self.struck)
        if len(stay) < 2:
            return None
        return replace(self, entrants=stay, games=tuple(_restricted_to(game, stay) for game in self.games))


def _restricted_to(game: GameResult, stay: Collection[int]) -> GameResult:
    """A game as it was among those of its seats; nobody compares its deal then."""
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
        deal=None,
        absent=tuple(new for new, seat in enumerate(seats) if seat in game.absent),
    )


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round: its matches in the order of their tables, who rested, and whether all of it is played and closed.

    `away` are those who had asked not to be paired, or came later (`late`); `walkovers` those who met nobody since
    their opponent had withdrawn; `missing`: (entrant, who was missing) of each walkover, also of those that count for
    nobody.
    """

    number: int
    matches: tuple[MatchResult, ...]
    byes: tuple[int, ...] = ()
    closed: bool = True
    away: tuple[int, ...] = ()
    walkovers: tuple[int, ...] = ()
    missing: tuple[tuple[int, int], ...] = ()
    late: tuple[int, ...] = ()


def seating_of_game(entrants: Sequence[T], number: int) -> tuple[T, ...]:
    """Who sits in seat 0, 1 … of game `number` (1 …) of a match: everybody moves on by one seat from game to game."""
    shift = (number - 1) % len(entrants)
    return tuple(entrants[shift:]) + tuple(entrants[:shift])


def seats_of_game(entrants: Sequence[int], number: int, seats: int) -> tuple[int, ...]:
    """Who sits in the seats of game `number` of a match of `entrants`, `FILLER_BOT` where a built-in bot does."""
    return seating_of_game([*entrants, *[FILLER_BOT] * (seats - len(entrants))], number)


def game_result_of(
    outcome: Mapping[str, Any], entrants: Sequence[int], number: int, absent: Collection[int] = ()
) -> GameResult:
    """What game `number` of a match of `entrants` came to, by its outcome as JSON data; `absent` seats never came."""
    placings = outcome["placings"]
    seats = seats_of_game(entrants, number, len(placings))
    return among_entrants(GameResult(seats, tuple(outcome["scores"]), tuple(placings), absent=tuple(absent)))


def among_entrants(game: GameResult) -> GameResult:
    """A game as it was among the entrants: those behind a built-in bot move up."""
    return _restricted_to(game, {entrant for entrant in game.seats if entrant != FILLER_BOT})
