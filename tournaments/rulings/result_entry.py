"""Enters results of matches of two as *A won*, *draw* or *B won*: several of the open rounds at once, or one from the
inbox.

Each result is an adjudication (`services.adjudicate`); there is no other way to set one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from tournaments.matches.rows import MatchRow, build_match_rows
from tournaments.rulings import services as rulings
from tournaments.rulings.services import Actor
from tournaments.seasons.models import Match, OrganiserAction, Round, Season
from tournaments.seasons.stream import lock_season

# Outcome → the places of the two entrants, in the order of the match.
OUTCOMES: Final[Mapping[str, tuple[int, int]]] = {"first": (1, 2), "draw": (1, 1), "second": (2, 1)}
MAX_RESULTS: Final = 100  # matches whose results one page takes
FIELD_PREFIX: Final = "match-"  # of the fields of a page that takes several results


@dataclass(frozen=True, slots=True)
class EnterableMatch:
    """A match without a result, and the outcome that is `chosen` for it. `by_outcome`: whether *A won*, *draw* or
    *B won* says everything about it; a match of more than two, of teams, or whose scores count, needs the whole
    form."""

    row: MatchRow
    by_outcome: bool
    chosen: str = ""

    @property
    def field(self) -> str:
        return f"{FIELD_PREFIX}{self.row.match.pk}"


def takes_outcomes(season: Season, entrants: int) -> bool:
    """Return whether the result of a match with so many entrants is *A won*, *draw* or *B won*. A match of teams has a
    result at each board."""
    return entrants == 2 and season.points.get("system") != "score" and not season.competition.by_teams


def enterable_matches(season: Season, chosen: Mapping[int, str]) -> list[EnterableMatch]:
    """Return the matches of open rounds that have no result, with what is `chosen` for them. Three queries."""
    waiting = Match.objects.filter(
        round__division__season=season, round__status=Round.Status.OPEN, finished_at=None
    ).select_related("round__division")
    found = list(waiting.order_by("round__division__number", "round__number", "table")[:MAX_RESULTS])
    for match in found:
        match.round.division.season = season
    rows = build_match_rows(found)
    return [
        EnterableMatch(row, takes_outcomes(season, len(row.entrants)), chosen.get(row.match.pk, "")) for row in rows
    ]


def chosen_outcomes(sent: Mapping[str, str]) -> dict[int, str]:
    """Return id → outcome of the matches for which the fields of a form (`EnterableMatch.field`) have one."""
    named = {name.removeprefix(FIELD_PREFIX): value for name, value in sent.items() if name.startswith(FIELD_PREFIX)}
    return {int(pk): value for pk, value in named.items() if value and pk.isascii() and pk.isdecimal() and len(pk) < 10}


def enter_results(
    *, season: Season, outcomes: Mapping[int, str], by: Actor, note: str, key: str = ""
) -> list[OrganiserAction]:
    """Adjudicate each match of `outcomes` (id → outcome), all or none. Raises `DomainError`: bad_choice (400),
    no_such_match (404) if the season does not have one of them, match_over (409) if one has got a result meanwhile, and
    the errors of `adjudicate`."""
    if not outcomes or not set(outcomes.values()) <= set(OUTCOMES):
        raise DomainError(400, "bad_choice", _("Choose the result of at least one match."), "outcome")
    made = []
    with transaction.atomic():
        locked = lock_season(season)
        rulings.check_organiser(by, locked.league.club)
        matches = Match.objects.filter(round__division__season=locked, pk__in=outcomes)
        rows = list(matches.select_related("round__division__season").order_by("round", "table"))
        if len(rows) < len(outcomes):
            sentence = _("This season does not have one of these matches any more. Load the page again.")
            raise DomainError(404, "no_such_match", sentence)
        for match in rows:
            own_key = f"{key}-{match.pk}" if key else ""
            repeated = own_key and OrganiserAction.objects.filter(stream=locked.stream_id, key=own_key).exists()
            if match.finished_at is not None and not repeated:
                sentence = _("The match at table {table} has a result by now. Load the page again.")
                raise DomainError(409, "match_over", sentence.format(table=match.table))
            places = OUTCOMES[outcomes[match.pk]]
            made.append(rulings.adjudicate(match=match, places=places, by=by, note=note, key=own_key))
    return made
