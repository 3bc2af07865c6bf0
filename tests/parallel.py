"""A plug-in of pytest: `--processes 3` runs the tests in three processes.

They are forked when everything has been imported and collected, so a further process costs next to nothing. All tests
of a file run in one process. It asks for its next file when it begins one, because pytest keeps fixtures for as long as
the test that comes next uses them. All files whose tests fork web processes count as one: the process from which they
are forked imports Django again, for each process of tests (`tests/servers/web.py`).
"""

from __future__ import annotations

import logging
import os
import random
import sys
import traceback
import warnings
from collections import defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from signal import SIGKILL
from typing import Any, Never

import pytest
from django.db import connections
from django.template.loader import get_template
from django.template.utils import get_app_template_dirs
from django.test import override_settings
from django.urls import get_resolver

from devkit.paths import ROOT
from devkit.processes import dying_with_parent
from tests import budget
from tests.servers.databases import PROCESS

File = list[int]  # the places of its tests in `session.items`
FORK_SERVERS = {"forked", "forked_web", "FORKS"}  # names of `tests.servers.web` in modules of tests
WITH_SERVERS = Path("with web processes")
MANY_FILES = 100  # from which nearly everything of the product is used in each process


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=0, help="Run the tests in so many processes; 0: in this one.")


def pytest_report_header(config: pytest.Config) -> str:
    return f"processes: {config.getoption('processes') or 'this one'}"


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests in processes, unless pytest has something else to say: no test can be imported, or none may run."""
    count = session.config.getoption("processes")
    if not count or session.testsfailed or session.config.option.collectonly:
        return None
    Processes(session).run(count)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)
    return True


# in the process that collected


@dataclass
class Process:
    """A process, as the one that started it knows it. `tests`: what it has been given and has not ended."""

    number: int
    pid: int
    tests: File = field(default_factory=list)
    done: bool = False


class Processes:
    """Gives files to processes, and reports what came of their tests."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        with_servers = {item.path for item in session.items if forks_servers(item)}
        by_path: defaultdict[Path, File] = defaultdict(list)
        for place, item in enumerate(session.items):
            by_path[WITH_SERVERS if item.path in with_servers else item.path].append(place)
        self.files = deque(by_path.values())
        self.processes: dict[Connection, Process] = {}
        self.folder: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]

    def run(self, count: int) -> None:
        if len(self.files) > MANY_FILES:
            prepare_for_all()
        connections.close_all()  # two processes must not share one
        budget.calibration.close()
        try:
            for number in range(min(count, len(self.files))):
                self.start(number)
            while self.processes:
                for pipe in wait(list(self.processes)):
                    assert isinstance(pipe, Connection)
                    self.hear(pipe)
        finally:
            for pipe, process in self.processes.items():
                pipe.close()  # a process that asks for a file then ends
                os.waitpid(process.pid, 0)

    def start(self, number: int) -> None:
        mine, its = Pipe()
        die = dying_with_parent(SIGKILL)
        pid = os.fork()
        if not pid:
            die()
            for other in (mine, *self.processes):
                other.close()  # else no process would notice that the one that started it has closed its end
            work(self.session, its, number, self.folder / f"process-{number}")
        its.close()
        self.processes[mine] = Process(number, pid)

    def hear(self, pipe: Connection) -> None:
        """Do what a process asks for, or report what it says."""
        process, hook = self.processes[pipe], self.session.config.hook
        try:
            sentence, *content = pipe.recv()
        except (EOFError, OSError):  # it ended, perhaps in the middle of what it said
            self.ended(pipe)
            return
        if sentence == "next":
            if self.session.shouldfail or self.session.shouldstop:
                self.files.clear()
            file = self.files.popleft() if self.files else []
            process.tests += file
            with suppress(BrokenPipeError):  # it has ended since, which is heard next
                pipe.send(file)
        elif sentence == "report":
            place, found = content
            report = hook.pytest_report_from_serializable(config=self.session.config, data=found)
            hook.pytest_runtest_logreport(report=report)
            if report.when == "teardown":
                process.tests.remove(place)
        elif sentence == "warning":
            message, when, nodeid = content
            hook.pytest_warning_recorded.call_historic(
                kwargs={"warning_message": message, "when": when, "nodeid": nodeid, "location": None}
            )
        else:
            budget.costs.add(content[0])
            process.done = True

    def ended(self, pipe: Connection) -> None:
        """Say which test a process was running when it ended too early; another process does what it left."""
        process = self.processes.pop(pipe)
        pipe.close()
        code = os.waitstatus_to_exitcode(os.waitpid(process.pid, 0)[1])
        if process.done:
            if process.tests and not self.session.shouldfail and not self.session.shouldstop:
                self.session.shouldstop = f"A process left out {len(process.tests)} of its tests."
            return
        if process.tests:
            item = self.session.items[process.tests[0]]
            words = f"Its process ended with {code}, and ran it no further."
            self.session.config.hook.pytest_runtest_logreport(
                report=pytest.TestReport(item.nodeid, item.location, {}, "failed", words, "call")
            )
            self.files += [process.tests[1:]] if process.tests[1:] else []
        else:
            self.session.shouldstop = f"A process ended with {code} before its first test or after its last one."
            self.files.clear()
        if self.files:
            self.start(process.number)


def prepare_for_all() -> None:
    """Make what each process would make for itself: addresses, templates, the document of the API."""
    from config import api_router  # needs Django, which is set up after plug-ins are imported

    with override_settings(DEBUG=False):  # as in tests, else errors in templates would be shown with their source
        assert get_resolver().url_patterns
        for folder in [Path(each) for each in get_app_template_dirs("templates")]:
            if folder.is_relative_to(ROOT) and not folder.is_relative_to(sys.prefix):
                for path in folder.rglob("*.html"):
                    get_template(str(path.relative_to(folder)))
        api_router.schema_document()


def forks_servers(item: pytest.Item) -> bool:
    """Return whether the file of a test forks web processes, or uses the fixture that does."""
    names = vars(getattr(item, "module", None) or object)
    return bool(FORK_SERVERS & names.keys()) or "web" in getattr(item, "fixturenames", ())


# in a process that was forked


class Teller:
    """Tells what the tests of this process come to."""

    has_begun = False  # earlier warnings come again when a plug-in is registered

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self.config, self.pipe, self.place = config, pipe, 0
        config.pluginmanager.register(self)
        self.has_begun = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        self.pipe.send(("report", self.place, found))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        if not self.has_begun:
            return
        plain = warnings.WarningMessage(
            str(warning_message.message), warning_message.category, warning_message.filename, warning_message.lineno
        )
        self.pipe.send(("warning", plain, when, nodeid))


def work(session: pytest.Session, pipe: Connection, number: int, folder: Path) -> Never:
    """Run files of tests until there are no more, and exit."""
    code = 1
    try:
        prepare(session.config, number, folder)
        run_files(session, pipe)
        pipe.send(("costs", budget.costs_of_this_process()))
        code = 0
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass  # the run was interrupted
    except BaseException:
        shown = session.config.pluginmanager.getplugin("capturemanager")
        shown.suspend_global_capture(in_=True)  # else nobody would read it
        traceback.print_exc()
    finally:
        os._exit(code)


def prepare(config: pytest.Config, number: int, folder: Path) -> None:
    """Give this process what it must not share with others."""
    os.environ[PROCESS] = str(number)
    random.seed()
    folder.mkdir(mode=0o700, exist_ok=True)
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    for name in filter(config.pluginmanager.hasplugin, ("terminalreporter", "terminalprogress-plugin")):
        config.pluginmanager.unregister(name=name)
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    write_logs_to(sys.stderr)
    capture.suspend_global_capture(in_=False)
    budget.begin_in_fork()


def write_logs_to(stream: Any) -> None:
    """Let the log's handlers write to `stream` that wrote to the captured one, which is closed."""
    loggers = [logging.root, *(each for each in logging.root.manager.loggerDict.values() if hasattr(each, "handlers"))]
    for handler in [handler for logger in loggers for handler in logger.handlers]:
        # The stream of a file that is not open yet is None.
        if isinstance(handler, logging.StreamHandler) and handler.stream is not None and handler.stream.closed:
            handler.stream = stream  # `setStream` would flush the closed one


def run_files(session: pytest.Session, pipe: Connection) -> None:
    teller = Teller(session.config, pipe)

    def next_file() -> File:
        pipe.send(("next",))
        file: File = pipe.recv()
        return file

    try:
        now = next_file()
        while now:
            after = next_file()
            items = [session.items[place] for place in (*now, *after[:1])]
            for teller.place, item, nextitem in zip(now, items, [*items[1:], None], strict=False):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
                if session.shouldfail or session.shouldstop:
                    return
            now = after
    finally:
        session._setupstate.teardown_exact(None)  # nothing is left, unless the tests were interrupted
