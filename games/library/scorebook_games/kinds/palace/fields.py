"""What a seat sees of a game of Palace, field by field."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from scorebook_games.fields import Card, HiddenCard, OptionValues, Rank, Seat


class Throw(TypedDict):
    """A chance to throw another card of the rank that was just played."""

    seat: Annotated[Seat, "Who drew after the last play."]
    rank: Annotated[Rank, "The rank that it might throw."]


class PalaceSeat(TypedDict):
    """What lies in front of a seat, and what it holds."""

    hand: Annotated[list[Card] | None, "Its hand: your own; null of the others."]
    hand_count: Annotated[int, "How many cards are in its hand."]
    upper: Annotated[list[HiddenCard], "Its upper palace; `??` while the choice is not shown yet."]
    under: Annotated[
        list[HiddenCard | None],
        "Its under palace by position: `??` face down, null where the card has left, a card where all have seen it.",
    ]
    drawn: Annotated[
        HiddenCard | None, "The card of its chance, while it may be played or kept; `??` if it is not yours."
    ]
    cards: Annotated[int, "How many cards it has left in all."]
    place: Annotated[int | None, "In which place it went out; null while it plays."]


class PalaceObservation(TypedDict):
    """What `Palace.observation` shows."""

    seat: Annotated[Seat | None, "Your seat; null for who only watches."]
    options: Annotated[OptionValues, "The options of the game."]
    phase: Annotated[
        Literal["before", "choose", "play", "drawn", "look", "over"],
        "`choose`: all choose their upper palace. `play`: a turn. `drawn`: the card of a chance may be played or kept. "
        "`look`: which face-down card is looked at.",
    ]
    turn: Annotated[Seat | None, "Whose turn it is; null while all choose, and after the end."]
    direction: Annotated[int, "1: clockwise; −1: the other way round."]
    turns: Annotated[int, "How many turns have been taken."]
    to_act: Annotated[list[Seat], "The seats that may move now."]
    stack: Annotated[int, "How many cards are left to draw."]
    turned: Annotated[list[Card], "The wild cards that were turned up at the deal, before the first card of the pile."]
    pile: Annotated[list[Card], "The pile, from the bottom card to the one on top."]
    current: Annotated[Rank | None, "The rank that must be met; null for none."]
    run: Annotated[int, "How many equal cards lie on top of the pile."]
    demanded: Annotated[bool, "Whether a 2 on the pile demands a play."]
    cleared: Annotated[list[Card], "The cards that were cleared away."]
    thrown: Annotated[Throw | None, "A chance for a quick throw; null for none."]
    uncalled: Annotated[list[Seat], "The seats that can be called out for a last card."]
    out: Annotated[list[Seat], "The seats that have no cards left, in this order."]
    seats: Annotated[list[PalaceSeat], "By seat, what it holds and what lies in front of it."]
