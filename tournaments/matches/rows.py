"""What a line of a list says about a game or a match: who plays, how it stands, and what may be told of it.

Rows come in, fetched with `games` or `matches` so that a list costs the same number of queries however long it is.
A sealed game tells nothing of its result, a delayed one is still being played for the public.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.eventlog import store as eventlog
from games.kinds import KINDS
from games.models import Game, Player, Seat
from games.play import endings
from games.visibility.observe import PUBLIC, board_of, is_delayed, is_sealed, is_told
from games.visibility.thumbnails import Board
from tournaments.core.labels import figure
from tournaments.core.results import MatchResult, result_of
from tournaments.models import ImportedGame, Match, MatchEntrant, MatchGame, Round
from tournaments.scoring.standings import PointsSystem, points_of, score_match
from tournaments.seasons.fold import game_result

SEATS = Prefetch("seats", Seat.objects.select_related("player__bot_version"))
WITH_PLACE = MatchEntrant.objects.select_related("entrant__player__bot_version", "entrant__standing")
ENTERED = WITH_PLACE.defer("entrant__standing__row")
SIDES = Prefetch("entrants", ENTERED)
PLAYED = MatchGame.objects.select_related("game__deal")
LISTED = PLAYED.defer("game__options", "game__salt", "game__awaited_since")


def games() -> QuerySet[Game]:
    """Games with all that `game_line` needs, and the rounds that they belong to: two queries, whatever their number."""
    return Game.objects.select_related("deal", "match_game__match__round").prefetch_related(SEATS)


def matches() -> QuerySet[Match]:
    """Matches with the season that they belong to, as `lines_of` needs them."""
    return Match.objects.select_related("round__division__season__league__club")


def whole_matches() -> QuerySet[Match]:
    """Matches with their games and who sat where in them: five queries."""
    played = PLAYED.prefetch_related(Prefetch("game__seats", SEATS.queryset))
    return Match.objects.select_related("round__division__season__league__club").prefetch_related(
        SIDES, Prefetch("games", played), "imported"
    )


@dataclass(frozen=True, slots=True)
class State:
    """A state as a page marks it: the kind of mark, and the word."""

    mark: str
    word: str


@dataclass(frozen=True, slots=True)
class SeatLine:
    """Who sat in a seat; score and placing once they may be told."""

    player: Player
    seat: int
    score: int | None
    placing: int | None

    @property
    def won(self) -> bool:
        return self.placing == 1


@dataclass(frozen=True, slots=True)
class GameLine:
    """A game in a list. `told`: over, and its result open to everybody; `number` is that within its match."""

    game: Game
    title: str
    seats: list[SeatLine]
    state: State
    told: bool
    number: int | None
    match: Match | None
    board: Board | None = None

    @property
    def score(self) -> str:
        """430–355, by seat; empty while nothing may be told."""
        return "–".join(figure(seat.score) for seat in self.seats) if self.has_scores else ""

    @property
    def has_scores(self) -> bool:
        return self.told and all(seat.score is not None for seat in self.seats)

    @property
    def result(self) -> str:
        """How it ended, where that was not by its last move."""
        return ending(self.game) if self.told else ""

    @property
    def winners(self) -> list[Player]:
        return [seat.player for seat in self.seats if seat.won] if self.told else []


def live_lines(playing: Sequence[Game]) -> list[GameLine]:
    """The lines of games that are on, with their boards as the public sees them now. One query for all the logs."""
    logs = eventlog.read_many([game.stream_id for game in playing if not is_sealed(game)])
    return [game_line(game, board_of(game, logs.get(game.stream_id, []), PUBLIC)) for game in playing]


def game_line(game: Game, seen: Board | None = None) -> GameLine:
    """What a list says about `game`."""
    told = is_told(game)
    seats = [
        SeatLine(seat.player, seat.seat, *((seat.score, seat.placing) if told else (None, None)))
        for seat in game.seats.all()
    ]
    try:
        place: MatchGame | None = game.match_game
    except ObjectDoesNotExist:
        place = None
    number, match = (place.number, place.match) if place else (None, None)
    return GameLine(game, KINDS[game.kind].spec.title, seats, game_state(game), told, number, match, seen)


def game_state(game: Game) -> State:
    """How `game` stands, for its line."""
    if game.status == Game.Status.PLAYING or is_delayed(game):
        if game.failures:
            return State("stuck", _("Stuck, tried again"))
        if game.local and not game.leased_by and game.status == Game.Status.PLAYING:
            return State("wait", _("Waits for a worker"))
        if game.begins_at:
            return State("next", _("Begins at {time}").format(time=hour_of(game.begins_at)))
        return State("live", _("Playing"))
    if is_sealed(game):
        return State("seal", _("Sealed"))
    if game.status == Game.Status.ABORTED:
        return State("fault", _("Given up"))
    return State("done", _("Finished"))


def hour_of(moment: datetime) -> str:
    """The time of day in the viewer's zone, with its day where that is not today."""
    local = timezone.localtime(moment)
    return date_format(local, "H:i" if local.date() == timezone.localdate() else "H:i, D j M")


def ending(game: Game) -> str:
    """How a finished game ended, where that was not by its last move."""
    if game.status == Game.Status.ABORTED:
        return _("given up, nobody’s result")
    return endings.way_of(game)


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match in a list: its entrants in the order of the first game's seats, and their score so far; `imported` are
    games that came in a file."""

    match: Match
    entrants: list[MatchEntrant]
    games: list[MatchGame]
    scores: list[Fraction]
    state: State
    imported: list[ImportedGame] = field(default_factory=list)

    @property
    def players(self) -> list[Player]:
        return [each.entrant.player for each in self.entrants]

    @property
    def over(self) -> bool:
        return self.match.finished_at is not None


def match_line(match: Match) -> MatchLine:
    """What a list says about `match`."""
    points = points_of(match.round.division.season.points)
    return _line(match, points, list(match.entrants.all()), list(match.games.all()), list(match.imported.all()))


def lines_of(found: Sequence[Match]) -> list[MatchLine]:
    """Likewise of several matches whose seasons are at hand: two queries, three where some came in a file."""
    # Rows are told apart here, since Django makes a query of its own for each match out of those that it prefetches.
    rows = Q(match__in=found)
    sides, played = _by_match(ENTERED.filter(rows)), _by_match(LISTED.filter(rows))
    from_files = any(match.round.division.season.imported_at for match in found)
    imported = _by_match(ImportedGame.objects.filter(rows)) if from_files else {}
    return [
        _line(
            match,
            points_of(match.round.division.season.points),
            sides.get(match.pk, []),
            played.get(match.pk, []),
            imported.get(match.pk, []),
        )
        for match in found
    ]


Row = TypeVar("Row", MatchEntrant, MatchGame, ImportedGame)


def _by_match(rows: Iterable[Row]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row.match_id, []).append(row)
    return found


def _line(
    match: Match,
    points: PointsSystem,
    entrants: list[MatchEntrant],
    played: list[MatchGame],
    imported: Sequence[ImportedGame],
) -> MatchLine:
    told = [each for each in imported if each.result["seats"]]
    scores = match_scores(entrants, played, points) if not told else imported_scores(entrants, told, points)
    return MatchLine(match, entrants, played, scores, match_state(match, played), told)


def match_scores(entrants: Sequence[MatchEntrant], played: Iterable[MatchGame], points: PointsSystem) -> list[Fraction]:
    """The points of the games that may be told, by entrant."""
    ids = tuple(each.entrant_id for each in entrants)
    results = tuple(result_of(each.counts or {}, ids, each.number) for each in played if counts(each))
    score = score_match(points, MatchResult(ids, results))
    return [score.games[each.entrant_id] for each in entrants]


def imported_scores(
    entrants: Sequence[MatchEntrant], imported: Iterable[ImportedGame], points: PointsSystem
) -> list[Fraction]:
    """The points of games that came in a file, by entrant."""
    numbers = tuple(each.entrant.number for each in entrants)
    results = tuple(game_result(told) for each in imported if (told := each.counts) is not None)
    score = score_match(points, MatchResult(numbers, results))
    return [score.games[number] for number in numbers]


def counts(played: MatchGame) -> bool:
    """Whether a game's result may be told and counts for its match."""
    return played.counts is not None and (bool(played.ruling) or is_told(played.game))


def match_state(match: Match, played: Sequence[MatchGame]) -> State:
    """How `match` stands: what is played now, or what it waits for."""
    states = {each.number: game_state(each.game) for each in played}
    if any(state.mark == "seal" for state in states.values()):
        return State("seal", _("Sealed"))
    if match.round.status == Round.Status.UNDONE:
        return State("fault", _("Undone"))
    if match.finished_at is not None:
        return State("done", _("Finished"))
    for mark in ("stuck", "live"):
        numbers = [number for number, state in states.items() if state.mark == mark]
        if numbers:
            word = _("Game {number} playing") if mark == "live" else _("Game {number} is stuck")
            return State(mark, word.format(number=numbers[0]))
    if any(state.mark == "wait" for state in states.values()):
        return State("wait", _("Waits for a worker"))
    begins = [state for state in states.values() if state.mark == "next"]
    if not played and match.begins_at is not None:
        return State("next", _("Begins at {time}").format(time=hour_of(match.begins_at)))
    return begins[0] if begins else State("next", _("Being recorded"))
