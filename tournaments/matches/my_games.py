"""Tells pages of games which match a game is part of, and how it changed ratings."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final

from django.db import connection
from django.db.models import F, QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts.mygames import GameContext
from games.common.prepared import first_row, prepared
from games.lobby.models import OpenTable
from games.models import Game, Player
from games.play.stakes import MatchPoints, Stakes
from tournaments.matches.rows import build_match_rows, matches_for_rows
from tournaments.ratings.casual import due_tables
from tournaments.ratings.models import RatingChange
from tournaments.seasons.addresses import season_url
from tournaments.seasons.labels import format_points
from tournaments.seasons.models import Match, MatchGame, Round
from tournaments.seasons.page_versions import season_with

# Asked by each request for a replay, so it is SQL: Django would take longer to write it than PostgreSQL to answer.
_VERSION: Final = """
    SELECT season.season_id, played.states, changes.digest,
        (SELECT settled_at FROM lobby_opentable open_table WHERE open_table.game_id = %(game)s)
    FROM (
        SELECT md5(string_agg(change::text, '' ORDER BY change.id)) AS digest
        FROM ratings_ratingchange change WHERE change.game_id = %(game)s
    ) changes
    LEFT JOIN seasons_matchgame place ON place.game_id = %(game)s
    LEFT JOIN LATERAL (
        SELECT division.season_id FROM seasons_match played JOIN seasons_round round ON round.id = played.round_id
        JOIN seasons_division division ON division.id = round.division_id WHERE played.id = place.match_id
    ) season ON true
    LEFT JOIN LATERAL (
        SELECT string_agg(concat_ws(' ', game.id, game.status, game.finished_at), ',' ORDER BY game.id) AS states
        FROM seasons_matchgame other JOIN games_game game ON game.id = other.game_id
        WHERE other.match_id = place.match_id
    ) played ON true
"""


def list_match_places(
    sender: type[Player],  # noqa: ARG001
    player: int | None,
    games: Sequence[int],
    **_signal: Any,
) -> dict[int, GameContext]:
    """Return game → its context: club, season, round and number of a match's game, and by how much it changed the
    rating of `player`. A receiver of `games.play.signals.listing`. Two queries; one without a player."""
    change: dict[int, float] = {}
    if player is not None:
        change = dict(_rating_changes(player=player, games=list(games)))
    found = {
        row.game_id: _context(row, change.get(row.game_id), in_list=player is not None)
        for row in _places(games=list(games))
    }
    return found | {game: GameContext("", "", by) for game, by in change.items() if game not in found}


@prepared
def _rating_changes(*, player: int, games: list[int]) -> QuerySet[RatingChange, tuple[int, float]]:
    changes = RatingChange.objects.filter(player=player, game__in=games).order_by().values_list("game")
    return changes.annotate(by=Sum(F("after") - F("before")))


@prepared
def _places(*, games: list[int]) -> QuerySet[MatchGame]:
    return MatchGame.objects.filter(game__in=games).select_related("match__round__division__season__league__club")


def stakes_of_game(sender: type[Game], game: Game, **_signal: Any) -> Stakes:  # noqa: ARG001
    """Return what a finished game counted for in its match and for ratings. A receiver of
    `games.play.signals.asking_stakes`. Three queries; five more for a match's game."""
    ratings: dict[int, tuple[float, float]] = {}
    for player, before, after in _changes_of(game=game.pk):
        ratings[player] = (ratings[player][0] if player in ratings else before, after)
    match = first_row(_match_of(game=game.pk))
    if match is None:
        waits = _due_tables(game=game.pk).exists()
        return Stakes(ratings, waits=_("Ratings change in a moment.") if waits else "")
    [line] = build_match_rows([match])
    place = next(each for each in line.games if each.game_id == game.pk)
    awaited = game.terms["rated"] and not ratings and match.round.status == Round.Status.OPEN
    return Stakes(
        ratings=ratings,
        points={
            player.pk: MatchPoints(float(score), format_points(score))
            for player, score in zip(line.players, line.scores, strict=True)
        },
        match=_match_place_text(place),
        address=reverse("match", args=[match.pk]),
        waits=_("Ratings change when the round closes.") if awaited else "",
    )


@prepared
def _changes_of(*, game: int) -> QuerySet[RatingChange, tuple[int, float, float]]:
    changes = RatingChange.objects.filter(game=game).order_by("position")
    return changes.values_list("player", "before", "after")


@prepared
def _match_of(*, game: int) -> QuerySet[Match]:
    return matches_for_rows().filter(games__game=game)[:1]


@prepared
def _due_tables(*, game: int) -> QuerySet[OpenTable]:
    return due_tables().filter(game=game).order_by()


def version_of_game(sender: type[Game], game: Game, **_signal: Any) -> Hashable:
    """Return the version of what is said here of a finished game. A receiver of `games.play.signals.asking_version`.
    One query; one more for a match's game.

    Where results of the season may become public without an event, it is what is said itself, with its queries."""
    with connection.cursor() as cursor:
        cursor.execute(_VERSION, {"game": game.pk})
        season, *version = cursor.fetchone()
    if season is None:
        return tuple(version)
    if state := season_with(season):
        return state.key, *version
    return repr((list_match_places(Player, None, [game.pk]), stakes_of_game(sender, game)))


def _context(row: MatchGame, change: float | None, *, in_list: bool) -> GameContext:
    match = row.match
    round = match.round
    season = round.division.season
    club = season.league.club
    address = reverse("match", args=[match.pk])
    path = (
        []
        if in_list
        else [
            (club.name, reverse("club", args=[club.slug])),
            (f"{season.league.name}, {season.name}", season_url(season)),
            (
                _("Round {round}").format(round=round.number),
                season_url(season, "rounds", round.division, round=round.number),
            ),
            (_("Table {n}").format(n=match.table), address),
        ]
    )
    return GameContext(_match_place_text(row), address, change, path, _("Game {n}").format(n=row.number))


def _match_place_text(row: MatchGame) -> str:
    round = row.match.round
    season = round.division.season
    if season.games_a_match == 1:
        return _("{season}, round {round}").format(season=season, round=round.number)
    return _("{season}, round {round}, game {game}").format(season=season, round=round.number, game=row.number)
