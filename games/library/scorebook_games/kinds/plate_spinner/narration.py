"""Plate Spinner's events in words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from scorebook_games.contract import TURN_LIMIT
from scorebook_games.kinds.plate_spinner.catalogue import looks
from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Observation,
    Reason,
    Reasoner,
    Segments,
    list_segments,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import ngettext


@cache
def printed_names(version: int) -> dict[str, str]:
    """Return the names of a catalogue's plates and rims as they are printed, by id."""
    return {item: look["name"] for item, look in looks(version).items()}


def names(version: int) -> dict[str, str]:
    """Return the names of a catalogue's plates and rims, by id. That of the star plate is translated."""
    return {**printed_names(version), "STAR": _("Star Plate")}


def item_names(step: EventContext, items: Sequence[str]) -> Segments:
    """Return the names of plates and rims as text, such as "Poppy, Tide and Ivy"."""
    known = names(step.after["catalogue"]["version"])
    return list_segments([[known[item]] for item in items])


def plates_of(seen: Observation, seat: int) -> dict[str, Observation]:
    """Return the plates in front of a seat, by id."""
    return {plate["id"]: plate for plate in seen["players"][seat]["plates"]}


def set_up(step: EventContext) -> Segments:
    count = len(step.after["players"])
    return sentence(
        _("Plates and rims are shuffled; {count} players take two plates and three dice each."), count=count
    )


def turned(step: EventContext) -> Segments:
    if step.after["last_round"]:
        return [_("The star plate is turned up. The last round is played for it.")]
    plates = item_names(step, step.event["plates"])
    if not step.event["rims"]:
        return sentence(_("New in the market: {plates}."), plates=plates)
    template = ngettext(
        "New in the market: {plates} and the rim {rims}.",
        "New in the market: {plates}, and the rims {rims}.",
        len(step.event["rims"]),
    )
    return sentence(template, plates=plates, rims=item_names(step, step.event["rims"]))


def go(step: EventContext) -> Segments:
    template = _("GO! Round {round}: everybody rolls all dice: {rolls}.")
    return sentence(template, round=step.event["round"], rolls=list_segments(rolls_on_go(step)))


def rolls_on_go(step: EventContext) -> list[Segments]:
    return [[seat_segment(seat), f" {' '.join(dice)}"] for seat, dice in enumerate(step.event["dice"]) if dice]


def market_and_rolls(step: EventContext) -> Segments:
    """Return what a round began with. A market and the rolls on GO are one draw."""
    market = [item["id"] for item in step.after["market"]]
    return sentence(
        _("The market brought {items}. The dice on GO were {rolls}. Both are counted together."),
        items=item_names(step, market),
        rolls=list_segments(rolls_on_go(step)),
    )


def rolled(step: EventContext) -> Segments:
    dice = len(step.event["dice"])
    template = ngettext("{who} rolled a die: {shown}.", "{who} rolled {count} dice: {shown}.", dice)
    return sentence(template, who=seat_segment(step.event["seat"]), count=dice, shown=" ".join(step.event["shown"]))


def assigned(step: EventContext) -> Segments:
    seat, plate = step.event["seat"], step.event["plate"]
    filled = plates_of(step.after, seat)[plate]["free"] == 0
    template = _("{who} put a {die} on {plate}: filled.") if filled else _("{who} put a {die} on {plate}.")
    return sentence(template, who=seat_segment(seat), die=step.event["die"], plate=item_names(step, [plate]))


def grabbed(step: EventContext) -> Segments:
    return sentence(
        _("{who} grabbed meeple {meeple}."), who=seat_segment(step.event["seat"]), meeple=step.event["meeple"]
    )


def finished(step: EventContext) -> Segments:
    return sentence(_("{who} finished without a meeple."), who=seat_segment(step.event["seat"]))


def broke(step: EventContext) -> Segments:
    plates, rims = step.event["plates"], step.event["rims"]
    values = {
        "who": seat_segment(step.event["seat"]),
        "plates": item_names(step, plates),
        "rims": item_names(step, rims),
    }
    if step.event["bombs"]:
        bombs = item_names(step, step.event["bombs"])
        return sentence(_("The bomb of {bombs} went off: {who} lost {plates}."), bombs=bombs, **values)
    if rims:
        return sentence(_("{who} broke {plates}, with {rims}."), **values)
    return sentence(_("{who} broke {plates}."), **values)


def drafted(step: EventContext) -> Segments:
    item, dice = step.event["item"], step.event["dice"]
    values = {"who": seat_segment(step.event["seat"]), "item": item_names(step, [item]), "count": dice}
    if item[0] == "R":
        template = _("{who} drafted the rim {item} and a neutral die.") if dice else _("{who} drafted the rim {item}.")
        return sentence(template, **values)
    if not dice:
        return sentence(_("{who} drafted {item}."), **values)
    template = ngettext("{who} drafted {item} and {count} die.", "{who} drafted {item} and {count} dice.", dice)
    return sentence(template, **values)


def attached(step: EventContext) -> Segments:
    return sentence(
        _("{who} put the rim {rim} under {plate}."),
        who=seat_segment(step.event["seat"]),
        rim=item_names(step, [step.event["rim"]]),
        plate=item_names(step, [step.event["plate"]]),
    )


def discarded(step: EventContext) -> Segments:
    rims = step.event["rims"]
    template = ngettext(
        "{who} has no free plate for {rims}, so it is discarded.",
        "{who} has no free plate for {rims}, so they are discarded.",
        len(rims),
    )
    return sentence(template, who=seat_segment(step.event["seat"]), rims=item_names(step, rims))


def coloured(step: EventContext) -> Segments:
    return sentence(
        _("{who} made the star plate {colour}."),
        who=seat_segment(step.event["seat"]),
        colour=colour_name(step.event["colour"]),
    )


def ended(step: EventContext) -> Segments:
    if step.event["termination"] == TURN_LIMIT:
        return [_("The turn limit ends the game.")]
    return [_("The last round is over.")]


def colour_name(colour: str) -> str:
    return {"red": _("red"), "blue": _("blue"), "green": _("green"), "yellow": _("yellow")}[colour]


NARRATORS: Final[dict[str, Narrator]] = {
    "set": set_up,
    "turned": turned,
    "go": go,
    "rolled": rolled,
    "assigned": assigned,
    "grabbed": grabbed,
    "finished": finished,
    "broke": broke,
    "drafted": drafted,
    "attached": attached,
    "discarded": discarded,
    "coloured": coloured,
    "ended": ended,
}


DRAWERS: Final[dict[str, Narrator]] = {"go": market_and_rolls}


def why_broke(step: EventContext) -> Reason:
    if step.event["bombs"]:
        return Reason(
            _("A plate with a bomb was not filled: when it breaks, all others break but the starting plates."), "PS-14"
        )
    return Reason(
        ngettext(
            "Not all its places had a die when its owner stopped spinning.",
            "Not all their places had a die when their owner stopped spinning.",
            len(step.event["plates"]),
        ),
        "PS-13",
    )


def why_finished(step: EventContext) -> Reason:
    if not step.before["meeples"]:
        return Reason(_("The last meeple is gone, so nobody may roll."), "PS-12")
    return Reason(_("No roll was left, or too few dice for the starting plates."), "PS-16")


def why_drafted(step: EventContext) -> Reason | None:
    if step.event["item"] == "STAR":
        return Reason(_("Meeple 1 takes the star plate."), "PS-23")
    return Reason(_("The dice that it shows come with it."), "PS-20") if step.event["dice"] else None


def why_discarded(_step: EventContext) -> Reason:
    return Reason(_("A plate has one rim, and a starting plate has none."), "PS-21")


def why_turned(step: EventContext) -> Reason:
    if step.after["last_round"]:
        return Reason(_("The star plate brings the last round; everything else leaves the market."), "PS-23")
    return Reason(_("The market has as many plates as there are players, and one rim fewer."), "PS-8")


def why_coloured(_step: EventContext) -> Reason:
    return Reason(_("Its owner chooses the colour of the star plate."), "PS-26")


def why_ended(step: EventContext) -> Reason | None:
    if step.event["termination"] == TURN_LIMIT:
        return None
    return Reason(_("After the star plate was turned up, one last round is played."), "PS-23")


REASONERS: Final[dict[str, Reasoner]] = {
    "turned": why_turned,
    "finished": why_finished,
    "broke": why_broke,
    "drafted": why_drafted,
    "discarded": why_discarded,
    "coloured": why_coloured,
    "ended": why_ended,
}
