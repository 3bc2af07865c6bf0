"""Plates' events in words."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Reason,
    Reasoner,
    Segments,
    card_segment,
    card_segments,
    list_segments,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import ngettext

RANKS: Final = "23456789TJQKA"
RUN: Final = 4  # so many of a rank clear the plate (PL-12)


def dealt(step: EventContext) -> Segments:
    return sentence(
        _("Round {round} of {rounds}: {dealer} dealt the cards, {leader} leads."),
        round=step.after["round"],
        rounds=step.after["rounds"],
        dealer=seat_segment(step.event["dealer"]),
        leader=seat_segment(step.event["leader"]),
    )


def placed(step: EventContext) -> Segments:
    primary, revealed = step.event["primary"], step.event["revealed"]
    if not revealed:
        template = _("{who} placed {primary}.")
    elif not primary:
        template = _("{who} placed {revealed} from the revealed cards.")
    else:
        template = _("{who} placed {primary} and, from the revealed cards, {revealed}.")
    return sentence(
        template, who=seat_segment(step.event["seat"]), primary=card_segments(primary), revealed=card_segments(revealed)
    )


def turned(step: EventContext) -> Segments:
    return sentence(
        _("{who} turned up an unseen card: {card}."),
        who=seat_segment(step.event["seat"]),
        card=card_segment(step.event["card"]),
    )


def added(step: EventContext) -> Segments:
    if not step.event["primary"]:
        return sentence(_("{who} added nothing."), who=seat_segment(step.event["seat"]))
    return sentence(
        _("{who} added {cards}."), who=seat_segment(step.event["seat"]), cards=card_segments(step.event["primary"])
    )


def took(step: EventContext) -> Segments:
    count = step.event["count"]
    template = ngettext("{who} took the plate: {count} card.", "{who} took the plate: {count} cards.", count)
    return sentence(template, who=seat_segment(step.event["seat"]), count=count)


def cleared(step: EventContext) -> Segments:
    count = step.event["count"]
    template = ngettext(
        "{who} cleared the plate: {count} card leaves the round.",
        "{who} cleared the plate: {count} cards leave the round.",
        count,
    )
    return sentence(template, who=seat_segment(step.event["seat"]), count=count)


def scored(step: EventContext) -> Segments:
    template = (
        _("The turn limit ends the round. Points: {points}.")
        if step.event["cut"]
        else _("The round is over. Points: {points}.")
    )
    points = [[seat_segment(seat), f" {count}"] for seat, count in enumerate(step.event["points"])]
    return sentence(template, points=list_segments(points))


def shown(step: EventContext) -> Segments:
    """Return which face-down cards became known when a round was scored."""
    hands = [
        [seat_segment(seat), " ", *card_segments(cards)]
        for seat, hand in enumerate(step.event["hands"])
        if (cards := [card for card in hand["unseen"] if card])
    ]
    return sentence(_("The round ended, and its face-down cards were shown: {cards}."), cards=list_segments(hands))


NARRATORS: Final[dict[str, Narrator]] = {
    "dealt": dealt,
    "placed": placed,
    "turned": turned,
    "added": added,
    "took": took,
    "cleared": cleared,
    "scored": scored,
}


DRAWERS: Final[dict[str, Narrator]] = {"scored": shown}


def why_dealt(_step: EventContext) -> Reason:
    return Reason(_("The player whose revealed cards are worth most leads."), "PL-6")


def why_took(step: EventContext) -> Reason:
    plate = step.before["plate"]
    if len(plate) > 1 and RANKS.index(plate[-1][0]) > RANKS.index(plate[-2][0]):
        return Reason(_("The unseen card is higher than the one on top, so it is taken with the plate."), "PL-18")
    return Reason(_("None of the cards that the player knows could be placed."), "PL-11")


def why_placed(step: EventContext) -> Reason | None:
    """Return why a play clears the plate; None if it does not."""
    event = step.event
    if not event["clears"]:
        return None
    if step.after["plate"][-1][0] == "A":
        return Reason(_("An ace clears the plate."), "PL-12")
    if len(event["primary"]) + len(event.get("revealed", ["turned"])) >= RUN:
        return Reason(_("Four or more of a rank in one play clear the plate."), "PL-12")
    return Reason(_("Whoever makes it four or more of a rank on top may clear the plate."), "PL-13")


def why_added(step: EventContext) -> Reason:
    return why_placed(step) or Reason(_("After an unseen card that stands, cards of its rank may be added."), "PL-17")


def why_scored(step: EventContext) -> Reason:
    if step.event["cut"]:
        return Reason(_("The option “turn limit” ends a round after so many turns."), "PL-23")
    return Reason(_("Somebody had no card left, and all others had one more turn."), "PL-20")


REASONERS: Final[dict[str, Reasoner]] = {
    "dealt": why_dealt,
    "took": why_took,
    "placed": why_placed,
    "added": why_added,
    "scored": why_scored,
}
