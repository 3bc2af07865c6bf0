"""Rows of games and matches in lists: who plays, the state, and as much of the result as may be shown.

Games are fetched from `GAMES_WITHOUT_SEATS` and get their seats by `attach_seats`, and matches are fetched with
`matches_for_rows`, so that a list of any length costs the same number of queries. A sealed game shows no result, and a
delayed one is still being played for the public.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.common.prepared import prepared
from games.eventlog import store as eventlog
from games.models import Game, Player, Seat
from games.play import endings
from games.visibility.observe import is_delayed, is_result_public, is_sealed, visible_thumbnail
from scorebook_games.gamelog.visibility import PUBLIC
from scorebook_games.placings import has_won
from scorebook_games.presentation.base import Thumbnail
from scorebook_games.registry import KINDS
from tournaments.core.results import MatchResult, game_result_of
from tournaments.scoring.points import PointsSystem, parse_points_system, score_match
from tournaments.seasons.fold import game_result
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import EmptyBoard, ImportedGame, Match, MatchEntrant, MatchGame, Round, Season

RESULTS_SHOWN = 8  # in a list of the latest results
ENDED_SCANNED = 40  # matches that ended last, among which those with a result are looked for first
MAX_ROUNDS_SCANNED = 6  # in which a club's latest results are looked for
SEATS_PREFETCH = Prefetch("seats", Seat.objects.select_related("player__bot_version"))
ENTRANTS_WITH_STANDING = MatchEntrant.objects.select_related("entrant__player__bot_version", "entrant__standing")
ENTRANTS_FOR_ROWS = ENTRANTS_WITH_STANDING.defer("entrant__standing__row")
ENTRANTS_PREFETCH = Prefetch("entrants", ENTRANTS_FOR_ROWS)
GAMES_WITH_DEAL = MatchGame.objects.select_related("game__deal")
GAMES_WITHOUT_SEATS = Game.objects.select_related("deal", "match_game__match__round")  # for `game_row`
GAMES_FOR_ROWS = GAMES_WITH_DEAL.defer("game__options", "game__salt", "game__awaited_since")


def matches_for_rows() -> QuerySet[Match]:
    """Return matches with their seasons, as `build_match_rows` needs them."""
    return Match.objects.select_related("round__division__season__league__club")


def matches_with_games() -> QuerySet[Match]:
    """Return matches with their games and seats. Five queries."""
    played = GAMES_WITH_DEAL.prefetch_related(Prefetch("game__seats", SEATS_PREFETCH.queryset))
    return Match.objects.select_related("round__division__season__league__club").prefetch_related(
        ENTRANTS_PREFETCH, Prefetch("games", played), "imported"
    )


@dataclass(frozen=True, slots=True)
class StatusMark:
    """A state for a page: a mark (its CSS class and icon) and a word."""

    mark: str
    word: str


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A player in a seat; score and placing are None until they may be shown."""

    player: Player
    seat: int
    score: int | None
    placing: int | None

    @property
    def won(self) -> bool:
        return has_won(self.placing)


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game in a list. `is_shown`: whether it is over and its result is public; `number` is that within its match,
    and `ruling` what an organiser decided about it there (`MatchGame.Ruling`)."""

    game: Game
    title: str
    seats: list[SeatRow]
    state: StatusMark
    is_shown: bool
    number: int | None
    match: Match | None
    board: Thumbnail | None = None
    ruling: str = ""

    @property
    def score(self) -> str:
        """The scores by seat, as 430–355; "" until they may be shown."""
        return "–".join(format_points(seat.score) for seat in self.seats) if self.has_scores else ""

    @property
    def has_scores(self) -> bool:
        return self.is_shown and all(seat.score is not None for seat in self.seats)

    @property
    def result(self) -> str:
        """How the game ended, if not by its last move; else ""."""
        return termination_text(self.game, self.ruling) if self.is_shown else ""

    @property
    def winners(self) -> list[Player]:
        return [seat.player for seat in self.seats if seat.won] if self.is_shown else []


def live_game_rows(playing: Sequence[Game]) -> list[GameRow]:
    """Return the rows of games being played, with their boards as the public sees them. One query for all logs."""
    logs = eventlog.read_streams([game.stream_id for game in playing if not is_sealed(game)])
    return [game_row(game, visible_thumbnail(game, logs.get(game.stream_id, []), PUBLIC)) for game in playing]


def game_row(game: Game, seen: Thumbnail | None = None) -> GameRow:
    """Return the row of `game`, with the board `seen`."""
    public = is_result_public(game)
    seats = [
        SeatRow(seat.player, seat.seat, *((seat.score, seat.placing) if public else (None, None)))
        for seat in game.seats.all()
    ]
    try:
        place: MatchGame | None = game.match_game
    except ObjectDoesNotExist:
        place = None
    number, match, ruling = (place.number, place.match, place.ruling) if place else (None, None, "")
    return GameRow(
        game, KINDS[game.kind].spec.title, seats, game_status_mark(game), public, number, match, seen, ruling
    )


def game_status_mark(game: Game) -> StatusMark:
    """Return the state of `game` for its row."""
    if game.status == Game.Status.PLAYING or is_delayed(game):
        if game.failures:
            return StatusMark("stuck", _("Stuck, being retried"))
        if game.played_by_workers and not game.leased_by and game.status == Game.Status.PLAYING:
            return StatusMark("wait", _("Waiting for its turn"))
        if game.begins_at:
            return StatusMark("next", _("Begins at {time}").format(time=time_text(game.begins_at)))
        return StatusMark("live", _("Playing"))
    if is_sealed(game):
        return StatusMark("seal", _("Sealed"))
    if game.status == Game.Status.ABORTED:
        return StatusMark("fault", _("Aborted"))
    return StatusMark("done", _("Finished"))


def time_text(moment: datetime) -> str:
    """Return the time in the viewer's zone, with the day unless it is today."""
    local = timezone.localtime(moment)
    return date_format(local, "TIME_FORMAT" if local.date() == timezone.localdate() else "TIME_WEEKDAY_DAY_FORMAT")


def termination_text(game: Game, ruling: str = "") -> str:
    """Return how a finished game ended, if not by its last move; else "". An aborted game counts only as an organiser
    has decided in a `ruling`."""
    if game.status == Game.Status.ABORTED:
        return _("aborted") if ruling == MatchGame.Ruling.ADJUDICATED else _("aborted, does not count")
    return endings.termination_label_of(game)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match in a list: its entrants in the order of the first game's seats, and their score so far; `imported` are
    its imported games, `empty` those that are not played because a team has nobody for them."""

    match: Match
    entrants: list[MatchEntrant]
    games: list[MatchGame]
    scores: list[Fraction]
    state: StatusMark
    imported: list[ImportedGame] = field(default_factory=list)
    empty: list[EmptyBoard] = field(default_factory=list)

    @property
    def players(self) -> list[Player]:
        return [entrant.entrant.player for entrant in self.entrants]

    @property
    def over(self) -> bool:
        return self.match.finished_at is not None


def match_row(match: Match) -> MatchRow:
    """Return the row of `match`, fetched with `matches_with_games`."""
    season = match.round.division.season
    empty = list(match.empty_boards.all()) if season.competition.by_teams else []
    played = list(match.games.all())
    points = parse_points_system(season.points)
    return _match_row(match, points, list(match.entrants.all()), played, list(match.imported.all()), empty)


def build_match_rows(found: Sequence[Match]) -> list[MatchRow]:
    """Return the rows of several matches whose seasons are loaded. Two queries, three if some games were imported, or
    if teams play."""
    # The rows are grouped here, because Django would make a query for each match with prefetched ones.
    keys = [match.pk for match in found]
    sides, played = _group_by_match(_sides_of(matches=keys)), _group_by_match(_games_of(matches=keys))
    from_files = any(match.round.division.season.imported_at for match in found)
    imported = _group_by_match(ImportedGame.objects.filter(match__in=keys)) if from_files else {}
    of_teams = any(match.round.division.season.competition.by_teams for match in found)
    empty = _group_by_match(EmptyBoard.objects.filter(match__in=keys)) if of_teams else {}
    seasons = {match.round.division.season_id: match.round.division.season for match in found}
    points = {pk: parse_points_system(season.points) for pk, season in seasons.items()}
    return [
        _match_row(
            match,
            points[match.round.division.season_id],
            sides.get(match.pk, []),
            played.get(match.pk, []),
            imported.get(match.pk, []),
            empty.get(match.pk, []),
        )
        for match in found
    ]


@prepared
def _sides_of(*, matches: list[int]) -> QuerySet[MatchEntrant]:
    return ENTRANTS_FOR_ROWS.filter(match__in=matches)


@prepared
def _games_of(*, matches: list[int]) -> QuerySet[MatchGame]:
    return GAMES_FOR_ROWS.filter(match__in=matches)


RowType = TypeVar("RowType", MatchEntrant, MatchGame, ImportedGame, EmptyBoard)


def _group_by_match(rows: Iterable[RowType]) -> dict[int, list[RowType]]:
    found: dict[int, list[RowType]] = {}
    for row in rows:
        found.setdefault(row.match_id, []).append(row)
    return found


def _match_row(
    match: Match,
    points: PointsSystem,
    entrants: list[MatchEntrant],
    played: list[MatchGame],
    imported: Sequence[ImportedGame],
    empty: list[EmptyBoard],
) -> MatchRow:
    played_there = [each for each in imported if each.result["seats"]]
    scores = (
        match_scores(entrants, played, points) if not played_there else imported_scores(entrants, played_there, points)
    )
    if empty:
        ruled = {each.number for each in played}
        lost = [each.result for each in empty if each.number not in ruled]
        scores = [a + b for a, b in zip(scores, _scores_of(entrants, lost, points), strict=True)]
    state = match_status_mark(match, played, [*imported, *empty])
    return MatchRow(match, entrants, played, scores, state, played_there, empty)


def match_scores(entrants: Sequence[MatchEntrant], played: Iterable[MatchGame], points: PointsSystem) -> list[Fraction]:
    """Return the points of each entrant in games with a public result."""
    ids = tuple(entrant.entrant_id for entrant in entrants)
    results = tuple(game_result_of(each.counts or {}, ids, each.number) for each in played if result_counts(each))
    score = score_match(points, MatchResult(ids, results))
    return [score.games[entrant.entrant_id] for entrant in entrants]


def imported_scores(
    entrants: Sequence[MatchEntrant], imported: Iterable[ImportedGame], points: PointsSystem
) -> list[Fraction]:
    """Return the points of each entrant in imported games."""
    return _scores_of(entrants, [counted for each in imported if (counted := each.counts) is not None], points)


def _scores_of(
    entrants: Sequence[MatchEntrant], results: Iterable[dict[str, Any]], points: PointsSystem
) -> list[Fraction]:
    """Return the points of each entrant in games with these results, as the season's stream has them."""
    numbers = tuple(entrant.entrant.number for entrant in entrants)
    score = score_match(points, MatchResult(numbers, tuple(game_result(each) for each in results)))
    return [score.games[number] for number in numbers]


def result_counts(played: MatchGame) -> bool:
    """Return whether a game's result is public and counts for its match."""
    return played.counts is not None and (bool(played.ruling) or is_result_public(played.game))


def match_status_mark(
    match: Match, played: Sequence[MatchGame], imported: Sequence[ImportedGame | EmptyBoard] = ()
) -> StatusMark:
    """Return the state of `match`: the game being played, or what it waits for."""
    states = {each.number: game_status_mark(each.game) for each in played}
    first = {state.mark: number for number, state in reversed(states.items())}
    if "seal" in first:
        return StatusMark("seal", _("Sealed"))
    if match.round.status == Round.Status.UNDONE:
        return StatusMark("fault", _("Undone"))
    if match.finished_at is not None:
        if not imported and not any(each.counts for each in played):
            return StatusMark("fault", _("Annulled"))
        return StatusMark("done", _("Finished"))
    if match.round.division.season.status == Season.Status.ABANDONED:
        return StatusMark("fault", _("Does not count"))
    if "stuck" in first:
        return StatusMark("stuck", _("Game {number} is stuck").format(number=first["stuck"]))
    if "live" in first:
        return StatusMark("live", _("Game {number} playing").format(number=first["live"]))
    if "wait" in first:
        return StatusMark("wait", _("Waiting for its turn"))
    if match.lineups_due is not None:
        return StatusMark("next", _("Line-ups until {time}").format(time=time_text(match.lineups_due)))
    if not played and match.begins_at is not None:
        return StatusMark("next", _("Begins at {time}").format(time=time_text(match.begins_at)))
    return states[first["next"]] if "next" in first else StatusMark("next", _("Being recorded"))


def latest_matches(listed: Sequence[Season]) -> list[MatchRow]:
    """Return the last matches with a result that ended in the latest rounds of these seasons."""
    rounds = list(_latest_rounds(MAX_ROUNDS_SCANNED, seasons=[season.pk for season in listed]))
    last = list(_ended_last(ENDED_SCANNED, rounds=rounds))
    matches = list(_with_result(RESULTS_SHOWN, True, rounds=rounds, matches=last))
    if len(matches) < RESULTS_SHOWN and len(last) == ENDED_SCANNED:
        matches = list(_with_result(RESULTS_SHOWN, False, rounds=rounds))
    by_id = {season.pk: season for season in listed}
    for match in matches:
        match.round.division.season = by_id[match.round.division.season_id]
    return build_match_rows(matches)


@prepared
def _latest_rounds(count: int, *, seasons: list[int]) -> QuerySet[Round, int]:
    latest = Round.objects.filter(division__season__in=seasons).order_by("-pk")
    return latest.values_list("pk", flat=True)[:count]


@prepared
def _ended_last(count: int, *, rounds: list[int]) -> QuerySet[Match, int]:
    ended = Match.objects.filter(round__in=rounds, finished_at__isnull=False).order_by("-finished_at", "-pk")
    return ended.values_list("pk", flat=True)[:count]


@prepared
def _with_result(count: int, among: bool, *, rounds: list[int], matches: Sequence[int] = ()) -> QuerySet[Match]:
    """Return the matches with a result that ended last, `among` these or in all of these rounds: nearly all matches
    have a result, and PostgreSQL would look for the games of each match of a large round."""
    ended = Match.objects.filter(round__in=rounds, finished_at__isnull=False)
    played, decided = Q(ruling="", game__status=Game.Status.FINISHED), Q(ruling=MatchGame.Ruling.ADJUDICATED)
    counted = MatchGame.objects.filter(played | decided, match=OuterRef("pk"))
    finished = ended.filter(Exists(counted) | Exists(ImportedGame.objects.filter(match=OuterRef("pk"))))
    finished = finished.select_related("round__division").order_by("-finished_at", "-pk")
    return (finished.filter(pk__in=matches) if among else finished)[:count]
