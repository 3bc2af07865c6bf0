"""Plate Spinner in replays: sentences, highlights, scores, the position, and data that is sent once and not in every
frame."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scorebook_games.contract import Event
from scorebook_games.frames.replay import Frame, frames, score_axis
from scorebook_games.gamelog import visibility
from scorebook_games.kinds.plate_spinner import narration
from scorebook_games.kinds.plate_spinner.catalogue import ITEM_IDS, NEWEST, STAR, load, looks
from scorebook_games.kinds.plate_spinner.presentation import catalogue_items, position, slim_observation
from scorebook_games.kinds.plate_spinner.state import pool_of
from scorebook_games.presentation.sentences import plain_text
from tests.replays.random_games import NAMES, entries, opening, random_game

N = {item: number for number, item in enumerate(ITEM_IDS)}
REST = [number for number in range(41) if number not in (N["P1"], N["P8"], N["P4"])]
RIMS = [N["R1"], N["R2"], *[number for number in range(51, 81) if number not in (N["R1"], N["R2"])]]
BEGUN: list[Event] = [
    ["set", NEWEST, load(NEWEST).hash, [N["P1"], N["P8"], N["P4"], *REST], RIMS],
    ["turned", [N["P1"], N["P8"]], [N["R1"]]],
    ["go", 1, [pool_of("111"), pool_of("335")]],
]


def made(*events: Event) -> list[Frame]:
    """Return the public's frames of a game for two that begins with `BEGUN`."""
    return frames(entries(opening("plate_spinner", 2), *BEGUN, *events), None)


def words(*events: Event) -> str:
    """Return the sentence of the last of these events."""
    return plain_text(made(*events)[-1].parts, NAMES)


DRAFTED: list[Event] = [
    ["grabbed", 1, 1],
    ["finished", 0],
    ["drafted", 1, N["P1"], 1],
    ["drafted", 1, N["R1"], 0],
    ["attached", 1, N["R1"], N["P1"]],
    ["drafted", 0, N["P8"], 0],
    ["turned", [N["P4"], N["P2"]], [N["R2"]]],
    ["go", 2, [pool_of("111"), pool_of("3355")]],
]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([["rolled", 1, pool_of("35"), pool_of("16")]], "Laura rolled 2 dice: 1 6."),
        ([["rolled", 1, pool_of("5"), pool_of("6")]], "Laura rolled a die: 6."),
        ([["assigned", 0, 1, N["A1"], 0, 1]], "Martha put a 1 on Beaker A1: filled."),
        ([["grabbed", 1, 1]], "Laura grabbed meeple 1."),
        (DRAFTED[:2], "Martha finished without a meeple."),
        (DRAFTED[:3], "Laura drafted Poppy and 1 die."),
        (DRAFTED[:4], "Laura drafted the rim Thread."),
        ([*DRAFTED[:3], ["drafted", 1, N["R1"], 1]], "Laura drafted the rim Thread and a neutral die."),
        (DRAFTED[:5], "Laura put the rim Thread under Poppy."),
        (DRAFTED[:6], "Martha drafted Cherry Pair."),
        (DRAFTED[:7], "New in the market: Firecracker and Ember and the rim Brickwork."),
        (DRAFTED, "GO! Round 2: everybody rolls all dice: Martha 1 1 1 and Laura 3 3 5 5."),
        ([*DRAFTED, ["broke", 1, [N["P1"]], [N["R1"]], []]], "Laura broke Poppy, with Thread."),
        ([*DRAFTED, ["broke", 0, [N["P8"]], [], []]], "Martha broke Cherry Pair."),
        (
            [*DRAFTED, ["broke", 0, [N["P8"]], [], [N["P8"]]]],
            "The bomb of Cherry Pair went off: Martha lost Cherry Pair.",
        ),
        (
            [*DRAFTED[:2], ["drafted", 1, N["R1"], 0], ["discarded", 1, [N["R1"]]]],
            "Laura has no free plate for Thread, so it is discarded.",
        ),
        ([["turned", [STAR], []]], "The star plate is turned up. The last round is played for it."),
        ([["turned", [N["P4"]], []]], "New in the market: Firecracker."),
        ([["ended", "turn_limit"]], "The turn limit ends the game. Martha and Laura share the first place with 0."),
        ([["ended", "rules"]], "The last round is over. Martha and Laura share the first place with 0."),
    ],
)
def test_plate_spinner_is_told_in_words(events: list[Event], expected: str) -> None:
    assert words(*events) == expected


def test_the_star_plates_colour_is_told() -> None:
    """The rule is PS-26."""
    won: list[Event] = [["turned", [STAR], []], ["grabbed", 0, 1], ["finished", 1], ["drafted", 0, STAR, 0]]
    assert words(*won, ["coloured", 0, 2]) == "Martha made the star plate green."


def test_rounds_bombs_and_changes_of_the_lead_are_marked() -> None:
    game = made(*DRAFTED, ["broke", 0, [N["P8"]], [], [N["P8"]]])
    marks = [(frame.version, mark.kind, plain_text(mark.parts, NAMES)) for frame in game for mark in frame.marks]
    assert marks == [
        (4, "round", "round 1 begins"),
        (12, "round", "round 2 begins"),
        (13, "bomb", "a bomb goes off at Martha’s"),
    ]


def test_scores_are_what_plates_and_rims_count_so_far() -> None:
    """The rule is PS-24."""
    game = made(*DRAFTED)
    points = {item.id: item.points for item in load(NEWEST).items}
    laura = points["P1"] + points["R1"] + 1  # one red plate
    assert game[-1].scores == [points["P8"] + 1, laura]
    assert score_axis("plate_spinner").best == "highest"


def test_all_eyes_see_the_one_table() -> None:
    """No hidden card is in a hand (PS-18)."""
    game = random_game("plate_spinner", 3)
    seen, public = frames(game, visibility.ALL), frames(game, None)
    assert [frame.observation for frame in seen] == [frame.observation for frame in public]


def test_a_position_names_market_meeples_dice_and_plates() -> None:
    seen = slim_observation(made(*DRAFTED, ["assigned", 0, 1, N["A1"], 0, 1])[-1].observation)
    facts = dict(position(seen, NAMES[:2]))
    assert facts == {
        "Round": "2",
        "Market": "Firecracker, Ember, Brickwork",
        "Meeples left": "1",
        "Martha": "5 points; unassigned dice: 1 1; plates: Beaker A1, Saucer A2 (1 open), Cherry Pair (2 open)",
        "Laura": "3 points; unassigned dice: 3 3 5 5; plates: Picnic B1 (1 open), Camping B2 (1 open), "
        "Poppy with Thread (2 open)",
    }


def test_what_is_printed_on_an_item_goes_out_once() -> None:
    """The name and the motif of an item (PS-3) are sent once. A frame has ids, dice, and the colour of a star plate."""
    seen: dict[str, Any] = dict(made(*DRAFTED)[-1].observation)
    items = catalogue_items(seen)
    assert list(items) == ITEM_IDS
    assert items["P1"]["name"] == looks(NEWEST)["P1"]["name"]
    assert items["P1"]["needs"] == load(NEWEST).data["plates"][0]["needs"]
    slimmed = slim_observation(seen)
    assert slimmed["market"] == ["P4", "P2", "R2"]
    [*_, poppy] = slimmed["players"][1]["plates"]
    assert poppy == {"id": "P1", "rim": "R1", "filled": [[None], [None]], "free": 2}
    assert len(json.dumps(slimmed)) < 0.6 * len(json.dumps(seen))
    assert seen["market"][0]["id"] == "P4"


def test_the_star_plate_has_one_name_in_the_readers_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other plates keep the names that are printed on them."""
    monkeypatch.setattr(narration, "_", {"Star Plate": "Sternteller"}.get)
    items = catalogue_items({"catalogue": {"version": NEWEST}})
    printed = looks(NEWEST)
    assert narration.names(NEWEST) == {item: look["name"] for item, look in printed.items()} | {"STAR": "Sternteller"}
    assert (items["STAR"]["name"], items["P1"]["name"]) == ("Sternteller", printed["P1"]["name"])
