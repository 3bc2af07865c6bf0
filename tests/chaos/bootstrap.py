"""Starts Scorebook in fresh clones and disturbs it as machines and people do. It needs Linux.

    python tests/chaos/bootstrap.py                     # every trial, as the present user
    python tests/chaos/bootstrap.py --as somebody       # as that user, who is created if needed (only root may do so)
    python tests/chaos/bootstrap.py from_nothing killed # some trials

It prints a line with the seconds of each trial, and exits with 1 if one failed. It downloads what a new machine would:
caches of uv and npm are empty at the start.
"""

from __future__ import annotations

import argparse
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_TO_COME_UP = 300
SECONDS_TO_STOP = 5.0
# Runs the rest of its command line as root of a user namespace that has every id and cannot make another namespace.
FORBID_NAMESPACES = """
import ctypes, os, sys
inside, outside = os.pipe(), os.pipe()
process = os.getpid()
if os.fork() == 0:
    os.read(inside[0], 1)
    for name in ("uid_map", "gid_map"):
        open(f"/proc/{process}/{name}", "w").write("0 0 65536")
    os._exit(os.write(outside[1], b".") - 1)
ctypes.CDLL(None).unshare(0x10000000)
os.write(inside[1], b".")
os.read(outside[0], 1)
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Failed(Exception):
    """Raised if a trial did not find what it expected."""


def expect(holds: bool, words: str) -> None:
    if not holds:
        raise Failed(words)


class Checkout:
    """A fresh clone, with the user who runs it."""

    def __init__(self, folder: Path, user: str | None, caches: Path) -> None:
        self.folder, self.user = folder, user
        self.prefix: tuple[str, ...] = ()
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        kept = ("PATH", "LANG", "PIP_CERT", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ} | {
            "HOME": str(caches / "home"),
            "UV_CACHE_DIR": str(caches / "uv"),
            "npm_config_cache": str(caches / "npm"),
        }
        if user:
            self.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
            subprocess.run(["chown", "-R", user, str(folder), str(caches)], check=True)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Start `bin/dev ARGUMENTS`, and write its output to the file `out`."""
        with (self.folder / "out").open("w") as out:
            return subprocess.Popen(
                [*self.prefix, "bin/dev", *arguments],
                cwd=self.folder,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
                user=self.user,
                group=pwd.getpwnam(self.user).pw_gid if self.user else None,
                extra_groups=[] if self.user else None,
                start_new_session=True,
            )

    def run(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """Run `bin/dev ARGUMENTS` to its end, and return (exit code, output)."""
        code = self.start(*arguments, **environment).wait(SECONDS_TO_COME_UP)
        return code, self.output()

    def output(self) -> str:
        return (self.folder / "out").read_text()

    def processes(self) -> list[int]:
        """Return the pids of this clone's processes, which have their working folder in it or in PostgreSQL's
        folder."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                where, state = os.readlink(entry / "cwd"), (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX" and f"{where}/".startswith((f"{self.folder}/", f"{self.nobodys_folder()}/")):
                    found.append(int(entry.name))
        return found

    def nobodys_folder(self) -> str:
        """Return the folder of a cluster that runs as nobody, or else the folder of the clone."""
        kept = self.folder / ".local" / "postgres" / "cluster.json"
        return kept.read_text().split('"base": "')[1].split('"')[0] if kept.exists() else str(self.folder)

    @contextmanager
    def up(self, port: int, **environment: str) -> Iterator[subprocess.Popen[str]]:
        """Run Scorebook within the block. At its end Ctrl-C stops Scorebook, which must be in time and leave no
        process."""
        process = self.start("up", PORT=str(port), **environment)
        try:
            wait_until(lambda: "is ready after" in self.output() or process.poll() is not None, SECONDS_TO_COME_UP)
            expect(process.poll() is None, f"up ended:\n{self.output()}")
            expect(get(port) == 200, "the first page is not served")
            yield process
            if process.poll() is None:
                self.interrupt(process)
        finally:
            for number in self.processes():
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    def interrupt(self, process: subprocess.Popen[str]) -> float:
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        seconds = time.monotonic() - began
        expect(code == 0, f"Ctrl-C ended with exit code {code}:\n{self.output()}")
        expect(seconds <= SECONDS_TO_STOP, f"Ctrl-C took {seconds:.1f} s")
        expect(not self.processes(), f"left behind: {described(self.processes())}")
        return seconds


def described(processes: list[int]) -> str:
    lines = []
    for number in processes:
        with suppress(OSError):
            lines.append(Path(f"/proc/{number}/cmdline").read_text().replace("\0", " "))
    return "; ".join(lines)


def wait_until(holds: Callable[[], bool], seconds: float) -> float:
    """Wait until `holds()` and return the seconds. Raises Failed after `seconds`."""
    began = time.monotonic()
    while not holds():
        expect(time.monotonic() - began < seconds, f"it did not happen within {seconds:.0f} s")
        time.sleep(0.05)
    return time.monotonic() - began


def get(port: int, path: str = "/") -> int:
    """Return the status of a page, or 0 if there is no answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def timed(checkout: Checkout, **environment: str) -> str:
    """Start and stop Scorebook once, and return the seconds in words."""
    began = time.monotonic()
    with checkout.up(free_port(), **environment) as process:
        came = time.monotonic() - began
        stopped = checkout.interrupt(process)
    return f"up after {came:.1f} s, stopped in {stopped:.1f} s"


def from_nothing(checkout: Checkout) -> str:
    return timed(checkout)


def again(checkout: Checkout) -> str:
    return timed(checkout)


def killed(checkout: Checkout) -> str:
    """Kill all processes together, PostgreSQL's too (kill −9). Scorebook starts again after that."""
    with checkout.up(free_port()):
        everything = checkout.processes()
        for number in everything:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        wait_until(lambda: not checkout.processes(), 10)
    return f"{len(everything)} processes killed; {timed(checkout)}"


def supervisor_killed(checkout: Checkout) -> str:
    """Kill only the supervisor (kill −9). All other processes end by themselves."""
    with checkout.up(free_port()) as process:
        process.kill()
        seconds = wait_until(lambda: not checkout.processes(), 20)
    return f"the rest was gone after {seconds:.1f} s; {timed(checkout)}"


def part_killed(checkout: Checkout) -> str:
    """Kill the web part and then the database server (kill −9). Both are restarted, each with a line of output."""
    with checkout.up(port := free_port()):
        os.kill(found(checkout, "uvicorn"), signal.SIGKILL)
        wait_until(lambda: "web was ended by SIGKILL" in checkout.output(), 10)
        web = wait_until(lambda: get(port, "/health/ready/") == 200, 60)
        os.kill(found(checkout, "bin/postgres"), signal.SIGKILL)
        wait_until(lambda: "database ended" in checkout.output(), 20)
        server = wait_until(lambda: get(port, "/health/ready/") == 200, 60)
    return f"web back after {web:.1f} s, database after {server:.1f} s"


def found(checkout: Checkout, words: str) -> int:
    return min(number for number in checkout.processes() if words in described([number]))


def dying_part(checkout: Checkout) -> str:
    """Kill a part five times in a minute. Everything stops and the end of the part's log is shown."""
    with checkout.up(free_port()) as process:
        for death in range(5):
            wait_until(lambda: " beat -s " in described(checkout.processes()) or process.poll() is not None, 30)
            os.kill(found(checkout, " beat -s "), signal.SIGKILL)
            wait_until(lambda seen=death: checkout.output().count("beat was ended") > seen, 30)  # type: ignore[misc]
        code = process.wait(30)
    expect(code == 1 and "5 times in a minute" in checkout.output(), checkout.output())
    expect(not checkout.processes(), "something is left")
    return "stopped at the fifth death"


def port_taken(checkout: Checkout) -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, output = checkout.run("up", PORT=str(port))
    expect(code == 1 and f"PORT={port + 1} bin/dev up" in output, output)
    expect(not checkout.processes(), "something is left")
    return last_line(output)


def second_up(checkout: Checkout) -> str:
    with checkout.up(free_port()):
        first = checkout.output()
        code, output = checkout.run("up", PORT=str(free_port()))
        expect(code == 1 and "already runs" in output, output)
        (checkout.folder / "out").write_text(first)
    return last_line(output)


def test_beside_up(checkout: Checkout) -> str:
    """Run a test beside a running Scorebook. It uses the same database server and leaves it running."""
    with checkout.up(port := free_port()):
        output = checkout.output()
        code, words = checkout.run("test", "tests/config/env/test_database_url.py", "-q")
        expect(code == 0, words)
        expect(get(port, "/health/ready/") == 200, "the web process does not answer after the test run")
        (checkout.folder / "out").write_text(output)
    return last_line(words)


def bad_address(checkout: Checkout) -> str:
    answers = []
    for url in ("mysql://a:secret@b/c", "postgresql://a:secret@b:port/c", "postgresql://a:secret@127.0.0.1:1/c"):
        code, output = checkout.run("up", DATABASE_URL=url, PORT=str(free_port()))
        expect(code == 1 and "DATABASE_URL" in output and "secret" not in output and "Traceback" not in output, output)
        answers.append(output.strip().splitlines()[-2])
    return " / ".join(answers)


def old_python(checkout: Checkout) -> str:
    old = checkout.folder / "old-python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2"\nexit 1\n')
    old.chmod(0o755)
    code, output = checkout.run("up", PYTHON=str(old))
    expect(code == 1 and "Python 3.9.2" in output and "3.11" in output, output)
    return output.splitlines()[0]


def lost_version(checkout: Checkout) -> str:
    """Start with other PostgreSQL programs than those that made the cluster: the wheel has other versions."""
    made_with = (checkout.folder / ".local" / "postgres" / "data" / "PG_VERSION").read_text().strip()
    if made_with in ("16", "18"):
        return f"not tried: the wheel has version {made_with} too"
    code, output = checkout.run("up", SCOREBOOK_PG_BIN="wheel", PORT=str(free_port()))
    expect(code == 1 and f"made with PostgreSQL {made_with}" in output, output)
    return f"refused, and explained how to move the data; {timed(checkout)}"


def wheels(checkout: Checkout) -> str:
    """Start on a machine that has neither PostgreSQL nor Node, twice."""
    words = timed(checkout, SCOREBOOK_PG_BIN="wheel", SCOREBOOK_NODE="wheel")
    return f"{words}; again: {timed(checkout, SCOREBOOK_PG_BIN='wheel', SCOREBOOK_NODE='wheel')}"


def carried_over(checkout: Checkout) -> str:
    """Load a dump of one PostgreSQL version into another. All logs verify afterwards."""
    expect(checkout.run("dump", "kept.dump")[0] == 0, checkout.output())
    (checkout.folder / ".local" / "postgres").rename(checkout.folder / ".local" / "postgres-before")
    code, output = checkout.run("load", "kept.dump", SCOREBOOK_PG_BIN="wheel")
    expect(code == 0, output)
    code, output = checkout.run("manage", "verify", "--all", SCOREBOOK_PG_BIN="wheel")
    expect(code == 0, output)
    verified = last_line(output)
    return f"{verified}; {timed(checkout, SCOREBOOK_PG_BIN='wheel')}"


def side_by_side(one: Checkout, other: Checkout) -> str:
    with one.up(here := free_port()), other.up(there := free_port()):
        expect(get(here) == get(there) == 200, "one of the two does not answer")
    return "both answered, both stopped"


def without_namespaces(checkout: Checkout) -> str:
    """Start as root without user namespaces. PostgreSQL then runs as nobody, under /var/tmp."""
    checkout.prefix = (sys.executable, "-c", FORBID_NAMESPACES)
    began = time.monotonic()
    with checkout.up(free_port(), SCOREBOOK_PG_BIN="wheel") as process:
        came = time.monotonic() - began
        expect(checkout.nobodys_folder().startswith("/var/tmp/"), checkout.nobodys_folder())
        stopped = checkout.interrupt(process)
    shutil.rmtree(checkout.nobodys_folder())
    return f"up after {came:.1f} s as nobody, stopped in {stopped:.1f} s"


IN_ONE_CLONE: tuple[Callable[[Checkout], str], ...] = (
    old_python,
    from_nothing,
    again,
    port_taken,
    bad_address,
    second_up,
    test_beside_up,
    part_killed,
    dying_part,
    supervisor_killed,
    killed,
    lost_version,
    carried_over,
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trials", nargs="*", metavar="TRIAL")
    parser.add_argument("--as", dest="user", help="run everything as this user (root only)")
    chosen = parser.parse_args()
    if chosen.user and subprocess.run(["id", chosen.user], capture_output=True, check=False).returncode:
        subprocess.run(["useradd", "--create-home", chosen.user], check=True)
    failures = 0
    with ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bootstrap-", ignore_cleanup_errors=True)))
        base.chmod(0o755)

        def fresh(name: str) -> Checkout:
            caches = base / f"{name}-caches"
            (caches / "home").mkdir(parents=True)
            return Checkout(base / name, chosen.user, caches)

        def report(name: str, trial: Callable[[], str]) -> None:
            nonlocal failures
            if chosen.trials and name not in chosen.trials:
                return
            began = time.monotonic()
            try:
                words = trial()
            except (Failed, OSError, subprocess.SubprocessError) as error:
                failures, words = failures + 1, f"FAILED: {error}"
            print(f"{name:<20}{time.monotonic() - began:>7.1f} s  {words}", flush=True)

        clone = fresh("clone")
        for trial in IN_ONE_CLONE:
            report(trial.__name__, lambda trial=trial: trial(clone))  # type: ignore[misc]
        report("wheels", lambda: wheels(fresh("wheels")))
        report(
            "long_path",
            lambda: timed(fresh("a-folder-with-a-name-so-long-that-no-socket-fits-in/" * 2 + "and-a space")),
        )
        report("side_by_side", lambda: side_by_side(clone, fresh("other")))
        if os.geteuid() == 0 and not chosen.user:
            report("without_namespaces", lambda: without_namespaces(fresh("nobodys")))
    return 1 if failures else 0


def last_line(sentence: str) -> str:
    return sentence.strip().splitlines()[-1]


if __name__ == "__main__":
    sys.exit(main())
