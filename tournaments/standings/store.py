"""Writes the rows of standings from the fold of a season's stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scorebook_games.presentation.coded_text import Sentence
from tournaments.formats.bracket import StageReached
from tournaments.scoring import explanations
from tournaments.scoring.points import json_number
from tournaments.scoring.standings import EntrantStanding
from tournaments.seasons.fold import DivisionState, SeasonFold
from tournaments.seasons.models import Division
from tournaments.seasons.pairing import stages_of
from tournaments.standings.models import Standing


def division_standings(folded: SeasonFold, division: DivisionState) -> list[EntrantStanding]:
    """Return a division's rows: none before its first round is closed, for a play-off, or if nothing counts."""
    counts = division.above is None and folded.abandoned != "void"
    rows = folded.standings(division) if counts and any(past.closed for past in division.rounds) else []
    return order_by_stage(rows, stages_of(folded, division))


def order_by_stage(rows: Sequence[EntrantStanding], stages: Mapping[int, StageReached]) -> list[EntrantStanding]:
    """Return the rows of a cup by the stage that each entrant has reached, without tie-breaks. Other rows stay as they
    are."""
    if not stages:
        return list(rows)
    placed = [
        replace(row, place=one.place, tie_breaks=(), neighbour=None, why=(stage_reached(one),), still_in=one.still_in)
        for row in rows
        for one in [stages[row.entrant]]
    ]
    return sorted(placed, key=lambda row: (row.place, row.entrant))


def stage_reached(one: StageReached) -> Sentence:
    """Return the stage as a sentence: “Still in: Semi-final.” or “Out: Quarter-final.”"""
    if not one.stage:
        return explanations.not_drawn()
    if one.still_in:
        return explanations.still_in(one.stage)
    return (explanations.won_stage if one.place == 1 else explanations.out_in_stage)(one.stage)


def refresh_standings(folded: SeasonFold, division: Division) -> None:
    """Update the standings of a division of a season in its present state."""
    write_standings(division, division_standings(folded, folded.division(division.number)))


def write_standings(division: Division, rows: Iterable[EntrantStanding]) -> None:
    """Write all rows of a division's standings, first place first."""
    ids = dict(division.entrants.values_list("number", "pk"))
    Standing.objects.bulk_create(
        [
            Standing(
                entrant_id=ids[row.entrant],
                division=division,
                position=position,
                place=row.place,
                points=json_number(row.points),
                row=row.plain(),
            )
            for position, row in enumerate(rows, start=1)
        ],
        update_conflicts=True,
        unique_fields=["entrant"],
        update_fields=["division", "position", "place", "points", "row"],
    )
