"""A table seen from afar: the few cards that everybody sees, and a figure for each seat. Pure, of public observations.

The games' own tables are drawn by the replay viewer; this is what a list has room for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

RANK_NAMES = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", "T": "10"}
SUIT_SIGNS = {"S": ("♠", "spades"), "H": ("♥", "hearts"), "D": ("♦", "diamonds"), "C": ("♣", "clubs")}
RUN_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Card:
    """A face: rank and suit as they are drawn, its name, and whether it is red; all empty for an empty spot."""

    rank: str = ""
    suit: str = ""
    name: str = ""
    red: bool = False


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """Cards in the middle, what they are in words, a note beside them, and a figure for each seat; `turn` are the
    seats that everybody knows to be to move."""

    cards: list[Card]
    words: str
    note: str
    figures: list[str]
    turn: tuple[int, ...] = ()


def thumbnail(kind: str, seen: dict[str, Any]) -> Thumbnail | None:
    """The board of a game of `kind` as `seen` by somebody; None for a kind that has none here, or before the deal."""
    drawn = thumbnail_without_turn(kind, seen)
    return replace(drawn, turn=tuple(seen.get("to_act", ()))) if drawn else None


def thumbnail_without_turn(kind: str, seen: dict[str, Any]) -> Thumbnail | None:
    """The board itself, without whose turn it is."""
    if kind == "chinese_ten" and seen.get("spots"):
        return chinese_ten(seen)
    if kind == "palace" and seen.get("pile") is not None:
        return palace(seen)
    if kind == "plate_spinner" and seen.get("players"):
        return plate_spinner(seen)
    if kind == "plates" and seen.get("plate") is not None:
        return plates(seen)
    if kind == "platinum_fish" and seen.get("discard") is not None:
        return platinum_fish(seen)
    return None


def chinese_ten(seen: dict[str, Any]) -> Thumbnail:
    """The card on top of each spot, the deck, and the points of each pile."""
    cards = [card_face(spot[-1]) if spot else Card() for spot in seen["spots"]]
    named = ", ".join(each.name or "an empty spot" for each in cards)
    return Thumbnail(
        cards, f"On the spots: {named}.", f"deck {seen['deck']}", [str(points) for points in seen["points"]]
    )


def palace(seen: dict[str, Any]) -> Thumbnail:
    """The top of the discard pile, the stack, and how many cards each seat has left."""
    cards = [card_face(text) for text in seen["pile"][-RUN_SHOWN:]]
    named = f"On the pile: {', '.join(each.name for each in cards)}." if cards else "The pile is empty."
    note = f"stack {seen['stack']}, pile {len(seen['pile'])}"
    return Thumbnail(cards or [Card()], named, note, [f"{seat['cards']} left" for seat in seen["seats"]])


def plates(seen: dict[str, Any]) -> Thumbnail:
    """The top of the plate, the round, and how many cards each hand has left."""
    cards = [card_face(text) for text in seen["plate"][-RUN_SHOWN:]]
    named = f"On the plate: {', '.join(each.name for each in cards)}." if cards else "The plate is empty."
    note = f"round {seen['round']} of {seen['rounds']}, plate {len(seen['plate'])}"
    return Thumbnail(cards or [Card()], named, note, [f"{seat['primary_count']} in hand" for seat in seen["seats"]])


def plate_spinner(seen: dict[str, Any]) -> Thumbnail:
    """The round, what is going on, and each seat's points and plates; there are no cards."""
    spinning = f"spinning, meeples left: {', '.join(map(str, seen['meeples'])) or 'none'}"
    words = f"Round {seen['round']}: {spinning if seen['phase'] == 'spinning' else seen['phase']}."
    figures = [f"{each['score']} points, {len(each['plates'])} plates" for each in seen["players"]]
    meeples = [Card(str(number), "", f"meeple {number}") for number in seen["meeples"]]
    return Thumbnail(meeples, words, f"round {seen['round']}, {seen['plates_left']} plates to come", figures)


def platinum_fish(seen: dict[str, Any]) -> Thumbnail:
    """The top of the discard pile, the dice, the deck, and how many matches each seat has."""
    top = card_face(seen["discard"][-1]) if seen["discard"] else Card()
    named = f"On the discard pile: {top.name}." if top.name else "The discard pile is empty."
    dice = f"dice {seen['dice'][0]} {seen['dice'][1]}, " if seen["dice"] else ""
    figures = [f"{count} {'match' if count == 1 else 'matches'}" for count in seen["scores"]]
    return Thumbnail([top], named, f"{dice}deck {seen['deck']}", figures)


def card_face(text: str) -> Card:
    """A card from its text: `7H`, `TS`."""
    if text == "**":
        return Card("★", "", "joker")
    rank, (suit, suit_name) = text[:-1], SUIT_SIGNS[text[-1]]
    return Card("10" if rank == "T" else rank, suit, f"{RANK_NAMES.get(rank, rank)} of {suit_name}", text[-1] in "HD")
