"""Records the results of a season that ends early."""

from __future__ import annotations

from games.models import Game
from tournaments.matches.game_results import result_events
from tournaments.seasons.aggregate import SeasonAggregate
from tournaments.seasons.events.rounds import RoundClosed
from tournaments.seasons.events.rulings import GameAnnulled
from tournaments.seasons.models import MatchGame

NO_REASON = {"by": None, "note": None}


def close_open_rounds(changed: SeasonAggregate) -> None:
    """Close the rounds of a season that ends early: games that are over count, all others are annulled."""
    season, folded = changed.row, changed.state
    unrecorded = MatchGame.objects.filter(match__in=folded.matches, recorded_at=None, game__status=Game.Status.FINISHED)
    finished = unrecorded.select_related("game__stream").order_by("match__round__number", "match__table", "number")
    changed.record(*result_events(season, list(finished)))
    for match in list(folded.matches.values()):
        unplayed = set(range(1, match.size + 1)) - match.records.keys() - match.annulled
        changed.record(*[GameAnnulled(match.id, number, NO_REASON) for number in sorted(unplayed)])
    for division in folded.divisions.values():
        for past in division.rounds:
            if not past.closed:
                changed.record(RoundClosed(division.number, past.number))
