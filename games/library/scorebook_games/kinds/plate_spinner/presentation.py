"""What people read and see of Plate Spinner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scorebook_games.kinds.plate_spinner import explanations, narration
from scorebook_games.kinds.plate_spinner.catalogue import load, looks
from scorebook_games.kinds.plate_spinner.introduction import INTRODUCTION
from scorebook_games.kinds.plate_spinner.narration import names as item_names
from scorebook_games.kinds.plate_spinner.observations import facts
from scorebook_games.presentation.base import (
    Card,
    Explanation,
    Fact,
    FirstGame,
    Highlight,
    Lead,
    Marker,
    MoveLabel,
    MoverView,
    Presentation,
    PreviewRow,
    Thumbnail,
    leader,
    small_face,
)
from scorebook_games.presentation.sentences import Observation, Readable, seat_segment, sentence
from scorebook_games.presentation.text import gettext as _
from scorebook_games.presentation.text import gettext_noop, ngettext

COLOURS: Final = {
    "red": gettext_noop("red"),
    "blue": gettext_noop("blue"),
    "green": gettext_noop("green"),
    "yellow": gettext_noop("yellow"),
}


SLOTS: Final = {"any": gettext_noop("any die"), "odd": gettext_noop("odd"), "even": gettext_noop("even")}


KINDS_OF_NEED: Final = {
    "same": gettext_noop("the same"),
    "run": gettext_noop("the run"),
    "sum": gettext_noop("the sum"),
}


def move_words(words: Sequence[str], seen: MoverView) -> MoveLabel:
    own = seen.observation["players"][seen.seat]
    known = item_names(seen.observation["catalogue"]["version"])

    def name(item: str) -> str:
        return known[item]

    match words:
        case ["roll", dice]:
            count = len(dice)
            if count < len(own["dice"]):
                return MoveLabel(_("Roll {count} dice").format(count=count) if count > 1 else _("Roll one die"))
            return MoveLabel(_("Roll all {count} dice").format(count=count) if count > 1 else _("Roll the die"))
        case ["assign", die, item, group]:
            place = where(own, item, group)
            return MoveLabel(_("Put the {die} on {plate}{place}").format(die=die, plate=name(item), place=place))
        case ["draft", item]:
            return MoveLabel(_("Take {plate}").format(plate=name(item)))
        case ["attach", rim, item]:
            return MoveLabel(_("Put the rim {rim} under {plate}").format(rim=name(rim), plate=name(item)))
        case ["colour", colour]:
            return MoveLabel(_("Count the star plate as {colour}").format(colour=_(COLOURS[colour])))
        case ["grab"]:
            label = _("Grab meeple {number}").format(number=min(seen.observation["meeples"], default=0))
        case _:
            label = _("Finish this round")
    loss = loss_warning(own)
    return MoveLabel(f"{label}: {loss}", grave=True) if loss else MoveLabel(label)


def where(own: Observation, item: str, group: str) -> str:
    """Return in words which group of a plate and its rim is meant, if there are several, and which slot."""
    plate = next(plate for plate in own["plates"] if plate["id"] == item)
    rim = plate["rim"]["needs"] if plate["rim"] else []
    needs = [*plate["needs"], *rim]
    number, _dot, slot = group.partition(".")
    at = int(number)
    if len(needs) == 1 and not (slot and len(needs[0]["slots"]) > 1):
        return ""
    names = [_(KINDS_OF_NEED.get(need["kind"], "")) for need in needs]
    label = names[at]
    if slot:
        sign = needs[at]["slots"][int(slot)]
        label = slot_label(sign)
    elif names.count(label) > 1 or not label:
        label = f"{label} {_('(group {number})').format(number=at + 1)}".strip()
    return f", {label}{_(' on the rim') if at >= len(plate['needs']) else ''}"


def slot_label(sign: str) -> str:
    """Return what a slot takes, in words: "any die", "odd", "at least 4", "5"."""
    if sign in SLOTS:
        return _(SLOTS[sign])
    template = _("at least {die}") if sign[0] == ">" else _("at most {die}") if sign[0] == "<" else "{die}"
    return template.format(die=sign.lstrip("<>="))


def loss_warning(own: Observation) -> str:
    """Return what breaks if this seat grabs or finishes now (PS-13, PS-14); "" for nothing."""
    mine = [plate for plate in own["plates"] if plate["sort"] != "starting"]
    unfilled = [plate for plate in mine if plate["free"]]
    if any(plate["bomb"] for plate in unfilled):
        return _("a bomb is unfilled, all plates break")
    if not unfilled:
        return ""
    return _("one plate breaks") if len(unfilled) == 1 else _("{count} plates break").format(count=len(unfilled))


def thumbnail(seen: Observation) -> Thumbnail:
    """Return the round, the phase, and each seat's points and plates. There are no cards."""
    if seen["phase"] == "spinning":
        words = _("Round {round}: spinning, meeples left: {meeples}.")
    else:
        words = _("Round {round}.")
    words = words.format(round=seen["round"], meeples=", ".join(map(str, seen["meeples"])) or _("none"))
    text = _("{score} points, {plates} plates")
    figures = [text.format(score=each["score"], plates=len(each["plates"])) for each in seen["players"]]
    meeples = [Card(str(number), "", _("meeple {number}").format(number=number)) for number in seen["meeples"]]
    note = _("round {round}, {plates} plates to come").format(round=seen["round"], plates=seen["plates_left"])
    return Thumbnail(meeples, words, note, figures)


def preview(seen: Observation) -> list[PreviewRow]:
    """Return the market and the meeples, and of each seat its plates with how many dice are missing, and free dice."""
    market = PreviewRow("discs", [Card("", tone=item["colour"] or "plain") for item in seen["market"]])
    meeples = PreviewRow("words", [small_face(str(number)) for number in seen["meeples"]])
    rows = []
    for place, player in enumerate(seen["players"]):
        plates = [Card(str(each["free"] or "✓"), tone=each["colour"] or "plain") for each in player["plates"]]
        dice = [small_face(die) for die in player["dice"][:8]]
        rows += [PreviewRow("discs", plates, place), PreviewRow("dice", dice, place)]
    return [market, *([meeples] if seen["meeples"] else []), *rows]


def position(seen: Observation, names: Sequence[str]) -> list[Fact]:
    """Describe a slim observation: round, market and meeples, then each player's points, dice and plates."""
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


def scores_of_plates(observation: Observation) -> list[int]:
    """Return Plate Spinner's scores: the present value of each seat's plates and rims; none before the set-up."""
    return [player["score"] for player in observation["players"]]


@dataclass(slots=True)
class SpinnerMarker(Marker):
    """Marks of Plate Spinner: rounds, bombs that go off, changes of the lead from round to round."""

    lead: Lead = field(default_factory=Lead)

    def marks(self, event: Readable, after: Observation) -> list[Highlight]:
        """Return the marks of one event. Events must come in order."""
        kind = event["type"]
        if kind == "go":
            round_begins = Highlight("round", None, sentence(_("round {round} begins"), round=event["round"]))
            return [round_begins, *self.lead.marks(leader(scores_of_plates(after), max))]
        if kind == "broke" and event["bombs"]:
            parts = sentence(_("a bomb goes off at {who}’s"), who=seat_segment(event["seat"]))
            return [Highlight("bomb", event["seat"], parts)]
        return self.lead.marks(leader(scores_of_plates(after), max)) if kind == "ended" else []


def catalogue_items(observation: Observation) -> dict[str, dict[str, Any]]:
    """Return every item of the game's catalogue by id: what is printed on it, its name and its motif."""
    version = observation["catalogue"]["version"]
    known, called = looks(version), item_names(version)
    return {
        item.id: {**facts(item, number), **known[item.id], "name": called[item.id]}
        for number, item in enumerate(load(version).items)
    }


def slim_observation(observation: Observation) -> dict[str, Any]:
    """Return `observation` with ids in place of printed items. Plates keep their dice, and a star plate its colour."""
    return {
        **observation,
        "market": [item["id"] for item in observation["market"]],
        "loose": [item["id"] for item in observation["loose"]],
        "players": [{**each, "plates": list(map(slim_plate, each["plates"]))} for each in observation["players"]],
    }


def slim_plate(plate: Observation) -> dict[str, Any]:
    """Return a plate in front of a seat with its id in place of what is printed."""
    slimmed = {"id": plate["id"], "rim": plate["rim"] and plate["rim"]["id"], "filled": plate["filled"]}
    slimmed["free"] = plate["free"]
    return {**slimmed, "colour": plate["colour"]} if plate["sort"] == "star" else slimmed


ASKED: Final = {
    "spinning": gettext_noop("dice for the plates, or a meeple"),
    "drafting": gettext_noop("something from the market"),
    "attaching": gettext_noop("a plate for the rim"),
    "colouring": gettext_noop("a colour for the star plate"),
}


class PlateSpinnerPresentation(Presentation):
    """The words and pictures of Plate Spinner."""

    pitch = gettext_noop("Roll, spin, grab, and let no plate break.")
    first_game = FirstGame(7)
    introduction = INTRODUCTION
    option_labels = {
        "roll_limit": gettext_noop("Maximum number of rolls per round"),
        "roll_ms": gettext_noop("Live: wait between rolls"),
        "turn_limit": gettext_noop("Maximum number of moves"),
    }
    move_sorts = {
        "roll": gettext_noop("Roll dice"),
        "assign": gettext_noop("Put a die on a plate"),
        "draft": gettext_noop("Take a plate or rim"),
        "attach": gettext_noop("Put a rim under a plate"),
        "colour": gettext_noop("Choose the star plate’s colour"),
        "grab": gettext_noop("Grab a meeple"),
        "finish": gettext_noop("Finish the round"),
    }
    score_title = gettext_noop("Points")
    hides = False
    narrators = narration.NARRATORS
    reasoners = narration.REASONERS
    drawers = narration.DRAWERS
    marker = SpinnerMarker

    def move_label(self, text: str, view: MoverView) -> MoveLabel:
        return move_words(text.split(" "), view)

    def asked(self, seen: Observation) -> str:
        return _(ASKED[seen["phase"]]) if seen["phase"] in ASKED else ""

    def explanations(self) -> dict[str, Explanation]:
        return explanations.explanations()

    def thumbnail(self, seen: Observation) -> Thumbnail | None:
        return thumbnail(seen) if seen.get("players") else None

    def preview(self, seen: Observation) -> list[PreviewRow]:
        return preview(seen)

    def position(self, seen: Observation, names: Sequence[str]) -> list[Fact]:
        return position(seen, names) if seen["catalogue"] else []

    def scores(self, seen: Observation) -> list[int]:
        return scores_of_plates(seen)

    def items(self, seen: Observation) -> dict[str, Any]:
        return catalogue_items(seen) if seen["catalogue"] else {}

    def slim(self, seen: Observation) -> dict[str, Any]:
        return slim_observation(seen) if seen["catalogue"] else dict(seen)
