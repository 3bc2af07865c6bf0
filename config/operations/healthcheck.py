"""Whether a part of this machine does its work: `python -m config.operations.healthcheck web|worker|beat`, for
supervisors.

    web [PORT]      `/health/ready/` answers 200 (port 8000)
    worker          a process of this machine's workers has said within half a minute that it is there
    beat SCHEDULE   beat, which keeps that file, has looked within half a minute what is due

Ends with 0, or with 1 and a sentence. It starts no Django, so that it may be asked often.
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

SILENT_AFTER: Final = 30  # seconds
TICKED: Final = ".ticked"  # the file beside beat's schedule that it touches
PATIENCE: Final = 10  # seconds

_HEARD = """
    SELECT count(*) FROM games_worker
    WHERE starts_with(name, %s) AND stopped_at IS NULL AND heartbeat_at > now() - make_interval(secs => %s)
"""


class Ill(Exception):
    """What is wrong, in a sentence."""


def web(port: str = "8000") -> str:
    """Asked by the first name that is served here, as others than those are not."""
    host = os.environ.get("SCOREBOOK_HOSTS", "").split(",")[0].lstrip(".")
    named = host if host not in ("", "*") else "localhost"
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=PATIENCE)
    try:
        connection.request("GET", "/health/ready/", headers={"Host": named})
        answer = connection.getresponse()
        told = answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise Ill(f"Nothing answers at port {port}: {error}.") from None
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise Ill(_sentence(told) or f"It answers {answer.status}.")
    return "ready"


def _sentence(told: str) -> str:
    try:
        return str(json.loads(told)["error"]["sentence"])
    except (ValueError, KeyError, TypeError):
        return ""


def worker() -> str:
    """By what the workers write into the database; a database that is away is none of their faults, and yet."""
    import psycopg

    from config.env.variables import secret

    address = secret("DATABASE_APP_URL") or secret("DATABASE_URL")
    try:
        with psycopg.connect(address, connect_timeout=PATIENCE) as connection:
            row = connection.execute(_HEARD, [f"{socket.gethostname()}:", SILENT_AFTER]).fetchone()
    except psycopg.Error as error:
        raise Ill(f"The database does not answer: {error}".strip()) from None
    if not row or not row[0]:
        raise Ill(f"No worker of {socket.gethostname()} has said anything for {SILENT_AFTER} s.")
    return f"{row[0]} alive"


def beat(schedule: str) -> str:
    """By the file that `config.broker.beat_scheduler` touches."""
    try:
        age = time.time() - Path(f"{schedule}{TICKED}").stat().st_mtime
    except OSError:
        raise Ill(f"Beat has not begun: there is no {schedule}{TICKED}.") from None
    if age > SILENT_AFTER:
        raise Ill(f"Beat has looked at nothing for {age:.0f} s.")
    return "ticking"


PARTS: Final[dict[str, Callable[..., str]]] = {"web": web, "worker": worker, "beat": beat}


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    try:
        part, *rest = arguments
        said = PARTS[part](*rest)
    except Ill as ill:
        print(ill)
        return 1
    except (KeyError, ValueError, TypeError):
        print(__doc__)
        return 2
    print(said)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
