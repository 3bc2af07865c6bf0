"""The results of a division's rounds as plain values. Formats pair from them; standings add them up.

An entrant is always its number in the division (1 …). No value here holds a name or a row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from scorebook_games.placings import without_gaps

T = TypeVar("T")
FILLER_BOT: Final = 0  # instead of an entrant: a built-in bot that fills a table


@dataclass(frozen=True, slots=True)
class GameResult:
    """A recorded game. `seats` are the entrants by seat; `scores` and `placings` are by seat too, as they count.

    `left`: the seats whose players resigned or forfeited. `absent`: those of them who never came. `adjudicated`: an
    organiser decided the placings; the scores are those of an unfinished game. `deal`: games with the same number had
    the same cards, seat by seat; None if they are not to be compared. `boards`: of a match of teams, the board of each
    seat's player, 1 ….
    """

    seats: tuple[int, ...]
    scores: tuple[int, ...]
    placings: tuple[int, ...]
    left: tuple[int, ...] = ()
    adjudicated: bool = False
    deal: int | None = None
    absent: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()

    @property
    def unplayed(self) -> bool:
        """Return whether fewer than two players came."""
        return len(self.seats) - len(self.absent) < 2


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match as it was paired (`entrants` by seat of its first game), and its recorded games.

    `slot`: its place in a bracket or group, as the format named it. `over`: whether it is completely recorded.
    `struck`: its entrants for whom it does not count, because they withdrew; it still counts among the others if there
    are at least two.
    """

    entrants: tuple[int, ...]
    games: tuple[GameResult, ...] = ()
    slot: str = ""
    over: bool = True
    struck: tuple[int, ...] = ()

    @property
    def away(self) -> tuple[int, ...]:
        """Return the entrants who came to none of its games."""
        if not any(game.absent for game in self.games):
            return ()
        came = {entrant for game in self.games for seat, entrant in enumerate(game.seats) if seat not in game.absent}
        return tuple(entrant for entrant in self.entrants if entrant not in came)

    @property
    def unattended(self) -> bool:
        """Return whether nobody came to any of its games."""
        return set(self.away) == set(self.entrants)

    @property
    def met(self) -> tuple[int, ...]:
        """Return the entrants who met there or still may; empty if fewer than two came."""
        away = self.away
        there = tuple(entrant for entrant in self.entrants if entrant not in away) if away else self.entrants
        return there if len(there) > 1 else ()

    def counted(self) -> MatchResult | None:
        """Return the match as if the struck entrants had not played, with the others moved up; None if it counts for
        nobody."""
        stay = tuple(entrant for entrant in self.entrants if entrant not in self.struck)
        if len(stay) < 2:
            return None
        return replace(self, entrants=stay, games=tuple(_restricted_to(game, stay) for game in self.games))


def _restricted_to(game: GameResult, stay: Collection[int]) -> GameResult:
    """Return a game as it was among the seats that stay. Its deal is no longer compared."""
    if len(stay) == len(game.seats):
        return game
    seats = [seat for seat, entrant in enumerate(game.seats) if entrant in stay]
    placings = [game.placings[seat] for seat in seats]
    return replace(
        game,
        seats=tuple(game.seats[seat] for seat in seats),
        scores=tuple(game.scores[seat] for seat in seats),
        placings=tuple(without_gaps(placings)),
        left=tuple(new for new, seat in enumerate(seats) if seat in game.left),
        deal=None,
        absent=tuple(new for new, seat in enumerate(seats) if seat in game.absent),
    )


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A round: its matches in table order, its byes, and whether everything is played and the round is closed.

    `away`: the entrants who asked not to be paired, with `unpaid`, those for whom this is worth no points any more.
    `late`: those who entered later. `walkovers`: those whose opponent
    had withdrawn. `missing`: (entrant, missing opponent) of each walkover, counted or not.
    """

    number: int
    matches: tuple[MatchResult, ...]
    byes: tuple[int, ...] = ()
    closed: bool = True
    away: tuple[int, ...] = ()
    walkovers: tuple[int, ...] = ()
    missing: tuple[tuple[int, int], ...] = ()
    late: tuple[int, ...] = ()
    unpaid: tuple[int, ...] = ()


def seating_of_game(entrants: Sequence[T], number: int) -> tuple[T, ...]:
    """Return who sits in seats 0, 1 … of game `number` (1 …) of a match. Everybody moves by one seat from game to
    game."""
    shift = (number - 1) % len(entrants)
    return tuple(entrants[shift:]) + tuple(entrants[:shift])


def seats_of_game(entrants: Sequence[int], number: int, seats: int) -> tuple[int, ...]:
    """Return who sits in each seat of game `number` of a match of `entrants`; `FILLER_BOT` where a built-in bot
    sits."""
    return seating_of_game([*entrants, *[FILLER_BOT] * (seats - len(entrants))], number)


def game_result_of(
    outcome: Mapping[str, Any], entrants: Sequence[int], number: int, absent: Collection[int] = ()
) -> GameResult:
    """Build the result of game `number` of a match of `entrants` from its outcome (JSON data) and the seats that never
    came."""
    placings = outcome["placings"]
    seats = seats_of_game(entrants, number, len(placings))
    return among_entrants(GameResult(seats, tuple(outcome["scores"]), tuple(placings), absent=tuple(absent)))


def among_entrants(game: GameResult) -> GameResult:
    """Return a game as it was among the entrants: those placed behind a built-in bot move up."""
    return _restricted_to(game, {entrant for entrant in game.seats if entrant != FILLER_BOT})
