"""A bracket for drawing: columns of boxes with entrants or what they wait for, computed from the history.

    for column in FORMATS["knockout"].columns(entrants, history, options, chance):
        for box in column.boxes:
            for side in box.sides: …

It works at any time: before the start it shows the draw as it would be, and during a round the matches so far. Formats
without a bracket have no columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import groupby

from scorebook_games.presentation.coded_text import Sentence
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import cut, reasons
from tournaments.formats.base import FormatOptions
from tournaments.formats.slots import BracketProgress, Slot
from tournaments.formats.slotted import begin_round
from tournaments.scoring.points import format_number, score_match

BOX_WAITING, BOX_READY, BOX_PLAYING, BOX_DONE = "waiting", "ready", "playing", "done"


@dataclass(frozen=True, slots=True)
class BoxSide:
    """A line of a box. `entrant` is None for a bye or an unknown entrant; `description` then says which (“winner of
    W1.2”, “bye”). `seed` is its number in the draw, `score` the points of the match's games in display form; `won`: it
    goes on or has won."""

    entrant: int | None
    description: Sentence | None = None
    seed: int | None = None
    score: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A match, a table or a group. Its matches have the same `slot`. `state` is "waiting", "ready" to be played,
    "playing" or "done"; `note` adds what is unusual: "walkover", "bye", "drawn once" …"""

    slot: str
    title: Sentence
    sides: tuple[BoxSide, ...]
    state: str
    note: Sentence | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """The boxes of one round, from the top. `section` is "upper", "lower", "final", "tables" or "groups"."""

    title: Sentence
    section: str
    boxes: tuple[Box, ...]


def last_stages(columns: Iterable[Column]) -> dict[int, tuple[str, Sentence, bool]]:
    """Return entrant → (section, title, whether they have won it) of the last stage that they have reached in these
    columns."""
    return {
        side.entrant: (column.section, column.title if column.section == "tables" else box.title, side.won)
        for column in columns
        for box in column.boxes
        for side in box.sides
        if side.entrant
    }


def slot_columns(going: BracketProgress, history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    """Return the columns of the slots, without slots that nobody can reach."""
    if not history or history[-1].closed:
        going = _apply_absences(going, len(history) + 1, options)
    for section in ("upper", "lower", "final"):
        section_slots = [slot for slot in going.slots if slot.section == section]
        for _, slots in groupby(section_slots, key=lambda slot: slot.earliest):
            drawn = [_slot_box(going, slot) for slot in slots if not _is_never_reached(going, slot)]
            if drawn:
                yield Column(drawn[0].title, section, tuple(drawn))


def _apply_absences(going: BracketProgress, number: int, options: FormatOptions) -> BracketProgress:
    """Apply what happened since the last round: withdrawn entrants are out; absent ones only if their patience is used
    up."""
    ended = deepcopy(going)
    begin_round(ended, number, options)
    if ended.alive():
        begin_round(going, number, replace(options, away={}))
        return going
    return ended


def _is_never_reached(going: BracketProgress, slot: Slot) -> bool:
    if slot.sources[0].kind == "again":
        return going.notes.get(slot.name) == reasons.not_needed()
    return not any(who is None or who for who in going.entrants(slot))


def _slot_box(going: BracketProgress, slot: Slot) -> Box:
    matches = going.played.get(slot.name, [])
    winner = going.winner.get(slot.name)
    scores = score_match(going.rules.points, matches[-1]).games if matches and matches[-1].games else {}
    sides = []
    for source, entrant in zip(slot.sources, going.entrants(slot), strict=True):
        if entrant:
            score = format_number(scores[entrant]) if entrant in scores else ""
            sides.append(BoxSide(entrant, None, going.seed[entrant], score, entrant == winner))
        else:
            sides.append(BoxSide(None, source.short_label() if entrant is None else reasons.bye()))
    return Box(slot.name, slot.title, tuple(sides), _box_state(going, slot, matches), _box_note(going, slot))


def _box_state(going: BracketProgress, slot: Slot, matches: Sequence[MatchResult]) -> str:
    if slot.name in going.winner:
        return BOX_DONE
    if None in going.entrants(slot):
        return BOX_WAITING
    return BOX_PLAYING if matches and not matches[-1].over else BOX_READY


def _box_note(going: BracketProgress, slot: Slot) -> Sentence | None:
    if slot.name in going.notes:
        return going.notes[slot.name]
    if going.drawn[slot.name]:
        return reasons.drawn(going.drawn[slot.name])
    return reasons.postponed() if going.waited[slot.name] and slot.name not in going.winner else None


def with_seeds(column: Column) -> Column:
    """Return the column with seeds in place of entrants."""
    boxes = [
        Box(
            box.slot,
            box.title,
            tuple(BoxSide(None, reasons.seed(side.seed), side.seed) if side.seed else side for side in box.sides),
            BOX_DONE if box.state == BOX_DONE else BOX_WAITING,
            box.note,
        )
        for box in column.boxes
    ]
    return Column(column.title, column.section, tuple(boxes))


def table_columns(field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    """Return the columns of a knockout at larger tables: the rounds so far, then those to come."""
    seed = {entrant: number for number, entrant in enumerate(field, start=1)}
    for number, past in enumerate(history, start=1):
        final = cut.is_final([past])
        through = cut.winners(past, field, options) if past.closed else ()
        boxes = [_table_box(match, options, seed, through, past.closed) for match in past.matches]
        resting = tuple(BoxSide(entrant, None, seed[entrant], won=True) for entrant in past.byes if entrant in seed)
        if resting:
            boxes.append(Box("", reasons.byes(), resting, BOX_DONE, reasons.bye()))
        yield Column(reasons.final() if final else reasons.round_number(number), "tables", tuple(boxes))
    if not cut.is_final(history):
        going = bool(history) and not history[-1].closed
        left = cut.remaining_after(history[-1], options) if going else len(cut.remaining(field, history, options))
        yield from coming_columns(left, len(history) + 1, options)


def coming_columns(left: int, number: int, options: FormatOptions) -> Iterator[Column]:
    """Return the columns of the rounds that so many remaining entrants have before them."""
    while left >= 2:
        plan = cut.plan_round(left, options.table_size, options.short)
        boxes = [
            Box(
                cut.FINAL if plan.final else f"W{number}.{place}",
                reasons.final() if plan.final else reasons.table_number(place),
                tuple([BoxSide(None, reasons.open_place())] * size),
                BOX_WAITING,
            )
            for place, size in enumerate(plan.sizes, start=1)
        ]
        yield Column(reasons.final() if plan.final else reasons.round_number(number), "tables", tuple(boxes))
        left, number = plan.left, number + 1


def _table_box(
    match: MatchResult, options: FormatOptions, seed: Mapping[int, int], through: Iterable[int], closed: bool
) -> Box:
    score = score_match(options.points, match)
    order = sorted(match.entrants, key=lambda entrant: (score.places[entrant], seed[entrant]))
    sides = [
        BoxSide(one, None, seed[one], format_number(score.games[one]) if match.games else "", one in through)
        for one in order
    ]
    title = reasons.final() if match.slot == cut.FINAL else reasons.table_number(int(match.slot.partition(".")[2]))
    note = reasons.nobody_came() if match.unattended else None
    return Box(match.slot, title, tuple(sides), BOX_DONE if closed or match.over else BOX_PLAYING, note)
