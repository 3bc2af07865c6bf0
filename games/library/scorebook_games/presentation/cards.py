"""Cards in words and as faces, for card games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scorebook_games.presentation.base import Card
from scorebook_games.presentation.sentences import card_sign
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop, ngettext

CARD_NAMES: Final = {
    "A": gettext_noop("ace"),
    "J": gettext_noop("jack"),
    "Q": gettext_noop("queen"),
    "K": gettext_noop("king"),
    "*": gettext_noop("joker"),
}
RANK_COUNTS: Final = {
    2: gettext_noop("two {rank}s"),
    3: gettext_noop("three {rank}s"),
    4: gettext_noop("four {rank}s"),
    5: gettext_noop("five {rank}s"),
    6: gettext_noop("six {rank}s"),
}
RANK_NAMES: Final = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", "T": "10"}
SUITS: Final = {
    "S": ("♠", gettext_noop("{rank} of spades")),
    "H": ("♥", gettext_noop("{rank} of hearts")),
    "D": ("♦", gettext_noop("{rank} of diamonds")),
    "C": ("♣", gettext_noop("{rank} of clubs")),
}
FACE_DOWN: Final = "??"


def rank(card: str) -> str:
    """Return the name of a rank or card, such as "queen" or "10"."""
    return "10" if card[0] == "T" else _(CARD_NAMES.get(card[0], card[0]))


def one_card(card: str) -> str:
    """Return a card in words, such as "an ace" or "a 7"."""
    return (_("an {rank}") if card[0] in "A8" else _("a {rank}")).format(rank=rank(card))


def some(cards: str) -> str:
    """Return equal cards in words, such as "the 8" or "two 8s"."""
    if len(cards) == 1:
        return _("the {rank}").format(rank=rank(cards))
    return _(RANK_COUNTS.get(len(cards), gettext_noop("{count} {rank}s"))).format(rank=rank(cards), count=len(cards))


def signs(texts: Iterable[str]) -> str:
    """Return cards as `10♥ 4♠`."""
    return " ".join(map(card_sign, texts))


def card_count(count: int) -> str:
    """Return a number of cards in words, such as "1 card" or "7 cards"."""
    return ngettext("{count} card", "{count} cards", count).format(count=count)


def card_face(text: str) -> Card:
    """Return the face of a card from its text, such as `7H` or `TS`."""
    if text == "**":
        return Card("★", "", _("joker"))
    rank_text, (suit, template) = text[:-1], SUITS[text[-1]]
    name = _(template).format(rank=rank(text))
    return Card("10" if rank_text == "T" else rank_text, suit, name, text[-1] in "HD")
