"""Frames and moves that a stream brings stay the same when all that their viewer may not know is permuted, and so does
what an agent is told of them.

It is the test of `tests/scorebook_games/kinds/test_hidden.py`, asked of the lines of streams: their frames with words,
marks, scores, zones and items, and the legal moves in words.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from games.play.turn import moves_of
from replays.frames.feed import FrameFeed
from scorebook_games.agents.tools import position, state, timeline
from scorebook_games.conformance.play import Table, finish, plain
from scorebook_games.contract import Event, fold
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.registry import KINDS, rules_for
from tests.scorebook_games.kinds.permute import GENERATORS

TABLES = [
    Table("chinese_ten", 3),
    Table("palace", 3),
    Table("plates", 2),
    Table("plate_spinner", 3),
    Table("platinum_fish", 3),  # where a player searches the deck, they knew an order that no later world keeps
]
VERSIONS = 6
NAMES = ["Martha", "Laura", "Otto"]


def entries_of(table: Table, log: list[Event]) -> list[RecordedEvent]:
    """Return the log of a game with these events of the rules."""
    rules = rules_for(table.kind)
    terms = {"pace": "turns", "sealed": False, "leaver": "end"}
    opened = {"kind": table.kind, "rules_version": rules.spec.rules_version, "seats": table.seats}
    opened |= {"options": dict(table.options), "terms": terms}
    events = [[ev.OPENED, opened], *log]
    return [RecordedEvent(version, 0, event) for version, event in enumerate(events, start=1)]


def shown(table: Table, log: list[Event], viewer: int | None) -> dict[str, str]:
    """Return what a stream brings `viewer` of this game, in two pieces."""
    entries = entries_of(table, log)
    feed, found, since = FrameFeed(viewer, 0), {}, 0
    for end in (len(entries) // 2, len(entries)):
        feed.version, feed.has_left = feed.advance(entries[:end], over=False)
        news = feed.news(table.kind, NAMES, since)
        for name, part in news.items():
            found[f"{name} up to {end}"] = json.dumps(part)
        seats = [{"name": name} for name in NAMES[: table.seats]]
        told = {**news, "version": feed.version, "game": {"kind": table.kind, "seats": seats}}
        found[f"an agent up to {end}"] = "\n".join([*timeline(told), *position(told)])
        since = feed.version
    game = fold_game(entry.event for entry in entries)
    acts = viewer is not None and viewer in game.to_act()
    legal = moves_of(NAMES, game, viewer) if acts and viewer is not None else []
    found["legal"] = json.dumps(legal)
    turn = {"seat": viewer, "version": game.version, "may_act": acts, "legal": legal, "waiting_for": game.awaited()}
    turn |= dict.fromkeys(("given", "any_of", "clock", "over"))
    found["an agent is asked"] = "\n".join(state(turn, NAMES))
    return found


@pytest.mark.some(3)
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_no_line_differs_in_another_world_that_its_viewer_cannot_tell_apart(table: Table) -> None:
    rng, rules = random.Random(f"frames {table}"), KINDS[table.kind].rules
    log = finish(table, 0)[1]
    compared, wrong = 0, list[str]()
    for version in sorted(rng.sample(range(1, 1 + len(log)), min(VERSIONS, len(log)))):
        before = log[:version]
        state: Any = fold(rules, table.seats, table.options, before)
        for viewer in dict.fromkeys([*rules.to_act(state), None]):
            other = GENERATORS[table.kind](table.seats, table.options, before, viewer, rng)
            if other is None:
                continue
            assert plain(fold(rules, table.seats, table.options, other)) != plain(state)
            here, there = shown(table, before, viewer), shown(table, other, viewer)
            compared += 1
            wrong += [f"{name} for {viewer}" for name in here if here[name] != there.get(name)]
    assert wrong == []
    assert compared >= VERSIONS
