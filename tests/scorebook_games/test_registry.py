"""The registry of kinds: which are loaded, and which sentence a kind gets that cannot be loaded."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from scorebook_games import registry
from scorebook_games.contract import Spec
from scorebook_games.kind import PLAIN_EMBLEM, BrokenKind, Kind
from scorebook_games.presentation.base import Presentation
from scorebook_games.registry import GROUP, KINDS, UnknownKind, installed_kinds, load_kinds, rules_for


class Coins:
    """Rules of which only the spec is used."""

    def __init__(self, kind: str = "coins", version: int = 1) -> None:
        self.spec = Spec(
            kind=kind, title="Coins", rules_version=version, seats_min=2, seats_max=2, options=(), notation="heads"
        )


@pytest.fixture
def coins(tmp_path: Path) -> Kind:
    (tmp_path / "rules.md").write_text("# Coins\n")
    rules: Any = Coins()
    return Kind(contract=1, folder=tmp_path, rules=rules)


def offer(monkeypatch: pytest.MonkeyPatch, kind: object, name: str = "coins") -> EntryPoint:
    """Return an entry point of a package that can be imported."""
    module = ModuleType("package_of_coins")
    module.KIND = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "package_of_coins", module)
    return EntryPoint(name, "package_of_coins:KIND", GROUP)


def test_the_kinds_of_the_library_are_those_with_a_folder() -> None:
    folder = Path(registry.__file__).parent / "kinds"
    assert sorted(KINDS) == sorted(path.parent.name for path in folder.glob("*/kind.py"))
    assert list(registry.load_wanted()) == sorted(KINDS)


def test_a_kind_with_rules_and_their_page_alone_has_defaults_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, coins: Kind
) -> None:
    loaded = load_kinds(["coins"], [offer(monkeypatch, coins)])
    assert loaded["coins"] is coins
    assert type(coins.presentation) is Presentation
    assert (coins.emblem, coins.bots.plan, coins.bots.guide) == (PLAIN_EMBLEM, None, None)
    assert not coins.has_board
    assert coins.presentation.zones({"deck": 3}) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"contract": 2}, "was written for version 2 of the contract, and this is version 1"),
        ({"folder": Path("/nowhere")}, "it has no rules page, /nowhere/rules.md"),
        ({"rules": object()}, "its rules have no Spec"),
        ({"rules": Coins("plates")}, "its rules call it 'plates'"),
        ({"rules": Coins("chess")}, "its rules call it 'chess'"),
        ({"earlier": {1: Coins(version=1)}}, "its earlier rules 1 say that they are version 1, and the newest is 1"),
        ({"rules": Coins(version=3), "earlier": {1: Coins(version=2)}}, "earlier rules 1 say that they are version 2"),
    ],
)
def test_a_broken_kind_is_refused_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, coins: Kind, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BrokenKind, match="The kind 'coins'") as refused:
        load_kinds(["coins"], [offer(monkeypatch, replace(coins, **change))])
    assert sentence in str(refused.value)


def test_a_kind_that_is_none_or_cannot_be_imported_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BrokenKind, match="its entry point names a dict, not a Kind"):
        load_kinds(["coins"], [offer(monkeypatch, {})])
    gone = EntryPoint("coins", "no_such_package:KIND", GROUP)
    with pytest.raises(BrokenKind, match="no_such_package:KIND can't be imported"):
        load_kinds(["coins"], [gone])


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("1 / 0", "(ZeroDivisionError: division by zero)"),
        ("raise SystemExit('Buy a licence.')", "(SystemExit: Buy a licence.)"),
        ("KIND = (", "(SyntaxError: '(' was never closed"),
        ("", "(AttributeError: module 'kind_of_coins' has no attribute 'KIND')"),
    ],
)
def test_a_kind_that_raises_on_import_is_refused_with_what_it_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str, sentence: str
) -> None:
    (tmp_path / "kind_of_coins.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "kind_of_coins", raising=False)
    with pytest.raises(BrokenKind) as refused:
        load_kinds(["coins"], [EntryPoint("coins", "kind_of_coins:KIND", GROUP)])
    assert str(refused.value).startswith("The kind 'coins' is broken: kind_of_coins:KIND can't be imported " + sentence)
    assert "Install a release of its package that works" in str(refused.value)
    monkeypatch.delitem(sys.modules, "kind_of_coins", raising=False)


def test_a_kind_whose_import_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "endless_kind.py").write_text("while True:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "IMPORT_SECONDS", 0.1)
    with pytest.raises(BrokenKind, match="the import of endless_kind:KIND did not come to an end"):
        load_kinds(["coins"], [EntryPoint("coins", "endless_kind:KIND", GROUP)])


@pytest.mark.parametrize("first", [True, False])
def test_a_kind_of_ours_is_used_although_another_package_offers_one_of_its_name(
    monkeypatch: pytest.MonkeyPatch, coins: Kind, *, first: bool
) -> None:
    stranger = offer(monkeypatch, coins, name="plates")
    loaded = load_kinds(["plates", "palace"], [*[stranger] * first, *installed_kinds(), *[stranger] * (not first)])
    assert loaded["plates"] is KINDS["plates"]
    assert list(loaded.broken) == ["plates"]
    assert "'plates' is offered by package_of_coins:KIND and scorebook-games. That of s" in loaded.broken["plates"]


def test_a_kind_that_is_broken_missing_or_doubled_leaves_the_others_alone(
    monkeypatch: pytest.MonkeyPatch, coins: Kind
) -> None:
    point = offer(monkeypatch, coins)
    gone = EntryPoint("gone", "no_such_package:KIND", GROUP)
    loaded = load_kinds(["gone", "hearts", "coins", "palace"], [gone, point, point, *installed_kinds()])
    assert list(loaded) == ["palace"]
    assert list(loaded.broken) == ["gone", "hearts", "coins"]
    assert "no_such_package:KIND can't be imported" in loaded.broken["gone"]
    assert "names the kind 'hearts', which no installed package offers" in loaded.broken["hearts"]
    assert (
        "'coins' is offered by package_of_coins:KIND and package_of_coins:KIND. None is used" in loaded.broken["coins"]
    )
    assert loaded["coins"].spec.title == "Coins (not available)"


def test_nothing_starts_without_any_kind(monkeypatch: pytest.MonkeyPatch, coins: Kind) -> None:
    point = offer(monkeypatch, coins)
    assert list(load_kinds(["coins", "coins"], [point])) == ["coins"]
    with pytest.raises(BrokenKind, match="names the kind 'hearts', which no installed package offers"):
        load_kinds(["hearts"], [point])
    with pytest.raises(BrokenKind, match="There is no kind of game"):
        load_kinds([], [point])


@pytest.mark.parametrize(
    ("wanted", "loaded"),
    [
        ("plates, palace", "plates palace"),
        pytest.param("plates", "plates", marks=pytest.mark.slow),
        ("", " ".join(sorted(KINDS))),
    ],
)
def test_the_variable_says_which_kinds_are_loaded_and_in_which_order(wanted: str, loaded: str) -> None:
    ask = "from scorebook_games.bots.builtin import BUILTIN_BOTS\nfrom scorebook_games.registry import KINDS\n"
    ask += "print(*KINDS)\nassert set(KINDS) == BUILTIN_BOTS['strong'].kinds == BUILTIN_BOTS['random'].kinds"
    environment = {**os.environ, registry.VARIABLE: wanted}
    ran = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.stderr) == (loaded, "")


@pytest.mark.parametrize(("wanted", "asked"), [("hearts", "palace"), ("plates,hearts", "hearts")])
def test_the_command_of_the_kit_says_in_a_sentence_what_is_wrong_with_a_kind(wanted: str, asked: str) -> None:
    command = [sys.executable, "-m", "scorebook_games.cli", "fields", asked]
    environment = {**os.environ, registry.VARIABLE: wanted}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    [line] = ran.stderr.splitlines()
    assert ran.returncode == 2
    assert "SCOREBOOK_KINDS names the kind 'hearts', which no installed package offers" in line


def test_a_kind_that_was_removed_has_a_title_and_no_rules() -> None:
    assert "hearts" not in KINDS
    assert KINDS.get("hearts") is None
    assert KINDS["hearts"].spec.title == "Hearts (not available)"
    for ask in (lambda: KINDS["hearts"].rules.initial, lambda: rules_for("hearts"), lambda: rules_for("hearts", 2)):
        with pytest.raises(UnknownKind, match="install its package again and name it in SCOREBOOK_KINDS"):
            ask()
    assert "hearts" not in KINDS


def test_every_installed_kind_has_one_package() -> None:
    names = [point.name for point in installed_kinds()]
    assert len(set(names)) == len(names)


def test_a_plus_adds_kinds_to_the_usual_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREBOOK_KINDS", "+ no_such_kind")
    assert registry.named_kinds() == ["no_such_kind"]
    found = registry.load_wanted()
    assert {"palace", "plates"} <= set(found)
    assert list(found.broken) == ["no_such_kind"]
