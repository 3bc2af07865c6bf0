"""Every string that is a move of a kind at all, written from the tables of the rules' pages, apart from the engines.

Finite for all kinds but Plate Spinner, whose rolls alone are 54,263: there all rolls of up to four dice, and from the
state what it makes sense to try (`near`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement

RANKS = "A23456789TJQK"
PALACE_RANKS = RANKS + "*"
IDS = {"P": 40, "R": 30}


def chinese_ten() -> list[str]:
    spots = range(1, 5)
    return [
        *(f"{verb} {rank} {spot}" for verb in ("capture", "lay") for rank in RANKS for spot in spots),
        *(f"lay {rank}" for rank in RANKS),
        *(f"{verb} {spot}" for verb in ("flip", "cover") for spot in spots),
    ]


def platinum_fish() -> list[str]:
    return [
        *("draw deck", "draw discard", "decline", "stop", "shuffle", "pass"),
        *(f"{verb} {rank}" for verb in ("fish", "salvage") for rank in RANKS),
        *(f"ask {seat} {rank}" for seat in range(6) for rank in RANKS),
    ]


def plates() -> list[str]:
    """Three packs have twelve cards of a rank; four of them may be revealed."""
    moves = ["take", *(f"blind {position}" for position in range(4)), "add", "add !"]
    for rank in RANKS:
        for primary in range(13):
            moves += [f"add {rank * primary}{clear}" for clear in ("", "!") if primary]
            for revealed in range(5):
                if primary + revealed:
                    shown = f"{rank * primary}/{rank * revealed}" if revealed else rank * primary
                    moves += [f"place {shown}", f"place {shown}!"]
    return moves


def palace() -> list[str]:
    """Six packs have 24 cards of a rank."""
    moves = ["take", "chance", "play drawn", "keep", "pass", *(f"call {seat}" for seat in range(6))]
    moves += ["palace " + "".join(three) for three in combinations_with_replacement(PALACE_RANKS, 3)]
    declared = [f"turn {position}" for position in range(3)]
    declared += [
        f"{verb} {rank * count}" for verb in ("play", "throw") for rank in PALACE_RANKS for count in range(1, 25)
    ]
    return [*moves, *declared, *(f"{text} last" for text in declared)]


def plate_spinner() -> list[str]:
    """Rolls of up to four dice, assigns to a group's first slots on starting plates; all else whole."""
    items = [f"{letter}{number}" for letter, count in IDS.items() for number in range(1, count + 1)]
    plates = [*items[: IDS["P"]], "STAR", *(f"{letter}{number}" for letter in "ABCDE" for number in (1, 2))]
    dice = [three for count in range(1, 5) for three in combinations_with_replacement("123456", count)]
    return [
        *("grab", "finish"),
        *(f"roll {''.join(each)}" for each in dice),
        *(f"draft {item}" for item in [*items, "STAR", "A1"]),
        *(f"attach {rim} {plate}" for rim in items[IDS["P"] :] for plate in plates),
        *(f"colour {colour}" for colour in ("red", "blue", "green", "yellow", "white")),
        *(assign for plate in plates[-10:] for assign in assigns(plate)),
    ]


def assigns(plate: str) -> list[str]:
    """Every die to every group and slot of `plate` and its rim, which have six groups at the most (PS-3)."""
    places = ["", *(f".{slot}" for slot in range(4))]
    return [f"assign {die} {plate} {group}{place}" for die in range(1, 7) for group in range(7) for place in places]


ALPHABETS: dict[str, Callable[[], list[str]]] = {
    "chinese_ten": chinese_ten,
    "palace": palace,
    "plate_spinner": plate_spinner,
    "plates": plates,
    "platinum_fish": platinum_fish,
}


@cache
def alphabet(kind: str) -> tuple[str, ...]:
    """Return the moves of `kind`."""
    return tuple(ALPHABETS[kind]())


def near(kind: str, legal: list[str], rng: random.Random) -> list[str]:
    """More strings to try where the alphabet has no end, given what is legal: for Plate Spinner the assigns to the
    plates that are there, and rolls with a die more, fewer, or another."""
    if kind != "plate_spinner":
        return []
    plates = {text.split(" ")[2] for text in legal if text.startswith("assign")}
    rolls = [text[5:] for text in legal if text.startswith("roll")]
    tried = [text for plate in sorted(plates) for text in assigns(plate)]
    for dice in rng.sample(rolls, min(len(rolls), 40)):
        tried += [f"roll {''.join(sorted(dice + die))}" for die in "123456"]
        tried += [f"roll {dice[1:]}", f"roll {dice[:-1]}", f"roll {dice[::-1]}", f"roll {dice}{dice[-1]}"]
    return tried
