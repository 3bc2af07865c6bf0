"""A plug-in of pytest: asks of each fault that an earlier run noticed whether it is still noticed.

Everything is imported and collected once. For each fault a process is forked, in which the changed functions get their
new code, and which runs the test that noticed it then. If that one passes or is gone, the tests run that stand nearest
to the changed module. So the whole sample takes minutes, and needs no coverage to be measured. A fault outside of
functions, one that all these tests let pass, or one whose test takes too long, is left to a copy of the tree
(`tests.mutation.running`).
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import signal
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, Never

import pytest
from django.db import connections

from devkit.paths import ROOT
from tests import budget, parallel
from tests.mutation.mutants import Gone, Mutant, read_sample
from tests.mutation.running import EARLIER, RESULTS

MAX_NEAR: Final = 400  # tests that run if the known one notices nothing
SECONDS: Final = 60  # of the processor, for the tests of one fault
IN_FUNCTION: Final = 1  # CO_OPTIMIZED: the body of a class does not have it
ELSEWHERE: Final = "elsewhere"
TOO_LONG: Final = "too long"  # the processor's time was up; the copy of the tree gets more
Loaded = defaultdict[str, list[FunctionType]]


class Elsewhere(Exception):
    """A fault does not change the code of a function that is loaded."""


def functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of each function of a module or of a class's body, without those inside other functions."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & IN_FUNCTION:
                yield inner
            else:
                yield from functions(inner)


def by_name(code: CodeType) -> dict[str, list[CodeType]]:
    found = defaultdict(list)
    for each in functions(code):
        found[each.co_qualname].append(each)
    return found


def does_the_same(one: Any, other: Any) -> bool:
    """Return whether two constants are equal; of code, whether it does the same wherever it stands."""
    if not (isinstance(one, CodeType) and isinstance(other, CodeType)):
        return type(one) is type(other) and repr(one) == repr(other)
    same = (one.co_code, one.co_names, one.co_varnames) == (other.co_code, other.co_names, other.co_varnames)
    if not same or len(one.co_consts) != len(other.co_consts):
        return False
    return all(map(does_the_same, one.co_consts, other.co_consts))


def loaded() -> Loaded:
    """Return the functions of this process by the file they stand in."""
    found: Loaded = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType:
            found[each.__code__.co_filename].append(each)
    return found


def apply(mutant: Mutant, there: Loaded) -> None:
    """Give the loaded functions the code with the fault. Raises `Elsewhere` or `Gone`."""
    path = ROOT / mutant.path
    source = path.read_text()
    before, after = (
        by_name(compile(text, str(path), "exec", dont_inherit=True)) for text in (source, mutant.made(source))
    )
    changed = {
        (old.co_qualname, old.co_firstlineno): new
        for name in before.keys() & after.keys()
        for old, new in zip(before[name], after[name], strict=False)
        if not does_the_same(old, new)
    }
    found = 0
    for each in there[str(path)]:
        new = changed.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
        if new is not None and new.co_freevars == each.__code__.co_freevars:
            each.__code__ = new
            found += 1
    if not found:
        raise Elsewhere


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Ask all faults but those that an earlier run let pass, and write a line for each."""
    budget.calibration.close()
    connections.close_all()
    gc.unfreeze()
    there = loaded()
    results = Path(os.environ[RESULTS])
    earlier, done = rows_of(Path(os.environ[EARLIER])), rows_of(results)
    for mutant in read_sample():
        key = (mutant.name, mutant.nth)
        row = earlier.get(key, {"verdict": "new", "by": ""})
        if key in done:
            continue
        verdict, by = ("survived", "") if row["verdict"] == "survived" else ask(session, there, mutant, row["by"])
        made = {"name": mutant.name, "area": mutant.area, "nth": mutant.nth, "verdict": verdict, "by": by}
        with results.open("a") as file:
            file.write(json.dumps(made, ensure_ascii=False) + "\n")
        if by != row["by"]:
            print(f"{verdict:9} {mutant.name}  {by}", flush=True)
    noticed = {row["by"] for row in rows_of(results).values()}
    for test in [item for item in session.items if item.nodeid in noticed]:
        verdict, _by = forked(session, partial(first_to_fail, session, [test]))
        if verdict != "survived":
            print(f"WRONG: this test fails without a fault, too: {test.nodeid}", flush=True)
            session.testsfailed += 1
    return True


def rows_of(results: Path) -> dict[tuple[str, int], dict[str, str]]:
    lines = results.read_text().splitlines() if results.exists() else []
    return {(row["name"], row["nth"]): row for row in map(json.loads, lines)}


def ask(session: pytest.Session, there: Loaded, mutant: Mutant, known: str) -> tuple[str, str]:
    """Return the verdict on a fault, and the test that noticed it."""

    def first() -> str:
        apply(mutant, there)
        return first_to_fail(session, tests_for(session.items, mutant, known))

    return forked(session, first)


def forked(session: pytest.Session, first: Callable[[], str]) -> tuple[str, str]:
    """Return the verdict of a forked process, which looks for the `first` test that fails, and that test."""
    found = ""
    reads, writes = os.pipe()
    if not (pid := os.fork()):
        os.close(reads)
        answer(session, first, writes)
    os.close(writes)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.set_blocking(reads, False)  # a server that a test left may have the other end open
    with contextlib.suppress(BlockingIOError):
        found = os.read(reads, 10_000).decode()
    os.close(reads)
    verdict = TOO_LONG if code == -signal.SIGXCPU else "killed"
    verdict, _, by = found.partition(" ") if found else (verdict, "", f"its process ended with {code}")
    return verdict, by


def answer(session: pytest.Session, first: Callable[[], str], writes: int) -> Never:
    """Look for the first test that fails, write the verdict, and exit."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, resource.RLIM_INFINITY))
    parallel.prepare(session.config, 0, session.config._tmp_path_factory.getbasetemp())  # type: ignore[attr-defined]
    found = ELSEWHERE
    try:
        by = first()
        found = f"killed {by}" if by else "survived"
    except (Elsewhere, Gone):
        pass
    except BaseException:
        traceback.print_exc()
    os.write(writes, found.encode())
    os._exit(0)


class Failures:
    """Hears which tests fail."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def first_to_fail(session: pytest.Session, items: list[pytest.Item]) -> str:
    plugins, heard = session.config.pluginmanager, Failures()
    plugins.unregister(budget)  # a slow test has noticed nothing
    plugins.register(heard)
    for item, nextitem in zip(items, [*items[1:], None], strict=False):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        if heard.failed:
            return heard.failed[0]
    return ""


def tests_for(items: list[pytest.Item], mutant: Mutant, known: str) -> list[pytest.Item]:
    """Return the test that is known, then those of its file, of files named like the module, and of its folder."""
    path = Path(mutant.path.removeprefix("games/library/"))
    names = tuple(f"/test_{name}." for name in (path.stem, path.parent.name))
    folders = [f"tests/{folder}/" for folder in path.parents if (ROOT / "tests" / folder).is_dir()]

    def distance(item: pytest.Item) -> int:
        file = item.nodeid.partition("::")[0]
        near = [
            item.nodeid == known,
            file == known.partition("::")[0],
            any(name in file for name in names),
            file.startswith(folders[0]),
        ]
        return [*near, True].index(True)

    near = sorted((item for item in items if distance(item) < 4), key=distance)
    return near[:MAX_NEAR]
