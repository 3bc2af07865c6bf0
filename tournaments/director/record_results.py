"""Records results in the season's stream, each once; replays aborted games."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common import clock
from games.models import Game
from games.visibility import observe
from tournaments.calendar.timetable import games_begin_at
from tournaments.director.finish_divisions import finish_again
from tournaments.director.open_games import open_games, open_next_games, setup_of_game
from tournaments.matches.game_results import result_events
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.games import GameReplayed
from tournaments.seasons.models import GOING_ON, MatchGame, Round, Season
from tournaments.seasons.stream import lock_running_season

RESULT_BATCH_SIZE = 500


def due_results() -> QuerySet[MatchGame]:
    """Return finished games that are not recorded.

    A game whose deal is still being played elsewhere waits, because its log must stay secret. A game that spectators
    see with a delay waits too, because standings and ratings are public.
    """
    delayed = Game.objects.filter(~observe.result_is_public(), terms__watch_delay__gt=0, pk=OuterRef("game"))
    open_now = Q(game__status=Game.Status.FINISHED, game__deal__revealed_at__isnull=False)
    over = open_now | Q(game__status=Game.Status.ABORTED)
    going_on = Q(match__round__division__season__status__in=GOING_ON)
    return MatchGame.objects.filter(over, going_on, ~Exists(delayed), recorded_at=None)


def record_results(*, season: Season) -> int:
    """Write due results into the season's stream, each once; return how many.

    An aborted game is replayed: a new game of the same match with the same seats.
    """
    written = 0
    while (batch := _record_batch(season.pk)) is not None:
        written += batch
        if batch < RESULT_BATCH_SIZE:
            break
    return written


def _record_batch(season_id: int) -> int | None:
    """Record up to `RESULT_BATCH_SIZE` results in one transaction; None if another process has locked the season."""
    with transaction.atomic():
        season = lock_running_season(season_id)
        if season is None:
            return None
        due = list(
            due_results()
            .filter(match__round__division__season=season_id)
            .select_related("game__stream", "match__round__division")
            .order_by("match__round__number", "match__table", "number")[:RESULT_BATCH_SIZE]
        )
        if not due:
            return 0
        aborted = [one for one in due if one.game.status == Game.Status.ABORTED]
        finished = [one for one in due if one.game.status == Game.Status.FINISHED]
        late = {one.match.round.division.number for one in finished if one.match.round.status == Round.Status.CLOSED}
        changed = SeasonAggregate(season)
        changed.record(*result_events(season, finished))
        changed.record(*_replay_aborted(season, aborted))
        open_next_games(changed, finished)
        finish_again(changed, late)
        changed.commit()
        left_due = MatchGame.objects.filter(pk__in=[one.pk for one in due], recorded_at=None)
        assert not left_due, f"No log has these games of matches: {left_due}. Rebuild the season."
    return len(due)


def _replay_aborted(season: Season, aborted: Sequence[MatchGame]) -> list[SeasonEvent]:
    """Open a new game for each aborted one and return the events. It gets a new deal, because its players know some
    cards of the old one."""
    if not aborted:
        return []
    tables = [setup_of_game(one.game) for one in aborted]
    games = open_games(season, tables, games_begin_at(season, clock.now()))
    return [
        GameReplayed(one.match_id, one.number, one.game_id, game.pk) for one, game in zip(aborted, games, strict=True)
    ]
