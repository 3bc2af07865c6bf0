"""Makes the events that record finished games of matches in their season's stream."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from games.models import Seat
from tournaments.core import no_shows
from tournaments.core.results import seats_of_game
from tournaments.seasons.events.games import GameRecorded
from tournaments.seasons.models import MatchEntrant, MatchGame, Season
from tournaments.seasons.settings import DUPLICATE_DEALS


def result_events(season: Season, finished: Sequence[MatchGame]) -> list[GameRecorded]:
    """Return the events of these games, which are fetched with their games and streams."""
    shared = season.settings["deals"] == DUPLICATE_DEALS
    seated = _seats_by_match({one.match_id for one in finished})
    left = _forfeited_seats(finished)
    return [_result_event(one, seated[one.match_id], left[one.game_id], shared=shared) for one in finished]


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


def _result_event(one: MatchGame, entrants: Sequence[int], left: list[int], *, shared: bool) -> GameRecorded:
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
