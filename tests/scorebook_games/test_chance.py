"""Chance: both implementations give the vectors of docs/explanation/fairness.md, without bias."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorebook_games import chance
from scorebook_games.cards import card_text, packs
from scorebook_games.conformance.play import SEED, DealerInstead
from scorebook_games.contract import Event
from scorebook_games.registry import KINDS
from tests.scorebook_games import independent_chance as independent

DOC = Path(__file__).parents[2] / "docs" / "explanation" / "fairness.md"
NAMES = ("commitment", "draw", "integers", "dice", "shuffle")


def vectors() -> list[tuple[str, str, list[str], str]]:
    """Return (what, label or salt, arguments, result) of every line of the document's vectors."""
    found = []
    for line in DOC.read_text(encoding="utf-8").partition("## Vectors")[2].splitlines():
        asked, arrow, result = line.strip().partition(" -> ")
        if arrow and asked.split()[0] in NAMES:
            what, label, *arguments = asked.split()
            found.append((what, label, arguments, result))
    return found


def documented_seed() -> bytes:
    [line] = [line for line in DOC.read_text(encoding="utf-8").splitlines() if line.startswith("    seed ")]
    return bytes.fromhex(line.split()[1])


def ours(seed: bytes, what: str, label: str, arguments: list[str]) -> str:
    dealer = chance.SeedDealer(seed)
    match what:
        case "commitment":
            return chance.commitment(bytes.fromhex(label), seed)
        case "draw":
            return chance.draw(seed, label, int(arguments[0])).hex()
        case "integers":
            return " ".join(map(str, dealer.integers(label, list(map(int, arguments)))))
        case "dice":
            return " ".join(map(str, dealer.dice(label, int(arguments[0]))))
        case _:
            return " ".join(map(card_text, dealer.shuffle(label, packs(int(arguments[0])))))


def theirs(seed: bytes, what: str, label: str, arguments: list[str]) -> str:
    match what:
        case "commitment":
            return independent.commitment(bytes.fromhex(label), seed)
        case "draw":
            return independent.draw(seed, label, int(arguments[0])).hex()
        case "integers":
            return " ".join(map(str, independent.numbers(seed, label, list(map(int, arguments)))))
        case "dice":
            return " ".join(map(str, independent.dice(seed, label, int(arguments[0]))))
        case _:
            return " ".join(independent.shuffle(seed, label, int(arguments[0])))


@pytest.mark.parametrize("implementation", [ours, theirs])
def test_the_documents_vectors_come_out(implementation: object) -> None:
    assert callable(implementation)
    seed = documented_seed()
    found = vectors()
    assert {what for what, *_ in found} == set(NAMES)
    for what, label, arguments, result in found:
        assert implementation(seed, what, label, arguments) == result, (what, label)


@given(
    seed=st.binary(min_size=32, max_size=32),
    label=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1),
    bounds=st.lists(st.integers(1, 2**64), max_size=24),
)
def test_both_implementations_draw_alike(seed: bytes, label: str, bounds: list[int]) -> None:
    dealer = chance.SeedDealer(seed)
    assert dealer.integers(label, bounds) == independent.numbers(seed, label, bounds)
    assert dealer.dice(label, len(bounds)) == independent.dice(seed, label, len(bounds))
    assert [card_text(card) for card in dealer.shuffle(label, packs(2))] == independent.shuffle(seed, label, 2)
    assert chance.commitment(seed[:16], seed) == independent.commitment(seed[:16], seed)


def test_the_hmac_made_by_hand_is_that_of_rfc_4231() -> None:
    """Test cases 1 and 6: a short key, and one that is longer than a block."""
    assert independent.hmac_sha256(b"\x0b" * 20, b"Hi There").hex().startswith("b0344c61d8db3853")
    key, text = b"\xaa" * 131, b"Test Using Larger Than Block-Size Key - Hash Key First"
    assert independent.hmac_sha256(key, text) == hmac.digest(key, text, "sha256")
    assert independent.hmac_sha256(key, text).hex().startswith("60e431591ee0b67f")


def test_the_second_implementation_imports_nothing_of_the_project() -> None:
    source = Path(independent.__file__).read_text(encoding="utf-8")
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert imports == [
        "from __future__ import annotations",
        "import hashlib",
        "from collections.abc import Iterator",
    ]


def test_draws_at_or_above_the_greatest_multiple_are_passed_over() -> None:
    bound = 3 * 2**62
    xs = [int.from_bytes(chance.draw(SEED, "reject", k)[:8], "big") for k in range(400)]
    kept = [x for x in xs if x < bound]
    assert 60 < len(xs) - len(kept) < 140, "about a quarter is passed over"
    assert chance.SeedDealer(SEED).integers("reject", [bound] * len(kept)) == kept


def test_a_number_is_drawn_alike_whether_its_draw_is_near_the_greatest_or_not() -> None:
    labels = [f"near/{number}" for number in range(600)]
    assert {chance.draw(SEED, label, 0)[0] == 255 for label in labels} == {True, False}
    dealer = chance.SeedDealer(SEED)
    for label in labels:
        assert dealer.integers(label, [36]) == independent.numbers(SEED, label, [36])


def test_every_number_below_a_bound_comes_up_about_equally_often() -> None:
    """Chi squared over 6 faces is above 30 for one of 70,000 fair dice, and these dice are the same in each run."""
    dealer = chance.SeedDealer(SEED)
    rolls = Counter(die for number in range(250) for die in dealer.dice(f"fair/{number}", 24))
    assert sorted(rolls) == [1, 2, 3, 4, 5, 6]
    assert sum((count - 1000) ** 2 / 1000 for count in rolls.values()) < 30


def test_every_order_of_a_shuffle_comes_up_about_equally_often() -> None:
    dealer = chance.SeedDealer(SEED)
    orders = Counter(tuple(dealer.shuffle(f"order/{number}", [0, 1, 2, 3])) for number in range(4800))
    assert len(orders) == 24
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < 60


def test_labels_seeds_and_draws_are_independent_of_each_other() -> None:
    draws = {
        chance.draw(seed, label, k)
        for seed in (SEED, SEED[::-1])
        for label in ("deal", "deal/round1", "deal/round11", "bot/1")
        for k in (0, 1, 2**40)
    }
    assert len(draws) == 2 * 4 * 3


def test_asking_again_or_in_another_order_gives_the_same() -> None:
    one, other = chance.SeedDealer(SEED), chance.SeedDealer(SEED)
    first, second = one.integers("a", [52] * 20), one.integers("b", [52] * 20)
    assert other.integers("b", [52] * 20) == second
    assert other.integers("a", [52] * 20) == first
    assert first != second


def test_shuffling_leaves_what_was_given_as_it_was() -> None:
    items = [1, 2, 3, 4, 5, 6, 7]
    shuffled = chance.SeedDealer(SEED).shuffle("x", items)
    assert items == [1, 2, 3, 4, 5, 6, 7]
    assert sorted(shuffled) == items
    assert chance.SeedDealer(SEED).shuffle("x", []) == []
    assert chance.SeedDealer(SEED).shuffle("x", [9]) == [9]


def test_a_commitment_hangs_on_salt_and_seed_and_tells_neither() -> None:
    promise = chance.commitment(bytes(16), SEED)
    assert promise == hashlib.sha256(bytes(16) + SEED).hexdigest()
    assert promise != chance.commitment(bytes(15) + b"\x01", SEED)
    assert promise != chance.commitment(bytes(16), SEED[::-1])
    assert SEED.hex() not in promise


def test_a_built_in_bots_chance_hangs_on_its_seat_and_the_version_it_is_asked_at() -> None:
    asked = [chance.bot_random(SEED, seat, version).random() for seat in (0, 1) for version in (5, 6)]
    assert len(set(asked)) == 4
    assert chance.bot_random(SEED, 1, 6).random() == asked[3]


def test_the_first_card_that_the_document_works_out_by_hand_is_right() -> None:
    text = DOC.read_text(encoding="utf-8")
    x = int.from_bytes(independent.draw(documented_seed(), "deal", 0)[:8], "big")
    assert f"`{x:016x}`" in text
    assert f"as a number {x}." in text
    assert f"place {x % 52}, where the unshuffled pack has `{independent.PACK[x % 52]}`" in text.replace("\n", " ")
    assert independent.shuffle(documented_seed(), "deal", 1)[51] == independent.PACK[x % 52]


class Listener(DealerInstead):
    """A dealer that records the labels that it is asked for."""

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self.labels: list[str] = []

    def integers(self, label: str, bounds: Sequence[int]) -> list[int]:
        self.labels.append(label)
        return super().integers(label, bounds)

    def shuffle(self, label: str, items: Sequence[int]) -> list[int]:
        self.labels.append(label)
        return super().shuffle(label, items)

    def dice(self, label: str, count: int) -> list[int]:
        self.labels.append(label)
        return super().dice(label, count)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_label_is_used_once_and_is_in_the_document(kind: str) -> None:
    rules = KINDS[kind].rules
    seats = rules.spec.seats_min
    state = rules.initial(seats, rules.resolve(seats, {"turn_limit": 5}))
    dealer = Listener(SEED)
    events: list[Event] = rules.start(state, dealer)
    while True:
        for event in events:
            rules.apply(state, event)
        if not (acting := rules.to_act(state)):
            break
        events = rules.decide(state, acting[0], rules.legal_actions(state, acting[0])[0], dealer)
    assert len(set(dealer.labels)) == len(dealer.labels) > 0
    rows = [line for line in DOC.read_text(encoding="utf-8").splitlines() if f"| {rules.spec.title} |" in line]
    assert all(f"`{re.sub(r'[0-9]+', '1', label)}`" in "".join(rows) for label in dealer.labels)


def test_the_pack_of_the_document_is_the_one_of_the_cards() -> None:
    assert [card_text(card) for card in packs(1)] == independent.PACK
