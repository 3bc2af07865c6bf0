"""A game event by event for one viewpoint: a pure fold from a log to frames.

`games.gamelog.visibility` decides what a viewer sees of an event and of the position after it. Words, marks and scores
are made from that alone, so no frame can show more than its viewer knew then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.gamelog import visibility
from games.gamelog.events import RecordedEvent
from games.gamelog.fold import Fold, fold_game
from replays.frames import narration
from replays.frames.words import chinese_ten
from replays.frames.words.parts import EventContext, Observation, Readable, Segments, seat_segment, sentence

# What only one seat knows for a while, shown in the view of all cards: Platinum Fish's deck in the roller's hands
# (PF-12).
SEAT_ONLY_FACTS: Final = ("deck_order", "fish")
# Kinds that hide nothing: every viewpoint is the public one.
OPEN_KINDS: Final = frozenset({"plate_spinner"})
# This many matches in one turn are worth a mark.
GREAT_TURN: Final = 3
# A capture of this many points is worth a mark (it has an ace).
GREAT_CAPTURE: Final = 25
# A pile of this many cards is worth a mark when it is cleared or taken, or threatens somebody.
GREAT_PILE: Final = 10
# A player with this few cards is close to being out.
FEW_CARDS: Final = 2


@dataclass(frozen=True, slots=True)
class Highlight:
    """A moment worth finding; `parts` describe it.

    `kind`: lead, capture, chain, got, streak, clear, round, take, race, threat, bomb, out.
    """

    kind: str
    seat: int | None
    parts: Segments


@dataclass(frozen=True, slots=True)
class Frame:
    """The game directly after an event that has words, as the viewer saw it then.

    `event` is readable and redacted; `parts` are its words. `scores` (one a seat) are the curve of the scrubber: points
    in Chinese Ten, cards left in Palace and Plates, matches in Platinum Fish. `offers` are the spots (1 …) to which a
    flipped card may go.
    """

    version: int
    ms: int
    seat: int | None
    parts: Segments
    marks: list[Highlight]
    event: Readable
    observation: Observation
    scores: list[int]
    offers: list[int]


@dataclass(frozen=True, slots=True)
class ScoreAxis:
    """What `Frame.scores` counts, and whether the highest or the lowest is best."""

    title: str
    best: str


class FrameBuilder:
    """Folds a game into frames for `viewer`. `frames` has those made since the builder was created or forked."""

    def __init__(self, first: RecordedEvent, viewer: visibility.Viewpoint) -> None:
        self.viewer = viewer
        self.fold = Fold(first.event)
        self.kind: str = self.fold.opened["kind"]
        self.marker: Marker = MARKERS[self.kind]()
        self.before: Observation = {}
        self.frames: list[Frame] = []

    def add_event(self, entry: RecordedEvent) -> None:
        """Advance by one event; add its frame if it has words for the viewer."""
        fold = self.fold
        fold.apply(entry.event)
        event = visibility.readable_event(fold.rules, visibility.event_as_seen(fold, entry.event, self.viewer))
        after = merged_observation(visibility.observation(fold, self.viewer, by_seat=self.kind not in OPEN_KINDS))
        parts = narration.narrate(self.kind, EventContext(event, self.before, after))
        if parts:
            frame = Frame(
                version=entry.version,
                ms=entry.ms,
                seat=event.get("seat"),
                parts=parts,
                marks=self.marker.marks(event, after),
                event=event,
                observation=after,
                scores=SCORES[self.kind](after),
                offers=offers_of(event, after),
            )
            self.frames.append(frame)
        self.before = after

    def fork(self) -> FrameBuilder:
        """Return a copy of the builder that advances independently, without the frames so far."""
        twin = copy(self)
        twin.fold, twin.marker, twin.frames = self.fold.copy(), deepcopy(self.marker), []
        return twin


def last_position(entries: Iterable[RecordedEvent], viewer: visibility.Viewpoint) -> Observation:
    """Return the position after `entries` as `viewer` sees it in the last frame."""
    fold = fold_game(entry.event for entry in entries)
    return merged_observation(visibility.observation(fold, viewer, by_seat=fold.opened["kind"] not in OPEN_KINDS))


def frames(entries: Iterable[RecordedEvent], viewer: visibility.Viewpoint) -> list[Frame]:
    """Return the frames of a game for `viewer`: one for each event that has words; none for the opening."""
    stream = iter(entries)
    first = next(stream, None)
    if first is None:
        return []
    builder = FrameBuilder(first, viewer)
    for entry in stream:
        builder.add_event(entry)
    return builder.frames


def merged_observation(observation: dict[str, Any]) -> dict[str, Any]:
    """Merge the observations of all seats into one: each seat's own cards, and the table once."""
    by_seat = observation.pop("by_seat", None)
    if by_seat is None:
        return observation
    if "hand" in observation:
        facts = {fact: own[fact] for own in by_seat for fact in SEAT_ONLY_FACTS if own.get(fact) is not None}
        return {**observation, **facts, "hands": [own["hand"] for own in by_seat]}
    return {**observation, "seats": [own["seats"][seat] for seat, own in enumerate(by_seat)]}


def score_axis(kind: str) -> ScoreAxis:
    """Return what the scores of a kind's frames count."""
    return {
        "chinese_ten": ScoreAxis(_("Points"), "highest"),
        "palace": ScoreAxis(_("Cards left"), "lowest"),
        "plate_spinner": ScoreAxis(_("Points"), "highest"),
        "plates": ScoreAxis(_("Cards left"), "lowest"),
        "platinum_fish": ScoreAxis(_("Matches"), "highest"),
    }[kind]


def offers_of(event: Readable, after: Observation) -> list[int]:
    """Return the spots to which a flipped card may go: those that it captures, else all of them (CT-8, CT-9)."""
    if event["type"] != "flipped":
        return []
    return chinese_ten.takers(event["card"], after["spots"]) or [1 + spot for spot in range(len(after["spots"]))]


def points(observation: Observation) -> list[int]:
    """Return Chinese Ten's scores: the points in the scoring piles."""
    return list(observation["points"])


def cards_left(observation: Observation) -> list[int]:
    """Return Plates' scores: the cards in both hands of each seat."""
    return [
        seat["primary_count"] + len(seat["revealed"]) + sum(card is not None for card in seat["unseen"])
        for seat in observation["seats"]
    ]


def fish_matches(observation: Observation) -> list[int]:
    """Return Platinum Fish's scores: the matches that each seat has laid down."""
    return list(observation["scores"])


def palace_cards(observation: Observation) -> list[int]:
    """Return Palace's scores: each seat's cards in hand and palace."""
    return [seat["cards"] for seat in observation["seats"]]


def scores_of_plates(observation: Observation) -> list[int]:
    """Return Plate Spinner's scores: the present value of each seat's plates and rims; none before the set-up."""
    return [player["score"] for player in observation["players"]]


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
    """Keeps track of players who are close to being out; each is marked once until they have more cards again."""

    told: set[int] = field(default_factory=set)

    def marks(self, cards: list[int]) -> list[Highlight]:
        """Return a mark for each seat that has come down to `FEW_CARDS`; `cards` are those left, one number a seat."""
        few = {seat for seat, count in enumerate(cards) if 0 < count <= FEW_CARDS}
        new = sorted(few - self.told)
        self.told = few
        return [Highlight("threat", seat, self.sentence(seat, cards[seat])) for seat in new]

    def sentence(self, seat: int, count: int) -> Segments:
        """Return the sentence that says they are close to being out."""
        template = ngettext("{who} has {count} card left", "{who} has {count} cards left", count)
        return sentence(template, who=seat_segment(seat), count=count)


@dataclass(slots=True)
class TenMarker:
    """Marks of Chinese Ten: captures of 25 points or more, chains of flips, changes of the lead."""

    lead: Lead = field(default_factory=Lead)
    flips: int = 0

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        made: list[Highlight] = []
        kind, seat = event["type"], event.get("seat")
        if kind in ("captured", "laid"):
            self.flips = 0
        if kind in ("captured", "took"):
            count = chinese_ten.points_of(event)
            if count >= GREAT_CAPTURE:
                template = _("{count} points at once for {who}")
                made.append(
                    Highlight("capture", seat, sentence(template, count=count, who=seat_segment(event["seat"])))
                )
        if kind == "took":
            self.flips += 1
            if self.flips == 2:
                template = _("a chain of flips by {who}")
                made.append(Highlight("chain", seat, sentence(template, who=seat_segment(event["seat"]))))
        return made + self.lead.marks(leader(after["points"], max))


@dataclass(slots=True)
class SpinnerMarker:
    """Marks of Plate Spinner: rounds, bombs that go off, changes of the lead from round to round."""

    lead: Lead = field(default_factory=Lead)

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        kind = event["type"]
        if kind == "go":
            round_begins = Highlight("round", None, sentence(_("round {round} begins"), round=event["round"]))
            return [round_begins, *self.lead.marks(leader(scores_of_plates(after), max))]
        if kind == "broke" and event["bombs"]:
            parts = sentence(_("a bomb goes off at {who}’s"), who=seat_segment(event["seat"]))
            return [Highlight("bomb", event["seat"], parts)]
        return self.lead.marks(leader(scores_of_plates(after), max)) if kind == "ended" else []


@dataclass(slots=True)
class PlatesMarker:
    """Marks of Plates: rounds, cleared plates, who is nearly out, changes of the lead when a round has been scored."""

    lead: Lead = field(default_factory=Lead)
    few: Few = field(default_factory=Few)

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        kind = event["type"]
        if kind == "dealt":
            return [Highlight("round", None, sentence(_("round {round} begins"), round=after["round"]))]
        if kind == "cleared":
            template = _("{who} clears {count} cards")
            parts = sentence(template, who=seat_segment(event["seat"]), count=event["count"])
            return [Highlight("clear", event["seat"], parts), *self.few.marks(cards_left(after))]
        if kind == "scored":
            return self.lead.marks(leader([seat["total"] for seat in after["seats"]], min))
        return self.few.marks(cards_left(after))


@dataclass(slots=True)
class FishMarker:
    """Marks of Platinum Fish: cards got by asking, turns of three matches or more, changes of the lead."""

    lead: Lead = field(default_factory=Lead)
    turn: int = 0
    made: int = 0

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order. The event that ends a turn belongs to that turn."""
        marks: list[Highlight] = []
        if event["type"] == "asked" and event["card"]:
            template = _("{who} asks {other} and gets the card")
            parts = sentence(template, who=seat_segment(event["seat"]), other=seat_segment(event["other"]))
            marks.append(Highlight("got", event["seat"], parts))
        if event.get("mate"):
            self.made += 1
            if self.made == GREAT_TURN:
                parts = sentence(
                    _("{count} matches in one turn of {who}"), count=GREAT_TURN, who=seat_segment(event["seat"])
                )
                marks.append(Highlight("streak", event["seat"], parts))
        if after["turns"] != self.turn:
            self.turn, self.made = after["turns"], 0
        return marks + self.lead.marks(leader(after["scores"], max))


@dataclass(slots=True)
class PalaceMarker:
    """Marks of Palace: great piles cleared, taken or threatening, quick throws and calls, who is nearly out or out."""

    cleared: int = 0
    pile: int = 0
    few: Few = field(default_factory=Few)

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        made = [*self.pile_marks(event, len(after["cleared"]) - self.cleared), *self.race_marks(event)]
        made += [*self.ace_marks(event, after), *self.few.marks(palace_cards(after))]
        self.cleared, self.pile = len(after["cleared"]), len(after["pile"])
        seat = event.get("seat")
        if event["type"] in ("played", "turned") and after["seats"][seat]["place"]:
            made.append(Highlight("out", seat, sentence(_("{who} has no cards left"), who=seat_segment(event["seat"]))))
        return made

    def pile_marks(self, event: Readable, cleared: int) -> list[Highlight]:
        """Return the mark for a pile of `GREAT_PILE` cards or more that was cleared or taken."""
        seat = event.get("seat")
        if cleared >= GREAT_PILE:
            template = _("{who} clears {count} cards")
            return [Highlight("clear", seat, sentence(template, who=seat_segment(event["seat"]), count=cleared))]
        if event["type"] in ("took", "kept", "failed") and self.pile >= GREAT_PILE:
            template = _("{who} takes {count} cards")
            return [Highlight("take", seat, sentence(template, who=seat_segment(event["seat"]), count=self.pile))]
        return []

    def ace_marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the mark for a great pile that the next player must take unless they have an Ace (PA-10)."""
        laid = event["type"] in ("played", "threw", "risked", "turned")
        threatens = laid and after["current"] == "A" and after["options"]["ace"] == "threat"
        if not threatens or len(after["pile"]) < GREAT_PILE:
            return []
        template = _("an Ace of {who} threatens with a pile of {count} cards")
        return [
            Highlight(
                "threat", event["seat"], sentence(template, who=seat_segment(event["seat"]), count=len(after["pile"]))
            )
        ]

    def race_marks(self, event: Readable) -> list[Highlight]:
        """Return the marks of moves out of turn."""
        if event["type"] == "threw":
            return [
                Highlight("race", event["seat"], sentence(_("a quick throw by {who}"), who=seat_segment(event["seat"])))
            ]
        if event["type"] == "called":
            parts = sentence(
                _("{who} calls out {owner}"), who=seat_segment(event["seat"]), owner=seat_segment(event["owner"])
            )
            return [Highlight("race", event["seat"], parts)]
        return []


Marker = TenMarker | PalaceMarker | SpinnerMarker | PlatesMarker | FishMarker
MARKERS: Final[Mapping[str, type[Marker]]] = {
    "chinese_ten": TenMarker,
    "palace": PalaceMarker,
    "plate_spinner": SpinnerMarker,
    "plates": PlatesMarker,
    "platinum_fish": FishMarker,
}
SCORES: Final[Mapping[str, Callable[[Observation], list[int]]]] = {
    "chinese_ten": points,
    "palace": palace_cards,
    "plate_spinner": scores_of_plates,
    "plates": cards_left,
    "platinum_fish": fish_matches,
}
