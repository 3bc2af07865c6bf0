"""What a seat sees of a game of Chinese Ten, field by field."""

from __future__ import annotations

from typing import Annotated, TypedDict

from scorebook_games.fields import Card, Seat


class ChineseTenObservation(TypedDict):
    """What `ChineseTen.observation` shows."""

    seat: Annotated[Seat | None, "Your seat; null for who only watches."]
    seats: Annotated[int, "How many play."]
    packs: Annotated[int, "How many packs of 52 cards are played with."]
    turn_limit: Annotated[int, "The game ends after this number of turns."]
    turns: Annotated[int, "How many turns have been taken."]
    turn: Annotated[Seat | None, "Whose turn it is; null after the end."]
    to_act: Annotated[list[Seat], "The seats that may move now."]
    hand: Annotated[list[Card] | None, "Your cards; null for who only watches."]
    hand_counts: Annotated[list[int], "By seat, how many cards it holds."]
    lacks: Annotated[list[str], "By seat, the ranks of which it surely holds no card, as one text: `49K`."]
    spots: Annotated[list[list[Card]], "The four spots, each from the bottom card to the one on top."]
    flipped: Annotated[Card | None, "The card from the deck that waits for your choice; null for none."]
    deck: Annotated[int, "How many cards are left in the deck."]
    piles: Annotated[list[list[Card]], "By seat, the cards that it has captured."]
    points: Annotated[list[int], "By seat, its points so far."]
