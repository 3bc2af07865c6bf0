"""The strong built-in bot finds clearly best moves, uses nothing hidden, and remembers nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

import pytest

from scorebook_games.bots.builtin import BUILTIN_BOTS, MoveRequest, SearchBot
from scorebook_games.cards import card_of, card_text
from scorebook_games.conformance.play import Node, Table, legal_texts, play
from scorebook_games.contract import Event, fold
from scorebook_games.kinds.plates.rules import GONE
from scorebook_games.registry import KINDS
from scorebook_games.search.chance import DrawDealer, shuffled
from scorebook_games.search.ismcts import best_move
from scorebook_games.search.value import shares
from tests.bench.builtin_bots import against, interval
from tests.scorebook_games.kinds.permute import GENERATORS

pytestmark = pytest.mark.usefixtures("strong_thinks_fully")
STRONG = BUILTIN_BOTS["strong"]
assert isinstance(STRONG, SearchBot)
GUIDES = STRONG.guides

MORE_HIDDEN = {"palace": (("last_card_call", True),)}

of_every_kind = pytest.mark.parametrize("kind", sorted(GUIDES))


def choices(table_: Table, number: int) -> Iterator[Node]:
    """Yield the nodes of a random game with more than one legal move."""
    rules = table_.rules
    for node in play(table_, number):
        if len(rules.legal_actions(node.state, node.seat)) > 1:
            yield node


def answer(node: Node, table_: Table, state: Any) -> str:
    """Return what the strong bot plays at `node` if the game's state is `state`."""
    rules = table_.rules
    view = MoveRequest(table_.kind, rules.observation(state, node.seat), len(node.log))
    return STRONG.move(view, legal_texts(rules, state, node.seat), random.Random(len(node.log)))


@pytest.fixture(params=[60, pytest.param(0, marks=pytest.mark.slow)], ids=["less", "fully"])
def strong_thinks_less(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """For answers that are only compared with one another. With `--all`, also as many games before a move as usual."""
    for guide in GUIDES.values() if request.param else ():
        monkeypatch.setattr(type(guide), "iterations", request.param)


@pytest.mark.usefixtures("strong_thinks_less")
@of_every_kind
def test_what_is_hidden_from_strong_has_no_part_in_its_answer(kind: str) -> None:
    table_ = Table(kind, 3, MORE_HIDDEN.get(kind, ()))
    rng = random.Random(7)
    compared = 0
    for node in islice(choices(table_, 1), 3, 60, 12):
        other = GENERATORS[kind](table_.seats, table_.options, node.log, node.seat, rng)
        if other is not None:
            world = fold(table_.rules, table_.seats, table_.options, other)
            assert answer(node, table_, world) == answer(node, table_, node.state)
            compared += 1
    assert compared > 2


@pytest.mark.usefixtures("strong_thinks_less")
@of_every_kind
def test_the_same_chance_gets_the_same_answer_whatever_was_asked_before(kind: str) -> None:
    table_ = Table(kind, 2)
    nodes = [
        Node(node.state.copy(), node.log[:], node.seat, node.action, node.events)
        for node in islice(choices(table_, 2), 0, 40, 10)
    ]
    first = [answer(node, table_, node.state) for node in nodes]
    assert [answer(node, table_, node.state) for node in reversed(nodes)] == first[::-1]


@of_every_kind
def test_habits_are_legal_and_candidates_too_and_both_leave_the_state_alone(kind: str) -> None:
    rules, guide, rng = KINDS[kind].rules, GUIDES[kind], random.Random(3)
    for seats in (rules.spec.seats_min, rules.spec.seats_max):
        for node in play(Table(kind, seats), 3):
            before = node.state.plain()
            legal = rules.legal_actions(node.state, node.seat)
            candidates = guide.candidates(node.state, node.seat)
            assert candidates
            assert set(candidates) <= set(legal)
            assert len(set(candidates)) == len(candidates)
            assert guide.habit(node.state, node.seat, rng.random) in legal
            values = guide.value(node.state)
            assert len(values) == seats
            assert all(0 <= value <= 1 for value in values)
            assert node.state.plain() == before


@of_every_kind
def test_candidates_do_not_hang_on_what_is_hidden(kind: str) -> None:
    table_, guide, rng = Table(kind, 3), GUIDES[kind], random.Random(9)
    for node in islice(choices(table_, 4), 0, 200, 10):
        worlds = guide.worlds(table_.rules.observation(node.state, node.seat))
        some = [guide.candidates(worlds.sample(rng), node.seat) for _ in range(3)]
        assert some == [guide.candidates(node.state, node.seat)] * 3


@of_every_kind
def test_a_playout_ends_and_ends_with_the_better_one_ahead(kind: str) -> None:
    rules, guide, rng = KINDS[kind].rules, GUIDES[kind], random.Random(5)
    state = rules.initial(2, rules.resolve(2, {}))
    dealer = DrawDealer(rng.random)
    events: list[Event] = rules.start(state, dealer)
    for _ in range(5000):
        for event in events:
            rules.apply(state, event)
        if not rules.to_act(state):
            break
        seat = rules.to_act(state)[0]
        events = rules.decide(state, seat, guide.habit(state, seat, rng.random), dealer)
    outcome = rules.outcome(state)
    assert outcome is not None
    assert guide.settled(state)
    values = guide.value(state)
    first, second = outcome.placings
    assert (values[0] > values[1], values[0] < values[1]) == (first < second, first > second)


def test_of_two_results_the_clearer_one_is_worth_more() -> None:
    assert shares([5, 5], 10) == [0.5, 0.5]
    won, lost = shares([6, 5], 10)
    assert won + lost == 1
    assert shares([9, 5], 10)[0] > won > 0.5
    assert shares([15, 5], 10) == shares([99, 5], 10) == [1, 0]
    assert shares([3, 2, 1], 1) == [1, 0.5, 0]


def test_chance_in_the_search_is_fair_and_comes_from_the_given_numbers_alone() -> None:
    one, two = DrawDealer(random.Random(1).random), DrawDealer(random.Random(1).random)
    assert one.shuffle("deal", range(9)) == two.shuffle("another", range(9))
    assert one.dice("roll", 50) == two.dice("roll", 50)
    assert one.integers("who", [2, 6, 9]) == two.integers("who", [2, 6, 9])
    draw = random.Random(2).random
    orders = [tuple(shuffled("abc", draw)) for _ in range(6000)]
    assert all(850 < orders.count(order) < 1150 for order in set(orders))
    assert len(set(orders)) == 6
    faces = DrawDealer(draw).dice("roll", 6000)
    assert all(850 < faces.count(face) < 1150 for face in range(1, 7))
    assert len(faces) == 6000


def searched(rules: Any, state: Any, usual: str) -> str:
    """Return what the search finds for the player to act, if `usual` is the sensible bot's move."""
    [seat] = rules.to_act(state)
    legal = legal_texts(rules, state, seat)
    return best_move(GUIDES[rules.spec.kind], rules.observation(state, seat), legal, usual, random.Random(1))


def test_strong_takes_first_what_the_other_would_take() -> None:
    """CT-5: the Ace waits, for all other nines are gone; the other player holds a king."""
    rules = KINDS["chinese_ten"].rules
    state = rules.initial(2, rules.resolve(2, {"packs": 1}))
    mine, others, spots = ["9S", "KS"], ["KD", "QD"], ["AS", "KH", "2H", "2C"]
    gone = [card for card in range(52) if card_text(card) not in [*mine, *others, *spots]]
    cards = [[card_of(text) for text in texts] for texts in (mine, others, spots)]
    rules.apply(state, ["dealt", cards[:2], cards[2], []])
    state.piles = [gone[:22], gone[22:]]
    assert searched(rules, state, "capture 9 1") == "capture K 2"


def test_strong_gets_rid_of_its_aces_in_its_last_turn() -> None:
    """PL-9, PL-12, PL-20, PL-21: the Ace clears and brings another turn, in which the 2 goes."""
    rules = KINDS["plates"].rules
    state = rules.initial(2, rules.resolve(2, {"rounds": 1}))
    pack = list(range(52))
    mine = [card_of("AS"), card_of("2S")]
    rest = [card for card in pack if card not in mine]
    rules.apply(state, ["dealt", 1, 1, 0, [mine, []], [[], []], [[GONE] * 4] * 2, rest[:16]])
    state.cleared, state.held, state.out, state.last = rest[16:], [2, 0], 1, 1
    assert searched(rules, state, "place 2") == "place A"


def test_strong_makes_the_matches_that_it_is_offered() -> None:
    """PF-5, PF-9."""
    rules, offered = KINDS["platinum_fish"].rules, 0
    for node in chain.from_iterable(choices(Table("platinum_fish", 2), number) for number in range(6)):
        if "draw discard" in legal_texts(rules, node.state, node.seat) and node.state.turns < 10:
            assert searched(rules, node.state, "draw deck") == "draw discard"
            offered += 1
    assert offered > 5


class Heap:
    """A heap of stones of which two players take one to three in turn; who takes the last one wins.

    A move is a number of stones, and so is an event. A seat may also look on while the other is to take: it passes.
    """

    paced = None
    iterations = 400
    horizon = 50
    widening = 4

    class Stones:
        def __init__(self, left: int, turn: int) -> None:
            self.left, self.turn = left, turn

        def copy(self) -> Heap.Stones:
            return Heap.Stones(self.left, self.turn)

    @property
    def rules(self) -> Any:
        return self

    def worlds(self, observation: dict[str, Any]) -> Any:
        self.start = observation["left"]
        return self

    def sample(self, _rng: random.Random) -> Stones:
        return Heap.Stones(self.start, 0)

    def parse_move(self, _state: Stones, text: str) -> int:
        return int(text)

    def to_act(self, state: Stones) -> list[int]:
        return [1 - state.turn, state.turn] if state.left else []

    def decide(self, state: Stones, seat: int, action: int, _dealer: object) -> list[Event]:
        return [[action]] if seat == state.turn else []

    def apply(self, state: Stones, event: Event) -> None:
        state.left -= event[0]
        state.turn = 1 - state.turn

    def candidates(self, state: Stones, seat: int) -> list[int]:
        return list(range(1, 1 + min(3, state.left))) if seat == state.turn else [0]

    def habit(self, state: Stones, seat: int, draw: Any) -> int:
        candidates = self.candidates(state, seat)
        return candidates[int(draw() * len(candidates))]

    def settled(self, state: Stones) -> bool:
        return not state.left

    def value(self, state: Stones) -> list[float]:
        return [float(state.turn != seat) for seat in (0, 1)]


@pytest.mark.parametrize(("left", "best"), [(3, "3"), (5, "1"), (6, "2"), (7, "3"), (9, "1"), (10, "2")])
def test_the_search_looks_ahead_past_replies_and_passes(left: int, best: str) -> None:
    """Whoever faces a multiple of four stones loses, whatever they take."""
    usual = "1" if best != "1" else "2"
    assert best_move(Heap(), {"seat": 0, "left": left}, ["1", "2", "3"], usual, random.Random(1)) == best


class Habitual(Heap):
    """The same game without a tree, among players who take one stone at a time."""

    widening = 0

    def habit(self, state: Heap.Stones, seat: int, draw: Any) -> int:
        return min(1, self.candidates(state, seat)[0])


def test_without_a_tree_the_search_asks_what_is_best_against_habit() -> None:
    """Of two stones the other player takes one, a mistake that the tree would not expect."""
    assert best_move(Habitual(), {"seat": 0, "left": 4}, ["1", "2", "3"], "1", random.Random(1)) == "2"
    assert best_move(Habitual(), {"seat": 0, "left": 5}, ["1", "2", "3"], "2", random.Random(1)) != "2"


class Idle(Heap):
    """The same game, in which all results are worth the same."""

    def value(self, state: Heap.Stones) -> list[float]:
        return [0.5, 0.5]


def test_without_a_clearly_better_move_the_usual_one_is_made() -> None:
    for usual in ("1", "2", "3"):
        assert best_move(Idle(), {"seat": 0, "left": 9}, ["1", "2", "3"], usual, random.Random(1)) == usual


# Strong thinks as long as it does in the platform, or the question would be another one.
@pytest.mark.slow
def test_strong_beats_sensible_at_plates_beyond_chance() -> None:
    """The lower end of the 95 % interval of its placing share over rotated seats. docs/benchmarks/built-in-bots.md
    has more."""
    low, _ = interval([game.placing_share for game in against("plates", 2, 16, "strong", "sensible")])
    assert low > 0.5
