"""Tells pages of games which match a game is part of, and how it changed a player's rating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F, Sum
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts.mygames import GameContext
from games.models import Player
from tournaments.ratings.models import RatingChange
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import MatchGame


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
        changes = RatingChange.objects.filter(player=player, game__in=games).order_by().values_list("game")
        change = dict(changes.annotate(by=Sum(F("after") - F("before"))))
    rows = MatchGame.objects.filter(game__in=games).select_related("match__round__division__season__league__club")
    found = {row.game_id: _context(row, change.get(row.game_id)) for row in rows}
    return found | {game: GameContext("", "", by) for game, by in change.items() if game not in found}


def _context(row: MatchGame, change: float | None) -> GameContext:
    match = row.match
    round = match.round
    season = round.division.season
    club = season.league.club
    address = reverse("match", args=[match.pk])
    path = [
        (club.name, reverse("club", args=[club.slug])),
        (f"{season.league.name}, {season.name}", season_url(season)),
        (
            _("Round {round}").format(round=round.number),
            season_url(season, "rounds", round.division, round=round.number),
        ),
        (_("Table {n}").format(n=match.table), address),
    ]
    return GameContext(_match_place_text(row), address, change, path, _("Game {n}").format(n=row.number))


def _match_place_text(row: MatchGame) -> str:
    round = row.match.round
    season = round.division.season
    if season.games_a_match == 1:
        return _("{season}, round {round}").format(season=season, round=round.number)
    return _("{season}, round {round}, game {game}").format(season=season, round=round.number, game=row.number)
