"""Pairs by the FIDE (Dutch) System, Handbook C.04.3 in the version before 2026, computed by py4swiss.

py4swiss gets pairing numbers, who met whom in which seats, who had a bye or did not play, and the points before each
round. It computes points from wins and draws, but ours follow the season's points system. So all results are worth
nothing to it, and our points are passed as its "accelerations", which it adds to every score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import lcm
from typing import Any

from tournaments.formats.field import MOVES_FIRST, Candidate

MAX_ENTRANTS = 256  # more take too long: time grows with the cube of the largest score group

Pair = tuple[Candidate, Candidate]


def dutch(
    known: Sequence[Candidate], playing: Sequence[Candidate], last_round: bool, first_first: bool
) -> tuple[list[Pair], Candidate | None] | None:
    """Return the pairs of the next round (first mover, other) in table order, and who has the bye; None if the rules
    allow no pairing.

    `known` are all who ever entered, `playing` those to pair. In the last round, entrants with more than half of the
    possible points may have the same move a third time in a row. `first_first`: the lot of the first round; true if the
    strongest moves first.
    """
    # Imported when needed, here and below: a web process that only shows rounds does without.
    from py4swiss.engines.common import PairingError
    from py4swiss.engines.dutch.engine import Engine

    here = {candidate.entrant for candidate in playing}
    # Entrants who have not arrived have no number yet (FIDE C.04.2, B.3), and do not shift the moves of the others.
    taking_part = [one for one in known if one.entrant in here or any(one.opponents) or one.byes]
    by_number = dict(enumerate(sorted(taking_part, key=lambda candidate: candidate.number), start=1))
    report = _tournament_report(by_number, here, last_round, first_first)
    try:
        made = Engine.generate_pairings(report)
    except PairingError:
        return None
    pairs = [(by_number[pair.white], by_number[pair.black]) for pair in made if pair.black]
    return pairs, next((by_number[pair.white] for pair in made if not pair.black), None)


def _tournament_report(
    by_number: Mapping[int, Candidate], playing: set[int], last_round: bool, first_first: bool
) -> Any:
    """Return the tournament so far in py4swiss' form (FIDE's tournament report file, TRF)."""
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.results import ColorToken, ResultToken, ScoringPointSystem
    from py4swiss.trf.sections import XSection
    from py4swiss.trf.sections.x_section import XSectionConfiguration

    points = [worth for candidate in by_number.values() for worth in candidate.before]
    tenths = 10 * lcm(*(worth.denominator for worth in points))
    scores = {number: [int(worth * tenths) for worth in candidate.before] for number, candidate in by_number.items()}
    played = len(scores[1]) - 1
    worths = dict.fromkeys(ScoringPointSystem().score_dict, 0)
    # The most that a round can be worth. A full-point bye stands for it, because nobody is given one.
    gains = (after - before for row in scores.values() for before, after in pairwise(row))
    worths[ResultToken.FULL_POINT_BYE, ColorToken.BYE_OR_NOT_PAIRED] = max(gains, default=0)
    numbers = {candidate.entrant: number for number, candidate in by_number.items()}
    return ParsedTrf(
        player_sections=[
            _report_player(candidate, numbers, row[-1])
            for candidate, row in zip(by_number.values(), scores.values(), strict=True)
        ],
        x_section=XSection(
            number_of_rounds=played + (1 if last_round else 2),
            zeroed_ids={number for entrant, number in numbers.items() if entrant not in playing},
            scoring_point_system=ScoringPointSystem(score_dict=worths),
            configuration=XSectionConfiguration(first_round_color=first_first),
            accelerations=scores,
        ),
    )


def _report_player(candidate: Candidate, numbers: dict[int, int], points: int) -> Any:
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
    from py4swiss.trf.sections import PlayerSection

    moves = iter(candidate.moves)
    results = []
    for opponent, gone in zip(candidate.opponents, candidate.rested, strict=True):
        if opponent is None:
            token = ResultToken.PAIRING_ALLOCATED_BYE if gone else ResultToken.ZERO_POINT_BYE
            results.append(RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=token))
            continue
        color = ColorToken.WHITE if next(moves) == MOVES_FIRST else ColorToken.BLACK
        results.append(RoundResult(id=numbers[opponent], color=color, result=ResultToken.DRAW))
    return PlayerSection(
        code=PlayerCode.PLAYER,
        starting_number=numbers[candidate.entrant],
        points_times_ten=points,
        rank=numbers[candidate.entrant],
        results=results,
    )
