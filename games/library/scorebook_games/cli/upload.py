"""Uploads a bot's file to a server and follows its admission (docs/reference/bot-protocol.md, Uploading)."""

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
BUSY: Final = (408, 425, 502, 503, 504)  # statuses after which a later request may succeed
MAX_WAIT_SECONDS: Final = 60  # a longer rate limit counts as a refusal
WORKING: Final = ("waiting", "running")
MOST_BYTES: Final = 1024 * 1024


class UploadRefused(Exception):
    """The server refused the file, or its answer is not one of Scorebook's. The text says why."""


class Unanswered(Exception):
    """The server did not answer or is too busy, so the result of the request is unknown.

    `wait` is the number of seconds after which the server wants to be asked again, or 0.
    """

    def __init__(self, sentence: str, wait: float = 0.0) -> None:
        super().__init__(sentence)
        self.wait = wait


class Unreachable(Unanswered):
    """No connection to the server could be made, so nothing was sent."""


class Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: urllib would send the token to another server."""

    def redirect_request(self, *_arguments: Any) -> None:
        """Return None: the redirect itself is the answer."""


_opener: Final = urllib.request.build_opener(Straight)
Pause = Callable[[float], None]
Again = Callable[[Unanswered, float], None]  # is told why a request is repeated, and after how many seconds


def silently(_error: Unanswered, _seconds: float) -> None:
    """Say nothing of a request that is repeated."""


def upload(
    server: str,
    name: str,
    token: str,
    source: bytes,
    pause: Pause = time.sleep,
    again: Again = silently,
    *,
    reached: bool = False,
) -> dict[str, Any]:
    """Upload a new version of the bot `name`; return {"number", "admission", "page"}, the last two as addresses.

    `reached` says that the server has answered before. Raises `UploadRefused` and `Unanswered`.
    """
    body, kind = multipart("file", "bot.py", source)
    address = urljoin(server, f"/api/v1/bots/{quote(name, safe='')}/versions/")
    made = insist(address, token, body, kind, pause=pause, again=again, reached=reached)
    if not isinstance(made.get("number"), int) or not isinstance(made.get("admission"), str):
        raise UploadRefused(f"{address} did not answer with a version. Is it a Scorebook server?")
    admission = urljoin(server, made["admission"])
    if urlsplit(admission).netloc != urlsplit(server).netloc:
        raise UploadRefused(f"The server names an admission elsewhere, {admission}; your token is not sent there.")
    return {"number": made["number"], "admission": admission, "page": urljoin(server, str(made.get("page", "")))}


def make(server: str, name: str, token: str, again: Again = silently) -> None:
    """Create the bot `name` on the server. Raises `UploadRefused` and `Unanswered`."""
    body = json.dumps({"name": name}).encode()
    insist(urljoin(server, "/api/v1/bots/"), token, body, "application/json", again=again)


def progress(
    admission: str, token: str, pause: Pause = time.sleep, again: Again = silently
) -> Iterator[dict[str, Any]]:
    """Yield the state of an admission until it is done: {"state", "steps", "fault"}.

    Raises `UploadRefused` and `Unanswered`.
    """
    while True:
        progress = insist(admission, token, pause=pause, again=again, reached=True)
        yield progress
        if progress.get("state") not in WORKING:
            return
        pause(POLL_SECONDS)


def multipart(field: str, filename: str, content: bytes) -> tuple[bytes, str]:
    """Return a form with one file as bytes, and its content type (RFC 7578)."""
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
    pause: Pause = time.sleep,
    again: Again = silently,
    reached: bool = False,
) -> dict[str, Any]:
    """Return the answer of `ask`, tried again after growing pauses, or those that the server asks for.

    A key makes the request count once. A server that was never `reached` is not tried again: its address is wrong.

    Raises `UploadRefused`, and `Unanswered` if the last try had no answer either.
    """
    key = uuid.uuid4().hex
    for seconds in PAUSES:
        try:
            return ask(address, token, body, kind, key)
        except Unanswered as error:
            reached = reached or not isinstance(error, Unreachable)
            if not reached:
                raise UploadRefused(f"{error} Nothing was sent. Check the address of the server.") from error
            wait = error.wait or seconds
            again(error, wait)
            pause(wait)
    return ask(address, token, body, kind, key)


def ask(address: str, token: str, body: bytes | None = None, kind: str = "", key: str = "") -> dict[str, Any]:
    """Return the JSON object that the server answers.

    Raises `UploadRefused` with the server's sentence, and `Unanswered`.
    """
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
        wait = _retry_after(error)
        if error.code in BUSY or (error.code == 429 and 0 < wait <= MAX_WAIT_SECONDS):
            raise Unanswered(refusal, min(wait, MAX_WAIT_SECONDS)) from error
        raise UploadRefused(refusal) from error
    except urllib.error.URLError as error:
        lost = isinstance(error.reason, (ConnectionResetError, BrokenPipeError))  # while the request was being sent
        raise (Unanswered if lost else Unreachable)(f"{address} could not be reached: {error.reason}.") from error
    except (OSError, HTTPException) as error:
        raise Unanswered(f"{address} could not be reached: {error}.") from error
    except ValueError as error:
        raise UploadRefused(f"{address} is not a valid address: {error}.") from error
    try:
        parsed = json.loads(read)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise UploadRefused(f"{address} did not answer like a Scorebook server.")
    return parsed


def _retry_after(error: urllib.error.HTTPError) -> float:
    """Return the number of seconds after which the server wants to be asked again; 0 if it names none, or a date."""
    wait = error.headers.get("Retry-After", "")
    return float(wait) if wait.isdecimal() else 0.0


def _sentence(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return f"{error['sentence']} ({error['code']})"
    except (ValueError, KeyError, TypeError):
        return "it gives no reason."
