"""`bin/dev up`: everything that a league needs, from nothing to an address in the browser."""

from __future__ import annotations

import fcntl
import http
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TextIO

from devkit import cluster, collecting, database, frontend
from devkit.console import Trouble, step
from devkit.database import Database
from devkit.paths import LOCAL, LOGIN_WORDS, LOGS, ROOT
from devkit.supervise import Part, Supervisor, Watched, end_orphans, running

LOCK = LOCAL / "up.lock"
SECONDS_TO_BE_READY = 90


@dataclass(frozen=True)
class Address:
    """Where the web part listens."""

    host: str
    port: int

    def __str__(self) -> str:
        host = "localhost" if self.host in ("127.0.0.1", "0.0.0.0") else self.host  # noqa: S104  compared, not bound
        return f"http://{host}:{self.port}/"


def address_from(environment: Mapping[str, str]) -> Address:
    """From HOST and PORT; 127.0.0.1:8000 unless they say otherwise."""
    text = environment.get("PORT") or "8000"
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise Trouble(f"PORT={text} is no port. Name a number from 1 to 65535, as in: PORT=8001 bin/dev up")
    return Address(environment.get("HOST") or "127.0.0.1", int(text))


def check_free(address: Address) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise Trouble(
                f"Port {address.port} on {address.host} can't be used: {error.strerror}.\n"
                f"End what uses it, or name another port: PORT={min(address.port + 1, 65535)} bin/dev up"
            ) from None


def up(arguments: Sequence[str]) -> int:
    if arguments:
        raise Trouble(
            "bin/dev up takes no arguments; what can be chosen comes from the environment: see docs/how-to/operate.md."
        )
    address, began = address_from(os.environ), time.monotonic()
    with alone(address):
        print("Scorebook comes up", flush=True)
        if left := end_orphans():
            print(f"  ended {left} processes that a killed `up` had left", flush=True)
        check_free(address)
        with announced() as place:
            prepare(place)
            stopped = serve(place, address, began)
    print(f"stopped in {time.monotonic() - stopped:.1f} s", flush=True)
    return 0


def down(arguments: Sequence[str]) -> int:
    """Ends the `up` of this folder and waits for it; none running is fine."""
    if arguments:
        raise Trouble("bin/dev down takes no arguments.")
    with LOCK.open("a+") as lock:
        if not is_free(lock):
            lock.seek(0)
            os.kill(int(lock.read().split()[0]), signal.SIGTERM)
            fcntl.flock(lock, fcntl.LOCK_EX)
    return 0


@contextmanager
def alone(address: Address) -> Iterator[None]:
    """One `up` a folder: a second is told where the first one is."""
    with LOCK.open("a+") as lock:
        if not is_free(lock):
            lock.seek(0)
            process, where = lock.read().split()
            raise Trouble(
                f"Scorebook already runs from this folder: {where} (process {process}). To stop it: bin/dev down"
            )
        lock.truncate(0)
        lock.write(f"{os.getpid()} {address}")
        lock.flush()
        yield


def is_free(lock: TextIO) -> bool:
    """Takes the lock if nobody has it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def announced() -> Iterator[Database]:
    """A database for as long as the block lasts, its arrival told as a step."""
    with ExitStack() as stack:
        with step("database") as done:
            place = stack.enter_context(database.brought())
            done(place.words)
        yield place


def prepare(place: Database) -> None:
    """Front end, static files, migrations, roles, queue and demo, each only as far as there is something to do."""
    with step("front end") as done:
        done(frontend.build())
    with step("static files") as done:
        done(collecting.collect(place.owner_environment()))
    command = [sys.executable, "-m", "devkit.prepare"]
    if subprocess.run(command, env=place.owner_environment(), check=False).returncode:
        raise Trouble("The database could not be prepared; what is said above tells why.")
    database.check(place.app)


class OwnServer:
    """The cluster of our own, as a part that is started again: its keeper ends when its server does."""

    name = "database"
    log = LOGS / "postgres.log"

    def start(self) -> None:
        cluster.start()

    def why_ended(self) -> str | None:
        return None if cluster.is_kept() else "ended"


def web(address: Address, application: str = "config.asgi:application") -> list[str]:
    """The web process, as what follows `python`; tests of browsers start theirs by it too."""
    where = ["--host", address.host, "--port", str(address.port)]
    return ["-m", "uvicorn", application, *where, "--no-access-log", "--timeout-graceful-shutdown", "2"]


def parts_of(place: Database, address: Address) -> list[Part]:
    """The processes of one machine. docs/how-to/operate.md says how to spread them over several."""
    environment, cores = place.app_environment(), os.cpu_count() or 1
    environment["SCOREBOOK_BASE_URL"] = environment.get("SCOREBOOK_BASE_URL") or str(address).rstrip("/")
    celery, quiet = ["-m", "celery", "-A", "config"], ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    worker = [*celery, "worker", "-l", "INFO", *quiet]
    schedule = str(LOCAL / "beat-schedule")
    return [
        Part("web", "pages, API, live games", web(address), environment),
        Part(
            "play",
            "plays games of bots",
            [*worker, "-n", "play@%h", "-Q", "play", "-c", str(cores), "--prefetch-multiplier", "1"],
            environment,
        ),
        Part(
            "sandbox",
            "plays games of uploaded bots, in a sandbox",
            [*worker, "-n", "sandbox@%h", "-Q", "sandbox", "-c", str(cores), "--prefetch-multiplier", "1"],
            environment,
        ),
        Part(
            "short",
            "opens rounds, records results, finds lost games",
            [*worker, "-n", "short@%h", "-Q", "short", "-c", "1", "--prefetch-multiplier", "8"],
            environment,
        ),
        Part(
            "hooks",
            "tells webhooks",
            [*worker, "-n", "hooks@%h", "-Q", "hooks", "-c", "1", "--prefetch-multiplier", "1"],
            environment,
        ),
        Part(
            "beat",
            "asks for due work",
            [*celery, "beat", "-s", schedule, "--pidfile="],
            environment,
        ),
    ]


def serve(place: Database, address: Address, began: float) -> float:
    """Runs the parts until Ctrl-C; returns when that came."""
    parts = parts_of(place, address)
    watched: list[Watched] = [*parts]
    if place.is_ours:
        watched.insert(0, OwnServer())
    with running(watched) as supervisor:
        try:
            with step("ready"):
                wait_until_ready(supervisor, address)
            print(welcome(address, parts, time.monotonic() - began), flush=True)
            while True:
                for line in supervisor.watch(time.monotonic()):
                    print(line, flush=True)
                time.sleep(0.2)
        except KeyboardInterrupt:
            print("\nstopping …", flush=True)
            return time.monotonic()


def wait_until_ready(supervisor: Supervisor, address: Address) -> None:
    """Until the web part says that it can serve; Trouble with its reason if that takes too long."""
    deadline, answer, died = time.monotonic() + SECONDS_TO_BE_READY, "it did not answer", False
    while time.monotonic() < deadline:
        for line in supervisor.watch(time.monotonic()):
            print(line if died else f"\n{line}", flush=True)
            died = True
        status, answer = ask_health(address)
        if status == http.HTTPStatus.OK:
            return
        time.sleep(0.1)
    raise Trouble(f"The web part is not ready after {SECONDS_TO_BE_READY} s: {answer}. Its log is .local/logs/web.log.")


def ask_health(address: Address) -> tuple[int, str]:
    """(status, body) of the health page; (0, reason) if nobody listens."""
    host = "127.0.0.1" if address.host == "0.0.0.0" else address.host  # noqa: S104  compared, not bound
    connection = http.client.HTTPConnection(host, address.port, timeout=5)
    try:
        connection.request("GET", "/health/ready/", headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


def welcome(address: Address, parts: Sequence[Part], seconds: float) -> str:
    logins = LOGIN_WORDS.read_text()
    rows = "\n".join(f"  {part.name:<14}{part.words:<50}{part.log.relative_to(ROOT)}" for part in parts)
    return f"\nScorebook is up after {seconds:.1f} s: {address}\n\n{logins}\n\n{rows}\n\nCtrl-C stops everything."
