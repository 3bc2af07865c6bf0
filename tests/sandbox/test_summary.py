"""The line on the attacks that ends a run of the tests."""

from __future__ import annotations

from tests.conftest import attack_lines

NOTHING: dict[str, list[str]] = {"passed": [], "failed": [], "error": [], "skipped": []}


def test_when_all_attacks_are_held_it_says_how_many_of_which_sort() -> None:
    held = NOTHING | {"passed": ["files: read", "network: call", "files: write"]}
    assert attack_lines(held) == ["3 attacks on the sandbox, all held (files 2, network 1)"]


def test_an_attack_that_gets_through_is_named() -> None:
    some = NOTHING | {"passed": ["files: read"], "failed": ["network: call"], "error": ["files: write"]}
    (line,) = attack_lines(some)
    assert line == "3 attacks on the sandbox, 2 NOT HELD: network: call, files: write (files 1)"


def test_attacks_that_were_not_made_are_never_taken_for_held() -> None:
    assert attack_lines(NOTHING | {"skipped": ["files: read"]}) == ["NO SANDBOX HERE: 1 attacks were not made"]
