"""The moments of a game that mattered most, by its luck ledger, with their words.

A draw is described by what came, and a decision by what was chosen. What came of a decision was chance or is another
decision, so its words never say it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from replays.frames.replay import FrameBuilder
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import BEAT, RecordedEvent, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.luck.ledger import CHANCE, DECISION
from scorebook_games.presentation.base import MoverView
from scorebook_games.presentation.sentences import plain_text
from scorebook_games.registry import KINDS

MOMENTS_SHOWN: Final = 3
MIN_MOMENT: Final = 0.01  # of a share of 1

StoredEntry = tuple[int, str, int | None, Sequence[float]]  # version, sort, seat, gains


class Place(NamedTuple):
    """Where a draw or a decision stands: the version of its event, and whose decision it is; None for a draw."""

    version: int
    seat: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """A draw or decision that mattered: the step that shows it, what it was worth to whom, and what came or was
    chosen."""

    version: int
    seat: int | None
    whose: int
    gain: float
    words: str


def moments_of(entries: Iterable[StoredEntry], events: Iterable[RecordedEvent], names: Sequence[str]) -> list[Moment]:
    """Return the draws and decisions that changed most, in the order of the game. Gains are in shares of 1."""
    worth = worth_by_place(entries, len(names))
    largest = sorted(worth, key=lambda place: (-_size(worth[place], place), place.version))[:MOMENTS_SHOWN]
    chosen = sorted(
        (place for place in largest if _size(worth[place], place) >= MIN_MOMENT),
        key=lambda place: (place.version, place.seat is None),
    )
    sentences = words_of(events, chosen, names)
    moments = []
    for place in chosen:
        whose = _whose(worth[place], place)
        version, words = sentences[place]
        if not words:
            continue
        moments.append(Moment(version, place.seat, whose, worth[place][whose], words))
    return moments


def worth_by_place(entries: Iterable[StoredEntry], seats: int) -> dict[Place, list[float]]:
    """Return what each draw and decision was worth to each seat, with all draws of one event as one."""
    worth: dict[Place, list[float]] = defaultdict(lambda: [0.0] * seats)
    for version, sort, seat, gains in entries:
        if sort in (CHANCE, DECISION):
            place = Place(version, seat if sort == DECISION else None)
            worth[place] = [old + gain for old, gain in zip(worth[place], gains, strict=True)]
    return worth


def _whose(gains: Sequence[float], place: Place) -> int:
    """Return the seat for which a moment is told: who decided, or who won or lost most by the draw."""
    if place.seat is not None:
        return place.seat
    return max(range(len(gains)), key=lambda seat: (abs(gains[seat]), gains[seat]))


def _size(gains: Sequence[float], place: Place) -> float:
    return abs(gains[_whose(gains, place)])


def words_of(
    events: Iterable[RecordedEvent], places: Collection[Place], names: Sequence[str]
) -> dict[Place, tuple[int, str]]:
    """Return for each place the step that shows it, and its words.

    An event that stands in no list, such as a beat's lot, is shown by the next step that does. A draw is told with the
    event before it, if both are one draw (`Presentation.drawn_with`).
    """
    stream = iter(events)
    first = next(stream, None)
    if first is None:
        return {}
    builder = FrameBuilder(first, visibility.ALL)
    by_version: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        by_version[place.version].append(place)
    found: dict[Place, tuple[int, str]] = {}
    waiting: list[Place] = []  # for a step that the list has
    drawn_with = builder.presentation.drawn_with
    type_before = words_before = ""
    for entry in stream:
        here = by_version.get(entry.version, [])
        begins_draw = entry.version + 1 in by_version and entry.event[0] in drawn_with.values()
        if not here and not waiting and not begins_draw:
            builder.fold.apply(entry.event)
            type_before = ""
            continue
        for place in here:
            if place.seat is not None:
                found[place] = entry.version, chosen_words(builder.fold, entry, place.seat, names)
        drawn = next((place for place in here if place.seat is None), None)
        sentence = plain_text(builder.words_of(entry), names)
        if drawn:
            both = [words_before, sentence] if drawn_with.get(entry.event[0]) == type_before else [sentence]
            found[drawn] = entry.version, " ".join(filter(None, both)) or wordless(entry, names)
        if sentence:
            found |= {place: (entry.version, found[place][1]) for place in waiting}
            waiting = []
        else:
            waiting += here
        type_before, words_before = entry.event[0], sentence
    return found


def chosen_words(fold: Fold, entry: RecordedEvent, seat: int, names: Sequence[str]) -> str:
    """Return what a seat chose, as the button of its move names it; "" if nothing came of its choice, as when it passed
    in a beat. `fold` is the game before the event."""
    value = KINDS[fold.opened["kind"]].value
    if is_table_event(entry.event) or (value and value.decider(fold.state, entry.event) != seat):
        return ""
    _seat, action = fold.rules.action_of(fold.state, entry.event)
    move = fold.rules.move_text(fold.state, action)
    view = MoverView(visibility.observation(fold, seat), seat, names)
    label = KINDS[fold.opened["kind"]].presentation.move_label(move, view)
    return _("{name} chose “{move}”.").format(name=names[seat], move=label.words)


def wordless(entry: RecordedEvent, names: Sequence[str]) -> str:
    """Return the words of a draw for which the kind has none."""
    if entry.event[0] == BEAT:
        order = ", ".join(names[seat] for seat in entry.event[2])
        return _("The lot decided who moves first. The order was: {names}.").format(names=order)
    return _("Cards or dice came without a player’s choice.")
