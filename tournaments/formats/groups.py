"""Groups with a knockout: round robins in groups, from which the best go on to a bracket.

Seeds are dealt to the groups back and forth. Those who go on are seeded by their place in the group, then by their
points a match. The bracket keeps entrants of the same group apart as long as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

from scorebook_games.contract import Dealer, Option
from scorebook_games.presentation.text import gettext_noop
from tournaments.core.results import RoundResult
from tournaments.formats import reasons
from tournaments.formats.base import (
    Finished,
    FormatOptions,
    Pairing,
    PairingBye,
    Pairings,
    Place,
    Wait,
    finished,
    places_by_level,
    sum_by_round,
)
from tournaments.formats.bracket import BOX_DONE, BOX_PLAYING, BOX_READY, Box, BoxSide, Column
from tournaments.formats.field import standings_by_points
from tournaments.formats.format import Format
from tournaments.formats.knockout import THIRD_PLACE_LABEL, THIRD_PLACE_OPTION, Knockout
from tournaments.formats.reasons import AWAY, WITHDRAWN
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.seeding import present_entrants, seeded, serpentine, with_defaults
from tournaments.formats.slots import (
    BRACKET_LABELS,
    DRAWN_OPTION,
    POSTPONE_OPTION,
    absence_from_bracket,
    bracket_depth,
    bracket_order,
)
from tournaments.scoring.crosstable import WALKOVER_RESULT
from tournaments.scoring.points import ZERO, format_number
from tournaments.scoring.standings import EntrantStanding

GROUP_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
GROUP_SLOT_PREFIX = "Group "


@dataclass(frozen=True, slots=True)
class Stages:
    """The state of the competition: the groups (name → members by seed), their rounds, and the rounds of the
    knockout."""

    groups: Mapping[str, Sequence[int]]
    group_rounds: Sequence[RoundResult]
    knockout_rounds: Sequence[RoundResult]
    answers: Mapping[str, Pairings | Wait | Finished]  # each group's answer after its rounds

    @property
    def grouped(self) -> bool:
        """Return whether groups are still being played."""
        return any(not isinstance(answer, Finished) for answer in self.answers.values())


class Groups(Format):
    """The format `groups`. Slots of groups are "Group A" …; those of the knockout are as in `knockout`."""

    key = "groups"
    label = gettext_noop("Groups with a knockout")
    options = (
        Option(
            "group_size",
            "int",
            4,
            "Entrants per group; some groups are larger if the number does not divide evenly.",
            2,
            12,
        ),
        Option("advance", "int", 2, "Entrants of each group who qualify for the knockout.", 1, 6),
        Option("meetings", "int", 1, "How often two entrants of a group meet: once or twice.", 1, 2),
        THIRD_PLACE_OPTION,
        *DRAWN_OPTION,
        POSTPONE_OPTION,
    )
    option_labels: ClassVar = {
        "group_size": gettext_noop("Entrants per group"),
        "advance": gettext_noop("Qualifiers per group"),
        "meetings": gettext_noop("Meetings within a group"),
        THIRD_PLACE_OPTION.name: THIRD_PLACE_LABEL,
        **BRACKET_LABELS,
    }
    places_by = gettext_noop("Points decide within the groups. After that, places depend on the stage reached.")
    by_points = False
    eliminates = True

    def counts_dummies(self, table_size: int) -> bool:
        """Within a group as in a round robin."""
        return table_size > 2

    def rounds(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> int:
        """Return the rounds of the largest group plus those of the knockout. Replays and postponed matches add to
        them."""
        complete = with_defaults(self.options, settings)
        sizes = sizes_of(entrants, table_size, complete["group_size"])
        grouped = RoundRobin(complete["meetings"]).rounds(max(*sizes, table_size), table_size)
        through = sum(min(complete["advance"], size) for size in sizes)
        return grouped + (Knockout().rounds(through, table_size, settings) if len(sizes) > 1 else 0)

    def why_unplayable(self, entrants: int, table_size: int, settings: Mapping[str, Any]) -> str | None:
        """Groups need at least two groups, somebody in each who does not go on, and a full table of those who do."""
        complete = with_defaults(self.options, settings)
        sizes = sizes_of(entrants, table_size, complete["group_size"])
        if len(sizes) < 2:
            least = 2 * max(complete["group_size"], table_size)
            return (
                f"Two groups need {least} entrants and there are {entrants}. Invite more, or make the groups smaller."
            )
        if complete["advance"] >= min(sizes):
            return (
                f"In groups of {min(sizes)} at least one entrant must be eliminated. Reduce the qualifiers per group, "
                "or make the groups larger."
            )
        if len(sizes) * complete["advance"] < table_size:
            return (
                f"Fewer than {table_size} entrants would qualify, too few for a table. Increase the qualifiers per "
                "group."
            )
        return None

    def absence(self, table_size: int) -> str:
        """Return what follows in the groups, and then in the knockout."""
        return f"{RoundRobin(1).absence(table_size)} {absence_from_bracket(table_size)}"

    def next(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Pairings | Wait | Finished:
        """Return the next round of all groups, later of the knockout."""
        if history and not history[-1].closed:
            return Wait(f"Round {history[-1].number} is still being played.")
        stages = self.stages(entrants, history, options, chance)
        if stages.grouped:
            return _join_groups(stages, options)
        rows = {name: group_standings(stages, name, options) for name in stages.groups}
        complete = with_defaults(self.options, options.settings)
        through = knockout_field(rows, stages, complete["advance"], options) if len(rows) > 1 else []
        answer: Pairings | Wait | Finished = Finished({})
        if through:
            answer = Knockout().carry_on(
                through, through, stages.knockout_rounds, options, LabelledChance(chance, "knockout")
            )
        return finished(self.places(entrants, history, options, chance)) if isinstance(answer, Finished) else answer

    def places(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> dict[int, Place]:
        """Return the places of the knockout, then the others by their places in the groups, then entrants without a
        group. While groups are played, all their entrants are still in."""
        stages = self.stages(entrants, [past for past in history if past.closed], options, chance)
        rows = {name: group_standings(stages, name, options) for name in stages.groups}
        in_group = {row.entrant: row.place for standing in rows.values() for row in standing}
        levels = {entrant: -in_group.get(entrant, len(in_group) + 1) for entrant in entrants}
        if stages.grouped:
            return places_by_level(levels, in_group)
        complete = with_defaults(self.options, options.settings)
        through = knockout_field(rows, stages, complete["advance"], options) if len(rows) > 1 else []
        knockout = Knockout().places_in_field(through, through, stages.knockout_rounds, options)
        levels |= {one: len(through) - place.place + 1 for one, place in knockout.items()}
        return places_by_level(levels, [one for one, place in knockout.items() if place.still_in])

    def table_counts(self, entrants: int, table_size: int, settings: Mapping[str, Any], *, short: bool) -> list[int]:
        """Return the number of tables of each round, of all groups together and then of the knockout."""
        complete = with_defaults(self.options, settings)
        sizes = sizes_of(entrants, table_size, complete["group_size"])
        robin = RoundRobin(complete["meetings"])
        grouped = [robin.table_counts(size, table_size, {}, short=short) for size in sizes]
        through = sum(min(complete["advance"], size) for size in sizes)
        return sum_by_round(grouped) + Knockout().table_counts(through, table_size, complete, short=short)

    def columns(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> tuple[Column, ...]:
        """Return a column of the groups, then the knockout."""
        complete = with_defaults(self.options, options.settings)
        stages = self.stages(entrants, history, options, chance)
        rows = {name: group_standings(stages, name, options) for name in stages.groups}
        through = [] if stages.grouped else knockout_field(rows, stages, complete["advance"], options)
        state = BOX_DONE if not stages.grouped else BOX_PLAYING if history else BOX_READY
        boxes = [_group_box(name, standing, through, state) for name, standing in rows.items()]
        grouped = Column(reasons.group_stage(), "groups", tuple(boxes))
        if len(rows) < 2:
            return (grouped,)
        if stages.grouped:
            coming = sum(min(complete["advance"], len(row)) for row in rows.values())
            return (grouped, *Knockout().coming_columns(coming, options))
        return (grouped, *Knockout().columns_in_field(through, stages.knockout_rounds, options))

    def group_rows(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> dict[int, EntrantStanding]:
        """Return entrant → row in the standings of the group."""
        stages = self.stages(entrants, history, options, chance)
        return {row.entrant: row for name in stages.groups for row in group_standings(stages, name, options)}

    def stages(
        self, entrants: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
    ) -> Stages:
        """Split the history into groups and knockout.

        The groups end with the round after which none of them had anything left to play, as seen by those present at
        the time. Entrants who return later do not reopen them.
        """
        complete = with_defaults(self.options, options.settings)
        groups = groups_of(entrants, history, options, complete["group_size"])
        last = max([n for n, past in enumerate(history, 1) if any(m.slot in groups for m in past.matches)], default=0)
        robin = RoundRobin(complete["meetings"])
        for end in range(last, len(history) + 1):
            rounds = history[:end]
            then = _options_at(history[end], entrants, options) if end < len(history) else options
            answers = {
                name: _next_in_group(
                    robin, members, rounds_of_group(rounds, name, members), then, LabelledChance(chance, name)
                )
                for name, members in groups.items()
            }
            stages = Stages(groups, rounds, history[end:], answers)
            if not stages.grouped:
                break
        return stages


def _group_box(name: str, standing: Sequence[EntrantStanding], through: Collection[int], state: str) -> Box:
    sides = [BoxSide(row.entrant, score=format_number(row.points), won=row.entrant in through) for row in standing]
    return Box(name, reasons.group(group_letter(name)), tuple(sides), state)


@dataclass(frozen=True, slots=True)
class LabelledChance:
    """The season's chance, with a prefix of one's own before its labels."""

    chance: Dealer
    name: str

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        """Return what the season's chance returns under the prefixed label."""
        return self.chance.integers(f"{self.name}/{label}", bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        """Return what the season's chance returns under the prefixed label."""
        return self.chance.shuffle(f"{self.name}/{label}", items)

    def dice(self, label: str, count: int) -> list[int]:
        """Return what the season's chance returns under the prefixed label."""
        return self.chance.dice(f"{self.name}/{label}", count)


def sizes_of(entrants: int, table_size: int, group_size: int) -> list[int]:
    """Return the sizes of the groups, as equal as possible, and not below the wanted size or that of a table."""
    count = max(1, entrants // max(group_size, table_size))
    return [entrants // count + (place < entrants % count) for place in range(count)]


def groups_of(
    entrants: Iterable[int], history: Sequence[RoundResult], options: FormatOptions, group_size: int
) -> dict[str, list[int]]:
    """Return name → members, strongest first, of those present in the first round. Later entrants are in no group."""
    there = present_entrants(history[0]) if history else set(entrants) - options.withdrawn
    members = seeded([entrant for entrant in entrants if entrant in there], options)
    shares = serpentine(members, sizes_of(len(members), options.table_size, group_size))
    return {f"{GROUP_SLOT_PREFIX}{_letters(place)}": share for place, share in enumerate(shares)}


def rounds_of_group(rounds: Iterable[RoundResult], name: str, members: Sequence[int]) -> list[RoundResult]:
    """Return one group's part of these rounds."""

    def members_among(entrants: Iterable[int]) -> tuple[int, ...]:
        return tuple([entrant for entrant in entrants if entrant in members])

    return [
        replace(
            past,
            matches=tuple([match for match in past.matches if match.slot == name]),
            byes=members_among(past.byes),
            away=members_among(past.away),
            unpaid=members_among(past.unpaid),
            walkovers=members_among(past.walkovers),
            missing=tuple([pair for pair in past.missing if set(pair) <= set(members)]),
        )
        for past in rounds
    ]


def _options_at(past: RoundResult, entrants: Iterable[int], options: FormatOptions) -> FormatOptions:
    """Return the options as they were when this round was paired."""
    there = present_entrants(past)
    gone = {entrant: WITHDRAWN for entrant in entrants if entrant not in there}
    return replace(options, away=gone | dict.fromkeys(past.away, AWAY), withdrawn=frozenset(gone))


def group_standings(stages: Stages, name: str, options: FormatOptions) -> list[EntrantStanding]:
    """Return the standings of a group."""
    members = stages.groups[name]
    rounds = rounds_of_group(stages.group_rounds, name, members)
    return standings_by_points(members, rounds, replace(options, carried={}))


def knockout_field(
    rows: Mapping[str, Sequence[EntrantStanding]], stages: Stages, advance: int, options: FormatOptions
) -> list[int]:
    """Return who goes on, in the order of the knockout's seeds. If one of them has withdrawn, the next one goes on."""
    there = present_entrants(stages.knockout_rounds[0]) if stages.knockout_rounds else None
    tiers: list[list[tuple[Fraction, int]]] = [[] for _ in range(advance)]
    group: dict[int, str] = {}
    for name, standing in rows.items():
        left = [
            row
            for row in _group_ranking(standing, stages.groups[name])
            if (row.entrant in there if there is not None else row.entrant not in options.withdrawn)
        ]
        for tier, row in zip(tiers, left, strict=False):
            tier.append((_points_per_match(row), row.entrant))
            group[row.entrant] = name
    order = {entrant: place for place, entrant in enumerate(seeded(group, options))}
    field = [[entrant for _, entrant in sorted(tier, key=lambda one: (-one[0], order[one[1]]))] for tier in tiers]
    return order_tiers(field, group)


def _points_per_match(row: EntrantStanding) -> Fraction:
    """Return the mean points of a match. Walkovers count as matches, byes do not."""
    points_of_row = [line.points for line in row.lines if line.opponents or line.rest == WALKOVER_RESULT]
    return sum(points_of_row, ZERO) / max(len(points_of_row), 1)


def order_tiers(tiers: Sequence[Sequence[int]], group: Mapping[int, str]) -> list[int]:
    """Return the tiers one after the other, with all but the first ordered so that members of one group meet as late as
    possible.

    Two of a tier are swapped whenever that delays meetings. A meeting one round later costs a quarter.
    """
    field = [entrant for tier in tiers for entrant in tier]
    if len(field) < 2:
        return field
    line = {seed: place for place, seed in enumerate(bracket_order(2 ** bracket_depth(len(field))))}

    def cost(one: int) -> float:
        mates = [i for i, other in enumerate(field) if i != one and group[other] == group[field[one]]]
        return sum(4.0 ** -(line[one + 1] ^ line[i + 1]).bit_length() for i in mates)

    blocks, start = [], 0
    for tier in tiers:
        blocks.append(range(start, start + len(tier)))
        start += len(tier)
    better = True
    while better:
        better = False
        for i, j in (pair for block in blocks[1:] for pair in combinations(block, 2)):
            before = cost(i) + cost(j)
            field[i], field[j] = field[j], field[i]
            if cost(i) + cost(j) < before:
                better = True
            else:
                field[i], field[j] = field[j], field[i]
    return field


def _group_ranking(rows: Sequence[EntrantStanding], members: Sequence[int]) -> list[EntrantStanding]:
    """Return a group from first to last; equal places are ordered by seed."""
    return sorted(rows, key=lambda row: (row.place, members.index(row.entrant)))


def _next_in_group(
    robin: Format, members: Sequence[int], history: Sequence[RoundResult], options: FormatOptions, chance: Dealer
) -> Pairings | Wait | Finished:
    if len(members) < max(2, options.table_size):
        return Finished(dict.fromkeys(members, 1))
    return robin.next(sorted(members), history, options, chance)


def _join_groups(stages: Stages, options: FormatOptions) -> Pairings | Wait:
    """Return the next round of all groups as one round."""
    tables: list[Pairing] = []
    byes: list[PairingBye] = []
    for name, answer in stages.answers.items():
        if isinstance(answer, Wait):
            return answer
        if isinstance(answer, Finished):
            staying = [one for one in stages.groups[name] if one not in options.away and one not in options.withdrawn]
            byes += [PairingBye(one, (reasons.group_finished(group_letter(name)),)) for one in staying]
            continue
        seated, resting = _without_absent(answer, options)
        why_group = reasons.in_group(group_letter(name))
        tables += [replace(one, reason=(why_group, *one.reason), slot=name) for one in seated]
        byes += [replace(one, reason=(why_group, *one.reason)) for one in resting]
    return Pairings(tuple(tables), tuple(byes))


def _without_absent(answer: Pairings, options: FormatOptions) -> tuple[list[Pairing], list[PairingBye]]:
    """Return the tables without absent entrants. At a table with one, the others have a bye, or play at a short table
    if that is allowed."""
    missing = options.withdrawn | set(options.away)
    tables, byes = [], [rest for rest in answer.byes if rest.entrant not in missing]
    for table in answer.tables:
        there = tuple([entrant for entrant in table.seats if entrant not in missing])
        if len(there) == len(table.seats) or (options.short and len(there) > 1):
            tables.append(replace(table, seats=there))
        else:
            byes += [PairingBye(entrant, (reasons.opponent_missing(),)) for entrant in there]
    return tables, byes


def group_letter(name: str) -> str:
    """Return the letter of a group."""
    return name.removeprefix(GROUP_SLOT_PREFIX)


def _letters(place: int) -> str:
    """Return A … Z, AA, AB …"""
    high, low = divmod(place, len(GROUP_LETTERS))
    return (GROUP_LETTERS[high - 1] if high else "") + GROUP_LETTERS[low]
