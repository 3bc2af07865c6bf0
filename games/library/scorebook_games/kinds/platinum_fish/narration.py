"""Platinum Fish's events in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scorebook_games.contract import TURN_LIMIT
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


def stacked(step: EventContext) -> Segments:
    return sentence(_("The deck is shuffled: {count} cards."), count=len(step.event["deck"]))


def dealt(step: EventContext) -> Segments:
    kept = len(step.event["kept"])
    laid = step.event["matches"]
    parts = sentence(
        _("{who} rolled {die} for a new hand and was dealt {cards}"),
        who=seat_segment(step.event["seat"]),
        die=step.event["die"],
        cards=card_count(kept + 2 * len(laid)),
    )
    if not laid:
        return [*parts, "."]
    template = ngettext(", with a match: {matches}.", ", with {count} matches: {matches}.", len(laid))
    return [
        *parts,
        *sentence(template, count=len(laid), matches=list_segments([card_segments(match) for match in laid])),
    ]


def turned(step: EventContext) -> Segments:
    return sentence(_("{card} starts the discard pile."), card=card_segment(step.event["card"]))


def drew(step: EventContext) -> Segments:
    if step.event["mate"]:
        return match_sentence(step, _("{who} drew {card}: a match with {mate}."))
    return match_sentence(step, _("{who} drew {card}, no match: it goes on the discard pile."))


def took(step: EventContext) -> Segments:
    return match_sentence(step, _("{who} took {card} from the discard pile: a match with {mate}."))


def fished(step: EventContext) -> Segments:
    if step.event["mate"]:
        return match_sentence(step, _("{who} fished {card} out of the deck: a match with {mate}."))
    return match_sentence(step, _("{who} fished {card} out of the deck and keeps it."))


def salvaged(step: EventContext) -> Segments:
    return match_sentence(step, _("{who} took {card} out of the discard pile for the new hand: a match with {mate}."))


def match_sentence(step: EventContext, template: str) -> Segments:
    """Return the sentence for a card that comes to a player, and for its mate."""
    mate = step.event["mate"]
    return sentence(
        template,
        who=seat_segment(step.event["seat"]),
        card=card_segment(step.event["card"]),
        mate=card_segment(mate) if mate else "",
    )


def rolled(step: EventContext) -> Segments:
    a, b = step.event["dice"]
    fish = step.event["fish"]
    parts = sentence(_("{who} rolled {a} and {b}."), who=seat_segment(step.event["seat"]), a=a, b=b)
    if fish is None:
        return [*parts, _(" The deck holds a possible rank; only the roller sees which.")]
    if fish:
        return [*parts, " ", *sentence(_("The deck holds {ranks}."), ranks=either(fish, ", ", _(" and ")))]
    ranks = either(step.event["ranks"], _(", no "), _(" and no "))
    return [*parts, " ", *sentence(_("The deck holds no {ranks}, so other players may be asked."), ranks=ranks)]


def asked(step: EventContext) -> Segments:
    event = step.event
    values: dict[str, Any] = {
        "who": seat_segment(event["seat"]),
        "other": seat_segment(event["other"]),
        "rank": rank_word(event["rank"]),
        "card": card_segment(event["card"]) if event["card"] else "",
        "mate": card_segment(event["mate"]) if event["mate"] else "",
    }
    if not event["card"]:
        return sentence(_("{who} asked {other} for {rank} but got no card."), **values)
    if event["mate"]:
        return sentence(_("{who} asked {other} for {rank} and got {card}: a match with {mate}."), **values)
    return sentence(_("{who} asked {other} for {rank} and got {card}, which makes no match yet."), **values)


def declined(step: EventContext) -> Segments:
    return sentence(_("{who} asked no player."), who=seat_segment(step.event["seat"]))


def shuffled(step: EventContext) -> Segments:
    return sentence(_("{who} asked for a shuffle: the deck is shuffled."), who=seat_segment(step.event["seat"]))


def passed(step: EventContext) -> Segments:
    return sentence(_("{who} did not ask for a shuffle."), who=seat_segment(step.event["seat"]))


def stopped(step: EventContext) -> Segments:
    return sentence(_("{who} stopped taking cards from the discard pile."), who=seat_segment(step.event["seat"]))


def ended(step: EventContext) -> Segments:
    if step.event["termination"] == TURN_LIMIT:
        return [_("The turn limit ends the game.")]
    return [_("The deck is used up: the game is over.")]


def card_count(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count).format(count=count)


def either(ranks: Sequence[str], between: str, last: str) -> str:
    """Return ranks as text, such as "3, 4 and jack"."""
    words = [rank_name(rank) for rank in ranks]
    return between.join(words[:-1]) + last + words[-1] if len(words) > 1 else words[0]


def rank_name(rank: str) -> str:
    """Return the name of a rank, such as "jack" or "7"."""
    names = {"A": _("ace"), "T": "10", "J": _("jack"), "Q": _("queen"), "K": _("king")}
    return names.get(rank, rank)


def rank_word(rank: str) -> str:
    """Return the name of a rank with its article, such as "a jack" or "an 8"."""
    template = _("an {rank}") if rank in "A8" else _("a {rank}")
    return template.format(rank=rank_name(rank))


NARRATORS: Final[dict[str, Narrator]] = {
    "stacked": stacked,
    "dealt": dealt,
    "turned": turned,
    "drew": drew,
    "took": took,
    "rolled": rolled,
    "searched": rolled,
    "fished": fished,
    "asked": asked,
    "declined": declined,
    "shuffled": shuffled,
    "passed": passed,
    "salvaged": salvaged,
    "stopped": stopped,
    "ended": ended,
}


def why_dealt(step: EventContext) -> Reason:
    setting_up = step.before["phase"] == "setting_up"
    if setting_up and not step.before["matches"][step.event["seat"]]:
        return Reason(_("A die says how many cards are dealt, but at least three."), "PF-1")
    again = _("The hand was empty: a die says how many cards come, but at least three.")
    return Reason(again, "PF-4" if setting_up else "PF-14")


def why_drew(step: EventContext) -> Reason:
    if not step.after["deck"]:
        return Reason(_("The last card has left the deck."), "PF-17")
    if step.event["mate"] and not step.after["hand_counts"][step.event["seat"]]:
        return Reason(_("A match empties the hand, so the turn ends with a new one."), "PF-16")
    if step.event["mate"]:
        return Reason(_("After a match by drawing, the turn starts over."), "PF-7")
    return Reason(_("A drawn card without a match is discarded, and dice are rolled."), "PF-6")


def why_took(_step: EventContext) -> Reason:
    return Reason(_("The top card of the discard pile may be taken if it makes a match."), "PF-5")


def why_rolled(step: EventContext) -> Reason:
    fish = step.event["fish"]
    if fish is None:
        return Reason(_("By this option, the roller alone searches the deck."), "PF-12")
    if fish:
        return Reason(_("If the deck holds a possible rank, a card of one must be taken."), "PF-9")
    return Reason(_("If the deck holds no possible rank, one opponent may be asked."), "PF-10")


def why_fished(step: EventContext) -> Reason:
    if step.event["mate"]:
        return Reason(_("A match is laid down, and the turn ends."), "PF-11")
    return Reason(_("A card that makes no match stays in the hand, and the turn ends."), "PF-11")


def why_asked(step: EventContext) -> Reason:
    if not step.event["card"]:
        return Reason(_("Without a card of that rank, the turn ends."), "PF-10")
    return why_fished(step)


def why_salvaged(_step: EventContext) -> Reason:
    return Reason(_("After a new hand, matches may be taken from anywhere in the discard pile."), "PF-15")


def why_ended(step: EventContext) -> Reason | None:
    if step.event["termination"] == TURN_LIMIT:
        return None
    return Reason(_("The last card has left the deck."), "PF-17")


REASONERS: Final[dict[str, Reasoner]] = {
    "dealt": why_dealt,
    "drew": why_drew,
    "took": why_took,
    "rolled": why_rolled,
    "searched": why_rolled,
    "fished": why_fished,
    "asked": why_asked,
    "salvaged": why_salvaged,
    "ended": why_ended,
}
