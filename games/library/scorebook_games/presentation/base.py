"""What a kind of game offers for people to read and see. Each part has a default that works for any kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, NamedTuple

from scorebook_games.presentation.introduction import Introduction
from scorebook_games.presentation.sentences import (
    SUIT_SIGNS,
    EventContext,
    Narrator,
    Observation,
    Readable,
    Reason,
    Reasoner,
    Segments,
    describe_event,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import ngettext

OF_EVERY_GAME: Final = frozenset(
    {"seat", "version", "to_act", "left", "taken_over", "outcome", "beat", "ready", "options", "by_seat"}
)  # keys of an observation that are not part of the position
ZONE_SORTS: Final = ("hand", "cards", "pile", "dice", "words")
PREVIEW_SORTS: Final = ("cards", "hand", "pile", "dice", "discs", "words")
FEW_CARDS: Final = 2  # a seat with this many cards or fewer is close to being out


class MoveLabel(NamedTuple):
    """A move as a button names it. A `grave` move destroys something, so the page asks for confirmation."""

    words: str
    grave: bool = False


class MoverView(NamedTuple):
    """What a move's words are made from: the mover's observation and seat, and the names of all players by seat."""

    observation: Observation
    seat: int
    names: Sequence[str]


class Explanation(NamedTuple):
    """What a sort of thing on the table is and does: its name, or "" if the board names it, and lines with clauses.

    `lines` say its requirement, its value, and what it can do.
    """

    lines: tuple[Reason, ...]
    name: str = ""


class Fact(NamedTuple):
    """One line of a position in words: a label and its text."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Card:
    """The face of a card: rank and suit as they are drawn, its name, and whether it is red.

    All are empty for an empty spot. A `back` lies face down. A `tone` is the colour of a piece that is no card.
    """

    rank: str = ""
    suit: str = ""
    name: str = ""
    red: bool = False
    back: bool = False
    tone: str = ""


BACK: Final = Card(back=True)


class PreviewRow(NamedTuple):
    """Things that lie together, in the small picture of a table: at most a few, and their `total` if it is more.

    `sort` is one of `PREVIEW_SORTS`. `seat` owns them; None for the middle of the table.
    """

    sort: str
    things: Sequence[Card]
    seat: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """A small picture of a table: the cards in the middle, these cards in words, a note, and a figure for each seat.

    `turn` are the seats that everybody knows may act. `rows` draw the table as it is; they show nothing else.
    """

    cards: list[Card]
    words: str
    note: str
    figures: list[str]
    turn: tuple[int, ...] = ()
    rows: tuple[PreviewRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Highlight:
    """A moment of a game that is worth finding. `parts` describe it.

    `kind` is one of: lead, capture, chain, got, streak, clear, round, take, race, threat, bomb, out.
    """

    kind: str
    seat: int | None
    parts: Segments


@dataclass(frozen=True, slots=True)
class ScoreAxis:
    """What the scores of a replay count, whether the highest or the lowest is best, and in words which one wins."""

    title: str
    best: str
    goal: str


class FirstGame(NamedTuple):
    """A short game against a built-in bot, for people who may not know the kind yet.

    `options` differ from the kind's defaults and make the game short; `words` describe them. `minutes` is the median
    time of a person's game against the sensible bot (`python -m tests.bench.first_game`).
    """

    minutes: int
    options: Mapping[str, Any] = {}
    words: str = ""


@dataclass(frozen=True, slots=True)
class Zone:
    """Cards, dice or words that lie together on a table, for the generic board.

    `sort` is one of `ZONE_SORTS`. An item is a card ("7S"), a die ("6") or a word; None is a face-down card. The last
    item of a pile is on top. `seat` owns the zone; None for a zone of the table.
    `count` is the number of items, if `items` does not hold all of them.
    """

    title: str
    sort: str
    items: Sequence[str | None] = ()
    seat: int | None = None
    count: int | None = None


class Marker:
    """Finds the highlights of one game and gets its events in order. This one finds none."""

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:  # noqa: ARG002  for kinds to override
        """Return the highlights of one event."""
        return []


class Presentation:
    """The words and pictures of one kind. It holds nothing of a game, and gets only what the viewer may know.

    A kind derives from this class and overrides what it does better. Texts are marked with `gettext_noop` and
    translated where they are shown.
    """

    pitch: ClassVar[str] = ""
    """One sentence for people who choose a game."""
    first_game: ClassVar[FirstGame | None] = None
    introduction: ClassVar[Introduction | None] = None
    """A first game that teaches the kind; without one, none is offered."""
    option_labels: ClassVar[Mapping[str, str]] = {}
    """Labels by the name of an option."""
    choice_labels: ClassVar[Mapping[str, str]] = {}
    """Labels by a value of an option of the type "choice"."""
    move_sorts: ClassVar[Mapping[str, str]] = {}
    """Labels of sorts of moves, by the first word of their notation."""
    score_title: ClassVar[str] = "Score"
    score_goal: ClassVar[str] = ""
    """Which score wins, in words; "" for the highest or the lowest one."""
    hides: ClassVar[bool] = True
    """Whether a player may know more than the public does."""
    narrators: ClassVar[Mapping[str, Narrator]] = {}
    """Makes the sentence of an event, by its type. A type without one is not told, unless no type has one."""
    reasoners: ClassVar[Mapping[str, Reasoner]] = {}
    """Says why an event followed from the rules, by its type. What a player chose freely has no reason."""
    drawers: ClassVar[Mapping[str, Narrator]] = {}
    """Says what chance brought in an event (`scorebook_games.value`), by its type. Others are told as events are."""
    marker: ClassVar[type[Marker]] = Marker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:  # noqa: ARG002
        """Return a legal move as a button names it; by default its notation."""
        return MoveLabel(text)

    def move_sort(self, word: str) -> str:
        """Return the label of the sort of moves whose notation begins with `word`, by default the word."""
        label = self.move_sorts.get(word)
        return _(label) if label else label_of(word)

    def narrate(self, step: EventContext) -> Segments:
        """Return an event as a sentence, or [] for one that is not told.

        By default it is made from the event's field names.
        """
        if not self.narrators:
            return describe_event(step.event)
        narrator = self.narrators.get(step.event["type"])
        return narrator(step) if narrator else []

    def narrate_draw(self, step: EventContext) -> Segments:
        """Return what chance brought in an event, as a sentence, or [] for what is not told."""
        drawer = self.drawers.get(step.event["type"])
        return drawer(step) if drawer else self.narrate(step)

    def reason(self, step: EventContext) -> Reason | None:
        """Return why an event followed from the rules, with the clause; None if it was somebody's choice."""
        reasoner = self.reasoners.get(step.event["type"])
        return reasoner(step) if reasoner else None

    def asked(self, seen: Observation) -> str:  # noqa: ARG002
        """Return what the seats that are to act are asked for, such as "a card from the hand"; "" says nothing."""
        return ""

    def explanations(self) -> dict[str, Explanation]:
        """Return what the things on the table are and do, by their keys (docs/reference/kinds.md).

        Nothing depends on a game: they are the same for all viewers.
        """
        return {}

    def win_sentence(self, seat: int, score: int) -> Segments:
        """Return the sentence that says this seat alone has won."""
        return sentence(_("{who} wins with {score}."), who=seat_segment(seat), score=score)

    def thumbnail(self, seen: Observation) -> Thumbnail | None:  # noqa: ARG002
        """Return the small picture of the table; None if there is none, such as before the deal."""
        return None

    def preview(self, seen: Observation) -> Sequence[PreviewRow]:
        """Return the table for its small picture, by default its `zones`."""
        return preview_of(self.zones(seen) or [])

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        """Return the position as facts, the table first, then each player.

        By default these are the entries of the observation.
        """
        texts = {name: plain_value(value, names) for name, value in seen.items() if name not in OF_EVERY_GAME}
        return [Fact(label_of(name), text) for name, text in texts.items() if text]

    def zones(self, seen: Observation) -> list[Zone] | None:  # noqa: ARG002
        """Return what lies on the table, for the board that draws any kind, or None for a kind with its own board.

        If it is None for a kind without its own board, that board reads the entries of the observation.
        """
        return None

    def scores(self, seen: Observation) -> list[int]:
        """Return one figure a seat for a replay's score line, named by `score_title`; [] if there are none."""
        scores = seen.get("scores")
        return list(scores) if isinstance(scores, list) and all(type(score) is int for score in scores) else []

    def offers(self, event: Readable, after: Observation) -> list[int]:  # noqa: ARG002
        """Return the places, from 1, among which `event` lets a player choose."""
        return []

    def merge_viewpoints(self, public: dict[str, Any], by_seat: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return one observation of what all seats see.

        By default it adds each seat's own `hand` or its own entry of `seats`.
        """
        if "hand" in public:
            return {**public, "hands": [seat_view["hand"] for seat_view in by_seat]}
        if isinstance(public.get("seats"), list):
            return {**public, "seats": [seat_view["seats"][seat] for seat, seat_view in enumerate(by_seat)]}
        return {**public, "by_seat": list(by_seat)}

    def items(self, seen: Observation) -> dict[str, Any]:  # noqa: ARG002
        """Return what is printed on the pieces of a game, by id. It is sent once, not with every frame."""
        return {}

    def slim(self, seen: Observation) -> dict[str, Any]:
        """Return the observation with ids in place of what `items` holds."""
        return dict(seen)


def preview_of(zones: Sequence[Zone]) -> list[PreviewRow]:
    """Return zones as rows of a small picture."""
    sorts = {"hand": "hand", "cards": "cards", "pile": "pile", "dice": "dice", "words": "words"}
    rows = []
    for zone in zones:
        count = len(zone.items) if zone.count is None else zone.count
        things = zone.items[-1:] if zone.sort == "pile" else zone.items[:8]
        faces = [BACK if each is None else small_face(each) for each in things]
        rows.append(PreviewRow(sorts[zone.sort], faces, zone.seat, count if count > len(faces) else None))
    return rows


def small_face(text: str) -> Card:
    """Return what is printed on a thing of a small picture: a card by rank and suit, anything else as it is written."""
    if len(text) != 2 or text[1] not in SUIT_SIGNS:
        return Card("★" if text == "**" else text)
    return Card("10" if text[0] == "T" else text[0], SUIT_SIGNS[text[1]], "", text[1] in "HD")


def small_cards(sort: str, texts: Sequence[str | None], seat: int | None = None) -> PreviewRow:
    """Return cards as a row of a small picture; None or `??` lies face down."""
    return PreviewRow(sort, [BACK if text in (None, "??") else small_face(text or "") for text in texts], seat)


def small_hand(count: int, seat: int) -> PreviewRow:
    """Return a hand that is hidden, as a row of a small picture."""
    return PreviewRow("hand", [BACK] * min(count, 5), seat, count)


def small_pile(count: int, top: str | None = None) -> PreviewRow:
    """Return a pile with its number of cards, as a row of a small picture."""
    return PreviewRow("pile", [(BACK if top is None else small_face(top)) if count else Card()], None, count)


def label_of(name: str) -> str:
    """Return a name as a label: "Turn limit" for `turn_limit`."""
    return name.replace("_", " ").capitalize()


def plain_value(value: Any, names: Sequence[str]) -> str:
    """Return a value of an observation as text; "" for an empty one.

    A list with one entry a seat gets the players' names.
    """
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, Mapping):
        texts = [f"{label_of(key)}: {text}" for key, value in value.items() if (text := plain_value(value, ()))]
        return "; ".join(texts)
    if isinstance(value, list):
        texts = [plain_value(each, ()) or "–" for each in value]
        if names and len(texts) == len(names):
            return "; ".join(f"{name}: {text}" for name, text in zip(names, texts, strict=True))
        return ", ".join(texts)
    return str(value)


def leader(scores: list[int], best: Callable[[list[int]], int]) -> int | None:
    """Return the seat that alone has the best score, or None."""
    top = best(scores)
    return scores.index(top) if scores.count(top) == 1 else None


@dataclass(slots=True)
class Lead:
    """Keeps track of the leader."""

    seat: int | None = None

    def marks(self, now: int | None) -> list[Highlight]:
        """Return a mark when the lead passes from one player to another; none for the first lead or a tie."""
        before = self.seat
        if now is None or now == before:
            return []
        self.seat = now
        return (
            []
            if before is None
            else [Highlight("lead", now, sentence(_("{who} takes the lead"), who=seat_segment(now)))]
        )


@dataclass(slots=True)
class Few:
    """Keeps track of players who are close to being out. Each is marked once, until they have more cards again."""

    narrated: set[int] = field(default_factory=set)

    def marks(self, cards: list[int]) -> list[Highlight]:
        """Return a mark for each seat that has come down to `FEW_CARDS`.

        `cards` are the numbers of cards left, by seat.
        """
        few = {seat for seat, count in enumerate(cards) if 0 < count <= FEW_CARDS}
        new = sorted(few - self.narrated)
        self.narrated = few
        return [Highlight("threat", seat, self.sentence(seat, cards[seat])) for seat in new]

    def sentence(self, seat: int, count: int) -> Segments:
        """Return the sentence that says they are close to being out."""
        template = ngettext("{who} has {count} card left", "{who} has {count} cards left", count)
        return sentence(template, who=seat_segment(seat), count=count)
