"""What people read and see of Platinum Fish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scorebook_games.kinds.platinum_fish import explanations, narration
from scorebook_games.kinds.platinum_fish.introduction import INTRODUCTION
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
    small_face,
    small_pile,
)
from scorebook_games.presentation.cards import card_count, card_face, one_card, rank, signs
from scorebook_games.presentation.sentences import Observation, Readable, seat_segment, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop, ngettext

# This many matches in one turn are worth a mark.
GREAT_TURN: Final = 3


# Keys that only one seat knows for a while and that the view of all cards adds: the deck that the roller searches
# (PF-12).
SEAT_ONLY_FACTS: Final = ("deck_order", "fish")


def move_words(words: Sequence[str], seen: MoverView) -> str:
    match words:
        case ["draw", "deck"]:
            return _("Draw from the deck")
        case ["draw", _pile]:
            return _("Take the {rank} from the discard pile").format(rank=rank(seen.observation["discard"][-1]))
        case ["fish", text]:
            return _("Fish {card} out of the deck").format(card=one_card(text))
        case ["ask", seat, text]:
            return _("Ask {name} for {card}").format(name=seen.names[int(seat)], card=one_card(text))
        case ["salvage", text]:
            return _("Take {card} from the discard pile").format(card=one_card(text))
        case ["stop"]:
            return _("Stop taking cards")
        case ["shuffle"]:
            return _("Ask for a shuffle")
        case ["pass"]:
            return _("Do not shuffle")
    return _("Ask no player")


def thumbnail(seen: Observation) -> Thumbnail:
    """Return the top of the discard pile, the dice, the deck, and how many matches each seat has."""
    top = card_face(seen["discard"][-1]) if seen["discard"] else Card()
    named = _("On the discard pile: {card}.") if top.name else _("The discard pile is empty.")
    note = _("dice {a} {b}, deck {count}") if seen["dice"] else _("deck {count}")
    one, two = seen["dice"] or ("", "")
    note = note.format(a=one, b=two, count=seen["deck"])
    figures = [
        ngettext("{count} match made", "{count} matches made", count).format(count=count) for count in seen["scores"]
    ]
    return Thumbnail([top], named.format(card=top.name), note, figures)


def preview(seen: Observation) -> list[PreviewRow]:
    """Return deck, dice and discard pile, and of each seat the hand, with the cards that everybody knows."""
    dice = [PreviewRow("dice", [small_face(str(each)) for each in seen["dice"]])] if seen["dice"] else []
    discard = small_pile(len(seen["discard"]), seen["discard"][-1] if seen["discard"] else None)
    hands = []
    for seat, (count, known) in enumerate(zip(seen["hand_counts"], seen["shown"], strict=True)):
        hands.append(small_cards("hand", [*known, *[None] * (count - len(known))][:8], seat)._replace(total=count))
    return [small_pile(seen["deck"]), *dice, discard, *hands]


def position(seen: Observation, names: Sequence[str]) -> list[Fact]:
    """Describe Platinum Fish: deck, discard pile, the dice and what they allow; each player's matches and hand."""
    facts = [
        Fact(_("Deck"), card_count(seen["deck"])),
        Fact(_("Discard pile, from the top"), signs(reversed(seen["discard"])) or _("empty")),
    ]
    if seen["dice"]:
        text = _("{a} and {b}; possible ranks: {ranks}").format(
            a=seen["dice"][0], b=seen["dice"][1], ranks=rank_list(seen["ranks"])
        )
        facts.append(Fact(_("Dice"), text))
        if seen["fish"] is not None and seen["deck"]:
            facts.append(Fact(_("Of these in the deck"), rank_list(seen["fish"]) or _("none")))
    hands = seen.get("hands") or [seen["hand"] if seat == seen["seat"] else None for seat in range(len(names))]
    for seat, name in enumerate(names):
        hand = signs(hands[seat]) if hands[seat] else card_count(seen["hand_counts"][seat])
        if not hands[seat] and seen["shown"][seat]:
            hand = _("{count}, seen by all: {shown}").format(count=hand, shown=signs(seen["shown"][seat]))
        text = ngettext("{matches} match; in hand: {hand}", "{matches} matches; in hand: {hand}", seen["scores"][seat])
        facts.append(Fact(name, text.format(matches=seen["scores"][seat], hand=hand)))
    return facts


def rank_list(ranks: Sequence[str]) -> str:
    """Return ranks as `3, 10, Q`."""
    return ", ".join("10" if rank == "T" else rank for rank in ranks)


def fish_matches(observation: Observation) -> list[int]:
    """Return Platinum Fish's scores: the matches that each seat has laid down."""
    return list(observation["scores"])


@dataclass(slots=True)
class FishMarker(Marker):
    """Marks of Platinum Fish: cards got by asking, turns of three matches or more, changes of the lead."""

    lead: Lead = field(default_factory=Lead)
    turn: int | None = 0  # the seat on turn
    made: int = 0

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order. The event that ends a turn belongs to that turn."""
        marks: list[Highlight] = []
        if event["type"] == "asked" and event["card"]:
            template = _("{who} asks {other} and gets the card")
            parts = sentence(template, who=seat_segment(event["seat"]), other=seat_segment(event["other"]))
            marks.append(Highlight("got", event["seat"], parts))
        if event.get("mate") and event["seat"] == self.turn:
            self.made += 1
            if self.made == GREAT_TURN:
                parts = sentence(
                    _("{count} matches in one turn of {who}"), count=GREAT_TURN, who=seat_segment(event["seat"])
                )
                marks.append(Highlight("streak", event["seat"], parts))
        if after["turn"] != self.turn:
            self.turn, self.made = after["turn"], 0
        return marks + self.lead.marks(leader(after["scores"], max))


ASKED: Final = {
    "draw": gettext_noop("a card from the deck or the discard pile"),
    "fish": gettext_noop("a rank to take from the deck"),
    "ask": gettext_noop("an opponent and a rank, or nothing"),
    "shuffle": gettext_noop("whether to shuffle the deck"),
    "salvage": gettext_noop("matches from the discard pile"),
}


class PlatinumFishPresentation(Presentation):
    """The words and pictures of Platinum Fish."""

    pitch = gettext_noop("Collect pairs, fish with two dice, ask the others.")
    first_game = FirstGame(5)
    introduction = INTRODUCTION
    option_labels = {
        "searcher": gettext_noop("The deck is searched by"),
        "turn_limit": gettext_noop("Maximum number of turns"),
    }
    choice_labels = {
        "dealer": gettext_noop("the dealer"),
        "player": gettext_noop("the player who rolled"),
    }
    move_sorts = {
        "draw": gettext_noop("Draw a card"),
        "fish": gettext_noop("Fish a card"),
        "ask": gettext_noop("Ask a player"),
        "decline": gettext_noop("Ask no player"),
        "salvage": gettext_noop("Take from the discard pile"),
        "stop": gettext_noop("Stop taking cards"),
        "shuffle": gettext_noop("Ask for a shuffle"),
        "pass": gettext_noop("Do not shuffle"),
    }
    score_title = gettext_noop("Matches made")
    narrators = narration.NARRATORS
    reasoners = narration.REASONERS
    marker = FishMarker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        return MoveLabel(move_words(text.split(" "), view))

    def asked(self, seen: Observation) -> str:
        return _(ASKED[seen["phase"]]) if seen["phase"] in ASKED else ""

    def explanations(self) -> dict[str, Explanation]:
        return explanations.explanations()

    def thumbnail(self, seen: Observation) -> Thumbnail | None:
        return thumbnail(seen) if seen.get("discard") is not None else None

    def preview(self, seen: Observation) -> list[PreviewRow]:
        return preview(seen)

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        return position(seen, names)

    def scores(self, seen: Observation) -> list[int]:
        return fish_matches(seen)

    def merge_viewpoints(self, public: dict[str, Any], by_seat: Sequence[dict[str, Any]]) -> dict[str, Any]:
        told = {fact: own[fact] for own in by_seat for fact in SEAT_ONLY_FACTS if own.get(fact) is not None}
        return {**super().merge_viewpoints(public, by_seat), **told}
