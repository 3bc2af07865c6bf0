"""A position in words, for readers who cannot see the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from replays.frames.words.parts import card_sign
from replays.frames.words.plate_spinner import names as item_names

FACE_DOWN: Final = "??"


class Fact(NamedTuple):
    """A line of a position: what it is about, and its value."""

    label: str
    text: str


def position(kind: str, observation: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Return the position in `observation` as facts: the table first, then each player."""
    return POSITIONS[kind](observation, names)


def ten(seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Describe Chinese Ten: spots with what they cover, deck, each player's points and hand."""
    facts = [
        Fact(_("Spot {number}").format(number=number), signs(reversed(spot)) or _("empty"))
        for number, spot in enumerate(seen["spots"], 1)
    ]
    facts.append(Fact(_("Deck"), card_count(seen["deck"])))
    hands = seen.get("hands") or [seen["hand"] if seat == seen["seat"] else None for seat in range(len(names))]
    for seat, name in enumerate(names):
        hand = signs(hands[seat]) if hands[seat] else card_count(seen["hand_counts"][seat])
        points = seen["points"][seat]
        text = ngettext("{points} point; in hand: {hand}", "{points} points; in hand: {hand}", points)
        facts.append(Fact(name, text.format(points=points, hand=hand)))
    return facts


def plates(seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Describe Plates: the round, the plate from the top down, each player's points and cards."""
    facts = [
        Fact(_("Round"), _("{round} of {rounds}").format(round=seen["round"], rounds=seen["rounds"])),
        Fact(_("Plate, from the top"), signs(reversed(seen["plate"])) or _("empty")),
    ]
    for seat, name in zip(seen["seats"], names, strict=True):
        text = ngettext(
            "{total} point; in hand: {hand}; revealed: {revealed}; unseen: {unseen}",
            "{total} points; in hand: {hand}; revealed: {revealed}; unseen: {unseen}",
            seat["total"],
        )
        facts.append(
            Fact(
                name,
                text.format(
                    total=seat["total"],
                    hand=signs(seat["primary"]) if seat["primary"] else card_count(seat["primary_count"]),
                    revealed=signs(seat["revealed"]) or _("none"),
                    unseen=sum(card is not None for card in seat["unseen"]),
                ),
            )
        )
    return facts


def plate_spinner(seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Describe Plate Spinner, from `plate_catalogue.slim_observation`: round, market, meeples; points, dice and
    plates."""
    known = item_names(seen["catalogue"]["version"])
    facts = [Fact(_("Round"), str(seen["round"]))]
    if seen["market"]:
        facts.append(Fact(_("Market"), ", ".join([known[item] for item in seen["market"]])))
    if seen["phase"] == "spinning":
        facts.append(Fact(_("Meeples left"), ", ".join(map(str, seen["meeples"])) or _("none")))
    for player, name in zip(seen["players"], names, strict=True):
        plates = [
            _("{plate} ({free} open)").format(plate=plate_name(plate, known), free=plate["free"])
            if plate["free"]
            else plate_name(plate, known)
            for plate in player["plates"]
        ]
        text = ngettext(
            "{score} point; unassigned dice: {dice}; plates: {plates}",
            "{score} points; unassigned dice: {dice}; plates: {plates}",
            player["score"],
        )
        dice = " ".join(player["dice"]) or _("none")
        facts.append(Fact(name, text.format(score=player["score"], dice=dice, plates=", ".join(plates))))
    return facts


def plate_name(plate: Mapping[str, Any], known: Mapping[str, str]) -> str:
    """Return a plate's name: “Poppy”, or with its rim “Poppy with Ivy”."""
    if not plate["rim"]:
        return known[plate["id"]]
    return _("{plate} with {rim}").format(plate=known[plate["id"]], rim=known[plate["rim"]])


def platinum_fish(seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Describe Platinum Fish: deck, discard pile, the dice and what they allow; each player's matches and hand."""
    facts = [
        Fact(_("Deck"), card_count(seen["deck"])),
        Fact(_("Discard pile, from the top"), signs(reversed(seen["discard"])) or _("empty")),
    ]
    if seen["dice"]:
        text = _("{a} and {b}; possible ranks: {ranks}").format(
            a=seen["dice"][0], b=seen["dice"][1], ranks=rank_list(seen["ranks"])
        )
        facts.append(Fact(_("Dice"), text))
        if seen["fish"] is not None:
            facts.append(Fact(_("Of these in the deck"), rank_list(seen["fish"]) or _("none")))
    hands = seen.get("hands") or [seen["hand"] if seat == seen["seat"] else None for seat in range(len(names))]
    for seat, name in enumerate(names):
        hand = signs(hands[seat]) if hands[seat] else card_count(seen["hand_counts"][seat])
        if not hands[seat] and seen["shown"][seat]:
            hand = _("{count}, seen by all: {shown}").format(count=hand, shown=signs(seen["shown"][seat]))
        text = ngettext("{matches} match; in hand: {hand}", "{matches} matches; in hand: {hand}", seen["scores"][seat])
        facts.append(Fact(name, text.format(matches=seen["scores"][seat], hand=hand)))
    return facts


def rank_list(ranks: Sequence[str]) -> str:
    """Return ranks as `3, 10, Q`."""
    return ", ".join("10" if rank == "T" else rank for rank in ranks)


def palace(seen: Mapping[str, Any], names: Sequence[str]) -> list[Fact]:
    """Describe Palace: pile from the top down, stack, cards out of the game, each player's hand and palace."""
    facts = [
        Fact(_("Pile, from the top"), signs(reversed(seen["pile"])) or _("empty")),
        Fact(_("Stack"), card_count(seen["stack"])),
        Fact(_("Out of the game"), card_count(len(seen["cleared"]))),
    ]
    for seat, name in zip(seen["seats"], names, strict=True):
        upper = [card for card in seat["upper"] if card != FACE_DOWN]
        text = _("in hand: {hand}; upper palace: {upper}; face down: {under}")
        facts.append(
            Fact(
                name,
                text.format(
                    hand=signs(seat["hand"]) if seat["hand"] else card_count(seat["hand_count"]),
                    upper=signs(upper) if upper else card_count(len(seat["upper"])),
                    under=sum(card is not None for card in seat["under"]),
                ),
            )
        )
    return facts


def signs(texts: Any) -> str:
    """Return cards as `10♥ 4♠`."""
    return " ".join(map(card_sign, texts))


def card_count(count: int) -> str:
    return ngettext("{count} card", "{count} cards", count).format(count=count)


POSITIONS: Final[dict[str, Callable[[Mapping[str, Any], Sequence[str]], list[Fact]]]] = {
    "chinese_ten": ten,
    "palace": palace,
    "plate_spinner": plate_spinner,
    "plates": plates,
    "platinum_fish": platinum_fish,
}
