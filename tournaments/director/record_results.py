"""Records results in the season's stream, each once; replays aborted games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from games.common import clock
from games.models import Game, Seat
from games.visibility import observe
from tournaments.calendar.timetable import games_begin_at
from tournaments.core import no_shows
from tournaments.core.results import seats_of_game
from tournaments.director.finish_divisions import recompute_standings
from tournaments.director.open_games import open_games, open_next_games, setup_of_game, shares_deals
from tournaments.ratings.rated_events import RatingCalls
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.games import GameRecorded, GameReplayed
from tournaments.seasons.models import GOING_ON, MatchEntrant, MatchGame, Round, Season
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


# Its comprehensions only look complex: it does one thing after another.
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
        seated = _seats_by_match({one.match_id for one in due})
        aborted = [one for one in due if one.game.status == Game.Status.ABORTED]
        finished = [one for one in due if one.game.status == Game.Status.FINISHED]
        left = _forfeited_seats(finished)
        shared = shares_deals(season)
        late = {one.match.round.division.number for one in finished if one.match.round.status == Round.Status.CLOSED}
        calls = RatingCalls()
        changed = SeasonAggregate(season, *([calls.follow] if late else []))
        changed.record(
            *[_result_event(one, seated[one.match_id], left[one.game_id], shared=shared) for one in finished]
        )
        changed.record(*_replay_aborted(season, aborted))
        open_next_games(changed, finished)
        if late:
            recompute_standings(changed, late, calls)
        changed.commit()
        left_due = MatchGame.objects.filter(pk__in=[one.pk for one in due], recorded_at=None)
        assert not left_due, f"No log has these games of matches: {left_due}. Rebuild the season."
    return len(due)


def _seats_by_match(matches: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Return match → entrant numbers in the seat order of the first game."""
    seated: dict[int, tuple[int, ...]] = {}
    rows = MatchEntrant.objects.filter(match__in=matches).order_by("match", "order")
    for match, entrant in rows.values_list("match", "entrant__number"):
        seated[match] = (*seated.get(match, ()), entrant)
    return seated


def _forfeited_seats(recorded: Iterable[MatchGame]) -> defaultdict[int, list[int]]:
    """Return game → the seats that left it."""
    left: defaultdict[int, list[int]] = defaultdict(list)
    seats = Seat.objects.filter(game__in=[one.game_id for one in recorded]).exclude(left="").order_by("seat")
    for game, seat in seats.values_list("game", "seat"):
        left[game].append(seat)
    return left


def _result_event(one: MatchGame, entrants: Sequence[int], left: list[int], *, shared: bool) -> SeasonEvent:
    outcome = one.game.outcome
    assert outcome is not None, "A finished game has an outcome."
    result = {
        "game": one.game_id,
        "head": bytes(one.game.stream.head).hex(),
        "termination": outcome["termination"],
        "seats": list(seats_of_game(entrants, one.number, len(outcome["placings"]))),
        "scores": outcome["scores"],
        "placings": outcome["placings"],
        "left": left,
        "absent": no_shows.absent_seats(one.game) if left else [],
        **({"deal": one.game.deal_id} if shared else {}),
    }
    return GameRecorded(one.match_id, one.number, result)


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
