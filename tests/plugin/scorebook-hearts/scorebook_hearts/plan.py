"""The plan of the bot *sensible* for Hearts: it avoids tricks, and gets rid of its dangerous cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scorebook_games.cards import card_of

from .rules import QUEEN, points_of, strength, suit_of

DANGEROUS = 11  # the strength from which on a spade counts as dangerous: queen, king and ace


def plan(seen: Mapping[str, Any]) -> Callable[[str], float]:
    """Return a function that says how good a legal move is in this position."""
    trick = [card_of(played["card"]) for played in seen["trick"]]
    hand = [card_of(text) for text in seen["hand"]]
    last = len(trick) == len(seen["scores"]) - 1

    def worth(move: str) -> float:
        card = card_of(move.split()[1])
        if not trick:
            return lead(card, hand)
        if suit_of(card) != suit_of(trick[0]):
            return 100 * points_of(card) + danger(card)
        highest = max(strength(each) for each in trick if suit_of(each) == suit_of(trick[0]))
        if strength(card) < highest:  # it does not take the trick, so the queen is best, then the highest card
            return 100 + 100 * points_of(card) + strength(card)
        if last and not any(map(points_of, [*trick, card])):  # the trick has no points, so a high card is good
            return 50 + strength(card)
        return -100 * int(card == QUEEN) - strength(card)

    return worth


def lead(card: int, hand: list[int]) -> float:
    """Return how good a card is to lead: low cards of short suits are best, dangerous spades worst."""
    length = sum(suit_of(other) == suit_of(card) for other in hand)
    return -strength(card) - length / 2 - (20 if suit_of(card) == suit_of(QUEEN) and danger(card) > DANGEROUS else 0)


def danger(card: int) -> float:
    """Return how much a card may cost later: high spades most."""
    return strength(card) + (20 if suit_of(card) == suit_of(QUEEN) and strength(card) >= DANGEROUS else 0)
