"""Sends HTTP requests to addresses that users chose. Nothing else on the platform does.

Only public addresses over TLS are allowed. A host name is looked up once, all addresses are checked, and the connection
goes to a checked address, even if the name changes in between. Redirects are not followed. Of an answer only the status
is read; of a refusal also its first words, and when the receiver wants to be asked again. Everything together has one
time limit, so a receiver that hangs or answers a byte a second costs no more.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

import h11
from django.conf import settings
from django.utils.html import strip_tags
from django.utils.http import parse_http_date_safe
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.common.public_addresses import is_public
from scorebook_games.presentation.coded_text import Sentence, sentence

TIMEOUT_SECONDS: Final = 10.0
URL_MAX_LENGTH: Final = 500
READ_BYTES: Final = 4096
WORDS_BYTES: Final = 4096  # of a refusal that are read, for its first words
WORDS_SECONDS: Final = 2.0
WORDS_LENGTH: Final = 200
MAX_RETRY_AFTER_SECONDS: Final = 10**9
LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that are only valid within a machine or a network (RFC 6761, 6762, 8375; ICANN's .internal).
PRIVATE_NAMES: Final = (".localhost", ".local", ".internal", ".localdomain", ".home.arpa")


class Unreachable(Exception):
    """The address cannot be reached; `why` says it to the webhook's owner."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(why.code)
        self.why = why


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver answered; only a refusal has `words` and `retry_after`."""

    status: int
    words: str = ""
    retry_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an attempt: the status, 0 without an answer; `outcome` describes it; `ms` is its duration;
    `retry_after` is when the receiver wants the next one, if it says so."""

    status: int
    outcome: Sentence
    ms: int
    retry_after: timedelta | None = None

    @property
    def taken(self) -> bool:
        return 200 <= self.status < 300


def clean_url(url: str, field: str = "url") -> str:
    """Return the cleaned `url`. Raises `DomainError` bad_url (400), of the `field`, if messages must not be sent
    there."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        parts, port = SplitResult("", "", "", "", ""), None
    schemes = ("https", "http") if settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS else ("https",)
    fits = parts.scheme in schemes and parts.hostname and parts.username is None and parts.password is None
    plain = url.strip().isascii() and url.strip().isprintable() and " " not in url.strip()
    if not fits or not plain or parts.fragment or len(url) > URL_MAX_LENGTH or port == 0:
        sentence = _(
            "Give an address that begins with https://, of up to {most} characters, without a password or a #."
        )
        raise DomainError(400, "bad_url", sentence.format(most=URL_MAX_LENGTH), field)
    if not may_be_public_host(parts.hostname or ""):
        sentence = _(
            "{host} is not a public address. For a receiver on your own machine see “Try it out” at "
            "/help/how-to/receive-webhooks/."
        )
        raise DomainError(400, "bad_url", sentence.format(host=parts.hostname), field)
    return url.strip()


def may_be_public_host(host: str) -> bool:
    """Return whether `host`, a name or an address, may be public, as far as this is known without a look-up.

    An IPv4 address must have the form 127.0.0.1, because many programs read 2130706433, 0x7f.1 and 127.1 as the same
    address.
    """
    if settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS:
        return True
    host = host.removesuffix(".")
    try:
        return is_public_address(ip_address(host))
    except ValueError:
        labels = host.split(".")
    named = len(labels) > 1 and all(LABEL.fullmatch(label) for label in labels)
    return named and not NUMBER.fullmatch(labels[-1]) and not f".{host}".endswith(PRIVATE_NAMES)


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    """Return whether messages may go to an address: public ones only, unless the platform's settings allow others."""
    return settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS or is_public(address)


async def post_message(url: str, headers: Mapping[str, str], body: bytes) -> AttemptResult:
    """Send `body` to `url`; return the result. Never raises."""
    began = time.monotonic()
    answer = Answer(0)
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS) as limit:
            answer = await _post_checked(urlsplit(url), headers, body, limit)
        outcome = hook_explained(answer.status, answer.words) if answer.words else hook_answered(answer.status)
    except TimeoutError:
        outcome = hook_silent(TIMEOUT_SECONDS)
    except Unreachable as error:
        outcome = error.why
    except ssl.SSLCertVerificationError as error:
        outcome = hook_certificate(error.verify_message)
    except (OSError, ssl.SSLError):
        outcome = hook_refused()
    except h11.RemoteProtocolError:
        outcome = hook_not_http()
    return AttemptResult(answer.status, outcome, int((time.monotonic() - began) * 1000), answer.retry_after)


@sentence
def hook_answered(status: int) -> str:
    return _("answered {status}").format(status=status)


@sentence
def hook_explained(status: int, words: str) -> str:
    return _("answered {status}: “{words}”").format(status=status, words=words)


@sentence
def hook_silent(seconds: float) -> str:
    return _("no answer within {seconds:g} s").format(seconds=seconds)


@sentence
def hook_certificate(why: str) -> str:
    return _("its certificate is invalid: {why}").format(why=why)


@sentence
def hook_refused() -> str:
    return _("the connection was refused or broken")


@sentence
def hook_not_http() -> str:
    return _("the answer was not HTTP")


@sentence
def hook_unknown_host() -> str:
    return _("its host name is unknown")


@sentence
def hook_not_public() -> str:
    return _("it is not on the public internet")


@sentence
def hook_hung_up() -> str:
    return _("the connection ended without an answer")


async def _post_checked(url: SplitResult, headers: Mapping[str, str], body: bytes, limit: asyncio.Timeout) -> Answer:
    secure, host = url.scheme == "https", url.hostname or ""
    port = url.port or (443 if secure else 80)
    address = await _resolve_public_address(host, port)
    if secure:
        reader, writer = await asyncio.open_connection(address, port, ssl=_trust(), server_hostname=host)
    else:
        reader, writer = await asyncio.open_connection(address, port)
    try:
        return await _talk(reader, writer, url, headers, body, limit)
    finally:
        writer.transport.abort()


@cache
def _trust() -> ssl.SSLContext:
    """Return the certificate authorities that this machine trusts."""
    return ssl.create_default_context()


async def _resolve_public_address(host: str, port: int) -> str:
    """Look up `host` once; return its first address if all of them are public. Raises `Unreachable`."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.run_in_executor(_lookup_threads(os.getpid()), _look_up, host, port)
    except (OSError, UnicodeError) as error:
        raise Unreachable(hook_unknown_host()) from error
    if not found or not all(is_public_address(ip_address(each.partition("%")[0])) for each in found):
        raise Unreachable(hook_not_public())
    return found[0]


@cache
def _lookup_threads(_process: int) -> ThreadPoolExecutor:
    """Return the threads of a process that look up names. A forked process has none of its parent's.

    A look-up cannot be cancelled. If a name server hangs, it occupies one of the threads, and nobody waits for it.
    """
    return ThreadPoolExecutor(8, thread_name_prefix="lookup")


def _look_up(host: str, port: int) -> list[str]:
    return [str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


async def _talk(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    url: SplitResult,
    headers: Mapping[str, str],
    body: bytes,
    limit: asyncio.Timeout,
) -> Answer:
    """Send the request and return the answer. Once the status has come, `limit` ends no more: the words that follow
    have their own."""
    connection = h11.Connection(h11.CLIENT)
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    all_headers = {"host": url.netloc, "content-length": str(len(body)), "connection": "close", **headers}
    request = h11.Request(method="POST", target=target, headers=list(all_headers.items()))
    writer.write((connection.send(request) or b"") + (connection.send(h11.Data(data=body)) or b""))
    writer.write(connection.send(h11.EndOfMessage()) or b"")
    await writer.drain()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(READ_BYTES))
        elif isinstance(event, h11.Response):
            if event.status_code < 300:
                return Answer(event.status_code)
            fields = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
            limit.reschedule(None)
            words = shown_words(await _first_words(reader, connection))
            return Answer(event.status_code, words, parse_retry_after(fields.get("retry-after", "")))
        elif not isinstance(event, h11.InformationalResponse):
            raise Unreachable(hook_hung_up())


async def _first_words(reader: asyncio.StreamReader, connection: h11.Connection) -> str:
    """Return the beginning of a refusal's body, as much of it as comes soon."""
    body = bytearray()
    try:
        async with asyncio.timeout(WORDS_SECONDS):
            while len(body) < WORDS_BYTES:
                event = connection.next_event()
                if event is h11.NEED_DATA:
                    connection.receive_data(await reader.read(READ_BYTES))
                elif isinstance(event, h11.Data):
                    body += event.data
                else:
                    break
    except (TimeoutError, OSError, h11.RemoteProtocolError):
        pass  # the status has come, and says enough
    return body[:WORDS_BYTES].decode(errors="replace")


def shown_words(text: str) -> str:
    """Return what a receiver says as one short line without tags and characters that cannot be shown."""
    line = " ".join("".join(tag if tag.isprintable() else " " for tag in strip_tags(text)).split())
    return line if len(line) <= WORDS_LENGTH else f"{line[: WORDS_LENGTH - 1]}…"


def parse_retry_after(value: str) -> timedelta | None:
    """Return the time from now in a Retry-After header: seconds, or a date (RFC 9110, 10.2.3). None if it has none."""
    value = value.strip()
    if value.isascii() and value.isdecimal():
        return timedelta(seconds=min(int(value[:10]), MAX_RETRY_AFTER_SECONDS))
    at = parse_http_date_safe(value)
    return None if at is None else timedelta(seconds=max(0.0, at - clock.now().timestamp()))
