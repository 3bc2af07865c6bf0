"""`--processes`: each file runs in one process, and a process that dies takes nothing with it but the test it ran."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Never

import pytest
from django.db import connections

from tests import budget, parallel

FILES = ["test_a", "test_a", "test_b", "test_c", "test_c", "test_c", "test_d"]


class Session:
    """What of pytest's session is used: tests, and what is reported of them."""

    def __init__(self, folder: Path) -> None:
        self.items = [
            SimpleNamespace(path=Path(name), nodeid=f"{name}::{at}", location=(name, at, ""))
            for at, name in enumerate(FILES)
        ]
        self.reported: list[Any] = []
        self.shouldfail = self.shouldstop = ""
        hook = SimpleNamespace(
            pytest_runtest_logreport=lambda report: self.reported.append(report),
            pytest_report_from_serializable=lambda config, data: SimpleNamespace(**data),
        )
        self.config = SimpleNamespace(hook=hook, _tmp_path_factory=SimpleNamespace(getbasetemp=lambda: folder))

    def outcomes(self, when: str) -> dict[str, Any]:
        return {report.nodeid: report.outcome for report in self.reported if report.when == when}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setattr(connections, "close_all", lambda: None)
    monkeypatch.setattr(budget.calibration, "close", lambda: None)
    monkeypatch.setattr(budget, "costs", budget.Costs())
    return Session(tmp_path)


def working(test: Callable[[int], None]) -> Callable[..., Never]:
    """Return a process's work in which `test` stands for each test; it reports its process as the outcome."""

    def work(session: Any, pipe: Any, number: int, folder: Path) -> Never:
        def next_file() -> list[int]:
            pipe.send(("next",))
            file: list[int] = pipe.recv()
            return file

        now = next_file()
        while now:
            after = next_file()
            for place in now:
                test(place)
                found = {"nodeid": session.items[place].nodeid, "when": "teardown", "outcome": os.getpid()}
                pipe.send(("report", place, found))
            now = after
        pipe.send(("costs", budget.Costs(server=1.0).plain()))
        os._exit(0)

    return work


def test_all_tests_of_a_file_run_in_one_process_and_each_test_once(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "work", working(lambda place: None))
    parallel.Processes(session).run(2)  # type: ignore[arg-type]
    outcomes = session.outcomes("teardown")
    assert len(session.reported) == len(outcomes) == len(FILES)
    processes = {name: {outcomes[f"{name}::{at}"] for at, other in enumerate(FILES) if other == name} for name in FILES}
    assert all(len(each) == 1 for each in processes.values())
    assert os.getpid() not in outcomes.values()
    assert budget.costs.server == 2.0


def test_files_that_fork_web_processes_run_in_one_process(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process from which they are forked takes as long to start as fifty tests."""
    session.items[0].fixturenames = ["web"]
    session.items[3].module = SimpleNamespace(forked_web=None)
    monkeypatch.setattr(parallel, "work", working(lambda _place: None))
    runs = parallel.Processes(session)  # type: ignore[arg-type]
    assert list(runs.files) == [[0, 1, 3, 4, 5], [2], [6]]
    runs.run(3)
    ran = session.outcomes("teardown")
    assert len({ran[item.nodeid] for item in session.items if item.path.name in ("test_a", "test_c")}) == 1


def test_a_test_whose_process_is_killed_fails_and_another_process_runs_the_rest(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies_at_four(place: int) -> None:
        if place == 4:
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(parallel, "work", working(dies_at_four))
    parallel.Processes(session).run(2)  # type: ignore[arg-type]
    assert session.outcomes("call") == {"test_c::4": "failed"}
    assert "ended with -9" in session.reported[[each.nodeid for each in session.reported].index("test_c::4")].longrepr
    others = {item.nodeid for item in session.items} - {"test_c::4"}
    assert session.outcomes("teardown").keys() == others


def test_processes_that_die_before_any_test_end_the_run(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "work", lambda *_: os._exit(3))
    parallel.Processes(session).run(2)  # type: ignore[arg-type]
    assert "ended with 3" in session.shouldstop
    assert session.reported == []


def test_a_process_that_leaves_tests_out_ends_the_run(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(session: Any, pipe: Any, number: int, folder: Path) -> Never:
        pipe.send(("next",))
        pipe.recv()
        pipe.send(("costs", budget.Costs().plain()))
        os._exit(0)

    monkeypatch.setattr(parallel, "work", work)
    parallel.Processes(session).run(1)  # type: ignore[arg-type]
    assert session.shouldstop == "A process left out 2 of its tests."
    assert session.reported == []


def test_a_process_that_dies_while_it_says_something_fails_its_test(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(session: Any, pipe: Any, number: int, folder: Path) -> Never:
        pipe.send(("next",))
        if pipe.recv():
            os.write(pipe.fileno(), b"\0\0\1\0of 256 bytes a few")
            os._exit(3)
        pipe.send(("costs", budget.Costs().plain()))
        os._exit(0)

    monkeypatch.setattr(parallel, "work", work)
    parallel.Processes(session).run(2)  # type: ignore[arg-type]
    assert session.outcomes("call") == {item.nodeid: "failed" for item in session.items}


def test_processes_end_where_a_report_cannot_be_taken(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(session: Any, pipe: Any, number: int, folder: Path) -> Never:
        try:
            pipe.send(("warning", "", "", ""))
            pipe.recv()
        finally:
            os._exit(1)

    def refuses(**_warning: Any) -> Never:
        raise RuntimeError

    session.config.hook.pytest_warning_recorded = SimpleNamespace(call_historic=refuses)
    monkeypatch.setattr(parallel, "work", work)
    with pytest.raises(RuntimeError):
        parallel.Processes(session).run(2)  # type: ignore[arg-type]


def test_a_test_knows_which_comes_next_even_in_the_next_file() -> None:
    seen: list[tuple[str, str]] = []
    given = iter([[0, 1], [3], []])
    pipe = SimpleNamespace(send=lambda sentence: None, recv=lambda: next(given))
    hook = SimpleNamespace(pytest_runtest_protocol=lambda item, nextitem: seen.append((item, nextitem)))
    session: Any = SimpleNamespace(
        items=["one", "two", "three", "four"],
        config=SimpleNamespace(hook=hook, pluginmanager=SimpleNamespace(register=lambda plugin: None)),
        shouldfail=False,
        shouldstop=False,
        _setupstate=SimpleNamespace(teardown_exact=lambda nextitem: seen.append(("torn down", ""))),
    )
    parallel.run_files(session, pipe)  # type: ignore[arg-type]
    assert seen == [("one", "two"), ("two", "four"), ("four", None), ("torn down", "")]


def test_a_log_that_wrote_to_a_closed_file_goes_on_in_the_present_stream(tmp_path: Path) -> None:
    former, present = (tmp_path / "log").open("w"), StringIO()
    handler = logging.StreamHandler(former)
    logger = logging.getLogger("scorebook.forked")
    logger.addHandler(handler)
    try:
        former.close()
        parallel.write_logs_to(present)
        logger.warning("A plate wobbles.")
    finally:
        logger.removeHandler(handler)
    assert present.getvalue() == "A plate wobbles.\n"


def test_a_log_whose_file_is_not_open_yet_keeps_it(tmp_path: Path) -> None:
    handler = logging.FileHandler(tmp_path / "log", delay=True)
    logger = logging.getLogger("scorebook.forked")
    logger.addHandler(handler)
    try:
        parallel.write_logs_to(StringIO())
        logger.error("One line.")
    finally:
        logger.removeHandler(handler)
        handler.close()
    assert (tmp_path / "log").read_text() == "One line.\n"
