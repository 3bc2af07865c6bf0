"""Sampled worlds agree with all that a seat has seen, and do not depend on anything else."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import pytest

from scorebook_games.bots.builtin import BUILTIN_BOTS, SearchBot
from scorebook_games.cards import RANKS, card_of, packs
from scorebook_games.chance import SeedDealer
from scorebook_games.conformance.play import SEED, Node, Table, legal_texts, plain, play
from scorebook_games.contract import Event
from scorebook_games.registry import KINDS
from tests.parameters import mostly_slow

STRONG = BUILTIN_BOTS["strong"]
assert isinstance(STRONG, SearchBot)
GUIDES = STRONG.guides

MAX_MOMENTS = 60  # moments of a table that are looked at; all of them with `--all`
TABLES = [
    *[
        Table(kind, seats)
        for kind in sorted(GUIDES)
        for seats in sorted({KINDS[kind].spec.seats_min, 3, KINDS[kind].spec.seats_max})
    ],
    Table("chinese_ten", 2, (("packs", 1),)),
    Table("platinum_fish", 3, (("searcher", "player"),)),
]


def moments(table: Table, games: int, every: int, most: int = MAX_MOMENTS) -> list[Node]:
    """Return up to `most` nodes of random games, with a separate state and log each."""
    nodes = [
        Node(node.state.copy(), node.log[:], node.seat, node.action, node.events)
        for number in range(games)
        for node in play(table, number)
    ]
    return random.Random(str(table)).sample(nodes, min(most, max(1, len(nodes) // every)))


def unthrown(moves: list[str]) -> list[str]:
    """Return all moves but the throws of Palace: no observation says how many cards may be thrown (PA-16)."""
    return [move for move in moves if not move.startswith("throw ")]


@pytest.mark.some(3)
@pytest.mark.parametrize("most", [MAX_MOMENTS, pytest.param(sys.maxsize, marks=pytest.mark.slow, id="all")])
@pytest.mark.parametrize("table", mostly_slow(TABLES, TABLES[::3]), ids=str)
def test_a_world_shows_its_seat_what_it_was_made_from_and_allows_the_same_moves(table: Table, most: int) -> None:
    rules, guide, rng = table.rules, GUIDES[table.kind], random.Random(1)
    for node in moments(table, 4, 3, most):
        seen = rules.observation(node.state, node.seat)
        dumped = json.dumps(seen)
        worlds = guide.worlds(seen)
        for _ in range(3):
            world = worlds.sample(rng)
            assert rules.observation(world, node.seat) == seen
            assert unthrown(legal_texts(rules, world, node.seat)) == unthrown(legal_texts(rules, node.state, node.seat))
        assert json.dumps(seen) == dumped


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


@pytest.mark.parametrize("kind", sorted(GUIDES))
def test_a_world_has_all_the_cards_and_dice(kind: str) -> None:
    table, rng = Table(kind, 3), random.Random(3)
    for node in moments(table, 2, 10):
        worlds = GUIDES[kind].worlds(table.rules.observation(node.state, node.seat))
        assert heaps(kind, worlds.sample(rng)) == heaps(kind, node.state)


def heaps(kind: str, state: Any) -> list[int]:
    """Return every card of the game, wherever it is; those of Plate Spinner are numbered and left out."""
    facts = state.plain()
    names = {
        "chinese_ten": ["hands", "spots", "piles", "deck"],
        "platinum_fish": ["hands", "laid", "deck", "discard"],
        "plates": ["primary", "revealed", "unseen", "aside", "plate", "cleared"],
        "palace": ["hands", "upper", "under", "stack", "pile", "cleared"],
    }.get(kind, [])
    return sorted(
        card for name in names for heap in facts[name] for card in (heap if isinstance(heap, list) else [heap])
    )


def test_a_world_keeps_to_what_all_have_seen_of_other_hands() -> None:
    """CT-7, PF-9, PF-10, PL-11: the worlds of a player who watched, and not one of any."""
    rng = random.Random(6)
    compared = 0
    for node in moments(Table("chinese_ten", 3), 2, 5):
        seen = KINDS["chinese_ten"].rules.observation(node.state, node.seat)
        world = GUIDES["chinese_ten"].worlds(seen).sample(rng)
        for seat, lacks in enumerate(seen["lacks"]):
            assert not any(world.hands[seat][RANKS.index(rank)] for rank in lacks)
            compared += len(lacks)
    for node in moments(Table("platinum_fish", 3), 2, 5):
        seen = KINDS["platinum_fish"].rules.observation(node.state, node.seat)
        world = GUIDES["platinum_fish"].worlds(seen).sample(rng)
        for seat, lacks in enumerate(seen["lacks"]):
            assert all(world.hands[seat][RANKS.index(rank)] < 0 for rank in lacks)
        assert not any(world.in_deck[RANKS.index(rank)] for rank in seen["deck_lacks"])
        compared += len(seen["deck_lacks"])
    for node in moments(Table("plates", 3), 1, 20):
        seen = KINDS["plates"].rules.observation(node.state, node.seat)
        world = GUIDES["plates"].worlds(seen).sample(rng)
        for seat, view in enumerate(seen["seats"]):
            cards = world.primary[seat][:]
            for text in view["shown"]:
                cards.remove(card_of(text))
            if view["above"]:
                assert all(card >> 2 > RANKS.index(view["above"]) for card in cards)
                compared += 1
    assert compared > 100


def test_who_asked_in_vain_mostly_holds_the_rank_in_a_world() -> None:
    """PF-10: seat 0 asks for a 9. It is not certain that it holds one, and the platform's worlds take it for likely."""
    rules, rng = KINDS["platinum_fish"].rules, random.Random(8)
    state = rules.initial(2, rules.resolve(2, {}))
    deck = packs(2)
    mine, others = [card_of("6H"), card_of("KH")], [card_of("9S"), card_of("5S"), card_of("2S")]
    for card in [*mine, *others, card_of("3S"), card_of("4S")]:
        deck.remove(card)
    events: list[Event] = [
        ["stacked", [*others, *mine, card_of("3S"), card_of("4S"), *deck]],
        ["dealt", 0, 3, [], others],
        ["dealt", 1, 3, [], mine],
        ["turned", card_of("3S")],
        ["drew", 0, card_of("4S"), -1],
        ["rolled", 0, 6, 6, []],
        ["asked", 0, 1, RANKS.index("9"), -1, -1],
    ]
    for event in events:
        rules.apply(state, event)
    worlds = GUIDES["platinum_fish"].worlds(rules.observation(state, 1))
    some = [worlds.sample(rng) for _ in range(400)]
    assert 0.75 < sum(world.hands[0][RANKS.index("9")] >= 0 for world in some) / 400 < 0.95
    assert sum(world.hands[0][RANKS.index("7")] >= 0 for world in some) / 400 < 0.4
