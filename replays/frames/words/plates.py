"""Plates in words."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from replays.frames.words.parts import Parts, Step, Teller, card, cards, listed, sentence, who


def dealt(step: Step) -> Parts:
    return sentence(
        _("Round {round} of {rounds}: {dealer} dealt, {leader} leads."),
        round=step.after["round"],
        rounds=step.after["rounds"],
        dealer=who(step.event["dealer"]),
        leader=who(step.event["leader"]),
    )


def placed(step: Step) -> Parts:
    primary, revealed = step.event["primary"], step.event["revealed"]
    if not revealed:
        template = _("{who} placed {primary}.")
    elif not primary:
        template = _("{who} placed {revealed} from the revealed cards.")
    else:
        template = _("{who} placed {primary} and, from the revealed cards, {revealed}.")
    return sentence(template, who=who(step.event["seat"]), primary=cards(primary), revealed=cards(revealed))


def turned(step: Step) -> Parts:
    return sentence(_("{who} turned up {card}, blind."), who=who(step.event["seat"]), card=card(step.event["card"]))


def added(step: Step) -> Parts:
    if not step.event["primary"]:
        return sentence(_("{who} added nothing."), who=who(step.event["seat"]))
    return sentence(_("{who} added {cards}."), who=who(step.event["seat"]), cards=cards(step.event["primary"]))


def took(step: Step) -> Parts:
    count = step.event["count"]
    template = ngettext("{who} took the plate: {count} card.", "{who} took the plate: {count} cards.", count)
    return sentence(template, who=who(step.event["seat"]), count=count)


def cleared(step: Step) -> Parts:
    count = step.event["count"]
    template = ngettext(
        "{who} cleared the plate: {count} card leaves the round.",
        "{who} cleared the plate: {count} cards leave the round.",
        count,
    )
    return sentence(template, who=who(step.event["seat"]), count=count)


def scored(step: Step) -> Parts:
    template = (
        _("The turn limit ends the round: {points}.")
        if step.event["cut"]
        else _("The round is over and counts: {points}.")
    )
    points = [[who(seat), f" {count}"] for seat, count in enumerate(step.event["points"])]
    return sentence(template, points=listed(points))


TELLERS: Final[dict[str, Teller]] = {
    "dealt": dealt,
    "placed": placed,
    "turned": turned,
    "added": added,
    "took": took,
    "cleared": cleared,
    "scored": scored,
}
