"""Everything that needs an organiser now, the most urgent first: an `InboxItem` each.

The number of queries does not depend on the number of seasons. This module only reads; the services of `entries`,
`lifecycle.running` and `nudges` act on the items.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.common import clock
from tournaments.clubs.models import Club
from tournaments.organiser.inbox_item import InboxItem, InboxScope
from tournaments.organiser.joins import entry_requests, join_requests
from tournaments.organiser.stuck import failed_games, quarantined_bots, short_tables, waiting_seasons
from tournaments.organiser.unplayed import disputed_results, unplayed_matches
from tournaments.seasons.models import GOING_ON, Division, Entrant, Round, Season


def inbox_items(clubs: Sequence[Club]) -> list[InboxItem]:
    """Return everything that needs the organisers of `clubs`. A fixed number of queries."""
    scope = _load_scope(clubs)
    items = [
        *disputed_results(scope),
        *unplayed_matches(scope),
        *join_requests(clubs),
        *entry_requests(scope),
        *short_tables(scope),
        *waiting_seasons(scope),
        *failed_games(scope),
        *quarantined_bots(scope),
    ]
    return sorted(items, key=lambda item: (item.due is None, item.due or item.since, item.key))


def _load_scope(clubs: Sequence[Club]) -> InboxScope:
    going_on = (Season.Status.OPEN, *GOING_ON)
    seasons = Season.objects.filter(league__club__in=clubs, status__in=going_on).select_related("league__club")
    by_id = seasons.in_bulk()
    divisions = list(Division.objects.filter(season__in=by_id))
    rounds = Round.objects.filter(division__season__in=by_id, status=Round.Status.OPEN).in_bulk()
    # Entrants matter only before the start, and at tables of more than two.
    asked = [pk for pk, season in by_id.items() if season.table_size > 2 or season.status == Season.Status.OPEN]
    entered = Entrant.objects.filter(season__in=asked, status=Entrant.Status.IN)
    places: dict[int, list[tuple[int, list[int]]]] = {}
    for pk, since, away in entered.values_list("division", "since", "away"):
        places.setdefault(pk, []).append((since, away))
    for division in divisions:
        division.season = by_id[division.season_id]
    of_id = {division.pk: division for division in divisions}
    for round in rounds.values():
        round.division = of_id[round.division_id]
    listed = Entrant.objects.filter(season__in=by_id, status=Entrant.Status.ALTERNATE)
    listed = listed.select_related("player__bot_version").order_by("season_id", "number").distinct("season_id")
    alternates = {entrant.season_id: entrant.player for entrant in listed}
    return InboxScope(by_id, rounds, divisions, clock.now(), clubs, places, alternates)
