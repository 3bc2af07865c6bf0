"""Events in words. A sentence is a list of parts, so that whoever shows it can draw its cards and name its players.

Part
----
``"plain words"``, ``{"seat": 0}`` (a player), or ``{"card": "7S"}``. Names are put in at the edge (`plain`), for no
log holds one. Everything here starts from readable events and observations, redacted for the viewer before they come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games import events as ev
from games.engines.base import ABORTED, LEFT, TURN_LIMIT
from games.engines.cards import JOKER_RANK, card_of, rank_of
from games.engines.chinese_ten import POINTS, TAKER

Part = str | dict[str, Any]
Parts = list[Part]
Readable = Mapping[str, Any]
Observation = Mapping[str, Any]


class Step(NamedTuple):
    """An event between the positions around it, as the viewer has them; `before` is empty at the start."""

    event: Readable
    before: Observation
    after: Observation


SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def narrate(kind: str, step: Step) -> Parts:
    """The step's event as a sentence, with the result where the game ends by it. [] for nothing to tell."""
    name = step.event["type"]
    teller = TABLE.get(name) or TELLERS[kind].get(name)
    parts = teller(step) if teller else []
    if parts and step.after.get("outcome") and not step.before.get("outcome"):
        parts = [*parts, " ", *result(step.after["outcome"])]
    return joined(parts)


def result(outcome: Mapping[str, Any]) -> Parts:
    """Who won, as a sentence."""
    first = [seat for seat, placing in enumerate(outcome["placings"]) if placing == 1]
    if not first:
        return [_("The game was aborted; nobody is placed.")]
    score = outcome["scores"][first[0]]
    if len(first) == 1:
        return sentence(_("{who} wins with {score}."), who=who(first[0]), score=score)
    return sentence(_("{who} share the first place with {score}."), who=listed([[who(s)] for s in first]), score=score)


def plain(parts: Sequence[Part], names: Sequence[str]) -> str:
    """The sentence as text: names for seats, `7♠` for cards."""
    return "".join(
        part if isinstance(part, str) else names[part["seat"]] if "seat" in part else card_sign(part["card"])
        for part in parts
    )


def card_sign(text: str) -> str:
    """`10♥` for TH, `joker` for one."""
    if rank_of(card_of(text)) == JOKER_RANK:
        return _("joker")
    return ("10" if text[0] == "T" else text[0]) + SUIT_SIGNS[text[1]]


def sentence(template: str, **values: Any) -> Parts:
    """`template` with its {fields} replaced: by a part, by a list of parts, or by a number or text."""
    parts: Parts = []
    for text, field, _spec, _conversion in Formatter().parse(template):
        parts.append(text)
        if field is not None:
            value = values[field]
            parts += value if isinstance(value, list) else [value if isinstance(value, dict) else str(value)]
    return joined(parts)


def joined(parts: Sequence[Part]) -> Parts:
    """`parts` with neighbouring words made one, and none empty."""
    tidy: Parts = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            tidy[-1] += part
        elif part:
            tidy.append(part)
    return tidy


def who(seat: int) -> Part:
    return {"seat": seat}


def card(text: str) -> Part:
    return {"card": text}


def cards(texts: Sequence[str]) -> Parts:
    """Cards side by side, a space between."""
    parts: Parts = []
    for text in texts:
        parts += [" ", card(text)] if parts else [card(text)]
    return parts


def listed(items: Sequence[Parts]) -> Parts:
    """ "a, b and c"."""
    parts: Parts = []
    for place, item in enumerate(items):
        if place:
            parts.append(_(" and ") if place == len(items) - 1 else ", ")
        parts += item
    return parts


# Chinese Ten


def ten_dealt(step: Step) -> Parts:
    count = step.after["hand_counts"][0]
    return sentence(_("The cards are dealt: {count} to each player and four on the table."), count=count)


def ten_captured(step: Step) -> Parts:
    return sentence(
        _("{who} took {taken} with {card}: {points} points."),
        who=who(step.event["seat"]),
        taken=card(step.event["taken"]),
        card=card(step.event["card"]),
        points=points_of(step.event),
    )


def ten_took(step: Step) -> Parts:
    template = (
        _("{who} chose spot {spot} and took {taken}: {points} points more.")
        if step.before.get("flipped")
        else _("Flipped {card}, which took {taken}: {points} points more.")
    )
    return sentence(
        template,
        who=who(step.event["seat"]),
        spot=step.event["spot"],
        card=card(step.event["card"]),
        taken=card(step.event["taken"]),
        points=points_of(step.event),
    )


def ten_laid(step: Step) -> Parts:
    covered = step.after["spots"][step.event["spot"] - 1][:-1]
    template = (
        _("{who} laid {card} on spot {spot}, over {covered}.") if covered else _("{who} laid {card} on spot {spot}.")
    )
    return sentence(
        template,
        who=who(step.event["seat"]),
        card=card(step.event["card"]),
        spot=step.event["spot"],
        covered=card(covered[-1]) if covered else "",
    )


def ten_placed(step: Step) -> Parts:
    template = (
        _("{who} put {card} on spot {spot}.")
        if step.before.get("flipped")
        else _("Flipped {card}: it goes on spot {spot}.")
    )
    return sentence(template, who=who(step.event["seat"]), card=card(step.event["card"]), spot=step.event["spot"])


def ten_flipped(step: Step) -> Parts:
    count = len(takers(step.event["card"], step.after["spots"]))
    template = (
        _("Flipped {card}: {count} spots take it, {who} chooses.")
        if count
        else _("Flipped {card}: it takes nothing and no spot is empty, {who} chooses.")
    )
    return sentence(template, card=card(step.event["card"]), count=count, who=who(step.event["seat"]))


def ten_ended(step: Step) -> Parts:
    if step.event["termination"] == TURN_LIMIT:
        return [_("The turn limit ends the game.")]
    return [_("The game is over.")]


def takers(text: str, spots: Sequence[Sequence[str]]) -> list[int]:
    """The spots, 1 …, whose top card the card captures (CT-5, CT-6)."""
    rank = rank_of(card_of(text))
    return [1 + place for place, spot in enumerate(spots) if spot and TAKER[card_of(spot[-1])] == rank]


def points_of(event: Readable) -> int:
    """What a capture counts (CT-1)."""
    return POINTS[card_of(event["card"])] + POINTS[card_of(event["taken"])]


# Plates


def plates_dealt(step: Step) -> Parts:
    return sentence(
        _("Round {round} of {rounds}: {dealer} dealt, {leader} leads."),
        round=step.after["round"],
        rounds=step.after["rounds"],
        dealer=who(step.event["dealer"]),
        leader=who(step.event["leader"]),
    )


def plates_placed(step: Step) -> Parts:
    primary, revealed = step.event["primary"], step.event["revealed"]
    if not revealed:
        template = _("{who} placed {primary}.")
    elif not primary:
        template = _("{who} placed {revealed} from the revealed cards.")
    else:
        template = _("{who} placed {primary} and, from the revealed cards, {revealed}.")
    return sentence(template, who=who(step.event["seat"]), primary=cards(primary), revealed=cards(revealed))


def plates_turned(step: Step) -> Parts:
    return sentence(_("{who} turned up {card}, blind."), who=who(step.event["seat"]), card=card(step.event["card"]))


def plates_added(step: Step) -> Parts:
    if not step.event["primary"]:
        return sentence(_("{who} added nothing."), who=who(step.event["seat"]))
    return sentence(_("{who} added {cards}."), who=who(step.event["seat"]), cards=cards(step.event["primary"]))


def plates_took(step: Step) -> Parts:
    count = step.event["count"]
    template = ngettext("{who} took the plate: {count} card.", "{who} took the plate: {count} cards.", count)
    return sentence(template, who=who(step.event["seat"]), count=count)


def plates_cleared(step: Step) -> Parts:
    count = step.event["count"]
    template = ngettext(
        "{who} cleared the plate: {count} card leaves the round.",
        "{who} cleared the plate: {count} cards leave the round.",
        count,
    )
    return sentence(template, who=who(step.event["seat"]), count=count)


def plates_scored(step: Step) -> Parts:
    template = (
        _("The turn limit ends the round: {points}.")
        if step.event["cut"]
        else _("The round is over and counts: {points}.")
    )
    points = [[who(seat), f" {count}"] for seat, count in enumerate(step.event["points"])]
    return sentence(template, points=listed(points))


# The table's own events


def table_left(step: Step) -> Parts:
    template = _("{who} resigned.") if step.event["how"] == "resigned" else _("{who} forfeited the game.")
    return sentence(template, who=who(step.event["seat"]))


def table_taken_over(step: Step) -> Parts:
    return sentence(_("The house bot “{bot}” plays on for {who}."), bot=step.event["bot"], who=who(step.event["seat"]))


def table_expired(step: Step) -> Parts:
    return sentence(_("The clock of {who} ran out."), who=who(step.event["seat"]))


def table_attempt(step: Step) -> Parts:
    return sentence(_("Another worker goes on with the game (attempt {attempt})."), attempt=step.event["attempt"])


def table_ended(step: Step) -> Parts:
    if step.event["termination"] == LEFT:
        return [_("The game ends because a player left.")]
    return [_("The game was aborted.") if step.event["termination"] == ABORTED else _("The table ends the game.")]


Teller = Callable[[Step], Parts]

TELLERS: Final[dict[str, dict[str, Teller]]] = {
    "chinese_ten": {
        "dealt": ten_dealt,
        "captured": ten_captured,
        "took": ten_took,
        "laid": ten_laid,
        "placed": ten_placed,
        "flipped": ten_flipped,
        "ended": ten_ended,
    },
    "plates": {
        "dealt": plates_dealt,
        "placed": plates_placed,
        "turned": plates_turned,
        "added": plates_added,
        "took": plates_took,
        "cleared": plates_cleared,
        "scored": plates_scored,
    },
}
TABLE: Final[dict[str, Teller]] = {
    ev.LEFT: table_left,
    ev.TAKEN_OVER: table_taken_over,
    ev.EXPIRED: table_expired,
    ev.ATTEMPT: table_attempt,
    ev.ENDED: table_ended,
}
