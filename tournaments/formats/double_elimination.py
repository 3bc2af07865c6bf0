"""Double elimination: losers of the upper bracket go on in the lower one; losers there are out.

The winners of both brackets meet in the grand final. The winner of the upper bracket may lose it once; a second match
then decides. Where losers of the upper bracket enter the lower one is chosen so that, among all ways that keep halves
and quarters together, early rematches have the lowest probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import Finished, FormatOptions, Pairings, Place, Wait
from tournaments.formats.bracket import Column, slot_columns
from tournaments.formats.format import Format
from tournaments.formats.seeding import with_defaults
from tournaments.formats.slots import (
    BRACKET_LABELS,
    DRAWN_OPTION,
    NO_ENTRANT,
    PLACED_BY_STAGE,
    POSTPONE_OPTION,
    BracketProgress,
    Slot,
    SlotSource,
    absence_from_bracket,
    bracket_depth,
    upper_slots,
)
from tournaments.formats.slotted import bracket_field, bracket_places, bracket_progress, next_bracket_round
from tournaments.scoring.points import default_points

RESET_OPTION = Option(
    "reset",
    "bool",
    True,
    "Whether a second grand final is played if the entrant from the upper bracket loses the first one.",
)
# (round of the loss, number of the match from 0, probability): a possible origin of an entrant
Origins = list[tuple[int, int, float]]


class DoubleElimination(Format):
    """The format `double_elimination`, for two at a table."""

    key = "double_elimination"
    label = gettext_noop("Double elimination")
    options = (RESET_OPTION, *DRAWN_OPTION, POSTPONE_OPTION)
    option_labels: ClassVar = {RESET_OPTION.name: gettext_noop("Second grand final"), **BRACKET_LABELS}
    places_by = PLACED_BY_STAGE
    by_points = False
    uses_tie_breaks = False
    eliminates = True
    by_stage = True

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """Return the highest possible number of rounds. Replays and postponed matches add to it."""
        return 2 * bracket_depth(entrants) + int(with_defaults(self.options, settings)["reset"])

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:  # noqa: ARG002
        """Double elimination needs two entrants, and two at a table."""
        if table_size != 2:
            return "Double elimination needs tables of two. Make the tables smaller, or choose a knockout."
        return None if entrants >= 2 else f"The season needs at least 2 entrants and has {entrants}. Invite more."

    def absence(self, table_size: int) -> str:
        """Return that a match is postponed, but not for ever."""
        return absence_from_bracket(table_size)

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next round of both brackets."""
        field = bracket_field(entrants, history, options)
        return next_bracket_round(self.progress(field, history, options), entrants, history, options, chance)

    def places(
        self,
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,  # noqa: ARG002
    ) -> dict[int, Place]:
        """Return the places by the stages reached."""
        closed = [past for past in history if past.closed]
        going = self.progress(bracket_field(entrants, closed, options), closed, options)
        return bracket_places(going, entrants, closed, options)

    def table_counts(
        self,
        entrants: int,
        table_size: int,
        settings: Mapping[str, Any],
        *,
        short: bool,  # noqa: ARG002
    ) -> list[int]:
        """Return the number of matches of each round, if the unbeaten entrant wins the final."""
        options = FormatOptions(table_size, default_points(table_size, table_size), settings=settings)
        going = self.progress(range(1, entrants + 1), [], options)
        rounds = Counter(
            slot.earliest
            for slot in going.slots
            if slot.sources[0].kind != "again" and NO_ENTRANT not in going.entrants(slot)
        )
        return [rounds[number] for number in sorted(rounds)]

    def columns(
        self,
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,  # noqa: ARG002
    ) -> tuple[Column, ...]:
        """Return both brackets and the final."""
        going = self.progress(bracket_field(entrants, history, options), history, options)
        return tuple(slot_columns(going, history, options))

    def progress(self, field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> BracketProgress:
        """Return how far the brackets have come."""
        settings = with_defaults(self.options, options.settings)
        return bracket_progress(
            double_elimination_slots(len(field), settings["reset"]), field, history, options, settings
        )


def double_elimination_slots(entrants: int, reset: bool) -> list[Slot]:
    """Return the slots of both brackets: W1.1 …, L1.1 …, the grand final "F" and, with `reset`, its second match
    "R"."""
    if entrants < 2:
        return []
    rounds = bracket_depth(entrants)
    titles = [reasons.upper_round(number) for number in range(1, rounds)] + [reasons.upper_final()]
    drawn = upper_slots(rounds, titles, [max(1, 2 * number - 2) for number in range(1, rounds + 1)])
    drawn += lower_slots(rounds)
    last, beaten = f"W{rounds}.1", SlotSource("winner", f"L{2 * rounds - 2}.1")
    finalists = (SlotSource("winner", last), beaten if rounds > 1 else SlotSource("loser", last))
    level = 2 * rounds
    wins = None if reset else level + 1
    drawn.append(Slot("F", reasons.grand_final(), finalists, level, level, wins=wins, section="final"))
    if reset:
        again = (SlotSource("again", "F", side=0), SlotSource("again", "F", side=1))
        drawn.append(Slot("R", reasons.second_grand_final(), again, level + 1, level, wins=level + 1, section="final"))
    return drawn


def lower_slots(rounds: int) -> list[Slot]:
    """Return the lower bracket of an upper one with that many rounds. L1 has the losers of W1. Then, in turn, its
    winners meet the losers of the next upper round (L2, L4 …) and one another (L3, L5 …)."""

    def slot(number: int, place: int, *sources: SlotSource) -> Slot:
        title = reasons.lower_final() if number == 2 * rounds - 2 else reasons.lower_round(number)
        one, two = sources
        return Slot(f"L{number}.{place}", title, (one, two), number + 1, number, section="lower")

    drawn = []
    for number in range(1, 2 * rounds - 1):
        upper = number // 2 + 1
        for place in range(1, 2 ** (rounds - 1 - (number + 1) // 2) + 1):
            if number % 2:
                kind, name = ("loser", "W1") if number == 1 else ("winner", f"L{number - 1}")
                pair = (SlotSource(kind, f"{name}.{2 * place - 1}"), SlotSource(kind, f"{name}.{2 * place}"))
            else:
                dropped = ((place - 1) ^ crossings(rounds)[upper]) + 1
                pair = (SlotSource("loser", f"W{upper}.{dropped}"), SlotSource("winner", f"L{number - 1}.{place}"))
            drawn.append(slot(number, place, *pair))
    return drawn


@lru_cache(maxsize=16)
def crossings(rounds: int) -> dict[int, int]:
    """Return upper round 2 … → x, such that the loser of its match m (from 0) meets the winner of lower match m XOR x.
    Of all such numbers it is the one with the fewest early rematches, if every match is a coin toss."""
    holders: list[Origins] = [[(1, 2 * m, 0.5), (1, 2 * m + 1, 0.5)] for m in range(2**rounds // 4)]
    crossed = {}
    for upper in range(2, rounds + 1):
        mask = min(range(len(holders)), key=lambda x: (_rematch_cost(upper, holders, x), -x))
        crossed[upper] = mask
        holders = _origins_after_round(_origins_after_drop(upper, holders, mask))
    return crossed


def _rematch_cost(upper: int, holders: Sequence[Origins], mask: int) -> float:
    met = sum(_rematch_chance([(upper, m ^ mask, 1.0)], holder) for m, holder in enumerate(holders))
    after = _origins_after_drop(upper, holders, mask)
    return met + sum(_rematch_chance(one, two) for one, two in zip(after[::2], after[1::2], strict=False))


def _rematch_chance(one: Iterable[tuple[int, int, float]], two: Iterable[tuple[int, int, float]]) -> float:
    """Return the probability that these two have met: then the later loser beat the other in that match."""
    total = 0.0
    for (early, match, p), (late, block, q) in product(one, two):
        if early > late:
            (early, match), (late, block) = (late, block), (early, match)
        if early < late and match >> (late - early) == block:
            total += p * q * 2.0 ** (early - late)
    return total


def _origins_after_drop(upper: int, holders: Sequence[Origins], mask: int) -> list[Origins]:
    """Return the possible origins of the winners after the losers of the upper round have met `holders`."""
    return [[(upper, m ^ mask, 0.5), *[(r, b, p / 2) for r, b, p in holder]] for m, holder in enumerate(holders)]


def _origins_after_round(holders: Sequence[Origins]) -> list[Origins]:
    """Return the possible origins of the winners after `holders` have met in pairs."""
    if len(holders) == 1:
        return list(holders)
    return [
        [(r, b, p / 2) for r, b, p in [*holder, *two]] for holder, two in zip(holders[::2], holders[1::2], strict=True)
    ]
