"""A bot's file sent to a server, and its admission watched (docs/reference/bot-protocol.md, Uploading)."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote, urljoin, urlsplit

SECONDS: Final = 30  # for one answer of the server
POLL_SECONDS: Final = 0.5
PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 15.0, *[30.0] * 19)  # seconds before another try: ten minutes in all
BUSY: Final = (408, 425, 502, 503, 504)  # answers of a server that may do it a little later
MAX_WAIT_SECONDS: Final = 60  # seconds; a limit that lasts longer is a refusal
WORKING: Final = ("waiting", "running")
MOST_BYTES: Final = 1024 * 1024


class UploadRefused(Exception):
    """The server did not take the file, or answered what no Scorebook does; the text says why."""


class Unanswered(Exception):
    """The server did not answer, or is too busy: what became of the request is not known."""


class Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for one server, and urllib would hand it on."""

    def redirect_request(self, *_arguments: Any) -> None:
        """None: the redirect is the answer."""


_opener: Final = urllib.request.build_opener(Straight)


def upload(
    server: str, name: str, token: str, source: bytes, pause: Callable[[float], None] = time.sleep
) -> dict[str, Any]:
    """A new version of the bot `name`: {"number", "admission"}, admission as an address. Raises `UploadRefused`,
    `Unanswered`."""
    body, kind = multipart("file", "bot.py", source)
    address = urljoin(server, f"/api/v1/bots/{quote(name, safe='')}/versions/")
    made = insist(address, token, body, kind, pause=pause)
    if not isinstance(made.get("number"), int) or not isinstance(made.get("admission"), str):
        raise UploadRefused(f"{address} did not answer with a version. Is it a Scorebook server?")
    admission = urljoin(server, made["admission"])
    if urlsplit(admission).netloc != urlsplit(server).netloc:
        raise UploadRefused(f"The server names an admission elsewhere, {admission}; your token is not sent there.")
    return {"number": made["number"], "admission": admission}


def make(server: str, name: str, token: str) -> None:
    """The bot `name`, which is not there yet. Raises `UploadRefused`, `Unanswered`."""
    insist(urljoin(server, "/api/v1/bots/"), token, json.dumps({"name": name}).encode(), "application/json")


def progress(admission: str, token: str, pause: Callable[[float], None] = time.sleep) -> Iterator[dict[str, Any]]:
    """What admission says, again and again, until it is done: {"state", "steps", "faults"}. Raises `UploadRefused`,
    `Unanswered`."""
    while True:
        said = insist(admission, token, pause=pause)
        yield said
        if said.get("state") not in WORKING:
            return
        pause(POLL_SECONDS)


def multipart(field: str, filename: str, content: bytes) -> tuple[bytes, str]:
    """A form with one file: its bytes, and its content type (RFC 7578)."""
    boundary = uuid.uuid4().hex
    head = (
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="{field}"; filename="{filename}"\r\n'
        "Content-Type: text/x-python; charset=utf-8\r\n\r\n"
    )
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def insist(
    address: str,
    token: str,
    body: bytes | None = None,
    kind: str = "",
    *,
    pause: Callable[[float], None] = time.sleep,
) -> dict[str, Any]:
    """`ask`, again after growing pauses while there is no answer. What is sent has a key, so that it counts once.

    Raises `UploadRefused`, and `Unanswered` when the last try had no answer either."""
    key = uuid.uuid4().hex
    for seconds in PAUSES:
        try:
            return ask(address, token, body, kind, key)
        except Unanswered:
            pause(seconds)
    return ask(address, token, body, kind, key)


def ask(address: str, token: str, body: bytes | None = None, kind: str = "", key: str = "") -> dict[str, Any]:
    """The JSON object that the server answers. Raises `UploadRefused` with the server's own sentence, `Unanswered`."""
    if not address.startswith(("http://", "https://")):
        raise UploadRefused(f"{address} is not the address of a server. It must begin with https://.")
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    if body is not None:
        headers |= {"Content-Type": kind, "Idempotency-Key": key or uuid.uuid4().hex}
    request = urllib.request.Request(address, data=body, headers=headers)  # noqa: S310  checked above
    try:
        with _opener.open(request, timeout=SECONDS) as answer:
            read = answer.read(MOST_BYTES)
    except urllib.error.HTTPError as error:
        refusal = f"The server answers {error.code}: {_sentence(error.read(MOST_BYTES))}"
        raise (Unanswered if _is_busy(error) else UploadRefused)(refusal) from error
    except (OSError, HTTPException) as error:
        raise Unanswered(f"{address} could not be reached: {error}.") from error
    except ValueError as error:
        raise UploadRefused(f"{address} is not a valid address: {error}.") from error
    try:
        said = json.loads(read)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        raise UploadRefused(f"{address} did not answer like a Scorebook server.")
    return said


def _is_busy(error: urllib.error.HTTPError) -> bool:
    """Whether the same request may be answered a little later."""
    wait = error.headers.get("Retry-After", "")
    throttled = error.code == 429 and wait.isdecimal() and int(wait) <= MAX_WAIT_SECONDS
    return throttled or error.code in BUSY


def _sentence(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return f"{error['sentence']} ({error['code']})"
    except (ValueError, KeyError, TypeError):
        return "it gives no reason."
