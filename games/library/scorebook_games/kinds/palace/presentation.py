"""What people read and see of Palace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from scorebook_games.kinds.palace import explanations, narration
from scorebook_games.kinds.palace.introduction import INTRODUCTION
from scorebook_games.presentation.base import (
    Card,
    Explanation,
    Fact,
    Few,
    FirstGame,
    Highlight,
    Marker,
    MoveLabel,
    MoverView,
    Presentation,
    PreviewRow,
    Thumbnail,
    small_cards,
    small_hand,
    small_pile,
)
from scorebook_games.presentation.cards import FACE_DOWN, card_count, card_face, rank, signs, some
from scorebook_games.presentation.sentences import Observation, Readable, Segments, seat_segment, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop

# Clearing, taking or threatening with a pile of this many cards is worth a mark.
GREAT_PILE: Final = 10


RUN_SHOWN = 5


TURN_CLOSED_LABELS: Final = (
    gettext_noop("Turn up the first face-down card"),
    gettext_noop("Turn up the second face-down card"),
    gettext_noop("Turn up the third face-down card"),
)
LOOK_LABELS: Final = (
    gettext_noop("Look at the first face-down card"),
    gettext_noop("Look at the second face-down card"),
    gettext_noop("Look at the third face-down card"),
)


def move_words(words: Sequence[str], seen: MoverView) -> str:
    observation = seen.observation
    own = observation["seats"][seen.seat]
    last = _(", and say “last card”") if words[-1] == "last" else ""
    match words[0]:
        case "palace":
            return _("Upper palace: {ranks}").format(ranks=", ".join(map(rank, words[1])))
        case "play" if words[1] == "drawn":
            return _("Play the {rank} that you drew").format(rank=rank(own["drawn"])) + last
        case "play":
            return _("Play {cards}").format(cards=some(words[1])) + last
        case "throw":
            return _("Throw {cards}").format(cards=some(words[1])) + last
        case "turn":
            labels = LOOK_LABELS if observation["phase"] == "look" else TURN_CLOSED_LABELS
            return _(labels[int(words[1])]) + last
        case "call":
            return _("Call out {name}").format(name=seen.names[int(words[1])])
        case "take":
            return _("Take the pile ({count})").format(count=len(observation["pile"]))
        case "keep" if not observation["pile"]:
            return _("Keep the {rank}").format(rank=rank(own["drawn"]))
        case "keep":
            return _("Keep the {rank} and take the pile ({count})").format(
                rank=rank(own["drawn"]), count=len(observation["pile"])
            )
        case "chance":
            return _("Turn up a card and try to play it")
    return _("Do not throw a card")


def thumbnail(seen: Observation) -> Thumbnail:
    """Return the top of the discard pile, the stack, and how many cards each seat has left."""
    cards = [card_face(text) for text in seen["pile"][-RUN_SHOWN:]]
    named = _("On the pile: {cards}.") if cards else _("The pile is empty.")
    named = named.format(cards=", ".join(each.name for each in cards))
    note = _("stack {stack}, pile {pile}").format(stack=seen["stack"], pile=len(seen["pile"]))
    figures = [_("{count} left").format(count=seat["cards"]) for seat in seen["seats"]]
    return Thumbnail(cards or [Card()], named, note, figures)


def preview(seen: Observation) -> list[PreviewRow]:
    """Return the stack and the pile, and of each seat the palace and the hand."""
    middle = [small_pile(seen["stack"]), small_cards("hand", seen["pile"][-3:]), small_pile(len(seen["cleared"]))]
    rows = []
    for place, seat in enumerate(seen["seats"]):
        stands = [over or under for over, under in zip([*seat["upper"], *[None] * 3], seat["under"], strict=False)]
        rows += [small_cards("cards", [each for each in stands if each], place), small_hand(seat["hand_count"], place)]
    return [*middle, *rows]


def position(seen: Observation, names: Sequence[str]) -> list[Fact]:
    """Describe Palace: pile from the top down, stack, cards out of the game, each player's hand and palace."""
    facts = [
        Fact(_("Pile, from the top"), signs(reversed(seen["pile"])) or _("empty")),
        Fact(_("Stack"), card_count(seen["stack"])),
        Fact(_("Out of the game"), card_count(len(seen["cleared"]))),
    ]
    for seat, name in zip(seen["seats"], names, strict=True):
        upper = [card for card in seat["upper"] if card != FACE_DOWN]
        text = _("in hand: {hand}; upper palace: {upper}; face down: {under}")
        facts.append(
            Fact(
                name,
                text.format(
                    hand=signs(seat["hand"]) if seat["hand"] else card_count(seat["hand_count"]),
                    upper=signs(upper) if upper else card_count(len(seat["upper"])),
                    under=sum(card is not None for card in seat["under"]),
                ),
            )
        )
    return facts


def palace_cards(observation: Observation) -> list[int]:
    """Return Palace's scores: each seat's cards in hand and palace."""
    return [seat["cards"] for seat in observation["seats"]]


@dataclass(slots=True)
class PalaceMarker(Marker):
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


ASKED: Final = {
    "choose": gettext_noop("three cards for the upper palace"),
    "drawn": gettext_noop("to play the drawn card, or to keep it"),
    "look": gettext_noop("which of two face-down cards to look at"),
    "play": gettext_noop("a card, a chance, or the pile"),
}


def asked(seen: Observation) -> str:
    if seen["phase"] == "play" and seen["demanded"]:
        return _("another card, of any rank")
    if seen["phase"] == "play" and seen["current"] == "A" and seen["options"]["ace"] == "threat":
        return _("an answer to the Ace, or the pile")
    return _(ASKED[seen["phase"]]) if seen["phase"] in ASKED else ""


class PalacePresentation(Presentation):
    """The words and pictures of Palace."""

    pitch = gettext_noop("Play as high or higher, and get rid of all your cards, also the hidden ones.")
    first_game = FirstGame(5, {"turn_limit": 180}, gettext_noop("at most 180 turns"))
    introduction = INTRODUCTION
    option_labels = {
        "packs": gettext_noop("Packs of cards"),
        "jokers": gettext_noop("Jokers"),
        "start": gettext_noop("First turn"),
        "ace": gettext_noop("An Ace"),
        "joker": gettext_noop("A joker"),
        "placings": gettext_noop("After the first player has won"),
        "last_card_call": gettext_noop("Players must announce their last card"),
        "turn_limit": gettext_noop("Maximum number of turns"),
    }
    choice_labels = {
        "worst": gettext_noop("the player with the worst upper palace"),
        "left": gettext_noop("the player on the dealer’s left"),
        "threat": gettext_noop("threatens the next player with the pile"),
        "reset": gettext_noop("resets the pile, as a 2 does"),
        "clear": gettext_noop("clears the pile"),
        "reverse": gettext_noop("reverses the direction of play"),
        "winner": gettext_noop("the others share second place"),
        "play_on": gettext_noop("the others play on for their places"),
    }
    move_sorts = {
        "palace": gettext_noop("Choose the upper palace"),
        "play": gettext_noop("Play cards"),
        "throw": gettext_noop("Throw cards"),
        "turn": gettext_noop("Turn a closed card"),
        "call": gettext_noop("Call out a player"),
        "take": gettext_noop("Take the pile"),
        "keep": gettext_noop("Keep the drawn card"),
        "chance": gettext_noop("Turn up a card"),
        "pass": gettext_noop("Do not throw"),
    }
    score_title = gettext_noop("Cards left")
    score_goal = gettext_noop("the first with none wins")
    narrators = narration.NARRATORS
    reasoners = narration.REASONERS
    marker = PalaceMarker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        return MoveLabel(move_words(text.split(" "), view))

    def asked(self, seen: Observation) -> str:
        return asked(seen)

    def explanations(self) -> dict[str, Explanation]:
        return explanations.explanations()

    def thumbnail(self, seen: Observation) -> Thumbnail | None:
        return thumbnail(seen) if seen.get("pile") is not None else None

    def preview(self, seen: Observation) -> list[PreviewRow]:
        return preview(seen)

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        return position(seen, names)

    def scores(self, seen: Observation) -> list[int]:
        return palace_cards(seen)

    def win_sentence(self, seat: int, score: int) -> Segments:
        if score == 0:
            return sentence(_("{who} has no cards left and wins."), who=seat_segment(seat))
        return super().win_sentence(seat, score)
