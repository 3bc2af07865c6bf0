"""Playing cards as small ints: ``card = 4 * rank + suit``, ranks in the order `A 2 … K *`
(docs/reference/common-rules.md).

A card occurs several times when several packs are used. A joker has rank 13 and is written `**`.
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
    """Return the rank of `card`: 0 (ace) to 12 (king), 13 for a joker."""
    return card >> 2


def card_text(card: int) -> str:
    """Return `card` as text, such as `AS`, `TH` or `**`."""
    return TEXTS[card]


def card_of(text: str) -> int:
    """Return the card that `text` names. Raises ValueError if there is none."""
    if text == "**":
        return JOKER
    if len(text) != 2 or text[0] == "*":
        raise ValueError(f"{text!r} is not a card.")
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def packs(count: int, jokers: int = 0) -> list[int]:
    """Return `count` packs of 52 cards, each with `jokers` jokers, one pack after the other, each sorted by card."""
    return [*range(52), *[JOKER] * jokers] * count
