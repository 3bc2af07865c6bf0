"""The bracket on a season's page: the columns of the format (`formats.bracket`) with players and matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.utils.translation import gettext_lazy

from games.models import Player
from tournaments.formats.bracket import BOX_DONE, BOX_PLAYING, BOX_READY, BOX_WAITING, Box, BoxSide, Column
from tournaments.formats.knockout import THIRD_PLACE
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.models import Division, Entrant, Match, Round
from tournaments.seasons.pairing import bracket_of

SECTION_TITLES = {
    "upper": gettext_lazy("Upper bracket"),
    "lower": gettext_lazy("Lower bracket"),
    "final": gettext_lazy("Final"),
    "groups": gettext_lazy("Groups"),
    "tables": gettext_lazy("Knockout"),
}
BOX_STATE_LABELS = {
    BOX_WAITING: gettext_lazy("upcoming"),
    BOX_READY: gettext_lazy("ready to play"),
    BOX_PLAYING: gettext_lazy("being played"),
    BOX_DONE: gettext_lazy("played"),
}


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box of a bracket with its sides, their players as far as they are known, and the last match that was paired for
    it. `label`: how other boxes name it ("winner of W2.1") if the column has several boxes."""

    label: str
    box: Box
    sides: list[tuple[BoxSide, Player | None]]
    match: Match | None

    @property
    def caption(self) -> str:
        """The box's note, or its state."""
        return str(self.box.note or BOX_STATE_LABELS[self.box.state])


@dataclass(frozen=True, slots=True)
class DrawnColumn:
    """The boxes of a round, from the top."""

    title: str
    boxes: list[DrawnBox]


@dataclass(frozen=True, slots=True)
class Section:
    """Columns that are drawn together. `title` is "" if there is only one section."""

    name: str
    title: str
    columns: list[DrawnColumn]


def bracket_sections(folded: SeasonFold, division: Division) -> list[Section]:
    """Return the bracket of a division; [] if its format has none or it has no entrants. Three queries."""
    folded_division = folded.division(division.number)
    columns = bracket_of(folded, folded_division) if folded_division.entrants else ()
    if not columns:
        return []
    entrants = Entrant.objects.filter(division=division).select_related("player__bot_version")
    players = {entrant.number: entrant.player for entrant in entrants}
    rows = Match.objects.filter(round__division=division).exclude(round__status=Round.Status.UNDONE)
    matches = {match.slot: match for match in rows.order_by("round__number")}
    return list(group_sections(columns, players, matches))


def group_sections(
    columns: Iterable[Column], players: Mapping[int, Player], matches: Mapping[str, Match]
) -> Iterator[Section]:
    """Yield the sections of a bracket's columns."""
    columns = list(columns)
    names = {column.section for column in columns}
    # the final comes last in the upper bracket; in a double elimination it has a section of its own
    knockout = "lower" not in names

    def section_of(column: Column) -> str:
        return "upper" if knockout and column.section == "final" else column.section

    for name, section_columns in groupby(columns, key=section_of):
        title = ""
        if len(names - {"final"} if knockout else names) > 1:
            title = str(SECTION_TITLES["tables" if knockout and name == "upper" else name])
        yield Section(name, title, [_draw_column(column, players, matches) for column in section_columns])
    for column in columns:
        for box in column.boxes:
            if box.slot == THIRD_PLACE:  # nobody advances to it, so it stands apart from the lines between the rounds
                yield Section("third", str(box.title), [DrawnColumn("", [_draw_box(box, column, 1, players, matches)])])


def _draw_column(column: Column, players: Mapping[int, Player], matches: Mapping[str, Match]) -> DrawnColumn:
    boxes = [box for box in column.boxes if box.slot != THIRD_PLACE]
    return DrawnColumn(str(column.title), [_draw_box(box, column, len(boxes), players, matches) for box in boxes])


def _draw_box(
    box: Box, column: Column, count: int, players: Mapping[int, Player], matches: Mapping[str, Match]
) -> DrawnBox:
    """Return a box of a column that has so many."""
    sides = [(side, players.get(side.entrant) if side.entrant else None) for side in box.sides]
    label = box.slot if box.title == column.title and count > 1 else str(box.title)
    return DrawnBox(label, box, sides, None if column.section == "groups" else matches.get(box.slot))
