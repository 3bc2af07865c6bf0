"""Which build of the engines runs (docs/adr/0007-compiled-engines.md): the one that was asked for, or none at all.

`bin/dev test` runs those of this folder that are marked `compiled` on the plain build and on one of the rules, and with
`--all` all of them on the plain build and on the whole one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scorebook_games import build
from scorebook_games.chance import SeedDealer
from scorebook_games.registry import KINDS
from scorebook_games.value import plain_class

LOADS = "from scorebook_games import build, registry; print(build.current_build())"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a checkout with only the files that the choice of a build reads."""
    shutil.copytree(
        build.ROOT / build.LIBRARY,
        tmp_path / build.LIBRARY,
        ignore=shutil.ignore_patterns("__pycache__"),
        symlinks=True,
    )
    (tmp_path / "requirements").mkdir()
    shutil.copy(build.ROOT / "requirements" / "dev.txt", tmp_path / "requirements")
    return tmp_path


def start(tree: Path, wanted: str | None) -> subprocess.CompletedProcess[str]:
    """Run a process in that checkout that imports the engines."""
    environment = {name: value for name, value in os.environ.items() if name != build.BUILD_VARIABLE}
    if wanted is not None:
        environment[build.BUILD_VARIABLE] = wanted
    environment["PYTHONPATH"] = str(tree / build.LIBRARY)
    command = [sys.executable, "-c", LOADS]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def refusal(tree: Path, wanted: str = build.COMPILED_BUILD) -> str:
    """Return the sentence with which such a process ends before it has imported an engine."""
    ended = start(tree, wanted)
    assert ended.returncode != 0
    assert ended.stdout == ""
    name, sentence = ended.stderr.strip().splitlines()[-1].split(": ", 1)
    assert name == "scorebook_games.build.WrongBuild"
    return sentence


def put_build(tree: Path, content: bytes = b"no machine code") -> Path:
    """Write a build of the present tree with this content in its extensions."""
    folder = tree / ".local" / "compiled" / build.build_fingerprint(tree)
    for name in build.module_names(tree):
        file = folder / (name.replace(".", "/") + build.EXTENSION_SUFFIX)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    (folder / build.MANIFEST).write_text(json.dumps(build.checksums(folder)))
    return folder


@pytest.mark.compiled
def test_this_process_runs_the_build_that_it_was_asked_to_run() -> None:
    assert build.current_build() == (os.environ.get(build.BUILD_VARIABLE) or build.PLAIN_BUILD)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
def test_the_build_that_is_named_is_the_one_whose_code_runs(kind: str) -> None:
    """A function in Python has byte code, and a compiled one has none."""
    rules, bots, value, made = KINDS[kind].rules, KINDS[kind].bots, KINDS[kind].value, build.current_build()
    around = (bots.plan, bots.guide and bots.guide.habit, value and value.draws)
    assert {hasattr(each, "__code__") for each in (rules.decide, rules.apply)} == {made == build.PLAIN_BUILD}
    assert {hasattr(each, "__code__") for each in around} == {made != build.COMPILED_BUILD}


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
def test_a_class_derives_from_a_value_function_on_both_builds(kind: str) -> None:
    """Weights are fitted with such a class (`luck.record`, `luck.network`)."""
    value = KINDS[kind].value
    assert value
    base: Any = plain_class(type(value))

    class Even(base):  # type: ignore[misc]
        def values_of(self, position: Any) -> list[float]:
            return [0.5 for _ in self.features(position)]

    rules = KINDS[kind].rules
    state = rules.initial(2, rules.resolve(2, {}))
    for event in rules.start(state, SeedDealer(bytes(32))):
        rules.apply(state, event)
    assert Even(rules, value.file).values(state) == [0.5, 0.5]


def test_a_build_of_the_rules_has_the_rules_of_each_kind_and_nothing_around_them() -> None:
    names = build.module_names(made=build.RULES_BUILD)
    assert {f"scorebook_games.kinds.{kind}.rules" for kind in KINDS} < set(names) < set(build.module_names())
    around = ("guide", "plan", "value", "worlds")
    assert [name for name in names if name.rpartition(".")[2].startswith(around)] == []


def test_what_is_listed_to_be_compiled_is_compiled() -> None:
    """Also a module of the search with the name of one of the rules' modules, which stays plain."""
    listed = {f"scorebook_games.{name.removesuffix('.py').replace('/', '.')}" for name in build.LIBRARY_COMPILED}
    assert listed <= set(build.module_names())
    assert not listed & set(build.module_names(made=build.RULES_BUILD))


def test_no_compiled_module_has_a_property_that_mypyc_would_compute_each_time() -> None:
    """mypyc takes `functools.cached_property` for a property; `scorebook_games.value.once` stays what it is."""
    sources = {path: (build.ROOT / build.LIBRARY / path).read_text() for path in build.compiled_sources()}
    assert [path for path, text in sources.items() if "cached_property" in text] == []


@pytest.mark.some(1)
@pytest.mark.parametrize("wanted", [None, "", "plain"])
def test_unless_it_is_asked_for_a_compiled_build_is_not_even_looked_at(tree: Path, wanted: str | None) -> None:
    put_build(tree)
    assert start(tree, wanted).stdout == "plain\n"


def test_a_build_that_is_missing_is_refused_with_what_to_do(tree: Path) -> None:
    assert refusal(tree) == (
        "SCOREBOOK_ENGINE_BUILD=compiled, but the compiled engines have not been built. Run `bin/dev "
        "compile`, or unset SCOREBOOK_ENGINE_BUILD to use the plain ones."
    )


def test_a_build_of_other_sources_is_stale_and_refused(tree: Path) -> None:
    put_build(tree)
    source = tree / build.LIBRARY / "scorebook_games" / "kinds" / "plates" / "rules.py"
    source.write_text(source.read_text() + "\n")
    assert refusal(tree) == (
        "SCOREBOOK_ENGINE_BUILD=compiled, but the compiled engines were built from other sources or for "
        "another Python. Run `bin/dev compile`, or unset SCOREBOOK_ENGINE_BUILD to use the plain ones."
    )


def test_a_build_that_is_damaged_is_refused_before_any_of_it_is_loaded(tree: Path) -> None:
    folder = put_build(tree)
    next(folder.rglob(f"plates/rules{build.EXTENSION_SUFFIX}")).write_bytes(b"")
    assert refusal(tree) == (
        f"The compiled engines have been changed since they were built. Delete {folder} and run `bin/dev "
        "compile`, or unset SCOREBOOK_ENGINE_BUILD to use the plain ones."
    )


def test_a_build_that_cannot_be_imported_is_refused(tree: Path) -> None:
    folder = put_build(tree)
    sentence = refusal(tree)
    assert sentence.startswith("The compiled engines can't be loaded: ")
    assert sentence.endswith(
        f"Delete {folder} and run `bin/dev compile`, or unset SCOREBOOK_ENGINE_BUILD to use the plain ones."
    )


def test_a_build_without_one_of_the_engines_is_refused(tree: Path) -> None:
    folder = put_build(tree)
    next(folder.rglob(f"plates/rules{build.EXTENSION_SUFFIX}")).unlink()
    (folder / build.MANIFEST).write_text(json.dumps(build.checksums(folder)))
    assert refusal(tree).startswith(
        "The compiled engines are incomplete: scorebook_games.kinds.plates.rules is missing. "
    )


def test_a_name_that_is_no_build_is_refused(tree: Path) -> None:
    assert refusal(tree, "fast") == (
        "SCOREBOOK_ENGINE_BUILD=fast is not a build of the engines. Use plain, compiled or auto, or unset it."
    )


def test_auto_runs_the_plain_engines_if_there_is_no_whole_build_of_the_present_sources(tree: Path) -> None:
    assert start(tree, "auto").stdout == "plain\n"
    folder = put_build(tree)
    next(folder.rglob(f"plates/rules{build.EXTENSION_SUFFIX}")).write_bytes(b"")
    assert start(tree, "auto").stdout == "plain\n"


def test_auto_runs_the_build_of_the_present_sources(tree: Path) -> None:
    """Its extensions are no machine code here, so the process ends where it would import them."""
    put_build(tree)
    assert refusal(tree, "auto").startswith("The compiled engines can't be loaded: ")


@pytest.mark.parametrize(
    "path",
    [
        "games/library/scorebook_games/cards.py",
        "games/library/scorebook_games/kinds/plate_spinner/catalogue-1.json",
        "games/library/scorebook_games/kinds/plates/value.py",
        "games/library/scorebook_games/build.py",
        "requirements/dev.txt",
    ],
)
def test_whatever_a_build_is_made_of_is_in_its_name(tree: Path, path: str) -> None:
    """The name depends on an engine, its data, the build's options, and the compiler."""
    before = build.build_fingerprint(tree)
    text = (tree / path).read_text()
    (tree / path).write_text(text.replace("mypy==", "mypy==9") if path.endswith(".txt") else text + "\n")
    assert build.build_fingerprint(tree) != before


def test_the_rules_of_a_kind_have_whatever_only_another_kind_has_around_its_engine(tmp_path: Path) -> None:
    (folder := tmp_path / "hearts").mkdir()
    hashes = set()
    for speed in (1, 2):
        for name in ("race.py", "value.py"):
            (folder / name).write_text(f"SPEED = {speed}\n")
        hashes.add((build.rules_hash(folder), tuple(path.name for path in build.rules_files(folder))))
    assert len(hashes) == 2
    assert {files for _hash, files in hashes} == {("race.py",)}


def test_what_no_engine_is_made_of_is_not_in_the_name(tree: Path) -> None:
    before = build.build_fingerprint(tree)
    for path in ("games/library/scorebook_games/kinds/plates/narration.py", "requirements/dev.txt"):
        with (tree / path).open("a") as file:
            file.write("\n# changed\n")
    assert build.build_fingerprint(tree) == before


def test_the_manifest_names_every_file_by_its_checksum(tree: Path) -> None:
    folder = put_build(tree, b"a")
    sums = json.loads((folder / build.MANIFEST).read_text())
    assert set(sums.values()) == {hashlib.sha256(b"a").hexdigest()}
    assert len(sums) == len(build.module_names(tree)) > 15
