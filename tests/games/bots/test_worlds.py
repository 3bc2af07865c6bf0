"""Worlds by lot agree with all that a seat is told, and with nothing else that is so."""

from __future__ import annotations

import json
import random

import pytest

from games.bots.house import BOTS, Strong
from games.engines.chance import SeedDealer
from games.kinds import KINDS
from tests.games.engines.play import SEED, Node, Table, legal_texts, plain, play

STRONG = BOTS["strong"]
assert isinstance(STRONG, Strong)
GUIDES = STRONG.guides

TABLES = [
    *[
        Table(kind, seats)
        for kind in sorted(GUIDES)
        for seats in sorted({KINDS[kind].spec.seats_min, 3, KINDS[kind].spec.seats_max})
    ],
    Table("chinese_ten", 2, (("packs", 1),)),
    Table("platinum_fish", 3, (("searcher", "player"),)),
]


def moments(table: Table, games: int, every: int) -> list[Node]:
    """Some nodes of random games, with a state and a log of their own."""
    nodes = [
        Node(node.state.copy(), node.log[:], node.seat, node.action, node.events)
        for number in range(games)
        for node in play(table, number)
    ]
    return random.Random(str(table)).sample(nodes, max(1, len(nodes) // every))


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_world_shows_its_seat_what_it_was_made_from_and_allows_the_same_moves(table: Table) -> None:
    rules, guide, rng = table.rules, GUIDES[table.kind], random.Random(1)
    for node in moments(table, 4, 3):
        seen = rules.observation(node.state, node.seat)
        told = json.dumps(seen)
        worlds = guide.worlds(seen)
        for _ in range(3):
            world = worlds.sample(rng)
            assert rules.observation(world, node.seat) == seen
            assert legal_texts(rules, world, node.seat) == legal_texts(rules, node.state, node.seat)
        assert json.dumps(seen) == told


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_worlds_differ_in_what_is_hidden_and_playing_in_one_leaves_the_others_alone(table: Table) -> None:
    rules, guide, rng = table.rules, GUIDES[table.kind], random.Random(2)
    node = next(play(table, 5))
    worlds = guide.worlds(rules.observation(node.state, node.seat))
    some = [worlds.sample(rng) for _ in range(6)]
    assert len({plain(world) for world in some}) == 6
    again = plain(some[1])
    action = guide.candidates(some[0], node.seat)[0]
    for event in rules.decide(some[0], node.seat, action, SeedDealer(SEED)):
        rules.apply(some[0], event)
    assert plain(some[1]) == again
