"""What the things on the table of Palace are and do."""

from __future__ import annotations

from scorebook_games.presentation.base import Explanation
from scorebook_games.presentation.cards import rank
from scorebook_games.presentation.sentences import Reason
from scorebook_games.presentation.text import gettext as _

ORDINARY = "3456789JQK"  # from low to high (PA-5)


def explanations() -> dict[str, Explanation]:
    return {
        "seat": Explanation((Reason(_("The first player with no cards, in hand or palace, wins."), "PA-22"),)),
        "back": Explanation(
            (Reason(_("Only its owner may see a card of a hand; nobody has seen the under palace."), "PA-2"),),
            _("a face-down card"),
        ),
        **ranks(),
        **pile(),
        **palace(),
    }


def ranks() -> dict[str, Explanation]:
    wild = Reason(_("It is wild: it goes on any card but an Ace that threatens."), "PA-5")
    wild_ace = Reason(_("It is wild: it goes on any card."), "PA-5")
    ace_too = Reason(_("By this option it goes on an Ace, too."), "PA-10")
    four = Reason(_("Four or more of a rank in a row clear the pile, and their player plays again."), "PA-13")
    again = Reason(_("It takes the pile out of the game, and its player plays again."), "PA-11")
    two = Reason(_("After it the same player goes on, with any card."), "PA-12")
    ace = Reason(_("The next player must play an Ace, too, or take the pile."), "PA-10")
    anything = Reason(_("It goes on any card, also on an Ace that threatens."), "PA-25")
    turns = Reason(_("It turns play round: whoever would have come last is next."), "PA-25")
    under = Reason(_("The card under it still counts: the next player must play as high, or answer the Ace."), "PA-25")
    return {
        **{f"card:{each}": Explanation((ordinary(each), four)) for each in ORDINARY},
        "on:A-reset": Explanation((ace_too,)),
        "card:2": Explanation((wild, two)),
        "card:T": Explanation((wild, again)),
        "card:*-clear": Explanation((wild, again)),
        "card:*-reverse": Explanation((anything, turns, under)),
        "card:A-threat": Explanation((wild_ace, ace)),
        "card:A-reset": Explanation((wild_ace, two)),
    }


def ordinary(each: str) -> Reason:
    """Return what a card of an ordinary rank goes on."""
    if each == ORDINARY[0]:
        return Reason(
            _("The lowest card: it goes on another {rank}, on a 2, or on an empty pile.").format(rank=each), "PA-6"
        )
    return Reason(
        _("It goes on a card that is as high or lower: {low} to {rank}, or a 2.").format(
            low=ORDINARY[0], rank=rank(each)
        ),
        "PA-6",
    )


def pile() -> dict[str, Explanation]:
    take = Reason(_("Instead of playing, it may be taken into the hand. Then the turn is over."), "PA-8")
    chance = Reason(
        _("Instead of playing, its top card may be tried. If it cannot be played, it is kept, and the pile is taken."),
        "PA-9",
    )
    draw = Reason(_("While it has cards, a hand of fewer than three draws up to three."), "PA-15")
    free = Reason(_("Now any card may be played."), "PA-6")
    threat = Reason(_("Now an Ace must be played, or the pile is taken."), "PA-10")
    joker = Reason(_("A joker answers it, too: then whoever is next the other way must answer."), "PA-25")
    round_ = Reason(_("A joker has turned play round. Another one turns it back."), "PA-25")
    gone = Reason(_("What was cleared: by a 10, by four of a rank, or by a joker that clears."), "PA-11")
    return {
        "pile": Explanation((take,)),
        "stack": Explanation((chance, draw)),
        "place:cleared": Explanation((gone,), _("Out of the game")),
        "now:any": Explanation((free,)),
        "now:A-threat": Explanation((threat,)),
        "now:A-threat-reverse": Explanation((threat, joker)),
        "direction": Explanation((round_,), _("Direction of play")),
        **{f"now:{each}": Explanation((now(each),)) for each in ORDINARY},
    }


def now(each: str) -> Reason:
    """Return what may be played on an ordinary rank."""
    template = _("Now a card of this rank or a higher one is played ({rank} to king), or a wild one: A, 2, 10, joker.")
    return Reason(template.format(rank=rank(each)), "PA-6")


def palace() -> dict[str, Explanation]:
    late = Reason(_("Nobody touches a palace while there are cards in the hand or in the stack."), "PA-17")
    upper = Reason(
        _("Then the upper cards come into the hand, and at last the lower ones are turned up unseen, one a turn."),
        "PA-18",
    )
    blind = Reason(_("If the card may be played, it is; if not, it is taken with the pile."), "PA-19")
    drawn = Reason(_("A card that was tried from the stack: it is played, or kept with the pile."), "PA-9")
    hand = Reason(_("One card, or several of a rank, as high as the pile’s top or higher."), "PA-6")
    return {
        "under": Explanation((late, upper, blind)),
        "place:stands": Explanation((late, upper), _("Palace")),
        "drawn": Explanation((drawn,)),
        "place:drawn": Explanation((drawn,), _("Chanced card")),
        "place:hand": Explanation((hand,), _("Hand")),
    }
