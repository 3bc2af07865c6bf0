"""`bin/dev up` starts everything that a league needs."""

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

from devkit import cluster, collecting, compiled, database, frontend
from devkit.changes import Sources
from devkit.cluster import tail
from devkit.console import Trouble, step
from devkit.database import Database
from devkit.paths import LOCAL, LOGIN_WORDS, LOGS, ROOT
from devkit.processes import group_members
from devkit.supervise import Part, Supervisor, Watched, end_orphans, running

LOCK = LOCAL / "up.lock"
SECONDS_TO_BE_READY = 90
SECONDS_TO_RELOAD = 15
LOOKS_UNTIL_DEAD = 3
CELERY = ["-m", "celery", "-A", "config"]
POLITE = 3  # how far workers that compute give way to the web, which somebody waits for
COMPUTING = ("play", "sandbox", "review")
PLAIN = {compiled.ENGINES: "plain"}  # with --reload, because a build does not outlive a change of its sources


@dataclass(frozen=True)
class Address:
    """Where the web process listens."""

    host: str
    port: int

    def __str__(self) -> str:
        host = "localhost" if self.host in ("127.0.0.1", "0.0.0.0") else self.host  # noqa: S104  compared, not bound
        return f"http://{host}:{self.port}/"


def address_from(environment: Mapping[str, str]) -> Address:
    """Return the address from HOST and PORT, by default 127.0.0.1:8000. Raises `Trouble` for an invalid port."""
    text = environment.get("PORT") or "8000"
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise Trouble(f"PORT={text} is not a port. Choose a number from 1 to 65535, as in: PORT=8001 bin/dev up")
    return Address(environment.get("HOST") or "127.0.0.1", int(text))


def check_free(address: Address) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise Trouble(
                f"Port {address.port} on {address.host} cannot be used: {error.strerror}.\n"
                f"Stop the program that uses it, or choose another port: PORT={min(address.port + 1, 65535)} bin/dev up"
            ) from None


def up(arguments: Sequence[str]) -> int:
    reload = list(arguments) == ["--reload"]
    if arguments and not reload:
        raise Trouble(
            "bin/dev up takes no argument but --reload. To choose a port: PORT=8001 bin/dev up\n"
            "docs/reference/settings.md lists all settings."
        )
    address, began = address_from(os.environ), time.monotonic()
    with alone(address):
        print("Starting Scorebook", flush=True)
        if left := end_orphans():
            print(f"  ended {left} processes that an earlier `up` left running", flush=True)
        check_free(address)
        with announced() as place:
            prepare(place, reload)
            with compiled.beside({**(PLAIN if reload else {}), **os.environ}) as compiling:
                stopped = serve(place, address, began, reload, compiling)
    print(f"Stopped in {time.monotonic() - stopped:.1f} s.", flush=True)
    return 0


def down(arguments: Sequence[str]) -> int:
    """End the `up` of this folder and wait for it; do nothing if none is running."""
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
    """Allow one `up` per folder. Raises `Trouble` with the address of the first one."""
    with LOCK.open("a+") as lock:
        if not is_free(lock):
            lock.seek(0)
            process, where = lock.read().split()
            raise Trouble(
                f"Scorebook already runs from this folder: {where} (process {process}). Stop it by: bin/dev down"
            )
        lock.truncate(0)
        lock.write(f"{os.getpid()} {address}")
        lock.flush()
        yield


def is_free(lock: TextIO) -> bool:
    """Take the lock; return whether it was free."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_up() -> bool:
    """Return whether an `up` of this folder is running."""
    with LOCK.open("a+") as lock:
        return not is_free(lock)


@contextmanager
def announced() -> Iterator[Database]:
    """Provide a database for the duration of the block, shown as a step."""
    with ExitStack() as stack:
        with step("database") as done:
            place = stack.enter_context(database.brought())
            done(place.words)
        yield place


def prepare(place: Database, reload: bool = False) -> None:
    """Prepare front end, static files, migrations, roles, queue and demo, each only as far as necessary. With `reload`,
    Vite serves the front end, and Django serves static files as they are."""
    if not reload:
        with step("front end") as done:
            done(frontend.build())
        with step("static files") as done:
            done(collecting.collect(place.owner_environment()))
    command = [sys.executable, "-m", "devkit.prepare"]
    if subprocess.run(command, env=place.owner_environment(), check=False).returncode:
        raise Trouble("The database could not be prepared. See the reason above.")
    database.check(place.app)


class OwnServer:
    """This checkout's cluster as a part that is restarted. Its keeper ends when its server does."""

    name = "database"
    log = LOGS / "postgres.log"

    def start(self) -> None:
        cluster.start()

    def why_ended(self) -> str | None:
        return None if cluster.is_kept() else "ended"


def web(address: Address, application: str = "config.asgi:application") -> list[str]:
    """Return the arguments of `python` for the web process; browser tests use them too."""
    where = ["--host", address.host, "--port", str(address.port)]
    return ["-m", "uvicorn", application, *where, "--no-access-log", "--timeout-graceful-shutdown", "2"]


def parts_of(place: Database, address: Address) -> list[Part]:
    """Return the processes of one machine. docs/how-to/scale.md says how to spread them over several."""
    environment, cores = environment_of(place, address), os.cpu_count() or 1
    schedule = str(LOCAL / "beat-schedule")
    return [
        Part("web", "pages, API, live games", web(address), environment),
        worker_part("play", "plays games of bots", cores, 1, environment),
        worker_part("sandbox", "plays games of uploaded bots, in a sandbox", cores, 1, environment),
        worker_part("short", "opens rounds, records results, finds lost games", 1, 8, environment),
        worker_part("hooks", "sends webhooks", 1, 1, environment),
        worker_part("review", "computes the luck of finished games", 1, 1, environment),
        Part(
            "beat",
            "starts what is due, every few seconds",
            [*CELERY, "beat", "-s", schedule, "--pidfile="],
            environment,
        ),
    ]


def environment_of(place: Database, address: Address) -> dict[str, str]:
    """Return the environment of the parts: the app's role, compiled engines where they are built, and the base of links
    in emails."""
    environment = place.app_environment()
    environment[compiled.ENGINES] = environment.get(compiled.ENGINES) or compiled.AUTO
    environment["SCOREBOOK_BASE_URL"] = environment.get("SCOREBOOK_BASE_URL") or str(address).rstrip("/")
    return environment


def worker_part(
    queue: str, words: str, processes: int, prefetch: int, environment: Mapping[str, str], name: str = ""
) -> Part:
    """Return a Celery worker for a queue, called `name` or like the queue."""
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    command = [*CELERY, "worker", "-l", "INFO", *quiet, "-n", f"{name or queue}@%h", "-Q", queue]
    command += ["-c", str(processes), "--prefetch-multiplier", str(prefetch)]
    return Part(name or queue, words, command, environment, gives_way=POLITE if queue in COMPUTING else 0)


def reloaded(parts: Sequence[Part], address: Address) -> list[Part]:
    """Return the parts for `--reload`: a web process that starts quickly, and Vite's server for the front end."""
    port = vite_port(address)
    environment = {"SCOREBOOK_DEBUG": "1", "SCOREBOOK_VITE_PORT": str(port)}
    for part in parts:
        if part.environment[compiled.ENGINES] == compiled.AUTO:
            part.environment = {**part.environment, **PLAIN}
    first, *others = parts
    quick = Part("web", first.words, ["-m", "devkit.warm", *web(address)[2:]], {**first.environment, **environment})
    return [quick, *others, frontend.server(port)]


def vite_port(address: Address) -> int:
    """Return the port of Vite's server: SCOREBOOK_VITE_PORT, or the web process's port plus 1000."""
    return int(os.environ.get("SCOREBOOK_VITE_PORT") or (address.port + 1000) % 65536)


def serve(place: Database, address: Address, began: float, reload: bool, compiling: compiled.Compiling | None) -> float:
    """Run the parts until Ctrl-C; return when it was pressed. Workers start again when the engines are compiled."""
    parts = parts_of(place, address)
    if reload:
        parts = reloaded(parts, address)
    watched: list[Watched] = [*parts]
    if place.is_ours:
        watched.insert(0, OwnServer())
    sources = Sources() if reload else None
    with running(watched) as supervisor:
        try:
            with step("ready"):
                wait_until_ready(supervisor, address)
            print(welcome(address, parts, time.monotonic() - began), flush=True)
            while True:
                for line in supervisor.watch(time.monotonic()):
                    print(line, flush=True)
                if compiling and (news := compiling.news()):
                    print(news, flush=True)
                    if compiling.succeeded:
                        supervisor.renew(parts[1:-1])  # all but web and beat: they give back their games, and go on
                if sources and (paths := sources.changed()):
                    print(reload_parts(parts, paths, sources, supervisor, address), flush=True)
                time.sleep(0.2)
        except KeyboardInterrupt:
            print("\nStopping …", flush=True)
            return time.monotonic()


def reload_parts(
    parts: Sequence[Part], paths: set[str], sources: Sources, supervisor: Supervisor, address: Address
) -> str:
    """Restart the web process with the changed sources and, once it answers, the workers, which use no templates;
    return a line about it."""
    first, began, changed = parts[0], time.monotonic(), set(paths)
    if not reload_web(first, changed, sources, address):
        log = first.log.relative_to(ROOT)
        return f"  The web part does not start with this change. Its log, {log}, ends:\n{tail(first.log)}"
    seconds = time.monotonic() - began
    if any(not path.endswith(".html") for path in changed):
        supervisor.restart(parts[1:-1])  # all but web and Vite
    names = ", ".join(sorted(os.path.relpath(path, ROOT) for path in changed)[:3])
    return f"  reloaded in {seconds:.1f} s: {names}{' …' if len(changed) > 3 else ''}"


def reload_web(web: Part, changed: set[str], sources: Sources, address: Address) -> bool:
    """Restart the web process, and again for further changes (added to `changed`); return whether it answers.

    It does not answer if its fork has ended, which is seen `LOOKS_UNTIL_DEAD` times in a row.
    """
    assert web.process
    ends, more, dead = time.monotonic() + SECONDS_TO_RELOAD, set(changed), 0
    while time.monotonic() < ends and dead < LOOKS_UNTIL_DEAD:
        if more:
            web.process.send_signal(signal.SIGHUP)
            time.sleep(0.1)  # by then the old fork has ended
        if ask_health(address)[0] == http.HTTPStatus.OK:
            return True
        changed |= (more := sources.changed())
        dead = 0 if more or len(group_members(web.process.pid)) > 1 else dead + 1
        time.sleep(0.05)
    return False


def wait_until_ready(supervisor: Supervisor, address: Address) -> None:
    """Wait until the web process says that it is ready. Raises `Trouble` with its reason after too long a time."""
    deadline, answer, died = time.monotonic() + SECONDS_TO_BE_READY, "it did not answer", False
    while time.monotonic() < deadline:
        for line in supervisor.watch(time.monotonic()):
            print(line if died else f"\n{line}", flush=True)
            died = True
        status, answer = ask_health(address)
        if status == http.HTTPStatus.OK:
            return
        time.sleep(0.1)
    raise Trouble(
        f"The web part is not ready after {SECONDS_TO_BE_READY} s: {answer}. See its log: .local/logs/web.log."
    )


def ask_health(address: Address) -> tuple[int, str]:
    """Return (status, body) of the health page; (0, reason) if nothing answers."""
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
    return f"\nScorebook is ready after {seconds:.1f} s: {address}\n\n{logins}\n\n{rows}\n\nCtrl-C stops everything."
