"""Chinese Ten's events in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorebook_games.cards import card_of, rank_of
from scorebook_games.contract import TURN_LIMIT
from scorebook_games.kinds.chinese_ten.rules import POINTS, TAKER
from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Readable,
    Reason,
    Reasoner,
    Segments,
    card_segment,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _


def dealt(step: EventContext) -> Segments:
    count = step.after["hand_counts"][0]
    return sentence(_("The cards are dealt: {count} to each player and four on the table."), count=count)


def captured(step: EventContext) -> Segments:
    return sentence(
        _("{who} took {taken} with {card}: {points} points."),
        who=seat_segment(step.event["seat"]),
        taken=card_segment(step.event["taken"]),
        card=card_segment(step.event["card"]),
        points=points_of(step.event),
    )


def took(step: EventContext) -> Segments:
    template = (
        _("{who} chose spot {spot} and took {taken}: {points} points more.")
        if step.before.get("flipped")
        else _("The flipped card, {card}, took {taken}: {points} points more.")
    )
    return sentence(
        template,
        who=seat_segment(step.event["seat"]),
        spot=step.event["spot"],
        card=card_segment(step.event["card"]),
        taken=card_segment(step.event["taken"]),
        points=points_of(step.event),
    )


def laid(step: EventContext) -> Segments:
    covered = step.after["spots"][step.event["spot"] - 1][:-1]
    template = (
        _("{who} laid {card} on spot {spot}, over {covered}.") if covered else _("{who} laid {card} on spot {spot}.")
    )
    return sentence(
        template,
        who=seat_segment(step.event["seat"]),
        card=card_segment(step.event["card"]),
        spot=step.event["spot"],
        covered=card_segment(covered[-1]) if covered else "",
    )


def placed(step: EventContext) -> Segments:
    template = (
        _("{who} put {card} on spot {spot}.")
        if step.before.get("flipped")
        else _("The flipped card is {card}. It goes on spot {spot}.")
    )
    return sentence(
        template, who=seat_segment(step.event["seat"]), card=card_segment(step.event["card"]), spot=step.event["spot"]
    )


def flipped(step: EventContext) -> Segments:
    count = len(takers(step.event["card"], step.after["spots"]))
    template = (
        _("The flipped card is {card}. It can go on {count} spots; {who} chooses.")
        if count
        else _("The flipped card is {card}. It takes nothing, and no spot is empty; {who} chooses a spot.")
    )
    return sentence(template, card=card_segment(step.event["card"]), count=count, who=seat_segment(step.event["seat"]))


def ended(step: EventContext) -> Segments:
    if step.event["termination"] == TURN_LIMIT:
        return [_("The turn limit ends the game.")]
    return [_("The game is over.")]


def takers(text: str, spots: Sequence[Sequence[str]]) -> list[int]:
    """Return the spots (1 …) whose top card the card captures (CT-5, CT-6)."""
    rank = rank_of(card_of(text))
    return [1 + place for place, spot in enumerate(spots) if spot and TAKER[card_of(spot[-1])] == rank]


def points_of(event: Readable) -> int:
    """Return the points of a capture (CT-1)."""
    return POINTS[card_of(event["card"])] + POINTS[card_of(event["taken"])]


NARRATORS: Final[dict[str, Narrator]] = {
    "dealt": dealt,
    "captured": captured,
    "took": took,
    "laid": laid,
    "placed": placed,
    "flipped": flipped,
    "ended": ended,
}


def why_captured(step: EventContext) -> Reason:
    """Return why a card takes another: they make ten, or from 10 up are equal."""
    if rank_of(card_of(step.event["card"])) == rank_of(card_of(step.event["taken"])) and step.event["card"][0] != "5":
        return Reason(_("From 10 up, a card is taken by its own rank."), "CT-5")
    return Reason(_("The two cards make ten."), "CT-5")


def why_took(step: EventContext) -> Reason:
    if step.before.get("flipped"):
        return Reason(_("The flipped card could take several cards, so one was chosen."), "CT-8")
    return why_captured(step)


def why_laid(_step: EventContext) -> Reason:
    return Reason(_("No card of the hand takes an open card: else it would have to."), "CT-7")


def why_flipped(step: EventContext) -> Reason:
    if takers(step.event["card"], step.after["spots"]):
        return Reason(_("If a flipped card can take several cards, one is chosen."), "CT-8")
    return Reason(_("A card that takes nothing covers a spot if none is empty."), "CT-9")


def why_placed(step: EventContext) -> Reason:
    if step.before.get("flipped"):
        return Reason(_("No spot was empty, so one was chosen to be covered."), "CT-9")
    return Reason(_("It takes nothing, so it goes to the empty spot with the lowest number."), "CT-9")


def why_ended(step: EventContext) -> Reason | None:
    if step.event["termination"] == TURN_LIMIT:
        return None
    if any(step.after["hand_counts"]):
        return Reason(_("The deck is used up, and all four spots are empty."), "CT-11")
    return Reason(_("Nobody has a hand card left."), "CT-11")


REASONERS: Final[dict[str, Reasoner]] = {
    "captured": why_captured,
    "took": why_took,
    "laid": why_laid,
    "flipped": why_flipped,
    "placed": why_placed,
    "ended": why_ended,
}
