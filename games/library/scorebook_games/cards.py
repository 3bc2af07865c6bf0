"""Playing cards as small ints: ``card = 4 * rank + suit``, ranks in the order `A 2 … K *`
(docs/reference/common-rules.md).

The same card occurs more than once when several packs are used. A joker has rank 13 and prints as `**`.
"""

from __future__ import annotations

from typing import Final

RANKS: Final = "A23456789TJQK*"
SUITS: Final = "SHDC"

ACE: Final = 0
TEN: Final = 9
JACK: Final = 10
QUEEN: Final = 11
KING: Final = 12
JOKER_RANK: Final = 13

JOKER: Final = 4 * JOKER_RANK

TEXTS: Final = (*[rank + suit for rank in RANKS[:JOKER_RANK] for suit in SUITS], *["**"] * 4)


def rank_of(card: int) -> int:
    """0 (Ace) … 12 (King), 13 for a joker."""
    return card >> 2


def card_text(card: int) -> str:
    """`AS`, `TH`, `**`."""
    return TEXTS[card]


def card_of(text: str) -> int:
    """The card that `text` names; ValueError if there is none."""
    if text == "**":
        return JOKER
    if len(text) != 2 or text[0] == "*":
        raise ValueError(f"{text!r} is not a card.")
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def packs(count: int, jokers: int = 0) -> list[int]:
    """`count` packs of 52 cards, each with `jokers` jokers, one after the other in order of card."""
    return [*range(52), *[JOKER] * jokers] * count
