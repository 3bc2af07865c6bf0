"""Checks whether a part of this machine works, for process supervisors: `python -m config.monitoring.healthcheck
web|worker|beat`.

    web [PORT]      `/health/ready/` answers 200 (port 8000)
    worker          a worker process of this machine has reported within the last 30 s
    beat SCHEDULE   beat, whose schedule is in that file, has looked for due tasks within the last 30 s

Exits with 0, or with 1 and a sentence. It does not load Django, so it may run often.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from config.broker.ticks import TICKED

SILENT_AFTER_SECONDS: Final = 30
TIMEOUT_SECONDS: Final = 10

_LAST_HEARTBEAT_SQL = """
    SELECT count(*) FROM workers_worker
    WHERE starts_with(name, %s) AND stopped_at IS NULL AND heartbeat_at > now() - make_interval(secs => %s)
"""


class Unhealthy(Exception):
    """The part does not work; the text says why, as a sentence."""


def check_web(port: str = "8000") -> str:
    """Check the web process. The request names the first allowed host, because others are refused."""
    host = os.environ.get("SCOREBOOK_ALLOWED_HOSTS", "").split(",")[0].lstrip(".")
    named = host if host not in ("", "*") else "localhost"
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/health/ready/", headers={"Host": named})
        answer = connection.getresponse()
        body = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Unhealthy(f"Nothing answers at port {port}: {error}.") from None
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise Unhealthy(_error_sentence(body) or f"The web process answers {answer.status}.")
    return "ready"


def _error_sentence(body: str) -> str:
    try:
        return str(json.loads(body)["error"]["sentence"])
    except (ValueError, KeyError, TypeError):
        return ""


def check_worker() -> str:
    """Check the workers by what they write into the database. If the database is away, this fails too, although no
    worker is at fault."""
    import psycopg  # noqa: PLC0415  the other checks run every few seconds and do not need it

    from config.env.variables import read_secret  # noqa: PLC0415  likewise

    address = read_secret("DATABASE_APP_URL") or read_secret("DATABASE_URL")
    try:
        with psycopg.connect(address, connect_timeout=TIMEOUT_SECONDS) as connection:
            row = connection.execute(_LAST_HEARTBEAT_SQL, [f"{socket.gethostname()}:", SILENT_AFTER_SECONDS]).fetchone()
    except psycopg.Error as error:
        raise Unhealthy(f"The database does not answer: {error}".strip()) from None
    if not row or not row[0]:
        raise Unhealthy(f"No worker on {socket.gethostname()} has reported for {SILENT_AFTER_SECONDS} s.")
    return f"{row[0]} alive"


def check_beat(schedule: str) -> str:
    """Check beat by the file that `config.broker.beat_scheduler` touches."""
    try:
        age = time.time() - Path(f"{schedule}{TICKED}").stat().st_mtime
    except OSError:
        raise Unhealthy(f"Beat has not started: {schedule}{TICKED} does not exist.") from None
    if age > SILENT_AFTER_SECONDS:
        raise Unhealthy(f"Beat has done nothing for {age:.0f} s.")
    return "ticking"


CHECKS: Final[dict[str, Callable[..., str]]] = {"web": check_web, "worker": check_worker, "beat": check_beat}


def main(arguments: Sequence[str]) -> int:
    """Run a check; return the exit code."""
    try:
        part, *rest = arguments
        problem = CHECKS[part](*rest)
    except Unhealthy as ill:
        print(ill)
        return 1
    except (KeyError, ValueError, TypeError):
        print(__doc__)
        return 2
    print(problem)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
