"""A bracket as a page draws it: columns of boxes, each with its entrants or what is waited for, from the history alone.

    for column in bracket("knockout", entrants, history, options, dealer):
        for box in column.boxes:
            for side in box.sides: …

It may be asked at any time: before the start it shows the draw as it would be, and while a round is played its matches
so far. Formats without a bracket have no columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import groupby

from games.engines.base import Dealer
from tournaments.core.results import MatchResult, RoundResult
from tournaments.formats import cut, double_elimination, groups, knockout
from tournaments.formats.base import FormatOptions
from tournaments.formats.seeding import complete
from tournaments.formats.slots import Progress, Slot
from tournaments.formats.slotted import begin, field_of
from tournaments.scoring.standings import score_match, written

WAITING, READY, PLAYING, DONE = "waiting", "ready", "playing", "done"
THIRD_PLACE = "3rd"
FAR = 10**6  # later than any column


@dataclass(frozen=True, slots=True)
class Side:
    """One line of a box. `entrant` is None while it is not known who, and for a bye; `told` then says so ("winner of
    W1.2", "bye"). `seed` is its number in the draw, `score` the points of the match's games, as people write them;
    `won`: whether it goes on, or has won."""

    entrant: int | None
    told: str = ""
    seed: int | None = None
    score: str = ""
    won: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """A match, a table, or a group. `slot` is what matches of it have as theirs; `state` is "waiting" (for whom),
    "ready" (to be played), "playing" or "done"; `note` says what is not plain: "walkover", "bye", "drawn once" …"""

    slot: str
    title: str
    sides: tuple[Side, ...]
    state: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """Boxes of one round, from the top. `section` is "upper", "lower", "final", "tables" or "groups"."""

    title: str
    section: str
    boxes: tuple[Box, ...]


def bracket(
    name: str, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
) -> tuple[Column, ...]:
    """The columns of the format `name`, each section from its first round on; () for one without a bracket."""
    if name == "knockout":
        return tuple(_knockout(entrants, history, options))
    if name == "double_elimination":
        return tuple(_double(entrants, history, options))
    return tuple(_groups(entrants, history, options, chance)) if name == "groups" else ()


@dataclass(frozen=True, slots=True)
class Reached:
    """How far an entrant has come: the `stage` of the last match, whether they are still in, and the place. Whoever is
    out shares it with all who were out at the same stage; whoever is still in has the best that is left."""

    stage: str
    still_in: bool
    place: int


def reached(columns: Iterable[Column], entrants: Iterable[int]) -> dict[int, Reached]:
    """How far each of `entrants` has come in a bracket of these columns; who never was in it comes last."""
    levels = dict.fromkeys(entrants, (-1, 0))
    stages: dict[int, str] = dict.fromkeys(levels, "")
    playing: set[int] = set()
    for number, column in enumerate(columns):
        for box in column.boxes:
            for entrant in [side.entrant for side in box.sides if side.entrant]:
                levels[entrant], on = _level(number, column, box, entrant)
                stages[entrant] = column.title if column.section == "tables" else box.title
                playing = playing | {entrant} if on else playing - {entrant}
    return {
        entrant: Reached(stages[entrant], entrant in playing, 1 + sum(other > level for other in levels.values()))
        for entrant, level in levels.items()
    }


def _level(number: int, column: Column, box: Box, entrant: int) -> tuple[tuple[int, int], bool]:
    """How late somebody was out whose last box that is, the greater the better, and whether they are still in."""
    won = next(side.won for side in box.sides if side.entrant == entrant)
    if box.slot == THIRD_PLACE:  # under the final, over the semi-finals
        return (number, 2 if box.state == DONE and not won else 3), box.state != DONE
    final = box.slot == cut.FINAL or column.section == "final"
    still_in = box.state != DONE or (won and not final)
    return ((FAR, 0) if still_in else (number, 4 + won)), still_in


def _knockout(entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    if options.table_size > 2:
        return _tables(field_of(entrants, history, options, waits=False), history, options)
    going = knockout.Knockout().progress(field_of(entrants, history, options), history, options)
    return _slots(going, history, options)


def _double(entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    chosen = double_elimination.DoubleElimination()
    return _slots(chosen.progress(field_of(entrants, history, options), history, options), history, options)


def _groups(
    entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
) -> Iterator[Column]:
    chosen = groups.Groups()
    said = complete(chosen.options, options.settings)
    stages = chosen.stages(entrants, history, options, chance)
    rows = {name: groups.table(stages, name, options) for name in stages.groups}
    through = [] if stages.grouped else groups.field_of(rows, stages, said["advance"], options)
    boxes = [
        Box(
            name,
            name,
            tuple(Side(row.entrant, score=written(row.points), won=row.entrant in through) for row in standing),
            DONE if not stages.grouped else PLAYING if history else READY,
        )
        for name, standing in rows.items()
    ]
    yield Column("Groups", "groups", tuple(boxes))
    if len(rows) < 2:
        return
    if stages.grouped:
        yield from _planned(sum(min(said["advance"], len(one)) for one in rows.values()), options)
    elif options.table_size > 2:
        yield from _tables(through, stages.knockout_rounds, options)
    else:
        going = knockout.Knockout().progress(through, stages.knockout_rounds, options)
        yield from _slots(going, stages.knockout_rounds, options)


def _slots(going: Progress, history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    """Slots that nobody ever comes to are left out."""
    if not history or history[-1].closed:
        going = _since(going, len(history) + 1, options)
    for section in ("upper", "lower", "final"):
        own = [slot for slot in going.slots if slot.section == section]
        for _, slots in groupby(own, key=lambda slot: slot.earliest):
            drawn = [_box(going, slot) for slot in slots if not _never(going, slot)]
            if drawn:
                yield Column(drawn[0].title, section, tuple(drawn))


def _since(going: Progress, number: int, options: FormatOptions) -> Progress:
    """What has happened since the last round: who has withdrawn is out; who is away again, only if that is the end."""
    ended = deepcopy(going)
    begin(ended, number, options)
    if ended.alive():
        begin(going, number, replace(options, away={}))
        return going
    return ended


def _never(going: Progress, slot: Slot) -> bool:
    if slot.sources[0].kind == "again":
        return going.notes.get(slot.name) == "not needed"
    return not any(who is None or who for who in going.entrants(slot))


def _box(going: Progress, slot: Slot) -> Box:
    matches = going.played.get(slot.name, [])
    winner = going.winner.get(slot.name)
    scores = score_match(going.rules.points, matches[-1]).games if matches and matches[-1].games else {}
    sides = []
    for source, entrant in zip(slot.sources, going.entrants(slot), strict=True):
        if entrant:
            score = written(scores[entrant]) if entrant in scores else ""
            sides.append(Side(entrant, "", going.seed[entrant], score, entrant == winner))
        else:
            sides.append(Side(None, source.told().removeprefix("the ") if entrant is None else "bye"))
    return Box(slot.name, slot.title, tuple(sides), _state(going, slot, matches), _note(going, slot))


def _state(going: Progress, slot: Slot, matches: Sequence[MatchResult]) -> str:
    if slot.name in going.winner:
        return DONE
    if None in going.entrants(slot):
        return WAITING
    return PLAYING if matches and not matches[-1].over else READY


def _note(going: Progress, slot: Slot) -> str:
    if slot.name in going.notes:
        return going.notes[slot.name]
    if going.drawn[slot.name]:
        return "drawn once" if going.drawn[slot.name] == 1 else f"drawn {going.drawn[slot.name]} times"
    return "postponed" if going.waited[slot.name] and slot.name not in going.winner else ""


def _planned(entrants: int, options: FormatOptions) -> Iterator[Column]:
    """The knockout of so many who are not known yet."""
    if options.table_size > 2:
        return _coming(entrants, 1, options)
    chosen = knockout.Knockout()
    going = chosen.progress(range(1, entrants + 1), [], options)
    return (_unnamed(column) for column in _slots(going, [], replace(options, away={}, withdrawn=frozenset())))


def _unnamed(column: Column) -> Column:
    """The same with seeds in place of entrants."""
    boxes = [
        Box(
            box.slot,
            box.title,
            tuple(Side(None, f"seed {side.seed}", side.seed) if side.seed else side for side in box.sides),
            DONE if box.state == DONE else WAITING,
            box.note,
        )
        for box in column.boxes
    ]
    return Column(column.title, column.section, tuple(boxes))


def _tables(field: Sequence[int], history: Sequence[RoundResult], options: FormatOptions) -> Iterator[Column]:
    seed = {entrant: number for number, entrant in enumerate(field, start=1)}
    for number, past in enumerate(history, start=1):
        final = cut.is_final([past])
        through = cut.winners(past, field, options) if past.closed else ()
        boxes = [_table(match, options, seed, through, past.closed) for match in past.matches]
        resting = tuple(Side(entrant, "", seed[entrant], won=True) for entrant in past.byes if entrant in seed)
        if resting:
            boxes.append(Box("", "Byes", resting, DONE, "bye"))
        yield Column("Final" if final else f"Round {number}", "tables", tuple(boxes))
    if not cut.is_final(history):
        going = bool(history) and not history[-1].closed
        left = cut.left_after(history[-1], options) if going else len(cut.remaining(field, history, options))
        yield from _coming(left, len(history) + 1, options)


def _coming(left: int, number: int, options: FormatOptions) -> Iterator[Column]:
    """The rounds that so many have before them."""
    while left >= 2:
        plan = cut.plan(left, options.table_size, options.short)
        boxes = [
            Box(
                cut.FINAL if plan.final else f"W{number}.{place}",
                "Final" if plan.final else f"Table {place}",
                tuple([Side(None, "open")] * size),
                WAITING,
            )
            for place, size in enumerate(plan.sizes, start=1)
        ]
        yield Column("Final" if plan.final else f"Round {number}", "tables", tuple(boxes))
        left, number = plan.left, number + 1


def _table(
    match: MatchResult, options: FormatOptions, seed: Mapping[int, int], through: Iterable[int], closed: bool
) -> Box:
    score = score_match(options.points, match)
    order = sorted(match.entrants, key=lambda one: (score.places[one], seed[one]))
    sides = [
        Side(one, "", seed[one], written(score.games[one]) if match.games else "", one in through) for one in order
    ]
    title = "Final" if match.slot == cut.FINAL else f"Table {match.slot.partition('.')[2]}"
    return Box(match.slot, title, tuple(sides), DONE if closed or match.over else PLAYING)
