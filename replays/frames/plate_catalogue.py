"""Plate Spinner's plates and rims: what is printed on them is sent once, not with every frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.engines.plate_spinner.catalogue import load, looks
from games.engines.plate_spinner.views import facts

Observation = Mapping[str, Any]


def catalogue_items(observation: Observation) -> dict[str, dict[str, Any]]:
    """Return every item of the game's catalogue by id: what is printed on it, its name and its motif."""
    version = observation["catalogue"]["version"]
    known = looks(version)
    return {item.id: {**facts(item, number), **known[item.id]} for number, item in enumerate(load(version).items)}


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
