"""Plates' events in words."""

from __future__ import annotations

from typing import Final

from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Segments,
    card_segment,
    card_segments,
    list_segments,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import ngettext


def dealt(step: EventContext) -> Segments:
    return sentence(
        _("Round {round} of {rounds}: {dealer} dealt, {leader} leads."),
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


NARRATORS: Final[dict[str, Narrator]] = {
    "dealt": dealt,
    "placed": placed,
    "turned": turned,
    "added": added,
    "took": took,
    "cleared": cleared,
    "scored": scored,
}
