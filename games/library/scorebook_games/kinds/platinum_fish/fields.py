"""What a seat sees of a game of Platinum Fish, field by field."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from scorebook_games.fields import Card, Rank, Seat


class PlatinumFishObservation(TypedDict):
    """What `PlatinumFish.observation` shows."""

    seat: Annotated[Seat | None, "Your seat; null for who only watches."]
    seats: Annotated[int, "How many play."]
    searcher: Annotated[Literal["player", "dealer"], "Who looks through the deck for a fish."]
    turn_limit: Annotated[int, "The game ends after this number of turns."]
    turns: Annotated[int, "How many turns have been taken."]
    turn: Annotated[Seat | None, "Whose turn it is; null after the end."]
    phase: Annotated[
        Literal["setting_up", "waiting", "draw", "fish", "ask", "shuffle", "salvage", "over"],
        "What is to be decided now.",
    ]
    to_act: Annotated[list[Seat], "The seats that may move now."]
    hand: Annotated[list[Card] | None, "Your cards; null for who only watches."]
    hand_counts: Annotated[list[int], "By seat, how many cards it holds."]
    shown: Annotated[list[list[Card]], "By seat, the cards in its hand that all have seen."]
    lacks: Annotated[list[str], "By seat, the ranks that all know it lacks, as one text: `49K`."]
    asked: Annotated[list[str], "By seat, the ranks for which it asked in vain, as one text."]
    deck_lacks: Annotated[str, "The ranks of which the deck has no card, as all know, as one text."]
    matches: Annotated[list[list[list[Card]]], "By seat, the pairs that it has laid down."]
    scores: Annotated[list[int], "By seat, how many matches it has."]
    deck: Annotated[int, "How many cards are left in the deck."]
    deck_order: Annotated[list[Card] | None, "The deck from the top, for who looks through it; null for all others."]
    discard: Annotated[list[Card], "The discard pile, from the bottom card to the one on top."]
    dice: Annotated[list[int], "The two dice of this turn; empty before the roll."]
    ranks: Annotated[list[Rank], "The ranks that the dice allow."]
    fish: Annotated[list[Rank] | None, "Those of these ranks that the deck holds; null while only the roller may know."]
