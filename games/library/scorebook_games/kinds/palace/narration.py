"""Palace's events in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorebook_games.contract import TURN_LIMIT
from scorebook_games.presentation.sentences import (
    EventContext,
    Narrator,
    Reason,
    Reasoner,
    Segments,
    card_segment,
    card_segments,
    merge_text,
    seat_segment,
    sentence,
)
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import ngettext


def dealt(step: EventContext) -> Segments:
    parts: Segments = [_("The cards are dealt: three face down and six in hand for each player.")]
    if back := step.event["turned"]:
        parts += [" ", *sentence(_("Cards turned up and put back: {cards}."), cards=card_segments(back))]
    if first := step.event["card"]:
        return [*parts, " ", *sentence(_("{card} starts the pile."), card=card_segment(first))]
    return [*parts, " ", _("The pile starts empty.")]


def chose(step: EventContext) -> Segments:
    if seen := visible(step):
        return sentence(_("{who} chose for the upper palace: {cards}."), who=mover(step), cards=card_segments(seen))
    return sentence(_("{who} chose an upper palace."), who=mover(step))


def laid(step: EventContext) -> Segments:
    return sentence(_("The upper palaces are shown. {who} starts."), who=[seat_segment(step.event["leader"])])


def played(step: EventContext) -> Segments:
    return then(step, _("{who} played {cards}{call}."), card_segments(step.event["cards"]))


def threw(step: EventContext) -> Segments:
    return then(step, _("{who} threw in {cards}{call} before the next player."), card_segments(step.event["cards"]))


def risked(step: EventContext) -> Segments:
    return then(step, _("{who} played the chanced {cards}{call}."), [card_segment(step.event["card"])])


def turned(step: EventContext) -> Segments:
    return then(step, _("{who} turned up {cards} and played it{call}."), [card_segment(step.event["card"])])


def failed(step: EventContext) -> Segments:
    count = step.event["count"]
    if step.after["seats"][step.event["seat"]]["under"][step.event["position"]]:
        template = ngettext(
            "{who} turned up {card}, which may not be played: it goes back, and {who} takes the pile of {count} card.",
            "{who} turned up {card}, which may not be played: it goes back, and {who} takes the pile of {count} cards.",
            count,
        )
    else:
        template = ngettext(
            "{who} turned up {card}, which may not be played, and took it with the pile of {count} card.",
            "{who} turned up {card}, which may not be played, and took it with the pile of {count} cards.",
            count,
        )
    return sentence(template, who=mover(step), card=card_segment(step.event["card"]), count=count)


def drew(step: EventContext) -> Segments:
    if seen := visible(step):
        return sentence(_("{who} drew {cards}."), who=mover(step), cards=card_segments(seen))
    count = len(step.event["cards"])
    template = ngettext("{who} drew {count} card.", "{who} drew {count} cards.", count)
    return sentence(template, who=mover(step), count=count)


def raised(step: EventContext) -> Segments:
    seen = card_segments(step.event["cards"])
    return sentence(_("{who} took up the upper palace: {cards}."), who=mover(step), cards=seen)


def chanced(step: EventContext) -> Segments:
    if seen := step.event["card"]:
        return sentence(_("{who} chanced {card}."), who=mover(step), card=card_segment(seen))
    return sentence(_("{who} chanced a card."), who=mover(step))


def kept(step: EventContext) -> Segments:
    count = step.event["count"]
    if not count:
        return sentence(_("{who} kept the chanced card."), who=mover(step))
    template = ngettext(
        "{who} kept the chanced card and took the pile of {count} card.",
        "{who} kept the chanced card and took the pile of {count} cards.",
        count,
    )
    return sentence(template, who=mover(step), count=count)


def took(step: EventContext) -> Segments:
    count = step.event["count"]
    template = ngettext("{who} took the pile of {count} card.", "{who} took the pile of {count} cards.", count)
    return sentence(template, who=mover(step), count=count)


def looked(step: EventContext) -> Segments:
    if seen := step.event["card"]:
        return sentence(_("{who} looked at a face-down card, {card}."), who=mover(step), card=card_segment(seen))
    return sentence(_("{who} looked at a face-down card."), who=mover(step))


def called(step: EventContext) -> Segments:
    count = step.event["count"]
    template = ngettext(
        "{who} called out {owner}, who did not say “last card” and takes the pile of {count} card.",
        "{who} called out {owner}, who did not say “last card” and takes the pile of {count} cards.",
        count,
    )
    return sentence(template, who=mover(step), owner=[seat_segment(step.event["owner"])], count=count)


def ended(step: EventContext) -> Segments:
    if step.event["termination"] == TURN_LIMIT:
        return [_("The turn limit ends the game.")]
    return [_("The game is over.")]


def mover(step: EventContext) -> Segments:
    return [seat_segment(step.event["seat"])]


def visible(step: EventContext) -> Sequence[str]:
    """Return the event's cards, as far as the viewer may see them."""
    return [text for text in step.event["cards"] if text]


def then(step: EventContext, template: str, shown: Segments) -> Segments:
    """Return a play in words, with its effects on the pile, the direction and the next player."""
    call = _(", calling “last card”") if step.event.get("last") else ""
    parts = sentence(template, who=mover(step), cards=shown, call=call)
    effects = [*pile_effect(step), *direction_effect(step), *threat(step), *gone_out(step)]
    return merge_text([part for effect in [parts, *effects] for part in (" ", *effect)][1:])


def pile_effect(step: EventContext) -> list[Segments]:
    """Return the sentence for a pile that left the game."""
    if not step.event["clears"]:
        return []
    count = len(step.after["cleared"]) - len(step.before["cleared"])
    template = ngettext("{count} card goes out of the game.", "{count} cards go out of the game.", count)
    return [sentence(template, count=count)]


def direction_effect(step: EventContext) -> list[Segments]:
    """Return the sentence for a joker that reversed the direction."""
    return [[_("Play changes direction.")]] if step.after["direction"] != step.before["direction"] else []


def threat(step: EventContext) -> list[Segments]:
    """Return the sentence for the player whom an Ace threatens."""
    after = step.after
    threatens = after["current"] == "A" and after["options"]["ace"] == "threat" and after["turn"] is not None
    if not threatens or step.event["type"] == "threw" or after["turn"] == step.event["seat"]:
        return []
    return [sentence(_("{who} must answer it or take the pile."), who=[seat_segment(after["turn"])])]


def gone_out(step: EventContext) -> list[Segments]:
    """Return the sentence for a player with no cards left, if the others play on."""
    place = step.after["seats"][step.event["seat"]]["place"]
    if place is None or step.after["options"]["placings"] == "winner":
        return []
    return [sentence(_("{who} has no cards left and takes place {place}."), who=mover(step), place=place)]


NARRATORS: Final[dict[str, Narrator]] = {
    "dealt": dealt,
    "chose": chose,
    "laid": laid,
    "played": played,
    "drew": drew,
    "raised": raised,
    "threw": threw,
    "chanced": chanced,
    "risked": risked,
    "kept": kept,
    "took": took,
    "turned": turned,
    "failed": failed,
    "looked": looked,
    "called": called,
    "ended": ended,
}


def why_played(step: EventContext) -> Reason | None:
    """Return what a play does by its rank; None for an ordinary one."""
    cards = step.event.get("cards") or [step.event["card"]]
    if step.event["clears"]:
        again = step.event["type"] != "risked" and step.after["seats"][step.event["seat"]]["place"] is None
        if cards[-1][0] in "T*":
            more = _("A 10 or a joker takes the pile out of the game, and its player plays again.")
            return Reason(more if again else _("A 10 or a joker takes the pile out of the game."), "PA-11")
        more = _("Four or more of a rank in a row clear the pile, and their player plays again.")
        return Reason(more if again else _("Four or more of a rank in a row clear the pile."), "PA-13")
    if step.after["direction"] != step.before["direction"]:
        return Reason(_("By this option, a joker turns the direction of play."), "PA-25")
    if cards[-1][0] == "2" and step.after["demanded"]:
        return Reason(_("After a 2 the same player goes on."), "PA-12")
    if threat(step):
        return Reason(_("After an Ace, the next player answers with an Ace or takes the pile."), "PA-10")
    return None


def why_threw(step: EventContext) -> Reason:
    return why_played(step) or Reason(
        _("Drawn cards of the rank just played may be thrown before the next player has moved."), "PA-16"
    )


def why_drew(_step: EventContext) -> Reason:
    return Reason(_("While the stack has cards, a hand of fewer than three draws up to three."), "PA-15")


def why_raised(_step: EventContext) -> Reason:
    return Reason(_("The stack is gone and the hand is empty."), "PA-18")


def why_took(step: EventContext) -> Reason | None:
    if step.before["current"] == "A" and step.before["options"]["ace"] == "threat":
        return Reason(_("An Ace is answered with an Ace, or the pile is taken."), "PA-10")
    return None


def why_failed(step: EventContext) -> Reason:
    if step.after["seats"][step.event["seat"]]["under"][step.event["position"]]:
        return Reason(_("The last face-down card goes back if it may not be played."), "PA-21")
    return Reason(_("A face-down card that may not be played is taken with the pile."), "PA-19")


def why_looked(_step: EventContext) -> Reason:
    return Reason(_("After a face-down card was played and two are left, one of them is looked at."), "PA-20")


def why_called(_step: EventContext) -> Reason:
    return Reason(_("Whoever keeps one face-down card alone must say “last card”."), "PA-24")


def why_laid(step: EventContext) -> Reason:
    if step.after["options"]["start"] == "left":
        return Reason(_("By this option, the player on the dealer’s left starts."), "PA-4")
    return Reason(_("The player with the worst upper palace starts."), "PA-4")


def why_ended(step: EventContext) -> Reason | None:
    if step.event["termination"] == TURN_LIMIT:
        return None
    if step.after["options"]["placings"] == "winner":
        return Reason(_("The first player with no cards wins at once."), "PA-22")
    return Reason(_("By this option, all play on until only one has cards."), "PA-23")


REASONERS: Final[dict[str, Reasoner]] = {
    "laid": why_laid,
    "played": why_played,
    "threw": why_threw,
    "risked": why_played,
    "turned": why_played,
    "drew": why_drew,
    "raised": why_raised,
    "took": why_took,
    "failed": why_failed,
    "looked": why_looked,
    "called": why_called,
    "ended": why_ended,
}
