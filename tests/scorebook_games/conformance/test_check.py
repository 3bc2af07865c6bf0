"""The command `scorebook-kind` with packages of faulty kinds, which it finds like installed packages."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scorebook_games.conformance.command import main
from scorebook_games.conformance.skeleton import create
from scorebook_games.conformance.suite import SENTENCES

FEW = ("--games", "3", "--seconds", "15")  # a step may take a fifth of the seconds


def install(folder: Path, kind: str, changes: dict[str, str], *, entry: str = "") -> Path:
    """Write the package of a new kind, with some texts replaced, as `pip install` would."""
    files = create(kind, folder)
    package = files[-1].parent
    for old, new in changes.items():
        holding = [file for file in files if old in file.read_text()]
        assert holding, old
        for file in holding:
            file.write_text(file.read_text().replace(old, new))
    found = package.parent / f"scorebook_{kind}-0.1.0.dist-info"
    found.mkdir()
    (found / "METADATA").write_text(f"Metadata-Version: 2.1\nName: scorebook-{kind}\nVersion: 0.1.0\n")
    (found / "entry_points.txt").write_text(f"[scorebook.kinds]\n{entry or kind} = {package.name}.kind:KIND\n")
    return package


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Install packages for the processes that a test starts."""

    def add(kind: str, changes: dict[str, str] | None = None, *, entry: str = "") -> Path:
        package = install(tmp_path, kind, changes or {}, entry=entry)
        before = os.environ.get("PYTHONPATH")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(package.parent), before])))
        return package

    return add


START = "        order = dealer.shuffle"
DECIDE = '        events: list[Event] = [["played", seat, action]]\n'
# What is changed in the small kind, under which name it is offered, and the broken promise with words of its sentence.
PLANTED: dict[str, tuple[dict[str, str], str, str, str]] = {
    "raises_on_import": (
        {"from .rules import": "raise RuntimeError('no')\nfrom .rules import"},
        "",
        "the_kind_loads",
        "can't be imported (RuntimeError: no)",
    ),
    "has_no_rules_page": (
        {"folder=Path(__file__).parent": "folder=Path(__file__).parent / 'docs'"},
        "",
        "the_kind_loads",
        "it has no rules page",
    ),
    "is_named_like_ours": ({}, "palace", "the_kind_loads", "The kind 'palace' is offered by scorebook-"),
    "calls_itself_like_ours": (
        {'kind="calls_itself_like_ours"': 'kind="palace"'},
        "",
        "the_kind_loads",
        "its rules call it 'palace'",
    ),
    "is_of_another_contract": ({"contract=1": "contract=2"}, "", "the_kind_loads", "version 2 of the contract"),
    "has_events_that_are_no_json": (
        {DECIDE: DECIDE + '        events.append(["noted", {seat}])\n'},
        "",
        "events_and_observations_are_plain_json",
        "cannot be written as JSON",
    ),
    "never_returns": (
        {DECIDE: DECIDE + "        while True:\n            pass\n"},
        "",
        "games_can_be_played",
        "did not come to an end in the time that a step has at scorebook_never_returns/rules.py",
    ),
    "never_ends": (
        {
            "if not any(after.hands)": "if state.turns > 900",
            "elif after.turns >= state.turn_limit": "elif not events",
            "state.hands[seat].remove(card)": "state.turns += 0",
        },
        "",
        "a_game_ends_within_its_limit",
        "moves and goes on",
    ),
    "leaks_hidden_cards": (
        {'"leader": state.leader,': '"leader": state.leader, "next": [max(hand, default=0) for hand in state.hands],'},
        "",
        "nobody_learns_what_is_hidden",
        "by its observation: next[",
    ),
    "draws_a_label_twice": (
        {START: "        dealer.dice('deal', 1)\n" + START},
        "",
        "every_label_is_drawn_once",
        "A label is drawn twice in a game: 'deal'",
    ),
    "ends_its_process": (
        {START: "        __import__('os')._exit(7)\n" + START},
        "",
        "every_value_of_an_option_opens_a_game",
        "Its process ended with the code 7",
    ),
    "orders_by_hash": (
        {"range(state.seats)]]]": "sorted(range(state.seats), key=lambda seat: hash(str(seat)))]]]"},
        "",
        "a_new_process_plays_the_same_games",
        "is another one in a new process",
    ),
}


# Faults that only a check in other processes finds, and one kind that cannot be loaded. In one process the others are
# refused for the same reasons in `test_planted_faults` and `test_registry`.
BY_DEFAULT = ("ends_its_process", "never_returns", "orders_by_hash", "raises_on_import")


@pytest.mark.some(2)
@pytest.mark.parametrize(
    "fault", [name if name in BY_DEFAULT else pytest.param(name, marks=pytest.mark.slow) for name in sorted(PLANTED)]
)
def test_a_planted_fault_is_refused_by_name(
    fault: str, installed: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    changes, entry, promise, sentence = PLANTED[fault]
    installed(fault, changes, entry=entry)
    given = [*FEW[:-1], "2"] if fault == "never_returns" else FEW
    assert main(["check", entry or fault, "--promise", promise, *given, "--json"]) == 1
    [checked] = json.loads(capsys.readouterr().out)
    broken = {each["promise"]: each["sentence"] for each in checked["broken"]}
    assert promise in broken
    assert sentence in broken[promise]


@pytest.mark.slow
def test_a_leak_is_told_with_a_game_that_shows_it_and_a_command_that_plays_it_again(
    installed: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    installed("leaky", PLANTED["leaks_hidden_cards"][0])
    assert main(["check", "leaky", "no_such_kind", *FEW]) == 1
    output = capsys.readouterr().out
    assert "BROKEN" in output
    assert "  game      2 seats, seed 1, 0 moves\n" in output
    assert "promised  The package can be imported" in output
    assert "no_such_kind: 1 broken." in output, "a broken kind does not keep the next one from being checked"
    [again] = [line.split("again", 1)[1] for line in output.splitlines() if line.startswith("  again")]
    command = shlex.split(again)
    assert command[:2] == ["scorebook-kind", "check"]
    assert main(command[1:]) == 1
    assert "at the start by its observation: next[" in capsys.readouterr().out


def test_a_new_kind_keeps_every_promise(installed: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    package = installed("go_fish")
    assert main(["check", "go_fish", *FEW]) == 0
    assert "go_fish: every promise is kept." in capsys.readouterr().out
    assert "GF-3" in (package / "rules.md").read_text()
    assert 'title="Go Fish"' in (package / "rules.py").read_text()
    bot = package.parent / "bot.py"
    bot.write_text("class Bot:\n    def move(self, view, legal):\n        return legal[0]\n")
    for against, code in (("random", 0), ("sensible", 2)):
        ran = subprocess.run(
            [sys.executable, "-m", "scorebook_games.cli", "play", bot, "go_fish", "--games", "2", "--against", against],
            env={**os.environ, "SCOREBOOK_KINDS": "go_fish"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == code, ran.stderr
    assert "The built-in bot 'sensible' does not play go_fish. Try --against random." in ran.stderr
    assert main(["new", "go_fish", "--folder", str(package.parent.parent)]) == 2
    assert main(["new", "Go-Fish"]) == 2


PLAY = """
from scorebook_games.conformance.play import Table, finish
from scorebook_games.registry import KINDS
print(*[len(finish(Table(kind, 2), 0)[1]) > 10 for kind in ("chinese_ten", "palace")])
print(*sorted(KINDS.broken))
"""


def test_faulty_packages_do_not_stop_other_kinds(installed: Callable[..., Path]) -> None:
    """A server leaves out what it cannot load. It does not import a package that uses the name of a built-in kind."""
    for fault, (changes, entry, _, _) in PLANTED.items():
        installed(fault, changes, entry=entry)
    named = {**os.environ, "SCOREBOOK_KINDS": ",".join(["chinese_ten", "palace", "no_such_kind", *PLANTED])}
    ran = subprocess.run([sys.executable, "-c", PLAY], env=named, capture_output=True, text=True, check=False)
    refused = {name for name, (_, entry, promise, _) in PLANTED.items() if promise == "the_kind_loads" and not entry}
    expected = ["True", "True", *sorted({"no_such_kind", "palace", "is_named_like_ours", *refused})]
    assert (ran.stdout.split(), ran.stderr) == (expected, "")


@pytest.mark.slow
def test_pytest_asks_for_every_promise(installed: Callable[..., Path]) -> None:
    package = installed("leaky", PLANTED["leaks_hidden_cards"][0])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:django",
        "-p",
        "no:schemathesis",
    ]
    ran = subprocess.run(command, cwd=package.parent, capture_output=True, text=True, check=False)
    assert "leaky::nobody_learns_what_is_hidden" in ran.stdout, ran.stdout + ran.stderr
    assert "again     scorebook-kind check leaky --promise nobody_learns_what_is_hidden" in ran.stdout
    assert ran.stdout.count("FAILED ::leaky::") == 2, "the leak, and that there are no secrets"


def test_the_document_has_every_promise_in_the_words_of_the_suite() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "check-a-kind.md").read_text()
    for name, sentence in SENTENCES.items():
        assert f"| `{name}` | {sentence} |\n" in page
