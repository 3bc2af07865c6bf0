"""The boards of matches of teams, as pages and the API show them: who plays there, and the result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.db.models import Prefetch

from games.models import Game, Player
from scorebook_games.placings import share_against
from tournaments.core.results import seating_of_game
from tournaments.matches.rows import SEATS_PREFETCH, StatusMark, game_status_mark, result_counts
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import BoardPlayer, EmptyBoard, ImportedGame, MatchEntrant, MatchGame, Season


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A game of a match of teams. `boards`, `players` and `points` are in the order of the match's teams; a player is
    None if nobody sits there, and `points` are None until the result is public. `first`: the place of the team that
    moves first. `game`: the latest one with this number."""

    number: int
    boards: tuple[int, int]
    players: tuple[Player | None, ...]
    points: tuple[Fraction, ...] | None
    first: int
    game: Game | None
    state: StatusMark | None

    @property
    def score(self) -> str:
        """The points, as 1–0; "" until they are known."""
        return "–".join(format_points(float(worth)) for worth in self.points) if self.points is not None else ""

    def turned(self) -> BoardLine:
        """Return the line with the teams in the other order."""
        points = None if self.points is None else self.points[::-1]
        boards = (self.boards[1], self.boards[0])
        return replace(self, boards=boards, players=self.players[::-1], points=points, first=1 - self.first)

    @property
    def board(self) -> str:
        """The board, or both if they differ, as 1–2."""
        first, other = self.boards
        return str(first) if first == other else f"{first}–{other}"


@dataclass(frozen=True, slots=True)
class TeamBoards:
    """The boards of a match and its teams (entrants' ids) in their order."""

    teams: tuple[int, ...]
    lines: list[BoardLine]

    def seen_by(self, team: int) -> list[BoardLine]:
        """Return the boards with the players and points of this team first."""
        return self.lines if self.teams.index(team) == 0 else [line.turned() for line in self.lines]


def team_boards(season: Season, matches: Sequence[int]) -> dict[int, TeamBoards]:
    """Return match → its boards, once line-ups are known; {} in seasons without teams. Five queries."""
    games = season.competition.board_games(season.games_a_match, season.settings["format_options"])
    if not games or not matches:
        return {}
    crossed = any(game.first != game.other for game in games)  # boards of different numbers meet
    in_order = sorted(games, key=lambda game: (game.wave, game.first)) if crossed else games
    sides: dict[int, list[int]] = defaultdict(list)
    rows = MatchEntrant.objects.filter(match__in=matches).order_by("match", "order")
    for match, entrant in rows.values_list("match", "entrant"):
        sides[match].append(entrant)
    seated: dict[tuple[int, int, int], Player | None] = {}
    for row in BoardPlayer.objects.filter(match__in=matches).select_related("player__bot_version"):
        seated[row.match_id, row.entrant_id, row.board] = row.player
    lost = EmptyBoard.objects.filter(match__in=matches)
    empty: dict[tuple[int, int], dict[str, Any]] = {(row.match_id, row.number): row.result for row in lost}
    opened: dict[tuple[int, int], MatchGame] = {}
    of_matches = MatchGame.objects.filter(match__in=matches).select_related("game__deal")
    for played in of_matches.prefetch_related(Prefetch("game__seats", SEATS_PREFETCH.queryset)).order_by("replay"):
        opened[played.match_id, played.number] = played
    for match, number, result in _imported_results(season, matches):
        empty[match, number] = result
    known = {match for match, _entrant, _board in seated}
    return {
        match: TeamBoards(
            tuple(teams),
            [
                _board_line(
                    (game.number, (game.first, game.other)),
                    [
                        seated.get((match, team, board))
                        for team, board in zip(teams, (game.first, game.other), strict=True)
                    ],
                    opened.get((match, game.number)),
                    empty.get((match, game.number)),
                )
                for game in in_order
            ],
        )
        for match, teams in sides.items()
        if match in known
    }


def _imported_results(season: Season, matches: Sequence[int]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """Yield match, number and result of the imported games that count."""
    if season.imported_at is None:
        return
    for row in ImportedGame.objects.filter(match__in=matches).order_by("replay"):
        if (counted := row.counts) is not None and counted["placings"]:
            yield row.match_id, row.number, counted


def _board_line(
    place: tuple[int, tuple[int, int]],
    players: list[Player | None],
    played: MatchGame | None,
    empty: dict[str, Any] | None,
) -> BoardLine:
    number, boards = place
    order = seating_of_game((0, 1), number)  # seat → place in the match
    points: tuple[Fraction, ...] | None = None
    if played is not None:
        seats = [seat.player for seat in played.game.seats.all()]
        players = [seats[order.index(side)] for side in (0, 1)]
        if result_counts(played):
            points = _shares((played.counts or {})["placings"], order)
    elif empty is not None:
        points = _shares(empty["placings"], order)
    return BoardLine(
        number,
        boards,
        tuple(players),
        points,
        order[0],
        played.game if played else None,
        game_status_mark(played.game) if played else None,
    )


def _shares(placings: Sequence[int], order: Sequence[int]) -> tuple[Fraction, ...]:
    """Return what each team gets of a game's point, in the order of the match."""
    places: Mapping[int, int] = dict(zip(order, placings, strict=True))
    return tuple(Fraction(share_against(places[side], places[1 - side])) for side in (0, 1))
