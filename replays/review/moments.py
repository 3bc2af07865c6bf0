"""The moments of a game that mattered most, by its luck ledger, with their words.

A draw is described by what came. A decision is described by what was chosen and what is usual there. What came of a
decision was chance or is another decision, so its words never say it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.utils.translation import gettext as _

from scorebook_games.frames.narration import narrate, narrate_draw
from scorebook_games.frames.replay import FrameBuilder
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import BEAT, RecordedEvent, is_table_event
from scorebook_games.gamelog.fold import Fold
from scorebook_games.luck.ledger import CHANCE, TABLE
from scorebook_games.presentation.base import MoverView
from scorebook_games.presentation.sentences import plain_text
from scorebook_games.presentation.text import join_with_or
from scorebook_games.registry import KINDS

MOMENTS_SHOWN: Final = 3
MIN_MOMENT: Final = 0.01  # of a share of 1
USUAL_SHOWN: Final = 3


class StoredEntry(NamedTuple):
    """An entry of a stored ledger, with gains in shares of 1 and the usual moves that a decision was compared with."""

    version: int
    sort: str
    seat: int | None
    gains: Sequence[float]
    usual: Sequence[str] = ()


class Place(NamedTuple):
    """Where entries stand: the version of their event, their sort, and whose decision it is; None for other sorts."""

    version: int
    sort: str
    seat: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A change that mattered: the step that shows it, its sort, for whom it is told, what it was worth to them, and
    what came or was chosen. `event` is its event, and `seat` whose decision it was, or None."""

    version: int
    sort: str
    whose: int
    gain: float
    words: str
    event: int
    seat: int | None


def moments_of(entries: Iterable[StoredEntry], events: Iterable[RecordedEvent], names: Sequence[str]) -> list[Moment]:
    """Return the largest changes of whatever sort, in the order of the game. Gains are in shares of 1."""
    entries = list(entries)
    worth = worth_by_place(entries, len(names))
    largest = sorted(worth, key=lambda place: (-_size(worth[place], place), place.version))[:MOMENTS_SHOWN]
    chosen = [place for place in worth if place in largest and _size(worth[place], place) >= MIN_MOMENT]
    usual = {Place(*entry[:3]): entry.usual for entry in entries}
    told = words_of(events, {place: usual[place] for place in chosen}, names)
    moments = []
    for place in chosen:
        whose = _whose(worth[place], place)
        version, words = told[place]
        moments.append(Moment(version, place.sort, whose, worth[place][whose], words, *place[::2]))
    return moments


def worth_by_place(entries: Iterable[StoredEntry], seats: int) -> dict[Place, list[float]]:
    """Return what was worth how much to each seat, in the order of the game, with all draws of one event as one."""
    worth: dict[Place, list[float]] = defaultdict(lambda: [0.0] * seats)
    for entry in entries:
        place = Place(*entry[:3])
        worth[place] = [old + gain for old, gain in zip(worth[place], entry.gains, strict=True)]
    return worth


def _whose(gains: Sequence[float], place: Place) -> int:
    """Return the seat for which a moment is told: who decided, or who won or lost most by it."""
    if place.seat is not None:
        return place.seat
    return max(range(len(gains)), key=lambda seat: (abs(gains[seat]), gains[seat]))


def _size(gains: Sequence[float], place: Place) -> float:
    return abs(gains[_whose(gains, place)])


def words_of(
    events: Iterable[RecordedEvent], places: Mapping[Place, Sequence[str]], names: Sequence[str]
) -> dict[Place, tuple[int, str]]:
    """Return for each place the step that shows it, and its words. `places` have the usual moves of decisions.

    An event that stands in no list, such as a beat's lot, is shown by the next step that does.
    """
    stream = iter(events)
    first = next(stream, None)
    if first is None:
        return {}
    builder = FrameBuilder(first, visibility.ALL)
    by_version: dict[int, list[Place]] = defaultdict(list)
    for place in places:
        by_version[place.version].append(place)
    words: dict[Place, str] = {}
    found: dict[Place, tuple[int, str]] = {}
    waiting: list[Place] = []  # for a step that the list has
    for entry in stream:
        waiting += by_version[entry.version]
        if not waiting:
            builder.fold.apply(entry.event)
            continue
        for place in by_version[entry.version]:
            if place.seat is not None:
                words[place] = decision_words(builder.fold, entry, place.seat, names, places[place])
        step = builder.step_of(entry)
        for place in by_version[entry.version]:
            if place.sort == CHANCE:
                words[place] = plain_text(narrate_draw(builder.kind, step), names) or wordless(entry, names)
        if shown := plain_text(narrate(builder.kind, step), names):
            found |= {place: (entry.version, words.get(place) or other_words(place, shown)) for place in waiting}
            waiting = []
    return found | {place: (place.version, words.get(place) or other_words(place, "")) for place in waiting}


def decision_words(fold: Fold, entry: RecordedEvent, seat: int, names: Sequence[str], usual: Sequence[str] = ()) -> str:
    """Return what a seat chose and what is usual, as buttons name moves. `fold` is the game before the event.

    In a beat, nothing may have come of what the seat chose: it passed, or the rules refused its move.
    """
    view = MoverView(visibility.observation(fold, seat), seat, names)
    presentation = KINDS[fold.opened["kind"]].presentation
    made = chosen_move(fold, entry, seat)
    move = presentation.move_label(made, view).words if made else ""
    labels = [presentation.move_label(each, view).words for each in usual if each != made]
    others = [f"“{label}”" for label in dict.fromkeys(labels) if label != move]
    if len(others) > USUAL_SHOWN:
        others = [*others[: USUAL_SHOWN - 1], _("{n} others").format(n=len(others) - USUAL_SHOWN + 1)]
    if made:
        words = _("{name} chose “{move}” instead of the usual {usual}.") if others else _("{name} chose “{move}”.")
    elif others:
        words = _("No move of {name} was played, instead of the usual {usual}.")
    else:
        words = _("No move of {name} was played.")
    return words.format(name=names[seat], move=move, usual=join_with_or(others))


def chosen_move(fold: Fold, entry: RecordedEvent, seat: int) -> str:
    """Return the move of a seat that an event comes from, in notation; "" if the event is not of its choice."""
    value = KINDS[fold.opened["kind"]].value
    if is_table_event(entry.event) or (value and value.decider(fold.state, entry.event) != seat):
        return ""
    _seat, action = fold.rules.action_of(fold.state, entry.event)
    return fold.rules.move_text(fold.state, action)


def other_words(place: Place, step: str) -> str:
    """Return the words of what is neither draw nor decision, from those of the step that shows it."""
    if place.sort == TABLE:
        return step
    words = _("{step} Before or after this, the program misjudged who was ahead.")
    return words.format(step=step).strip()


def wordless(entry: RecordedEvent, names: Sequence[str]) -> str:
    """Return the words of a draw for which the kind has none."""
    if entry.event[0] == BEAT:
        order = ", ".join(names[seat] for seat in entry.event[2])
        return _("The lot decided who moves first. The order was: {names}.").format(names=order)
    return _("Cards or dice came without a player’s choice.")
