"""Everything that needs an organiser now, the most urgent first: an `InboxItem` each.

The number of queries does not depend on the number of seasons. This module only reads; the services of `entries`,
`lifecycle.running` and `nudges` act on the items.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from games.common import clock
from games.common.prepared import prepared
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
    by_id = {season.pk: season for season in _seasons(clubs=[club.pk for club in clubs])}
    divisions = list(_divisions(seasons=list(by_id)))
    rounds = {round.pk: round for round in _open_rounds(seasons=list(by_id))}
    # Entrants matter only before the start, and at tables of more than two.
    asked = [pk for pk, season in by_id.items() if season.table_size > 2 or season.status == Season.Status.OPEN]
    places: dict[int, list[tuple[int, list[int]]]] = {}
    for pk, since, away in _places(seasons=asked):
        places.setdefault(pk, []).append((since, away))
    for division in divisions:
        division.season = by_id[division.season_id]
    of_id = {division.pk: division for division in divisions}
    for round in rounds.values():
        round.division = of_id[round.division_id]
    alternates = {entrant.season_id: entrant.player for entrant in _first_alternates(seasons=list(by_id))}
    return InboxScope(by_id, rounds, divisions, clock.now(), clubs, places, alternates)


@prepared
def _seasons(*, clubs: list[int]) -> QuerySet[Season]:
    going_on = (Season.Status.OPEN, *GOING_ON)
    return Season.objects.filter(league__club__in=clubs, status__in=going_on).select_related("league__club")


@prepared
def _divisions(*, seasons: list[int]) -> QuerySet[Division]:
    return Division.objects.filter(season__in=seasons)


@prepared
def _open_rounds(*, seasons: list[int]) -> QuerySet[Round]:
    return Round.objects.filter(division__season__in=seasons, status=Round.Status.OPEN)


@prepared
def _places(*, seasons: list[int]) -> QuerySet[Entrant, tuple[int, int, list[int]]]:
    entered = Entrant.objects.filter(season__in=seasons, status=Entrant.Status.IN)
    return entered.values_list("division", "since", "away")


@prepared
def _first_alternates(*, seasons: list[int]) -> QuerySet[Entrant]:
    listed = Entrant.objects.filter(season__in=seasons, status=Entrant.Status.ALTERNATE)
    return listed.select_related("player__bot_version").order_by("season_id", "number").distinct("season_id")
