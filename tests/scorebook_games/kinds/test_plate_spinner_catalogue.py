"""The catalogue of Plate Spinner: the numbers of the rules, points that follow difficulty, and clear errors."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from scorebook_games.kinds.plate_spinner.catalogue import (
    COLOURS,
    FOLDER,
    ITEM_IDS,
    NEWEST,
    Catalogue,
    CatalogueError,
    hash_of,
    load,
    looks,
)
from tests.scorebook_games.kinds.expected_rolls import can_fill, expected_rolls, ranks, size, spearman

DATA: dict[str, Any] = load(NEWEST).data
# A published catalogue is never changed, for old logs are played again with it.
HASHES = {1: "c083abf7beaa5cacdffc059ec13f90d4e9544b3468f2e8a80b9b28da39b22de4"}


def test_published_catalogues_are_as_they_were() -> None:
    """Components: old catalogues are kept."""
    assert {int(path.stem.split("-")[1]) for path in FOLDER.glob("catalogue-*.json")} == set(HASHES)
    assert {version: load(version).hash for version in HASHES} == HASHES
    assert max(HASHES) == NEWEST


def test_there_are_as_many_plates_rims_and_starting_plates_as_the_sheet_counts() -> None:
    """PS-1, PS-2: and a fifth pair of starting plates."""
    assert [len(DATA[part]) for part in ("plates", "rims", "starting")] == [40, 30, 10]
    assert sorted(entry["letter"] for entry in DATA["starting"]) == list("AABBCCDDEE")


def test_plates_and_rims_are_dealt_over_colours_points_dice_and_bombs() -> None:
    """PS-3."""
    plates, rims = DATA["plates"], DATA["rims"]
    assert Counter(plate["colour"] for plate in plates) == dict.fromkeys(COLOURS, 10)
    assert {plate["points"] for plate in plates} == {1, 2, 3, 4, 5, 6}
    assert {plate["dice"] for plate in plates} == {0, 1, 2}
    assert sum(plate["bomb"] for plate in plates) == 8
    needed = [sum(map(size, plate["needs"])) for plate in plates]
    assert set(needed) == {1, 2, 3, 4}
    assert sum(needed) / 40 <= 2
    assert Counter(rim["colour"] for rim in rims) == {"red": 8, "blue": 8, "green": 7, "yellow": 7}
    assert {rim["points"] for rim in rims} == {1, 2, 3, 4}
    assert sum(rim["neutral"] for rim in rims) == 8
    assert {sum(map(size, rim["needs"])) for rim in rims} == {1, 2}
    for letter in "ABCDE":
        pair = [entry for entry in DATA["starting"] if entry["letter"] == letter]
        assert sum(size(group) for entry in pair for group in entry["needs"]) == 2


@pytest.mark.slow  # for the catalogue is the one that was asked, by `test_published_catalogues_are_as_they_were`
def test_every_requirement_can_be_filled_and_all_four_kinds_of_group_occur() -> None:
    """PS-4."""
    everything = [*DATA["plates"], *DATA["rims"], *DATA["starting"]]
    assert {group["kind"] for entry in everything for group in entry["needs"]} == {"slots", "same", "run", "sum"}
    for entry in everything:
        assert expected_rolls(entry["needs"], 5) < 7


@pytest.mark.slow  # likewise
def test_points_follow_difficulty() -> None:
    """PS-5: Spearman's rank correlation of worth and expected rolls, of plates and of rims, is at least 0.6."""
    plates = [(plate["points"] + plate["dice"] - plate["bomb"], plate["needs"]) for plate in DATA["plates"]]
    rims = [(rim["points"] + rim["neutral"], rim["needs"]) for rim in DATA["rims"]]
    for items in (plates, rims):
        assert spearman([worth for worth, _ in items], [expected_rolls(needs, 5) for _, needs in items]) >= 0.6


def test_all_pairs_of_starting_plates_are_equally_hard() -> None:
    """PS-5: both plates of a letter together, with three dice, within 5 %."""
    found = [expected_rolls([pair_of(letter)], 3) for letter in "ABCDE"]
    assert max(found) <= 1.05 * min(found)


def pair_of(letter: str) -> dict[str, Any]:
    """Return the needs of both starting plates of a letter, which are slots, as one group."""
    groups = [group for entry in DATA["starting"] if entry["letter"] == letter for group in entry["needs"]]
    return {"kind": "slots", "slots": [slot for group in groups for slot in group["slots"]]}


def test_colours_are_equally_good_but_yellow_which_counts_no_sets_is_a_little_better() -> None:
    worths = {
        colour: sum(plate["points"] + plate["dice"] for plate in DATA["plates"] if plate["colour"] == colour)
        for colour in COLOURS
    }
    assert (
        max(worths["red"], worths["blue"], worths["green"]) - min(worths["red"], worths["blue"], worths["green"]) <= 2
    )
    assert worths["yellow"] > max(worths["red"], worths["blue"], worths["green"])


@pytest.mark.parametrize(
    ("needs", "dice", "rolls"),
    [
        ([{"kind": "slots", "slots": ["=6"]}], 1, 6.0),
        ([{"kind": "slots", "slots": ["any"]}], 5, 1.0),
        ([{"kind": "slots", "slots": ["odd"]}], 1, 2.0),
        ([{"kind": "slots", "slots": ["=6"]}], 5, 1 / (1 - (5 / 6) ** 5)),
        ([{"kind": "same", "dice": 2}], 2, 6.0),
        ([{"kind": "sum", "dice": 2, "total": 12}], 2, 96 / 11),
        ([{"kind": "slots", "slots": ["=1", "=2"]}], 2, 7.2),
    ],
)
def test_expected_rolls_agree_with_what_is_worked_out_by_hand(
    needs: list[dict[str, Any]], dice: int, rolls: float
) -> None:
    """PS-5."""
    assert expected_rolls(needs, dice) == pytest.approx(rolls, abs=1e-6)


def test_ranks_and_their_correlation_are_those_of_the_books() -> None:
    """PS-5."""
    assert ranks([3.0, 1.0, 3.0, 2.0]) == [3.5, 1.0, 3.5, 2.0]
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert can_fill((5, 5, 4), [{"kind": "same", "dice": 2}, {"kind": "slots", "slots": ["even"]}])


Change = Callable[[dict[str, Any]], None]


def put(part: str, place: int, field: str, value: Any) -> Change:
    def change(data: dict[str, Any]) -> None:
        data[part][place][field] = value

    return change


def group(value: Any) -> Change:
    return put("plates", 4, "needs", [value])


FAULTS: dict[str, tuple[Change, str, str]] = {
    "no points": (lambda data: data["plates"][3].pop("points"), "P4", "points"),
    "too many points": (put("plates", 3, "points", 7), "P4", "points"),
    "points that are no number": (put("plates", 3, "points", "3"), "P4", "points"),
    "points that are true": (put("rims", 0, "points", True), "R1", "points"),
    "too many dice": (put("plates", 39, "dice", 3), "P40", "dice"),
    "a colour that is none": (put("rims", 2, "colour", "pink"), "R3", "colour"),
    "an eleventh red plate": (put("plates", 39, "colour", "red"), "plates", "colour"),
    "a ninth bomb": (put("plates", 0, "bomb", True), "plates", "bomb"),
    "a bomb that is 1": (put("plates", 0, "bomb", 1), "P1", "bomb"),
    "a field too many": (put("plates", 0, "name", "Poppy"), "P1", "name"),
    "an id out of place": (put("plates", 1, "id", "P1"), "P2", "id"),
    "a letter of another pair": (put("starting", 2, "letter", "A"), "B1", "letter"),
    "a plate too few": (lambda data: data["plates"].pop(), "the catalogue", "plates"),
    "no rims": (lambda data: data.pop("rims"), "the catalogue", "rims"),
    "rims that are no list": (lambda data: data.update(rims={}), "the catalogue", "rims"),
    "a version that is none": (lambda data: data.update(version="1"), "the catalogue", "version"),
    "an entry that is none": (lambda data: data["rims"].insert(0, data["rims"].pop() and []), "R1", "(all)"),
    "a rim too hard": (put("rims", 5, "needs", [{"kind": "same", "dice": 3}]), "R6", "needs"),
    "a ninth neutral die": (put("rims", 0, "neutral", True), "rims", "neutral"),
    "no needs": (put("plates", 4, "needs", []), "P5", "needs"),
    "needs of five dice": (
        put("plates", 4, "needs", [{"kind": "same", "dice": 3}, {"kind": "run", "dice": 2}]),
        "P5",
        "needs",
    ),
    "two groups of slots": (put("plates", 4, "needs", [{"kind": "slots", "slots": ["any"]}] * 2), "P5", "needs"),
    "three dice for a pair": (put("starting", 0, "needs", [{"kind": "same", "dice": 2}]), "starting plates A", "needs"),
    "a kind that is none": (group({"kind": "pair", "dice": 2}), "P5", "needs[0].kind"),
    "a group that is none": (group("same"), "P5", "needs[0].kind"),
    "a group of one": (group({"kind": "run", "dice": 1}), "P5", "needs[0].dice"),
    "a total out of reach": (group({"kind": "sum", "dice": 2, "total": 13}), "P5", "needs[0].total"),
    "a total that any dice reach": (group({"kind": "sum", "dice": 2, "total": 2}), "P5", "needs[0].total"),
    "no total": (group({"kind": "sum", "dice": 2}), "P5", "needs[0].total"),
    "a total where there is none": (group({"kind": "run", "dice": 2, "total": 5}), "P5", "needs[0].total"),
    "a slot that is none": (group({"kind": "slots", "slots": ["=7"]}), "P5", "needs[0].slots"),
    "a bound that is none": (group({"kind": "slots", "slots": [">=6"]}), "P5", "needs[0].slots"),
    "no slots": (group({"kind": "slots", "slots": []}), "P5", "needs[0].slots"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_entry_and_its_field(fault: str) -> None:
    """PS-1 to PS-4, and the catalogue's schema."""
    change, entry, field = FAULTS[fault]
    data = copy.deepcopy(DATA)
    change(data)
    with pytest.raises(CatalogueError) as caught:
        Catalogue(data)
    assert (caught.value.entry, caught.value.field) == (entry, field)
    assert entry in str(caught.value)
    assert field in str(caught.value)


def test_a_plate_needs_two_dice_on_average_at_most() -> None:
    """PS-3."""
    data = copy.deepcopy(DATA)
    for plate in data["plates"][:20]:
        plate["needs"] = [{"kind": "same", "dice": 4}]
    with pytest.raises(CatalogueError, match="2 dice on average"):
        Catalogue(data)


def test_the_hash_does_not_depend_on_how_the_file_is_written() -> None:
    assert hash_of(json.loads(json.dumps(DATA, indent=3, sort_keys=True))) == load(NEWEST).hash
    assert hash_of({**DATA, "version": 2}) != load(NEWEST).hash


def test_every_plate_and_rim_has_a_name_and_a_motif_of_its_own() -> None:
    found = looks(NEWEST)
    assert list(found) == ITEM_IDS
    assert all(set(look) == {"name", "motif"} for look in found.values())
    names = [look["name"] for look in found.values()]
    assert len(set(names)) == len(names)
