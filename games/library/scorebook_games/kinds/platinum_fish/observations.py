"""What players see of a game of Platinum Fish: observations, built up from nothing, and events with named fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from scorebook_games.cards import RANKS, TEXTS
from scorebook_games.contract import REDACTED, Event
from scorebook_games.kinds.platinum_fish.state import FISH, KINDS_OF_CARD, NONE, OVER, PHASES, POSSIBLE, State

# Events in which nothing is hidden from anybody.
OPEN: Final = frozenset(
    ("turned", "drew", "took", "rolled", "fished", "asked", "declined", "passed", "salvaged", "stopped", "ended")
)


def observation(state: State, seat: int | None, to_act: list[int]) -> dict[str, Any]:
    """Return all that `seat` may know: its own hand, and what everybody has seen (PF-13).

    `shown` has the cards of each hand that all have seen; `lacks` the ranks that all know it lacks; `asked` those for
    which its owner asked in vain; `deck_lacks` those that the deck lacks. `discard` reads from the bottom up. `ranks`
    are those that the dice allow, and `fish` those of them that the deck holds. While only the roller knows (PF-12),
    `fish` is null for the others, and the roller has `deck_order`, the top card first. `phase` is one of `PHASES`.
    """
    roller: bool = state.player_searches and state.phase == FISH and seat == state.turn
    dice = state.dice
    return {
        "seat": seat,
        "seats": state.seats,
        "searcher": "player" if state.player_searches else "dealer",
        "turn_limit": state.turn_limit,
        "turns": state.turns,
        "turn": state.turn if state.phase != OVER else None,
        "phase": PHASES[state.phase],
        "to_act": to_act,
        "hand": None if seat is None else [TEXTS[card] for card in state.hands[seat] if card >= 0],
        "hand_counts": state.held[:],
        "shown": [shown_cards(state, other) for other in range(state.seats)],
        "lacks": [ranks_in(ranks) for ranks in state.lacks],
        "asked": [ranks_in(ranks) for ranks in state.asked],
        "deck_lacks": ranks_in(state.deck_lacks),
        "matches": [pairs_of(cards) for cards in state.laid],
        "scores": [len(cards) // 2 for cards in state.laid],
        "deck": len(state.deck),
        "deck_order": [TEXTS[card] for card in state.deck] if roller else None,
        "discard": [TEXTS[card] for card in state.discard],
        "dice": dice[:],
        "ranks": rank_texts(POSSIBLE[7 * dice[0] + dice[1]]) if dice else [],
        "fish": None if state.player_searches and state.fish and not roller else rank_texts(state.fish),
    }


def redact(event: Event, seat: int | None) -> Event:
    """Return `event` as `seat` may see it: without the deck's order, other hands, or another roller's search
    (PF-13)."""
    kind: str = event[0]
    if kind in OPEN:
        return event
    if kind == "dealt":
        return event if event[1] == seat else [*event[:4], [None] * len(event[4])]
    if kind == "searched":
        return event if event[1] == seat else [*event[:4], None]
    if kind == "stacked" or kind == "shuffled":
        return [*event[:-1], [None] * len(event[-1])]
    return REDACTED


def readable(event: Event) -> dict[str, Any]:
    """Return `event` with named fields: cards and ranks as text, None for what is hidden or not there."""
    kind: str = event[0]
    match event:
        case ["stacked", deck]:
            return {"type": kind, "deck": texts(deck)}
        case ["turned", card]:
            return {"type": kind, "card": TEXTS[card]}
        case ["ended", termination]:
            return {"type": kind, "termination": termination}
        case ["dealt", seat, die, laid, kept]:
            return {"type": kind, "seat": seat, "die": die, "matches": pairs_of(laid), "kept": texts(kept)}
        case ["drew" | "took" | "fished" | "salvaged", seat, card, mate]:
            return {"type": kind, "seat": seat, "card": TEXTS[card], "mate": text_of(mate)}
        case ["rolled" | "searched", seat, a, b, held]:
            fishes = None if held is None else rank_texts(held)
            ranks = rank_texts(POSSIBLE[7 * a + b])
            return {"type": kind, "seat": seat, "dice": [a, b], "ranks": ranks, "fish": fishes}
        case ["asked", seat, other, rank, card, mate]:
            return {
                "type": kind,
                "seat": seat,
                "other": other,
                "rank": RANKS[rank],
                "card": text_of(card),
                "mate": text_of(mate),
            }
        case ["shuffled", seat, deck]:
            return {"type": kind, "seat": seat, "deck": texts(deck)}
        case ["declined" | "passed" | "stopped", seat]:
            return {"type": kind, "seat": seat}
    return {"type": kind}


def text_of(card: int) -> str | None:
    """Return a card as text, None for NONE."""
    return None if card == NONE else TEXTS[card]


def texts(cards: Sequence[int | None]) -> list[str | None]:
    """Return cards as text, None for a hidden one."""
    return [None if card is None else TEXTS[card] for card in cards]


def rank_texts(ranks: Sequence[int]) -> list[str]:
    """Return ranks as text."""
    return [RANKS[rank] for rank in ranks]


def pairs_of(cards: Sequence[int]) -> list[list[str]]:
    """Return laid cards as text, match by match."""
    return [[TEXTS[cards[place]], TEXTS[cards[place + 1]]] for place in range(0, len(cards), 2)]


def shown_cards(state: State, seat: int) -> list[str]:
    """Return the cards in the hand of `seat` that everybody has seen, as text."""
    seen = state.shown[seat]
    return [TEXTS[card] for rank, card in enumerate(state.hands[seat]) if seen >> rank & 1]


def ranks_in(bits: int) -> str:
    """Return the ranks whose bits are set, as text."""
    return "".join([RANKS[rank] for rank in range(KINDS_OF_CARD) if bits >> rank & 1])
