"""The sensible bot's plan for Plate Spinner.

The plan is made from the observation at every move, and rates each legal move. Only the order of the ratings matters.
It plays a round like this: choose the plates that the dice suffice for, put each die where few values fit, and grab
when what would break is worth less than what waiting may lose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, Final

from scorebook_games.search.worth import MoveScore, Observation

Plate = dict[str, Any]
Need = dict[str, Any]

SETS: Final = (0, 1, 4, 9, 16, 25, 36)  # PS-24
NEVER: Final = -1.0  # worth less than a roll, which is worth 0
GRAB: Final = 5.0  # worth more than any place for a die
# How many plates lie above the star plate on average, by seats (PS-7).
ABOVE_STAR: Final = {2: 20, 3: 30, 4: 37, 5: 37}
# The probability that a player grabs within a beat, by the number of dice that it still needs.
THREAT: Final = (0.9, 0.5, 0.3, 0.2, 0.12)


@dataclass(frozen=True, slots=True)
class Temper:
    """The temper of a player, in points.

    `care` is multiplied by what would break. It is weighed against `place`, the worth of a better place in the drafting
    order, and `item`, the worth of the second item that all but the last drafter take.
    """

    care: float = 1.0
    place: float = 1.2
    item: float = 4.0


SENSIBLE: Final = Temper()


def plate_spinner(seen: Observation, temper: Temper = SENSIBLE) -> MoveScore:
    """Return the rating of moves in the current phase."""
    if seen["phase"] == "spinning":
        return spinning(seen, temper)
    if seen["phase"] == "attaching":
        return attaching(seen)
    return colouring(seen) if seen["phase"] == "colouring" else drafting(seen)


def spinning(seen: Observation, temper: Temper) -> MoveScore:
    """Put dice on the plates that are meant to stay; then grab or roll again."""
    me = seen["players"][seen["seat"]]
    starting, breakable = me["plates"][:2], me["plates"][2:]
    kept = chosen(me, breakable)
    by_id = {plate["id"]: plate for plate in [*starting, *kept]}
    is_last = not seen["meeples"]
    grab = grabbing(seen, temper, breakable, kept)
    open_plates = [plate for plate in by_id.values() if plate["free"]]

    def worth(move: str) -> float:
        verb, *rest = move.split(" ")
        if verb == "assign":
            plate = by_id.get(rest[1])
            if plate is None:
                return NEVER
            fit = place_worth(plate, int(rest[0]), rest[2], me["dice"], is_last)
            return fit if fit < 0 else float(fit + 0.1 * plate["bomb"] + 0.01 * (plate["free"] == 1))
        if verb == "grab":
            return grab
        if verb == "finish":
            return 2 * NEVER if open_plates and not is_last else NEVER / 2
        return 0.0

    return worth


def value_of(plate: Plate, colours: dict[str, int]) -> float:
    """Return what a plate with its rim counts for its owner: its points, and what its colours add to their sets."""
    rim = plate["rim"]
    total = float(plate["points"] + (rim["points"] if rim else 0))
    for colour in {plate["colour"], rim["colour"] if rim else plate["colour"]}:
        number = min(colours[colour], 6)
        total += 2.0 if colour == "yellow" else SETS[number] - SETS[max(0, number - 1)]
    return total


def dice_in(plate: Plate) -> int:
    """Return the dice that lie on a plate."""
    return sum(value is not None for group in plate["filled"] for value in group)


def chosen(me: dict[str, Any], breakable: list[Plate]) -> list[Plate]:
    """Return the plates that the dice suffice for: bombs first, then by worth per die."""
    left = me["player_dice"] + me["neutral_dice"] - 2
    kept: list[Plate] = []
    sizes = [plate["free"] + dice_in(plate) for plate in breakable]
    # No inner function is the key: mypyc would make it part of a reference cycle, which keeps the observation.
    ranks = [(plate["bomb"], value_of(plate, me["colours"]) / sizes[at], -at) for at, plate in enumerate(breakable)]
    for _bomb, _worth, before in sorted(ranks, reverse=True):
        if sizes[-before] <= left:
            left -= sizes[-before]
            kept.append(breakable[-before])
    return kept


def grabbing(seen: Observation, temper: Temper, breakable: list[Plate], kept: list[Plate]) -> float:
    """Return GRAB if all chosen plates are filled, or waiting is likely to cost more than what breaks."""
    if all(plate["free"] == 0 for plate in kept):
        return GRAB
    me = seen["players"][seen["seat"]]
    unfilled = [plate for plate in breakable if plate["free"]]
    lost = breakable if any(plate["bomb"] for plate in unfilled) else [plate for plate in unfilled if plate in kept]
    cost = temper.care * sum(value_of(plate, me["colours"]) for plate in lost)
    danger = threat(seen, sum(plate["free"] for plate in kept))
    if seen["last_round"]:
        prize = star_worth(seen) if seen["meeples"][:1] == [1] else 0.0
        return GRAB if cost < danger * prize else NEVER
    if len(seen["meeples"]) > 1:
        return GRAB if cost < danger * temper.place else NEVER
    return GRAB if cost < danger * (cost + temper.item) else NEVER


def threat(seen: Observation, places: int) -> float:
    """Return the probability that another player grabs before this many places are filled."""
    calm: float = 1.0
    for seat, other in enumerate(seen["players"]):
        if other["spinning"] and seat != seen["seat"]:
            free = sum(plate["free"] for plate in other["plates"])
            calm *= 1 - THREAT[min(free, len(THREAT) - 1)]
    return 1.0 - float(calm ** (1 + places / 2))


def place_worth(plate: Plate, value: int, where: str, dice: str, is_last: bool) -> float:
    """Return how good a place is for a die: the fewer values fit there, the better. Negative means better not.

    `where` is written as in the move; `dice` are the unassigned ones. If nobody may roll any more, everything that fits
    is good.
    """
    number, _, slot = where.partition(".")
    groups = [*plate["needs"], *(plate["rim"]["needs"] if plate["rim"] else [])]
    need, filled = groups[int(number)], plate["filled"][int(number)]
    if slot:
        return 1.05 - len(fitting(need["slots"][int(slot)])) / 6
    if need["kind"] == "same":
        return 0.85 if filled or is_last or dice.count(str(value)) > 1 else NEVER
    if need["kind"] == "run":
        if filled or is_last:
            return 0.6
        near = sum(str(other) in dice for other in range(max(1, value - 1), min(6, value + 1) + 1))
        return 0.2 + near / 10 if near > 1 else NEVER
    mean = (need["total"] - sum(filled)) / (need["dice"] - len(filled))
    return 0.3 + value / 20 if value >= ceil(mean) or is_last else NEVER


@cache
def fitting(slot: str) -> list[int]:
    """Return the values that a slot takes."""
    tests: dict[str, Callable[[int], bool]] = {
        "=": lambda value: value == int(slot[-1]),
        ">": lambda value: value >= int(slot[-1]),
        "<": lambda value: value <= int(slot[-1]),
        "o": lambda value: value % 2 == 1,
        "e": lambda value: value % 2 == 0,
        "a": lambda value: True,  # noqa: ARG005
    }
    return [value for value in range(1, 7) if tests[slot[0]](value)]


def difficulty(needs: Iterable[Need]) -> float:
    """Return roughly how many rolls a requirement costs beyond the first."""
    total = 0.0
    for need in needs:
        if need["kind"] == "slots":
            total += sum((1 - len(fitting(slot)) / 6) ** 2 for slot in need["slots"])
        elif need["kind"] == "sum":
            total += max(0.2, (need["total"] / need["dice"] - 3.5) * need["dice"] / 3)
        else:
            total += 0.3 if need["dice"] == 2 else need["dice"] - 1.8
    return total


def size_of(item: Plate) -> int:
    """Return the number of dice that an item needs."""
    return sum(len(need["slots"]) if need["kind"] == "slots" else need["dice"] for need in item["needs"])


def added(colours: dict[str, int], colour: str | None) -> float:
    """Return what one more plate of a colour adds: half if it may break again, less for yellow, where only the most
    score."""
    if colour is None:
        return 0.0
    number = min(colours[colour], 5)
    return 1.8 if colour == "yellow" else 0.75 * float(SETS[number + 1] - SETS[number])


def rounds_left(seen: Observation) -> float:
    """Return how many rounds are likely to follow this one."""
    return max(1.0, float(ABOVE_STAR[seen["seats"]] - 41 + seen["plates_left"]) / float(seen["seats"]))


def drafting(seen: Observation) -> MoveScore:
    """Weigh points and colours against dice and danger. Dice count only while rounds follow."""
    me = seen["players"][seen["seat"]]
    mine = me["plates"][2:]
    market = {item["id"]: item for item in seen["market"]}
    room = me["player_dice"] + me["neutral_dice"] - 2 - sum(plate["free"] + dice_in(plate) for plate in mine)
    places = sum(plate["rim"] is None for plate in mine) - len(seen["loose"])
    at_stake = sum(value_of(plate, me["colours"]) for plate in mine)
    die = min(1.6, 0.4 * rounds_left(seen))

    def worth(move: str) -> float:
        item = market[move.removeprefix("draft ")]
        if item["sort"] == "rim":
            if places < 1 and seen["picks"] < 2:
                return float(item["dice"] * die - 1.0)
            gained = item["dice"] if seen["neutral_left"] else 0
        else:
            gained = min(item["dice"], 10 - me["player_dice"])
        short = max(0, size_of(item) - room - gained)
        total = float(item["points"]) + added(me["colours"], item["colour"]) + gained * die
        return float(total - 1.3 * short - 0.6 * difficulty(item["needs"]) - 0.12 * at_stake * item["bomb"])

    return worth


def attaching(seen: Observation) -> MoveScore:
    """Put a rim under a plate of another colour that is easy to fill and has no bomb."""
    me = seen["players"][seen["seat"]]
    plates = {plate["id"]: plate for plate in me["plates"]}
    rims = {rim["id"]: rim for rim in seen["loose"]}

    def worth(move: str) -> float:
        _, rim_id, plate_id = move.split(" ")
        rim, plate = rims[rim_id], plates[plate_id]
        colour = added(me["colours"], rim["colour"]) if rim["colour"] != plate["colour"] else 0.0
        return float(colour + rim["points"] - difficulty(plate["needs"]) - 1.5 * plate["bomb"])

    return worth


def colour_worth(seen: Observation, colour: str) -> float:
    """Return what the star plate would count as `colour`."""
    colours = seen["players"][seen["seat"]]["colours"]
    if colour != "yellow":
        number = min(colours[colour], 5)
        return float(SETS[number + 1] - SETS[number])
    most = max(other["colours"]["yellow"] for other in seen["players"])
    return 6.0 if colours["yellow"] < most <= colours["yellow"] + 1 or most == 0 else 0.0


def star_worth(seen: Observation) -> float:
    """Return the most that the star plate can count."""
    return max(colour_worth(seen, colour) for colour in ("red", "blue", "green", "yellow"))


def colouring(seen: Observation) -> MoveScore:
    """Choose the colour that counts most."""
    return lambda move: colour_worth(seen, move.removeprefix("colour "))
