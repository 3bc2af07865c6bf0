"""Knockout: the loser of a match is out, until one entrant is left.

Two at a table play a seeded bracket, drawn at the start: seeds 1 and 2 can meet only in the final, the four best not
before the semi-finals. If the number is not a power of two, the best seeds go straight to round 2. For tables of three
and more see `tournaments.formats.cut`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.coded_text import Sentence
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import RoundResult
from tournaments.formats import cut, reasons
from tournaments.formats.base import Finished, FormatOptions, Pairings, Place, Wait
from tournaments.formats.bracket import Column, coming_columns, slot_columns, table_columns, with_seeds
from tournaments.formats.format import Format
from tournaments.formats.preset import WEEK, Preset
from tournaments.formats.seeding import with_defaults
from tournaments.formats.slots import (
    BRACKET_LABELS,
    DRAWN_OPTION,
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

THIRD_PLACE = "3rd"  # the slot of that match
THIRD_PLACE_OPTION = Option("third_place", "bool", False, "Whether the losers of the semi-finals play for third place.")
THIRD_PLACE_LABEL = gettext_noop("Match for the third place")


class Knockout(Format):
    """The format `knockout`."""

    key = "knockout"
    label = gettext_noop("Knockout")
    options = (THIRD_PLACE_OPTION, *DRAWN_OPTION, POSTPONE_OPTION)
    option_labels: ClassVar = {THIRD_PLACE_OPTION.name: THIRD_PLACE_LABEL, **BRACKET_LABELS}
    places_by = PLACED_BY_STAGE
    by_points = False
    uses_tie_breaks = False
    eliminates = True
    by_stage = True
    presets = (
        Preset(
            "cup",
            gettext_noop("Cup"),
            gettext_noop("Winners go on to the final, a round a week, at times that the players agree on."),
            {
                "format_options": {THIRD_PLACE_OPTION.name: True},
                "calendar": {"seconds": WEEK, "match_time": "agreed", "fallback_time": "sun 19:00"},
                "terms": {"move_seconds": 60, "bank_seconds": 300},
            },
        ),
        Preset(
            "bot_cup",
            gettext_noop("Weekly bot cup"),
            gettext_noop("A knockout of bots every Saturday, which starts by itself. Bots enter during the week."),
            {
                "entry": {"players": "bots"},
                "calendar": {"rule": "weekdays", "times": ["sat 18:00"], "bots": "at_once"},
            },
            with_bots=True,
            repeats=True,
        ),
    )

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int:  # noqa: ARG002
        """Return the number of rounds to the final. Replays and postponed matches add to it."""
        return bracket_depth(entrants) if table_size == 2 else cut.count_rounds(entrants, table_size)

    def absence(self, table_size: int) -> str:
        """Return that a match is postponed, but not for ever."""
        return absence_from_bracket(table_size)

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next round of the bracket."""
        field = bracket_field(entrants, history, options, waits=options.table_size == 2)
        return self.carry_on(field, entrants, history, options, chance)

    def carry_on(
        self,
        field: Sequence[int],
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,
    ) -> Pairings | Wait | Finished:
        """Return the next round for a given field, strongest first, whose whole `history` is this knockout."""
        if options.table_size > 2:
            return cut.next_cut_round(field, entrants, history, options, chance)
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
        field = bracket_field(entrants, closed, options, waits=options.table_size == 2)
        return self.places_in_field(field, entrants, closed, options)

    def places_in_field(
        self, field: Sequence[int], entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions
    ) -> dict[int, Place]:
        """Return the places for a given field, strongest first, whose whole `history` is this knockout."""
        if options.table_size > 2:
            return cut.cut_places(field, entrants, history, options)
        return bracket_places(self.progress(field, history, options), entrants, history, options)

    def table_counts(self, entrants: int, table_size: int, settings: Mapping[str, Any], *, short: bool) -> list[int]:
        """Return the number of matches or tables of each round."""
        if table_size > 2:
            return cut.table_counts(entrants, table_size, short=short)
        counts, left = [], entrants
        while left > 1:
            stay = 1 << (left - 1).bit_length() - 1
            counts.append(left - stay)
            left = stay
        if settings.get(THIRD_PLACE_OPTION.name, False) and entrants > 3:
            counts[-1] += 1
        return counts

    def columns(
        self,
        entrants: Sequence[int],
        history: Sequence[RoundResult],
        options: FormatOptions,
        chance: Dealer,  # noqa: ARG002
    ) -> tuple[Column, ...]:
        """Return the bracket."""
        field = bracket_field(entrants, history, options, waits=options.table_size == 2)
        return self.columns_in_field(field, history, options)

    def columns_in_field(
        self, field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions
    ) -> tuple[Column, ...]:
        """Return the bracket for a given field, strongest first, whose whole `history` is this knockout."""
        if options.table_size > 2:
            return tuple(table_columns(field, history, options))
        return tuple(slot_columns(self.progress(field, history, options), history, options))

    def coming_columns(self, entrants: int, options: FormatOptions) -> tuple[Column, ...]:
        """Return the bracket of that many entrants who are not known yet."""
        if options.table_size > 2:
            return tuple(coming_columns(entrants, 1, options))
        present = replace(options, away={}, withdrawn=frozenset())
        return tuple(map(with_seeds, self.columns_in_field(range(1, entrants + 1), [], present)))

    def progress(self, field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> BracketProgress:
        """Return how far the bracket for two at a table has come."""
        settings = with_defaults(self.options, options.settings)
        return bracket_progress(knockout_slots(len(field), settings["third_place"]), field, history, options, settings)


def knockout_slots(entrants: int, third_place: bool) -> list[Slot]:
    """Return the bracket's slots: W1.1 … W2.1 …, "F" and, with `third_place` and semi-finals, "3rd"."""
    if entrants < 2:
        return []
    rounds = bracket_depth(entrants)
    titles = [knockout_round_title(rounds, number) for number in range(1, rounds + 1)]
    drawn = upper_slots(rounds, titles, [2 * number for number in range(1, rounds + 1)])
    last = drawn.pop()
    drawn.append(Slot("F", reasons.final(), last.sources, rounds, 2 * rounds, wins=2 * rounds + 1, section="final"))
    if third_place and rounds > 1:
        losers = (SlotSource("loser", f"W{rounds - 1}.1"), SlotSource("loser", f"W{rounds - 1}.2"))
        level = 2 * rounds - 2
        title = reasons.third_place_match()
        drawn.append(Slot(THIRD_PLACE, title, losers, rounds, level, wins=level + 1, section="final"))
    return drawn


def knockout_round_title(rounds: int, number: int) -> Sentence:
    """Return the usual name of round `number` of that many."""
    last = rounds - number + 1
    return reasons.LAST_STAGES[last]() if last in reasons.LAST_STAGES else reasons.round_of(2**last)
