"""The texts and the table of Hearts for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorebook_games.presentation.base import Fact, FirstGame, MoveLabel, MoverView, Presentation, Zone
from scorebook_games.presentation.sentences import (
    EventContext,
    Segments,
    card_segment,
    card_sign,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop


class HeartsPresentation(Presentation):
    """The texts of Hearts, and its table as zones."""

    pitch = gettext_noop("Take no hearts, and not the queen of spades.")
    first_game = FirstGame(4, {"rounds": 1}, gettext_noop("one round"))
    option_labels = {"rounds": gettext_noop("Rounds"), "turn_limit": gettext_noop("Turn limit")}
    score_title = gettext_noop("Points")

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        """Return the label of a move, such as “Play 7♥”."""
        return MoveLabel(_("Play {card}").format(card=card_sign(text.split()[1])))

    def narrate(self, step: EventContext) -> Segments:
        """Return an event as a sentence."""
        event = step.event
        match event["type"]:
            case "dealt":
                return sentence(_("A round is dealt. {who} has the two of clubs."), who=seat_segment(event["leader"]))
            case "played":
                return sentence(
                    _("{who} plays {card}."), who=seat_segment(event["seat"]), card=card_segment(event["card"])
                )
            case "taken":
                return sentence(_("{who} takes the trick."), who=seat_segment(event["seat"]))
            case "scored":
                return self.scored(event["points"])
        return []

    def scored(self, points: Sequence[int]) -> Segments:
        """Return the points of a round as a sentence."""
        parts: Segments = [_("The round is over: ")]
        for seat, count in enumerate(points):
            parts += [", " if seat else "", *sentence(_("{who} {count}"), who=seat_segment(seat), count=count)]
        return [*[part for part in parts if part], "."]

    def win_sentence(self, seat: int, score: int) -> Segments:
        """Return the sentence that says this seat alone has won."""
        return sentence(_("{who} wins with {score} points."), who=seat_segment(seat), score=score)

    def zones(self, seen: Mapping[str, Any]) -> list[Zone]:
        """Return the trick in the middle, each player's hand, and what each has taken."""
        zones = [
            Zone(_("Trick"), "cards", [played["card"]], played["seat"])
            for played in seen["trick"] or seen["last_trick"]
        ]
        hands = hands_of(seen)
        for seat, hand in enumerate(hands):
            zones.append(Zone(_("Hand"), "hand", hand, seat, seen["hand_counts"][seat]))
            bad = [card for card in seen["taken"][seat] if card[1] == "H" or card == "QS"]
            zones += [Zone(_("Taken"), "cards", bad, seat)] if bad else []
        return zones

    def position(self, seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
        """Return the position in words."""
        trick = ", ".join(f"{names[played['seat']]} {card_sign(played['card'])}" for played in seen["trick"])
        facts = [
            Fact(_("Round"), _("{number} of {rounds}").format(number=seen["round"], rounds=seen["rounds"])),
            Fact(_("Hearts"), _("broken") if seen["hearts_broken"] else _("not broken yet")),
            Fact(_("Trick"), trick or _("no card yet")),
        ]
        for seat, hand in enumerate(hands_of(seen)):
            held = " ".join(map(card_sign, hand)) or _("{count} cards").format(count=seen["hand_counts"][seat])
            points = _("{points} points; hand: {held}").format(points=seen["scores"][seat], held=held)
            facts.append(Fact(names[seat], points))
        return facts


def hands_of(seen: Mapping[str, Any]) -> list[Sequence[str]]:
    """Return each hand with the cards that the viewer sees. The other hands are empty."""
    if "hands" in seen:  # all seats' views as one
        return list(seen["hands"])
    return [seen["hand"] if seat == seen["seat"] else [] for seat in range(len(seen["scores"]))]
