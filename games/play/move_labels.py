"""Moves in words, for the buttons of the table: `capture 6 1` is "6 takes 4 on spot 1".

Made from the move's text and the mover's own observation, so that no word can tell more than the mover knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.engines.plate_spinner.catalogue import looks

Observation = Mapping[str, Any]

CARD_NAMES: Final = {
    "A": gettext_lazy("ace"),
    "J": gettext_lazy("jack"),
    "Q": gettext_lazy("queen"),
    "K": gettext_lazy("king"),
    "*": gettext_lazy("joker"),
    "T": "10",
}
RANK_COUNTS: Final = {
    2: gettext_lazy("two {rank}s"),
    3: gettext_lazy("three {rank}s"),
    4: gettext_lazy("four {rank}s"),
    5: gettext_lazy("five {rank}s"),
    6: gettext_lazy("six {rank}s"),
}
TURN_CLOSED_LABELS: Final = (
    gettext_lazy("Turn up the first closed card"),
    gettext_lazy("Turn up the second closed card"),
    gettext_lazy("Turn up the third closed card"),
)
TURN_UNSEEN_LABELS: Final = (
    gettext_lazy("Turn up the first unseen card"),
    gettext_lazy("Turn up the second unseen card"),
    gettext_lazy("Turn up the third unseen card"),
    gettext_lazy("Turn up the fourth unseen card"),
)
COLOURS: Final = {
    "red": gettext_lazy("red"),
    "blue": gettext_lazy("blue"),
    "green": gettext_lazy("green"),
    "yellow": gettext_lazy("yellow"),
}


class MoveLabel(NamedTuple):
    """A move as a button names it. `grave` moves destroy something, and the page asks once more."""

    words: str
    grave: bool = False


class MoverView(NamedTuple):
    """What the words are made from: the mover's observation, the seat, and everybody's names by seat."""

    observation: Observation
    seat: int
    names: Sequence[str]


def move_label(kind: str, text: str, seen: MoverView) -> MoveLabel:
    """The move `text` of a game of `kind` as a button names it; a kind without words is named by its notation."""
    if kind not in MOVE_LABELERS:
        return MoveLabel(text)
    worded = MOVE_LABELERS[kind](text.split(" "), seen)
    return worded if isinstance(worded, MoveLabel) else MoveLabel(worded)


def rank(card: str) -> str:
    """ "queen", "10", of a rank or a card."""
    return str(CARD_NAMES.get(card[0], card[0]))


def one_card(card: str) -> str:
    """ "an ace", "a 7"."""
    return (_("an {rank}") if card[0] in "A8" else _("a {rank}")).format(rank=rank(card))


def some(cards: str) -> str:
    """Equal cards: "the 8", "two 8s"."""
    if len(cards) == 1:
        return _("the {rank}").format(rank=rank(cards))
    return str(RANK_COUNTS.get(len(cards), _("{count} {rank}s"))).format(rank=rank(cards), count=len(cards))


def chinese_ten(words: Sequence[str], seen: MoverView) -> str:
    observation = seen.observation
    verb, spot = words[0], words[-1]
    if verb == "lay":
        if len(words) == 2:
            return _("Lay the {rank}").format(rank=rank(words[1]))
        return _("Lay the {rank} on spot {spot}").format(rank=rank(words[1]), spot=spot)
    card = rank(words[1] if verb == "capture" else observation["flipped"])
    if verb == "cover":
        return _("Cover spot {spot} with the flipped {rank}").format(spot=spot, rank=card)
    taken = rank(observation["spots"][int(spot) - 1][-1])
    return _("{rank} takes {taken} on spot {spot}").format(rank=card, taken=taken, spot=spot)


def palace(words: Sequence[str], seen: MoverView) -> str:
    observation = seen.observation
    own = observation["seats"][seen.seat]
    last = _(", and say “last card”") if words[-1] == "last" else ""
    match words[0]:
        case "palace":
            return _("Upper palace: {ranks}").format(ranks=", ".join(map(rank, words[1])))
        case "play" if words[1] == "drawn":
            return _("Play the {rank} that you drew").format(rank=rank(own["drawn"])) + last
        case "play":
            return _("Play {cards}").format(cards=some(words[1])) + last
        case "throw":
            return _("Throw {cards}").format(cards=some(words[1])) + last
        case "turn":
            return str(TURN_CLOSED_LABELS[int(words[1])]) + last
        case "call":
            return _("Call out {name}").format(name=seen.names[int(words[1])])
        case "take":
            return _("Take the pile ({count})").format(count=len(observation["pile"]))
        case "keep":
            return _("Keep the {rank} and take the pile ({count})").format(
                rank=rank(own["drawn"]), count=len(observation["pile"])
            )
        case "chance":
            return _("Chance a card")
    return _("Throw no card")


def plates(words: Sequence[str], seen: MoverView) -> str:
    verb, rest = words[0], words[-1]
    clears, rest = rest.endswith("!"), rest.rstrip("!")
    clearing = _(", and clear the plate") if clears else ""
    if verb == "take":
        return _("Take the plate ({count})").format(count=len(seen.observation["plate"]))
    if verb == "blind":
        return str(TURN_UNSEEN_LABELS[int(rest)])
    if verb == "add":
        return (_("Add {cards}").format(cards=some(rest)) if rest not in ("", "add") else _("Add no card")) + clearing
    hand, _slash, revealed = rest.partition("/")
    if hand and revealed:
        one_more = _("Place {cards} and the revealed {rank}")
        more = _("Place {cards} and the revealed {revealed}")
        sentence = one_more if len(revealed) == 1 else more
        return sentence.format(cards=some(hand), rank=rank(revealed), revealed=some(revealed)) + clearing
    if revealed:
        one_revealed = _("Place the revealed {rank}").format(rank=rank(revealed))
        many = _("Place the revealed {cards}").format(cards=some(revealed))
        return (one_revealed if len(revealed) == 1 else many) + clearing
    return _("Place {cards}").format(cards=some(hand)) + clearing


def platinum_fish(words: Sequence[str], seen: MoverView) -> str:
    match words:
        case ["draw", "deck"]:
            return _("Draw from the deck")
        case ["draw", _pile]:
            return _("Take the {rank} from the discard pile").format(rank=rank(seen.observation["discard"][-1]))
        case ["fish", text]:
            return _("Fish {card} out of the deck").format(card=one_card(text))
        case ["ask", seat, text]:
            return _("Ask {name} for {card}").format(name=seen.names[int(seat)], card=one_card(text))
        case ["salvage", text]:
            return _("Take {card} from the discard pile").format(card=one_card(text))
        case ["stop"]:
            return _("Stop taking cards")
        case ["shuffle"]:
            return _("Have the deck shuffled")
        case ["pass"]:
            return _("No shuffle is needed")
    return _("Ask no player")


def plate_spinner(words: Sequence[str], seen: MoverView) -> str | MoveLabel:
    own = seen.observation["players"][seen.seat]
    known = looks(seen.observation["catalogue"]["version"])

    def name(item: str) -> str:
        return known[item]["name"]

    match words:
        case ["roll", dice]:
            count = len(dice)
            return _("Roll all {count} dice").format(count=count) if count > 1 else _("Roll the die")
        case ["assign", die, item, group]:
            place = where(own, item, group)
            return _("Put the {die} on {plate}{place}").format(die=die, plate=name(item), place=place)
        case ["draft", item]:
            return _("Take {plate}").format(plate=name(item))
        case ["attach", rim, item]:
            return _("Put the rim {rim} under {plate}").format(rim=name(rim), plate=name(item))
        case ["colour", colour]:
            return _("Count the star plate as {colour}").format(colour=COLOURS[colour])
        case ["grab"]:
            label = _("Grab meeple {number}").format(number=min(seen.observation["meeples"], default=0))
        case _:
            label = _("Finish this round")
    loss = loss_warning(own)
    return MoveLabel(f"{label}: {loss}", grave=True) if loss else MoveLabel(label)


def where(own: Observation, item: str, group: str) -> str:
    """Which of the groups of a plate and its rim is meant, where there are several; which slot, likewise."""
    plate = next(plate for plate in own["plates"] if plate["id"] == item)
    rim = plate["rim"]["needs"] if plate["rim"] else []
    needs = [*plate["needs"], *rim]
    number, _dot, slot = group.partition(".")
    at = int(number)
    if len(needs) == 1 and not (slot and len(needs[0]["slots"]) > 1):
        return ""
    names = [str(KINDS_OF_NEED.get(need["kind"], "")) for need in needs]
    label = names[at]
    if slot:
        sign = needs[at]["slots"][int(slot)]
        label = slot_label(sign)
    elif names.count(label) > 1 or not label:
        label = f"{label} {_('(group {number})').format(number=at + 1)}".strip()
    return f", {label}{_(' on the rim') if at >= len(plate['needs']) else ''}"


def slot_label(sign: str) -> str:
    """What a slot takes: "any die", "odd", "at least 4", "5"."""
    if sign in SLOTS:
        return str(SLOTS[sign])
    template = _("at least {die}") if sign[0] == ">" else _("at most {die}") if sign[0] == "<" else "{die}"
    return template.format(die=sign.lstrip("<>="))


SLOTS: Final = {"any": gettext_lazy("any die"), "odd": gettext_lazy("odd"), "even": gettext_lazy("even")}
KINDS_OF_NEED: Final = {
    "same": gettext_lazy("the same"),
    "run": gettext_lazy("the run"),
    "sum": gettext_lazy("the sum"),
}


def loss_warning(own: Observation) -> str:
    """What breaks if this seat grabs or finishes now (PS-13, PS-14); "" for nothing."""
    mine = [plate for plate in own["plates"] if plate["sort"] != "starting"]
    unfilled = [plate for plate in mine if plate["free"]]
    if any(plate["bomb"] for plate in unfilled):
        return _("a bomb is unfilled, all plates break")
    if not unfilled:
        return ""
    return _("one plate breaks") if len(unfilled) == 1 else _("{count} plates break").format(count=len(unfilled))


MOVE_LABELERS: Final[dict[str, Callable[[Sequence[str], MoverView], str | MoveLabel]]] = {
    "chinese_ten": chinese_ten,
    "palace": palace,
    "plates": plates,
    "platinum_fish": platinum_fish,
    "plate_spinner": plate_spinner,
}
