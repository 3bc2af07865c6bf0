"""Adds season, round and change of rating to the list of a person's games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import F, Sum
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts.mygames import GameContext
from games.models import Player
from tournaments.ratings.models import RatingChange
from tournaments.seasons.models import MatchGame


def list_match_places(
    sender: type[Player],  # noqa: ARG001
    player: int,
    games: Sequence[int],
    **_signal: Any,
) -> dict[int, GameContext]:
    """Return game → its context: season, round and number of a match's game, and by how much it changed the rating of
    `player`. A receiver of `games.play.signals.listing`. Two queries."""
    changes = RatingChange.objects.filter(player=player, game__in=games).order_by().values_list("game")
    change = dict(changes.annotate(by=Sum(F("after") - F("before"))))
    rows = MatchGame.objects.filter(game__in=games).select_related("match__round__division__season__league")
    found = {
        row.game_id: GameContext(_match_place_text(row), reverse("match", args=[row.match_id]), change.get(row.game_id))
        for row in rows
    }
    return found | {game: GameContext("", "", by) for game, by in change.items() if game not in found}


def _match_place_text(row: MatchGame) -> str:
    round = row.match.round
    season = round.division.season
    if season.games_a_match == 1:
        return _("{season}, round {round}").format(season=season, round=round.number)
    return _("{season}, round {round}, game {game}").format(season=season, round=round.number, game=row.number)
