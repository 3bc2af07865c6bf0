"""What a seat sees of a game of Plates, field by field."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from scorebook_games.fields import Card, HiddenCard, Rank, Seat


class PlatesSeat(TypedDict):
    """What lies in front of a seat, and what it holds."""

    primary: Annotated[list[Card] | None, "Its primary hand: your own; null of the others while the round is on."]
    primary_count: Annotated[int, "How many cards are in its primary hand."]
    shown: Annotated[list[Card], "Cards of its primary hand that all have seen."]
    above: Annotated[
        Rank | None, "Its other primary cards rank above this one and none is an Ace, as all know; null for unknown."
    ]
    revealed: Annotated[list[Card], "Its revealed cards, which lie open."]
    unseen: Annotated[
        list[HiddenCard | None], "Its unseen cards by position: `??` face down, null where the card was turned up."
    ]
    points: Annotated[list[int], "Its points in each scored round."]
    total: Annotated[int, "The sum of its points; the fewest win."]


class PlatesObservation(TypedDict):
    """What `Plates.observation` shows."""

    seat: Annotated[Seat | None, "Your seat; null for who only watches."]
    phase: Annotated[
        Literal["before", "play", "add", "scored", "over"],
        "`play`: a turn. `add`: a blind card stands, and cards may be added. `scored`: between two rounds.",
    ]
    round: Annotated[int, "The number of the round, from 1."]
    rounds: Annotated[int, "How many rounds are played."]
    dealer: Annotated[Seat, "Who deals this round."]
    to_act: Annotated[list[Seat], "The seats that may move now."]
    turns: Annotated[int, "How many turns have been taken in the round."]
    turn_limit: Annotated[int, "A round ends after this number of turns."]
    plate: Annotated[list[Card], "The plate, from the bottom card to the one on top."]
    run: Annotated[int, "How many equal cards lie on top of the plate."]
    cleared: Annotated[list[Card], "The cards that were cleared away in this round."]
    out: Annotated[Seat | None, "Who went out, so that the last turns are played; null for nobody."]
    last_turns: Annotated[int, "How many turns are still to come after somebody went out."]
    seats: Annotated[list[PlatesSeat], "By seat, what it holds and what lies in front of it."]
    aside_count: Annotated[int, "How many cards were put aside at the deal."]
    aside: Annotated[list[Card] | None, "These cards; null until the game is over."]
