"""What people read and see of Chinese Ten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from scorebook_games.kinds.chinese_ten import explanations, narration
from scorebook_games.kinds.chinese_ten.introduction import INTRODUCTION
from scorebook_games.presentation.base import (
    Card,
    Explanation,
    Fact,
    FirstGame,
    Highlight,
    Lead,
    Marker,
    MoveLabel,
    MoverView,
    Presentation,
    PreviewRow,
    Thumbnail,
    leader,
    small_cards,
    small_hand,
    small_pile,
)
from scorebook_games.presentation.cards import card_count, card_face, rank, signs
from scorebook_games.presentation.sentences import Observation, Readable, seat_segment, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop, ngettext

# A capture of this many points is worth a mark; it includes an ace.
GREAT_CAPTURE: Final = 25


def move_words(words: Sequence[str], seen: MoverView) -> str:
    observation = seen.observation
    verb, spot = words[0], words[-1]
    if verb == "lay":
        if len(words) == 2:
            return _("Lay the {rank}").format(rank=rank(words[1]))
        return _("Lay the {rank} on spot {spot}").format(rank=rank(words[1]), spot=spot)
    card = rank(words[1] if verb == "capture" else observation["flipped"])
    if verb == "cover":
        return _("Cover spot {spot} with the flipped {rank}").format(spot=spot, rank=card)
    taken = rank(observation["spots"][int(spot) - 1][-1])
    return _("{rank} takes {taken} on spot {spot}").format(rank=card, taken=taken, spot=spot)


def thumbnail(seen: Observation) -> Thumbnail:
    """Return the card on top of each spot, the deck, and the points of each pile."""
    cards = [card_face(spot[-1]) if spot else Card() for spot in seen["spots"]]
    named = _("On the spots: {cards}.").format(cards=", ".join(each.name or _("an empty spot") for each in cards))
    note = _("deck {count}").format(count=seen["deck"])
    return Thumbnail(cards, named, note, [str(points) for points in seen["points"]])


def preview(seen: Observation) -> list[PreviewRow]:
    """Return the spots round the deck, and the hands."""
    spots = [small_cards("cards", spot[-1:]) if spot else PreviewRow("cards", [Card()]) for spot in seen["spots"]]
    hands = [small_hand(count, seat) for seat, count in enumerate(seen["hand_counts"])]
    return [*spots[:2], small_pile(seen["deck"], seen["flipped"]), *spots[2:], *hands]


def position(seen: Observation, names: Sequence[str]) -> list[Fact]:
    """Describe Chinese Ten: spots with what they cover, deck, each player's points and hand."""
    facts = [
        Fact(_("Spot {number}").format(number=number), signs(reversed(spot)) or _("empty"))
        for number, spot in enumerate(seen["spots"], 1)
    ]
    facts.append(Fact(_("Deck"), card_count(seen["deck"])))
    hands = seen.get("hands") or [seen["hand"] if seat == seen["seat"] else None for seat in range(len(names))]
    for seat, name in enumerate(names):
        hand = signs(hands[seat]) if hands[seat] else card_count(seen["hand_counts"][seat])
        points = seen["points"][seat]
        text = ngettext("{points} point; in hand: {hand}", "{points} points; in hand: {hand}", points)
        facts.append(Fact(name, text.format(points=points, hand=hand)))
    return facts


def points(observation: Observation) -> list[int]:
    """Return Chinese Ten's scores: the points in the scoring piles."""
    return list(observation["points"])


def offers_of(event: Readable, after: Observation) -> list[int]:
    """Return the spots to which a flipped card may go: those that it captures, else all of them (CT-8, CT-9)."""
    if event["type"] != "flipped":
        return []
    return narration.takers(event["card"], after["spots"]) or [1 + spot for spot in range(len(after["spots"]))]


@dataclass(slots=True)
class TenMarker(Marker):
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
            count = narration.points_of(event)
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


class ChineseTenPresentation(Presentation):
    """The words and pictures of Chinese Ten."""

    pitch = gettext_noop("Take two cards that make ten.")
    first_game = FirstGame(3)
    introduction = INTRODUCTION
    option_labels = {
        "packs": gettext_noop("Packs of cards"),
        "turn_limit": gettext_noop("Maximum number of turns"),
    }
    move_sorts = {
        "lay": gettext_noop("Lay a card"),
        "capture": gettext_noop("Take with a card of the hand"),
        "flip": gettext_noop("Take with the flipped card"),
        "cover": gettext_noop("Cover with the flipped card"),
    }
    score_title = gettext_noop("Points")
    narrators = narration.NARRATORS
    reasoners = narration.REASONERS
    marker = TenMarker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        return MoveLabel(move_words(text.split(" "), view))

    def asked(self, seen: Observation) -> str:
        return _("a spot for the flipped card") if seen["flipped"] else _("a card from the hand")

    def explanations(self) -> dict[str, Explanation]:
        return explanations.explanations()

    def thumbnail(self, seen: Observation) -> Thumbnail | None:
        return thumbnail(seen) if seen.get("spots") else None

    def preview(self, seen: Observation) -> list[PreviewRow]:
        return preview(seen)

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        return position(seen, names)

    def scores(self, seen: Observation) -> list[int]:
        return points(seen)

    def offers(self, event: Readable, after: Observation) -> list[int]:
        return offers_of(event, after)
