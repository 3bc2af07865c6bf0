"""The parts of `bin/dev` that can be tested alone. tests/chaos/bootstrap.py runs all of it."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.core.management import CommandError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from devkit import (
    bench,
    binaries,
    browser,
    cluster,
    collecting,
    compiled,
    compiler,
    database,
    environment,
    frontend,
    prepare,
    processes,
    reach,
    tests,
)
from devkit import checks as devkit_checks
from devkit.__main__ import COMMANDS
from devkit.backoff import Patience
from devkit.binaries import Binaries
from devkit.changes import Sources
from devkit.console import Trouble
from devkit.database import Database
from devkit.paths import LOCAL, ROOT
from devkit.supervise import Part, Supervisor, why
from devkit.up import Address, address_from, check_free, parts_of
from devkit.worker import worker
from tests import closing_lines

MACHINE = [Binaries(Path("/new"), 17), Binaries(Path("/old"), 15), Binaries(Path("/ancient"), 12)]


def test_a_new_cluster_takes_the_first_programs_that_are_new_enough() -> None:
    assert binaries.choose(MACHINE, None) == MACHINE[0]
    assert binaries.choose(MACHINE[2:], None) is None


def test_a_cluster_keeps_the_major_version_it_was_made_with() -> None:
    assert binaries.choose(MACHINE, 15) == MACHINE[1]
    assert binaries.choose(MACHINE, 16) is None


@pytest.mark.parametrize(
    ("words", "major"),
    [
        ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", 15),
        ("postgres (PostgreSQL) 18beta2", 18),
        ("mysqld 8.0", None),
        ("", None),
    ],
)
def test_a_programs_major_version_is_read_from_what_it_says(words: str, major: int | None) -> None:
    assert binaries.major_version(words) == major


def test_named_programs_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="SCOREBOOK_PG_BIN"):
        binaries.find(None, str(tmp_path))


def test_a_pause_doubles_with_each_death_and_ends_at_the_fifth_within_a_minute() -> None:
    patience = Patience()
    assert [patience.died(now) for now in (0.0, 1.0, 3.0, 8.0, 59.0)] == [0.5, 1.0, 2.0, 4.0, None]


def test_deaths_of_more_than_a_minute_ago_are_forgotten() -> None:
    patience = Patience()
    assert [patience.died(now) for now in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)] == [0.5, 1.0, 2.0, 2.0, 2.0, 2.0]


def test_a_process_is_known_by_its_start_whatever_it_is_called() -> None:
    fields = " ".join(str(number) for number in range(4, 53))
    assert processes.state(f"7 (a ) b (c) S {fields}") == ("S", 22)


def test_a_zombie_is_not_alive() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.read()  # returns when the child has closed it and is about to exit
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has exited, and stays a zombie until wait()
        assert Path(f"/proc/{child.pid}").exists()
        assert processes.started(child.pid) is None


def test_only_a_process_that_works_in_the_folder_is_taken_for_its_server(tmp_path: Path) -> None:
    assert processes.started(os.getpid()) is not None
    assert processes.works_in(os.getpid(), Path.cwd())
    assert not processes.works_in(os.getpid(), tmp_path)
    assert processes.working_in(tmp_path) == []


def test_a_child_dies_with_its_parent() -> None:
    """The parent is killed before it can stop its child, which would sleep for an hour. The child ends anyway."""
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal, subprocess, sys, time\n"
            "from devkit.processes import dying_with_parent\n"
            "child = subprocess.Popen(['sleep', '3600'], preexec_fn=dying_with_parent(signal.SIGKILL))\n"
            "print(child.pid, flush=True)\n"
            "time.sleep(3600)",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    watched = os.pidfd_open(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert _has_ended(watched)
    os.close(watched)


def _has_ended(watched: int) -> bool:
    """Return whether the process of a pidfd ends within half a minute."""
    return bool(select.select([watched], [], [], 30)[0])


def test_an_exit_code_is_told_in_words() -> None:
    assert why(3) == "ended with exit code 3"
    assert why(-signal.SIGKILL) == "was ended by SIGKILL"
    assert why(-200) == "was ended by signal 200"


def test_a_socket_goes_elsewhere_when_its_path_would_be_too_long(tmp_path: Path) -> None:
    assert cluster.socket_folder(Path("/home/a/scorebook/.local/postgres")) == Path("/home/a/scorebook/.local/postgres")
    short = cluster.socket_folder(tmp_path / ("long-" * 30))
    assert len(str(short)) < cluster.SOCKET_FOLDER_MAX_LENGTH
    assert short.stat().st_mode & 0o777 == 0o700
    short.rmdir()


@pytest.mark.parametrize(("version", "fits"), [("v20.20.2", True), ("v24.0.0", True), ("v18.19.1", False), ("", False)])
def test_node_must_be_new_enough(version: str, fits: bool) -> None:
    assert frontend.is_new_enough(version) is fits


def test_sources_count_and_what_a_build_makes_does_not(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.ts").write_text("1")
    before = frontend.digest(tmp_path, frontend.MADE)
    (tmp_path / "node_modules" / "b").mkdir(parents=True)
    (tmp_path / "node_modules" / "b" / "c.js").write_text("2")
    assert frontend.digest(tmp_path, frontend.MADE) == before
    (tmp_path / "src" / "a.ts").rename(tmp_path / "src" / "d.ts")
    assert frontend.digest(tmp_path, frontend.MADE) != before


def test_the_environments_checksum_changes_with_a_pin(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / environment.LIBRARY).mkdir(parents=True)
    library = tmp_path / environment.LIBRARY / "pyproject.toml"
    library.write_text("a")
    for name in ("uv", "app", "dev"):
        (tmp_path / "requirements" / f"{name}.txt").write_text("a==1")
    before = environment.checksum(tmp_path)
    (tmp_path / "requirements" / "dev.txt").write_text("a==2")
    with_another_pin = environment.checksum(tmp_path)
    library.write_text("b")
    assert len({before, with_another_pin, environment.checksum(tmp_path)}) == 3


def test_an_address_comes_from_host_and_port() -> None:
    assert address_from({}) == Address("127.0.0.1", 8000)
    assert str(address_from({"PORT": "8001", "HOST": "0.0.0.0"})) == "http://localhost:8001/"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [("", "http://localhost:8120"), ("https://club.example", "https://club.example")],
)
def test_the_parts_are_told_the_address_unless_somebody_named_another(
    sentence: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCOREBOOK_BASE_URL", sentence)
    place = Database("postgresql:///a", "postgresql:///b", "ours", is_ours=True)
    parts = parts_of(place, address_from({"PORT": "8120"}))
    assert {part.environment["SCOREBOOK_BASE_URL"] for part in parts} == {expected}


@pytest.mark.parametrize("port", ["0", "65536", "-1", "eight", "８０００", "80 00"])
def test_a_port_that_is_none_is_told(port: str) -> None:
    with pytest.raises(Trouble, match="from 1 to 65535"):
        address_from({"PORT": port})


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Trouble, match=f"PORT={port + 1} bin/dev up"):
            check_free(Address("127.0.0.1", port))


def test_a_changed_a_new_and_a_removed_source_are_noticed_once(tmp_path: Path) -> None:
    for name in ("changed.py", "removed.html", "same.json"):
        (tmp_path / name).touch()
    sources = Sources([tmp_path])
    assert sources.changed() == set()
    os.utime(tmp_path / "changed.py", ns=(1, 1))
    (tmp_path / "removed.html").unlink()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "new.py").touch()
    (tmp_path / "style.css").touch()
    assert sources.changed() == {str(tmp_path / name) for name in ("changed.py", "removed.html", "folder/new.py")}
    assert sources.changed() == set()


def test_a_warm_process_serves_in_a_fork_and_at_a_hangup_in_another() -> None:
    program = "import os, time; from devkit import warm; from pathlib import Path; warm.LIBRARIES = Path('/nowhere')\n"
    program += "def serve(_): print(os.getpid(), flush=True); time.sleep(60)\nwarm.serve = serve; warm.main([])"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    first = int(process.stdout.readline())
    process.send_signal(signal.SIGHUP)
    second = int(process.stdout.readline())
    assert processes.started(first) is None
    assert processes.started(second)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert processes.started(second) is None


def test_a_worker_for_a_queue_that_there_is_not_is_refused() -> None:
    for arguments in (["kitchen"], ["play", "short"]):
        with pytest.raises(Trouble, match="play, sandbox, short, hooks"):
            worker(arguments)


def test_named_files_run_with_the_front_end_that_is_there_unless_they_open_a_browser(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frontend, "BUILT", Path(__file__))
    assert tests.needs_no_build(["tests/test_docs.py", "tests/test_clauses.py::test_x"])
    assert tests.needs_no_build(["-q", "tests/test_docs.py"])
    for arguments in ([], ["-q"], ["tests/browser/test_policy.py"], ["tests/games"], ["-k", "clock"]):
        assert not tests.needs_no_build(arguments)


def test_a_supervisor_tells_a_death_and_gives_up_at_the_fifth_with_the_end_of_the_log() -> None:
    class Mayfly(Part):
        """A part that dies directly after each start. Its pauses take no time."""

        def start(self) -> None:
            self.log.write_text("what it said last")

        def why_ended(self) -> str | None:
            return "ended with exit code 3"

    mayfly = Mayfly("mayfly", "lives a day", [], {})
    mayfly.log.parent.mkdir(parents=True, exist_ok=True)
    mayfly.start()
    supervisor = Supervisor([mayfly])
    now = 0.0

    def watch() -> list[str]:
        nonlocal now
        now += 5.0
        return supervisor.watch(now)

    try:
        found = [line for _ in range(8) for line in watch()]
        assert [line.partition(".")[0] for line in found] == ["  mayfly ended with exit code 3"] * 4
        with pytest.raises(Trouble, match=r"5 times in a minute(.|\n)*what it said last"):
            watch()
    finally:
        mayfly.log.unlink()


def test_a_part_that_is_renewed_starts_as_soon_as_it_has_ended_and_no_death_is_told() -> None:
    class Worker(Part):
        starts = 0

        def start(self) -> None:
            self.starts += 1
            self.process = subprocess.Popen(["sleep", "60"])

    worker = Worker("renewed", "gives back its games", [], {})
    worker.start()
    supervisor = Supervisor([worker])
    try:
        supervisor.renew([worker])
        assert worker.process
        worker.process.wait()
        assert supervisor.watch(0.0) == []
        assert (worker.starts, worker.why_ended()) == (2, None)
        worker.process.kill()
        worker.process.wait()
        assert supervisor.watch(1.0)[0].startswith("  renewed was ended by SIGKILL")
    finally:
        supervisor.end()


@pytest.mark.parametrize(
    ("chosen", "built", "cc", "expected"),
    [
        ("plain", False, "/usr/bin/gcc", None),
        ("", True, "/usr/bin/gcc", "compiled"),
        ("", False, None, "plain: no C compiler (Debian: apt install gcc libc6-dev python3-dev)"),
        ("", False, "/usr/bin/gcc", "plain, being compiled meanwhile"),
    ],
)
def test_engines_are_compiled_beside_the_parts_if_nobody_chose_and_there_is_a_compiler(
    chosen: str,
    built: bool,
    cc: str | None,
    expected: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = subprocess.CompletedProcess([], 0, stdout="compiled\n" if built else "plain\n")
    monkeypatch.setattr(compiled, "ask", lambda _wanted: answer)
    monkeypatch.setattr(compiler, "find", lambda: cc)
    monkeypatch.setattr(compiled, "Compiling", lambda _cc: SimpleNamespace(process=subprocess.Popen(["sleep", "60"])))
    with compiled.beside({"SCOREBOOK_ENGINE_BUILD": chosen}) as compiling:
        assert bool(compiling) == (expected == "plain, being compiled meanwhile")
    assert (f"  engines       {expected} " in capsys.readouterr().out) == bool(expected)
    assert compiling is None or compiling.process.returncode


def test_everything_local_lies_in_one_folder_that_git_ignores() -> None:
    ignored = subprocess.run(["git", "check-ignore", str(LOCAL)], cwd=LOCAL.parent, capture_output=True, check=False)
    assert ignored.returncode == 0


@pytest.mark.parametrize("ci", ["", "false", "0"])
def test_what_cannot_be_tested_is_left_out_loudly(
    ci: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", ci)
    tests.leave_out("the engines' tests on the compiled build", "C compiler", compiler.INSTALL, "CC=/path/to/gcc")
    output = capsys.readouterr().out
    assert "!! No C compiler: the engines' tests on the compiled build will NOT run." in output
    assert "apt install gcc libc6-dev python3-dev" in output


@pytest.mark.parametrize("ci", ["true", "1"])
def test_continuous_integration_leaves_nothing_out(ci: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(Trouble, match=r"no test may be skipped\. Install one \(Debian: apt install gcc "):
        tests.leave_out("the engines' tests on the compiled build", "C compiler", compiler.INSTALL, "CC=/path/to/gcc")


def test_a_compiler_is_the_one_that_is_named_if_python_can_be_extended_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gcc, headers = tmp_path / "my-gcc", tmp_path / "include"
    gcc.touch(mode=0o700)
    headers.mkdir()
    monkeypatch.setenv("CC", f"{gcc} -m64")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(headers))
    assert compiler.find() is None
    (headers / "Python.h").touch()
    assert compiler.find() == str(gcc)


class Runs:
    """Replaces the runs of pytest and of the front end's tests. It records their commands, and only the run `failing`
    fails."""

    def __init__(self) -> None:
        self.commands: dict[str, list[str]] = {}
        self.builds: list[str] = []
        self.scripts: list[str] = []
        self.failing = "none"

    def start(self, run: tests.Run, _output: object = None) -> subprocess.Popen[str]:
        self.commands[run.name] = run.command()
        return subprocess.Popen(["false" if run.name == self.failing else "true"], text=True)

    def build(self, _compiler: str, made: str) -> str:
        self.builds.append(made)
        return "compiled already"

    def npm(self, script: str, **_others: Any) -> subprocess.CompletedProcess[str]:
        self.scripts.append(script)
        return subprocess.CompletedProcess([], int(self.failing == "island"), stdout="")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runs:
    """Replace all runs of tests, on a machine that has a compiler."""
    made = Runs()
    monkeypatch.delenv("CI", raising=False)  # with CI, no test may be left out
    monkeypatch.setattr(tests.Run, "start", lambda run, output=None: made.start(run, output))
    monkeypatch.setattr(tests, "LOGS", tmp_path)  # the present run of tests writes into the usual folder
    monkeypatch.setattr(compiled, "compiler_brought", lambda: "/usr/bin/gcc")
    monkeypatch.setattr(compiled, "build", made.build)
    monkeypatch.setattr(bench, "bench", lambda _arguments: 0)
    monkeypatch.setattr(frontend, "write_golden_games", lambda: None)
    monkeypatch.setattr(frontend, "npm", made.npm)
    return made


def test_slow_tests_run_with_all_only_and_then_in_random_order(runs: Runs) -> None:
    assert tests.everything({}, every=False, in_browser=True) == 0
    default, runs.commands = runs.commands, {}
    assert tests.everything({}, every=True, in_browser=True) == 0
    assert default.keys() == runs.commands.keys() == {"", "browser_", "compiled_"}
    assert runs.builds == ["rules", "compiled"]
    assert all("not slow" in " ".join(command) for command in default.values())
    assert all("randomly" not in command for command in default.values())
    for command in runs.commands.values():
        assert "not slow" not in " ".join(command)
        assert {"randomly", "1200", "all"} <= {*command}


@pytest.fixture
def all_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace what `bin/dev test` does before the first test."""
    place = Database("postgresql:///a", "postgresql:///b", "ours", is_ours=True)
    monkeypatch.setattr(database, "brought", lambda: contextlib.nullcontext(place))
    monkeypatch.setattr(tests, "alone", contextlib.nullcontext)
    monkeypatch.setattr(frontend, "build", lambda: "")
    monkeypatch.setattr(collecting, "collect", lambda *_given: "")
    monkeypatch.setattr(browser, "bring", lambda: "/usr/bin/chromium")


@pytest.mark.some(1)
@pytest.mark.usefixtures("all_is_built")
@pytest.mark.parametrize(
    ("file", "scripts", "failing", "code"),
    [
        ("frontend/src/table/Tray.svelte", ["test"], "none", 0),
        ("frontend/src/table/Tray.svelte", ["test"], "island", 1),
        ("docs/how-to/test.md", [], "island", 0),
    ],
)
def test_a_change_of_the_front_end_runs_its_own_tests_too(
    file: str, scripts: list[str], failing: str, code: int, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "changed_files", lambda: [file])
    runs.failing = failing
    assert tests.test(["--changed"]) == code
    assert runs.scripts == scripts
    assert len(runs.commands) == 1


@pytest.mark.usefixtures("all_is_built")
@pytest.mark.parametrize("named", [["tests/games"], ["tests/devkit/test_devkit.py"], []])
@pytest.mark.parametrize("every", [False, True])
def test_with_all_what_is_named_runs_as_the_whole_does(named: list[str], every: bool, runs: Runs) -> None:
    assert tests.test([*named, *(["--all"] if every else [])]) == 0
    assert all(({*tests.NIGHTLY} <= {*command}) == every for command in runs.commands.values())
    assert all(command[-1] == named[0] for command in runs.commands.values() if named)


@pytest.mark.parametrize(
    ("failing", "name"), [("", "plain"), ("browser_", "browser"), ("compiled_", "compiled"), ("island", "island")]
)
def test_a_failure_of_any_run_fails_the_whole_and_is_printed_at_the_end(
    failing: str, name: str, runs: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    runs.failing = failing
    assert tests.everything({}, every=False, in_browser=True) != 0
    output = capsys.readouterr().out
    assert f"!! {tests.TITLES[name]} FAILED (exit code 1)." in output
    assert output.count("FAILED") == 1


def test_engines_that_cannot_be_compiled_fail_the_run_while_the_other_tests_run_to_their_end(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(_compiler: str, _made: str) -> str:
        raise Trouble("The engines could not be compiled.")

    monkeypatch.setattr(compiled, "build", fails)
    assert tests.everything({}, every=False, in_browser=True) == 1
    assert runs.commands.keys() == {"", "browser_"}
    output = capsys.readouterr().out
    assert "The engines could not be compiled." in output
    assert f"!! {tests.TITLES['compiled']} FAILED (exit code 1)." in output


def test_that_nothing_was_compiled_is_printed_again_at_the_end(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compiled, "compiler_brought", lambda: None)
    monkeypatch.setattr(
        frontend, "npm", lambda _script, **_others: subprocess.CompletedProcess([], 0, stdout="The island is in order.")
    )
    assert tests.everything({}, every=False, in_browser=False) == 0
    assert tests.NOT_COMPILED in capsys.readouterr().out.partition("The island is in order.")[2]


def test_what_a_run_left_out_or_what_failed_in_it_is_printed_again_at_the_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The machine has no sandbox, so its tests are left out. One test fails, one fixture, and one file."""
    monkeypatch.setenv(tests.CLOSING_LINES, str(tmp_path / "closing-lines"))
    monkeypatch.setenv("SCOREBOOK_TEST_RUN", "browser_")
    skipped = [
        pytest.TestReport(name, ("", 0, ""), {}, "skipped", (name, 1, f"Skipped: {why}"), "setup")
        for name, why in [
            (f"{closing_lines.ATTACK}test_an_attack[files]", f"{closing_lines.NO_SANDBOX}, nothing."),
            ("tests/sandbox/test_sandboxed_process.py::test_one", f"{closing_lines.NO_SANDBOX}, nothing."),
            ("tests/test_docs.py::test_two", "not today"),
        ]
    ]
    try:
        pytest.fail("One\nand more")
    except pytest.fail.Exception:
        crash = pytest.ExceptionInfo.from_current().getrepr()
    failed = [pytest.TestReport("tests/test_a.py::test_one", ("", 0, ""), {}, "failed", crash, "call")]
    error = [
        pytest.TestReport("tests/test_a.py::test_two", ("", 0, ""), {}, "failed", crash, "setup"),
        pytest.CollectReport("tests/test_b.py", "failed", "ImportError\nTraceback:\nE   No module b", []),
    ]
    reports = {"skipped": skipped, "failed": failed, "error": error}

    class Reporter:
        getreports = staticmethod(lambda outcome: reports[outcome])
        write_line = staticmethod(lambda line, **_markup: None)

    closing_lines.print_closing_lines(Reporter())  # type: ignore[arg-type]
    assert (tmp_path / "closing-lines").read_text() == (
        "FAILED tests/test_a.py::test_one (browser): Failed: One\n"
        "FAILED tests/test_a.py::test_two (browser): Failed: One\n"
        "FAILED tests/test_b.py (browser): E   No module b\n"
        "NO SANDBOX HERE: 2 tests of it did NOT run, and 1 attacks on it were NOT made.\n"
    )


def test_the_hooks_of_a_commit_run_checks_that_there_are() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    assert len(hooks) == 2
    for hook in hooks:
        command, verb, *names = hook["entry"].split()
        assert (command, verb) == ("bin/dev", "check")
        assert set(names) <= devkit_checks.NAMES


@pytest.mark.parametrize("asked", [["up", "--help"], ["--help"], ["help"], []])
def test_help_names_the_commands_and_the_port_and_installs_nothing(asked: list[str], tmp_path: Path) -> None:
    for each in ("dev", "devkit/usage.txt"):
        (copy := tmp_path / "bin" / each).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / "bin" / each, copy)
    output = subprocess.run([tmp_path / "bin" / "dev", *asked], capture_output=True, text=True, check=True).stdout
    assert {line.split()[0] for line in output.splitlines() if line.startswith("  ")} == set(COMMANDS)
    assert "PORT=8001 bin/dev up" in output
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["bin", "dev", "devkit", "usage.txt"]


@pytest.mark.parametrize(
    ("quick", "has_environment", "chosen"),
    [("second", False, "second"), ("", False, "first"), ("second", True, "first")],
)
def test_an_environment_is_made_with_a_python_that_was_compiled_to_be_quick(
    quick: str, has_environment: bool, chosen: str, tmp_path: Path
) -> None:
    """Each stand-in for a Python is new enough; whether it is quick is asked with `ensurepip`."""
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / "bin" / "dev", tmp_path / "bin")
    for name in ("first", "second"):
        python = tmp_path / name
        asked = f'*ensurepip*) [ {name} = "{quick}" ] ;;\n*environment.py*) echo {name}; exit 3 ;;'
        python.write_text(f'#!/bin/sh\ncase "$*" in\n{asked}\nesac')
        python.chmod(0o700)
    if has_environment:
        (tmp_path / ".venv").mkdir()
    candidates = f"{tmp_path}/first {tmp_path}/second"
    ran = subprocess.run(
        [tmp_path / "bin" / "dev", "up"],
        env={**os.environ, "PYTHON": candidates},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.split(), ran.returncode) == ([chosen], 3)


def test_a_check_that_there_is_not_is_refused() -> None:
    with pytest.raises(Trouble, match="no check 'stlye'"):
        devkit_checks.check(["style", "stlye"])


@pytest.mark.parametrize(
    ("types", "others", "expected"),
    [("pass", "pass", ""), ("wrong", "pass", "types"), ("wrong", "wrong", "style, types")],
)
def test_what_the_longest_check_says_is_told_last_and_what_is_in_order_says_nothing(
    types: str, others: str, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The longest check runs beside the others."""
    ends = {"pass": "print('all is well')", "wrong": "raise SystemExit('What was found.')"}
    monkeypatch.setattr(devkit_checks, "CHECKS", (("types", ["-c", ends[types]]), ("style", ["-c", ends[others]])))
    assert devkit_checks.check(["types", "style"]) == bool(expected)
    output = capsys.readouterr()
    assert output.err.strip() == (f"Failed: {expected}" if expected else "")
    assert output.out.count("What was found.") == [types, others].count("wrong")
    assert "all is well" not in output.out


def test_an_old_database_is_told_of_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def old(*_asked: Any, **_options: Any) -> None:
        raise InconsistentMigrationHistory("games.0001 is applied before its dependency.")

    monkeypatch.setenv("DATABASE_URL", "postgresql://postgres:secret@/scorebook")
    monkeypatch.setattr(prepare, "call_command", old)
    for step in (prepare.migrate, prepare.check_migrations):
        with pytest.raises(CommandError, match=r"earlier version of Scorebook.*rm -r \.local/postgres"):
            step()


def test_what_compiles_the_engines_does_not_ask_for_compiled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise an outdated build could not be replaced."""
    monkeypatch.setenv("SCOREBOOK_ENGINE_BUILD", "compiled")
    assert "SCOREBOOK_ENGINE_BUILD" not in compiled.without_choice()


def test_compile_takes_no_arguments() -> None:
    with pytest.raises(Trouble, match="bin/dev compile takes no arguments"):
        compiled.compile_engines(["now"])


def test_the_board_of_a_kind_that_is_added_is_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page was answered with 500, because the static files were taken to be the present ones."""
    board = tmp_path / "snap_kind" / "ui" / "board.js"
    board.parent.mkdir(parents=True)
    (board.parent.parent / "__init__.py").touch()
    board.write_text("export const board = 1;")
    seen = [collecting.sources()]
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("snap", "snap_kind:KIND", "scorebook.kinds")
    monkeypatch.setattr(collecting, "entry_points", lambda group: [point])
    seen.append(collecting.sources())
    board.write_text("export const board = 2;")
    seen.append(collecting.sources())
    monkeypatch.setenv("SCOREBOOK_KINDS", "+snap")
    seen.append(collecting.sources())
    assert len(set(seen)) == 4
