"""Swiss: in every round, entrants with equal points meet who have not met before; nobody goes out.

Two at a table: the FIDE (Dutch) System for up to 256 entrants (`dutch`), above that faster rules of our own
(`fast_swiss`). Where its pairs would leave a later round that cannot be paired, others are made (`look_ahead`). Nobody
meets twice and nobody has two byes if there is another way, and first moves are shared out. Three and more at a table:
`table_swiss`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import (
    Finished,
    FormatOptions,
    Pairing,
    PairingBye,
    Pairings,
    Wait,
    finished,
    no_full_table,
)
from tournaments.formats.dutch import MAX_ENTRANTS, dutch
from tournaments.formats.fast_swiss import by_rank, fold_pairs, nearest, pair_costs
from tournaments.formats.field import Candidate, available_entrants, candidates, pairing_numbers
from tournaments.formats.first_moves import in_move_order, why_first
from tournaments.formats.format import Format
from tournaments.formats.look_ahead import LookAhead
from tournaments.formats.preset import Preset
from tournaments.formats.table_swiss import seat_tables
from tournaments.scoring.points import json_number

ROUNDS_OPTION = Option(
    "rounds", "int", 0, "Number of rounds. 0: as many as the number of entrants needs.", minimum=0, maximum=50
)


class Swiss(Format):
    """The format `swiss`."""

    key = "swiss"
    label = gettext_noop("Swiss")
    options: ClassVar[tuple[Option, ...]] = (ROUNDS_OPTION,)
    option_labels: ClassVar = {ROUNDS_OPTION.name: gettext_noop("Rounds")}
    equal_byes = False
    stand_ins = True
    presets: ClassVar[tuple[Preset, ...]] = (
        Preset(
            "evening",
            gettext_noop("One-evening Swiss"),
            gettext_noop("Five rounds in one evening. Each round pairs players with equal points; nobody drops out."),
            {
                "games_a_match": 1,
                "format_options": {ROUNDS_OPTION.name: 5},
                "calendar": {"seconds": 20 * 60},
                "terms": {"move_seconds": 20, "bank_seconds": 120, "check_in_minutes": 5, "grace_minutes": 3},
                "entry": {"late_rounds": 2},
            },
        ),
    )

    def counts_dummies(self, table_size: int) -> bool:  # noqa: ARG002
        """Always: each round is paired from the results before it."""
        return True

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int:
        """Return the number of rounds that the settings ask for.

        The default for pairs is one more than halving the field to one winner takes, and no more than can always be
        paired. For tables it is what that halving takes.
        """
        asked = settings.get(ROUNDS_OPTION.name) or 0
        halvings = ceil(log2(max(entrants, 2)))
        if table_size > 2:
            return asked or halvings
        chairs = entrants + entrants % 2
        always = chairs // 2 if chairs > 4 else chairs - 1
        return min(asked or min(halvings + 1, always), chairs - 1)

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:
        """A Swiss needs enough entrants for one table, and for pairs also enough opponents for all rounds."""
        if obstacle := no_full_table(entrants, table_size):
            return obstacle
        asked, most = settings.get(ROUNDS_OPTION.name) or 0, entrants - 1 + entrants % 2
        if table_size == 2 and asked > most:
            return (
                f"{entrants} entrants can play at most {most} rounds without meeting twice, not {asked}. Choose fewer "
                "rounds."
            )
        return None

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next round; the end after the last one, or earlier if nobody has an opponent left."""
        if history and not history[-1].closed:
            return Wait(f"Round {history[-1].number} is still being played.")
        total = self.rounds(len(entrants), options.table_size, options.settings)
        known = candidates(entrants, history, options, pairing_numbers(entrants, options, chance))
        staying = [entrant for entrant in entrants if entrant not in options.withdrawn]
        if len(history) >= total or not _is_worth_another_round(known, staying, options):
            return finished(self.places(entrants, history, options, chance))
        playing = [known[entrant] for entrant in available_entrants(entrants, options)]
        if options.table_size > 2:
            return seat_tables(playing, history, options, total, chance)
        return _pair_round(known, playing, [known[entrant] for entrant in staying], len(history) + 1, total, chance)


def _is_worth_another_round(known: Mapping[int, Candidate], staying: Sequence[int], options: FormatOptions) -> bool:
    """Return whether another round makes sense with those who have not withdrawn."""
    if options.table_size > 2:
        return len(staying) >= (2 if options.short else options.table_size)
    return any(set(staying) - known[entrant].met - {entrant} for entrant in staying)


def _pair_round(
    known: Mapping[int, Candidate],
    playing: Sequence[Candidate],
    staying: Sequence[Candidate],
    number: int,
    total: int,
    chance: Dealer,
) -> Pairings:
    first_first = chance.integers("first move", [2]) == [0]
    pairs, resting, looked_ahead = _make_pairs(known, playing, staying, total - number, first_first)
    have = Counter(candidate.points for candidate in playing)
    left = (
        have
        - Counter(one.points for one in resting)
        - Counter(min(a.points, b.points) for a, b in pairs if a.points != b.points)
    )
    tables = tuple(
        Pairing(
            (first.entrant, second.entrant),
            (
                _irregular_reason(first, second, looked_ahead) or _pairing_reason(first, second, number, have, left),
                why_first(first, second),
            ),
        )
        for first, second in pairs
    )
    return Pairings(tables, tuple(PairingBye(one.entrant, (_bye_reason(one, playing),)) for one in resting))


def _make_pairs(
    known: Mapping[int, Candidate],
    playing: Sequence[Candidate],
    staying: Sequence[Candidate],
    more: int,
    first_first: bool,
) -> tuple[list[tuple[Candidate, Candidate]], list[Candidate], bool]:
    """Return the pairs in the order of tables and moves, who has the bye, and whether this differs from the Dutch
    System so that the `more` rounds after this one can be paired."""
    if len(playing) > MAX_ENTRANTS:
        return *_in_order(fold_pairs(playing), first_first), False
    found = dutch(list(known.values()), playing, not more, first_first) if len(playing) > 1 else None
    regular = ([*found[0]], [found[1]] if found[1] else []) if found else None
    ahead = LookAhead(sorted(playing, key=_rank), sorted(staying, key=_rank), more)
    if regular and ahead.allows(*_numbers(*regular)):
        return *regular, False
    if planned := ahead.find(pair_costs(playing)):
        couples, rest = planned
        made = [(known[a], known[b]) for a, b in couples], [known[rest]] if rest else []
        return *_in_order(made, first_first), True
    return *(regular or _in_order(nearest(playing), first_first)), False


def _rank(candidate: Candidate) -> tuple[Fraction, int]:
    return candidate.rank


def _numbers(
    pairs: Sequence[tuple[Candidate, Candidate]], resting: Sequence[Candidate]
) -> tuple[list[tuple[int, int]], int | None]:
    return [(a.entrant, b.entrant) for a, b in pairs], next((one.entrant for one in resting), None)


def _in_order(
    made: tuple[Sequence[tuple[Candidate, Candidate]], list[Candidate]], first_first: bool
) -> tuple[list[tuple[Candidate, Candidate]], list[Candidate]]:
    """Return pairs in the order of tables and moves, and who has the bye."""
    couples, resting = made
    return [in_move_order(a, b, first_first) for a, b in by_rank(couples)], resting


def _irregular_reason(first: Candidate, second: Candidate, looked_ahead: bool) -> Sentence | None:
    """Return why two meet whom the Dutch System would not pair; None for others."""
    higher, lower = sorted((first, second), key=_rank)
    points = json_number(higher.points), json_number(lower.points)
    if second.entrant in first.met:
        return reasons.meet_again(*points)
    return reasons.looked_ahead(*points) if looked_ahead and points[0] != points[1] else None


def _pairing_reason(
    first: Candidate, second: Candidate, number: int, have: Mapping[Fraction, int], left: Mapping[Fraction, int]
) -> Sentence:
    """Return why two meet. `have`: points → how many have them; `left`: without those with a bye or an opponent from
    above."""
    higher, lower = sorted((first, second), key=lambda candidate: candidate.rank)
    if number == 1:
        return reasons.halves_meet(higher.number, lower.number)
    points = json_number(higher.points)
    if higher.points == lower.points:
        return reasons.same_points(points)
    if left[higher.points] % 2 == 0:
        paired_down = reasons.paired_down_without_opponent
    elif left[higher.points] == have[higher.points]:
        paired_down = reasons.paired_down_from_odd
    else:
        paired_down = reasons.paired_down_from_rest
    return paired_down(points, json_number(lower.points))


def _bye_reason(resting: Candidate, playing: Sequence[Candidate]) -> Sentence:
    """Return why an entrant has a bye."""
    if len(playing) == 1:
        return reasons.alone_in_round()
    if resting.byes:
        return reasons.bye_again(len(playing))
    return reasons.bye_for_lowest(len(playing))
