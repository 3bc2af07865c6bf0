"""What people read and see of Plates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from scorebook_games.kinds.plates import explanations, narration
from scorebook_games.kinds.plates.introduction import INTRODUCTION
from scorebook_games.presentation.base import (
    Card,
    Explanation,
    Fact,
    Few,
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
)
from scorebook_games.presentation.cards import FACE_DOWN, card_count, card_face, rank, signs, some
from scorebook_games.presentation.sentences import Observation, Readable, seat_segment, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop, ngettext

RUN_SHOWN = 5


TURN_UNSEEN_LABELS: Final = (
    gettext_noop("Turn up the first unseen card"),
    gettext_noop("Turn up the second unseen card"),
    gettext_noop("Turn up the third unseen card"),
    gettext_noop("Turn up the fourth unseen card"),
)


def move_words(words: Sequence[str], seen: MoverView) -> str:
    verb, rest = words[0], words[-1]
    clears, rest = rest.endswith("!"), rest.rstrip("!")
    clearing = _(", and clear the plate") if clears else ""
    if verb == "take":
        return _("Take the plate ({count})").format(count=len(seen.observation["plate"]))
    if verb == "blind":
        return _(TURN_UNSEEN_LABELS[int(rest)])
    if verb == "add":
        return (_("Add {cards}").format(cards=some(rest)) if rest not in ("", "add") else _("Add no card")) + clearing
    hand, _slash, revealed = rest.partition("/")
    if hand and revealed:
        one_more = _("Place {cards} and the revealed {rank}")
        more = _("Place {cards} and the revealed {revealed}")
        sentence = one_more if len(revealed) == 1 else more
        return sentence.format(cards=some(hand), rank=rank(revealed), revealed=some(revealed)) + clearing
    if revealed:
        one_revealed = _("Place the revealed {rank}").format(rank=rank(revealed))
        many = _("Place the revealed {cards}").format(cards=some(revealed))
        return (one_revealed if len(revealed) == 1 else many) + clearing
    return _("Place {cards}").format(cards=some(hand)) + clearing


def thumbnail(seen: Observation) -> Thumbnail:
    """Return the top of the plate, the round, and how many cards each hand has left."""
    cards = [card_face(text) for text in seen["plate"][-RUN_SHOWN:]]
    named = _("On the plate: {cards}.") if cards else _("The plate is empty.")
    named = named.format(cards=", ".join(each.name for each in cards))
    note = _("round {round} of {rounds}, plate {count}")
    note = note.format(round=seen["round"], rounds=seen["rounds"], count=len(seen["plate"]))
    figures = [_("{count} in hand").format(count=seat["primary_count"]) for seat in seen["seats"]]
    return Thumbnail(cards or [Card()], named, note, figures)


def preview(seen: Observation) -> list[PreviewRow]:
    """Return the plate, and of each seat the cards that lie before it and the hand."""
    plate = small_cards("hand", seen["plate"][-RUN_SHOWN:])
    rows = [plate if seen["plate"] else PreviewRow("cards", [Card()])]
    for place, seat in enumerate(seen["seats"]):
        unseen = [card for card in seat["unseen"] if card is not None]
        rows += [small_cards("cards", [*seat["revealed"], *unseen], place), small_hand(seat["primary_count"], place)]
    return rows


def position(seen: Observation, names: Sequence[str]) -> list[Fact]:
    """Describe Plates: the round, the plate from the top down, each player's points and cards."""
    facts = [
        Fact(_("Round"), _("{round} of {rounds}").format(round=seen["round"], rounds=seen["rounds"])),
        Fact(_("Plate, from the top"), signs(reversed(seen["plate"])) or _("empty")),
    ]
    for seat, name in zip(seen["seats"], names, strict=True):
        unseen = [card for card in seat["unseen"] if card is not None]
        text = ngettext(
            "{total} point; in hand: {hand}; revealed: {revealed}; unseen: {unseen}",
            "{total} points; in hand: {hand}; revealed: {revealed}; unseen: {unseen}",
            seat["total"],
        )
        facts.append(
            Fact(
                name,
                text.format(
                    total=seat["total"],
                    hand=signs(seat["primary"]) if seat["primary"] else card_count(seat["primary_count"]),
                    revealed=signs(seat["revealed"]) or _("none"),
                    unseen=len(unseen) if FACE_DOWN in unseen else signs(unseen) or _("none"),
                ),
            )
        )
    return facts


def cards_left(observation: Observation) -> list[int]:
    """Return Plates' scores: the cards in both hands of each seat."""
    return [
        seat["primary_count"] + len(seat["revealed"]) + sum(card is not None for card in seat["unseen"])
        for seat in observation["seats"]
    ]


@dataclass(slots=True)
class PlatesMarker(Marker):
    """Marks of Plates: rounds, cleared plates, who is nearly out, changes of the lead when a round has been scored."""

    lead: Lead = field(default_factory=Lead)
    few: Few = field(default_factory=Few)

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        kind = event["type"]
        if kind == "dealt":
            return [Highlight("round", None, sentence(_("round {round} begins"), round=after["round"]))]
        if kind == "cleared":
            template = ngettext("{who} clears {count} card", "{who} clears {count} cards", event["count"])
            parts = sentence(template, who=seat_segment(event["seat"]), count=event["count"])
            return [Highlight("clear", event["seat"], parts), *self.few.marks(cards_left(after))]
        if kind == "scored":
            return self.lead.marks(leader([seat["total"] for seat in after["seats"]], min))
        return self.few.marks(cards_left(after))


class PlatesPresentation(Presentation):
    """The words and pictures of Plates."""

    pitch = gettext_noop("Place low cards, clear the plate, keep the Aces.")
    first_game = FirstGame(2, {"rounds": 1, "turn_limit": 100}, gettext_noop("one round of at most 100 turns"))
    introduction = INTRODUCTION
    option_labels = {
        "rounds": gettext_noop("Rounds"),
        "turn_limit": gettext_noop("Maximum number of turns in a round"),
    }
    move_sorts = {
        "place": gettext_noop("Place cards"),
        "blind": gettext_noop("Turn an unseen card"),
        "add": gettext_noop("Add equal cards"),
        "take": gettext_noop("Take the plate"),
    }
    score_title = gettext_noop("Cards left")
    score_goal = gettext_noop("the fewest points win")
    narrators = narration.NARRATORS
    reasoners = narration.REASONERS
    drawers = narration.DRAWERS
    marker = PlatesMarker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        return MoveLabel(move_words(text.split(" "), view))

    def asked(self, seen: Observation) -> str:
        if seen["phase"] == "add":
            return _("cards to add to the one that was turned up")
        return (_("cards for the plate") if seen["plate"] else _("a lead")) if seen["phase"] == "play" else ""

    def explanations(self) -> dict[str, Explanation]:
        return explanations.explanations()

    def thumbnail(self, seen: Observation) -> Thumbnail | None:
        return thumbnail(seen) if seen.get("plate") is not None else None

    def preview(self, seen: Observation) -> list[PreviewRow]:
        return preview(seen)

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        return position(seen, names)

    def scores(self, seen: Observation) -> list[int]:
        return cards_left(seen)
