"""The value function of Platinum Fish follows the rules, uses nothing hidden, and knows which cards may be drawn."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, permutations

import pytest

from scorebook_games.contract import Event
from scorebook_games.kinds.platinum_fish.kind import KIND
from scorebook_games.kinds.platinum_fish.state import DRAW, State
from scorebook_games.kinds.platinum_fish.value import DIE, PlatinumFishValue, Position, in_new_hand, on_top
from scorebook_games.luck.games import play
from scorebook_games.search.chance import DrawDealer

RULES = KIND.rules
VALUE = PlatinumFishValue(RULES, KIND.folder / "value-1.json")
DEALER = DrawDealer(random.Random(0).random)


def facts(position: Position) -> dict[str, object]:
    return {name: getattr(position, name) for name in Position.__slots__}


def moments(seats: int, seed: int = 0) -> Iterator[tuple[State, Event]]:
    """Yield every state of a game after the first discard, with the event that follows."""
    log = play("platinum_fish", [0.1] * seats, bytes([seed] * 32))
    state = RULES.initial(seats, log[0][1]["options"])
    for event in log[1:]:
        if state.discard or state.turns:
            yield state, event
        RULES.apply(state, event)


def follow(position: Position, event: Event) -> bool:
    """Let `position` follow an event, and return whether it can."""
    ranks = [card >> 2 for card in event[2:3] if isinstance(card, int)]
    match event[0]:
        case "drew":
            position.draw(ranks[0])
        case "took":
            position.take()
        case "rolled":
            position.roll(sum(1 << rank for rank in event[4]))
        case "fished":
            position.take_out(ranks[0])
        case "asked" if event[4] >= 0 and event[5] >= 0:
            position.ask(event[2], event[3])
        case "dealt":
            position.give_hand(event[1], [card >> 2 for card in [*event[3], *event[4]]])
        case _:
            return False
    return True


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_a_position_follows_the_rules_from_event_to_event(seats: int) -> None:
    followed = set()
    for state, event in moments(seats, seats):
        position = Position.of(state)
        if follow(position, event):
            followed.add(event[0])
            RULES.apply(after := state.copy(), event)
            if not position.over():
                assert facts(position) == facts(Position.of(after))
    assert {"drew", "took", "rolled", "fished", "dealt"} <= followed


def test_a_new_hand_salvages_all_its_matches_and_the_turn_ends() -> None:
    state = next(state for state, event in moments(2, 3) if event[0] == "salvaged")
    salvaged = Position.of(state)
    salvaged.salvage()
    position = state.copy()
    while salvages := [each for each in RULES.legal_actions(position, position.actor) if "salvage" in text(each)]:
        RULES.apply(position, RULES.decide(position, position.actor, salvages[0], DEALER)[0])
        if not position.held[position.actor]:
            break
    else:
        RULES.apply(position, ["stopped", position.actor])
    assert facts(salvaged) == facts(Position.of(position))


def text(action: int) -> str:
    return RULES.move_text(RULES.initial(2, RULES.resolve(2, {})), action)


def test_a_copy_of_a_position_changes_alone() -> None:
    for state, event in moments(3):
        position = Position.of(state)
        twin = position.copy()
        twin.play_on()
        follow(position.copy(), event)
        assert facts(position) == facts(Position.of(state))


def test_the_order_of_the_deck_does_not_change_a_value() -> None:
    for state, _ in moments(2):
        twin = state.copy()
        twin.deck.reverse()
        assert VALUE.values(twin) == VALUE.values(state)


def test_the_luck_of_all_cards_that_may_be_drawn_sums_to_0() -> None:
    """Each card of the deck is put on top once; everything else stays the same."""
    states = [state.copy() for state, event in moments(2) if event[0] == "drew"][:10]
    for state in states:
        luck = [0.0, 0.0]
        for card in state.deck:
            (draw,) = VALUE.draws(state, ["drew", state.turn, card, state.hands[state.turn][card >> 2]], DEALER, {})
            whole = sum(weight for weight, _ in draw.possible)
            for seat in (0, 1):
                luck[seat] += draw.actual[seat] - sum(weight * each[seat] for weight, each in draw.possible) / whole
        assert luck == pytest.approx([0, 0], abs=1e-9)


def test_the_luck_of_all_rolls_sums_to_0() -> None:
    states = [state.copy() for state, event in moments(2) if event[0] == "rolled"][:10]
    for state in states:
        luck = [0.0, 0.0]
        for a in range(1, 7):
            for b in range(1, 7):
                faces = [10, 11, 12] if a + b == 12 else [a + b - 1]
                fish = sorted(rank for rank in {a - 1, b - 1, *faces} if state.in_deck[rank])
                rolled: Event = ["rolled", state.turn, a, b, fish]
                (draw,) = VALUE.draws(state, rolled, DEALER, {})
                RULES.apply(after := state.copy(), rolled)
                assert draw.actual == VALUE.values(after)
                whole = sum(weight for weight, _ in draw.possible)
                for seat in (0, 1):
                    luck[seat] += draw.actual[seat] - sum(weight * each[seat] for weight, each in draw.possible) / whole
        assert luck == pytest.approx([0, 0], abs=1e-9)


def test_a_new_hand_is_compared_with_as_many_of_each_face_of_the_die() -> None:
    state, event = next((state, event) for state, event in moments(2) if event[0] == "dealt" and len(state.deck) > 9)
    sizes: Counter[int] = Counter()

    class Counting(PlatinumFishValue):
        def _after_hand(self, before: Position, seat: int, ranks: list[int]) -> list[float]:
            sizes[len(ranks)] += 1
            return [0.5, 0.5]

    (draw,) = Counting(RULES, VALUE.file).draws(state, event, DEALER, {})
    sizes[len(event[3]) + len(event[4])] -= 1  # what came
    assert draw.sampled
    assert sizes == {3: 18, 4: 6, 5: 6, 6: 6}


def test_a_fished_card_leaves_the_others_of_its_rank_deeper_in_the_deck() -> None:
    """PF-9: the copy nearest the top is taken. All orders of a small deck are tried."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for order in permutations([24, 25, 4, 8]):
        place = next(at for at, card in enumerate(order) if card >> 2 == 6)
        left = [card for at, card in enumerate(order) if at != place]
        counts[place][left[0] >> 2] += 1
    for place, found in counts.items():
        below = [0] * 13
        below[6] = place
        drawn = Counter(on_top([6, 1, 2], 1, below, DEALER)[0] for _ in range(900))
        for rank in (1, 2, 6):
            assert drawn[rank] / 900 == pytest.approx(found[rank] / found.total(), abs=0.06)


def test_who_has_seen_the_order_of_the_deck_takes_the_luck_out_of_its_draws() -> None:
    """PF-12: with `searcher: player` nobody draws by chance from a deck that somebody has looked through."""
    state, event = next((state, event) for state, event in moments(2) if event[0] == "drew")
    memory: dict[str, object] = {}
    assert list(VALUE.draws(state, ["searched", state.turn, 1, 2, [0]], DEALER, memory))
    assert not list(VALUE.draws(state, event, DEALER, memory))
    assert not list(VALUE.draws(state, ["shuffled", 1, state.deck], DEALER, memory))
    assert len(list(VALUE.draws(state, event, DEALER, memory))) == 1
    assert state.phase == DRAW


@pytest.mark.parametrize(("count", "size"), [(1, 7), (2, 7), (3, 7), (4, 7), (2, 4), (1, 2)])
def test_what_a_new_hand_keeps_and_lays_down_of_a_rank_is_the_mean_over_all_hands_pf_14(count: int, size: int) -> None:
    kept: list[float] = []
    laid: list[float] = []
    for face in DIE:
        hands = [sum(place < count for place in hand) for hand in combinations(range(size), min(face, size))]
        kept.append(sum(held % 2 for held in hands) / len(hands))
        laid.append(sum(held // 2 for held in hands) / len(hands))
    assert in_new_hand(count, size) == pytest.approx((sum(kept) / len(DIE), sum(laid) / len(DIE)))


def test_a_seat_that_waits_for_a_new_hand_is_worth_what_hands_bring_on_average_pf_14() -> None:
    state = next(state for state, event in moments(2) if event[0] == "dealt" and len(state.deck) > 20)
    seat = next(seat for seat, held in enumerate(state.held) if not held)
    position = Position.of(state)
    rows = dict(zip(VALUE.names, VALUE.features(position)[seat], strict=True))
    order = [card >> 2 for card in state.deck]
    rng = random.Random(0)
    hands = []
    for sample in range(1200):
        position = Position.of(state)
        position.give_hand(seat, rng.sample(order, DIE[sample % len(DIE)]))
        position.play_on()
        hands.append((position.matches[seat], position.hands[seat].bit_count()))
    matches, held = (sum(each) / len(hands) for each in zip(*hands, strict=True))
    assert rows["matches"] == pytest.approx(matches, abs=0.1)
    assert rows["held"] == pytest.approx(held, abs=0.15)
