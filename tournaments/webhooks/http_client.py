"""Sends HTTP requests to addresses that users chose. Nothing else on the platform does.

Only public addresses over TLS are allowed. A host name is looked up once, all addresses are checked, and the connection
goes to a checked address, even if the name changes in between. Redirects are not followed, and only the status is read.
Everything together has one time limit, so a receiver that hangs or answers a byte a second costs no more.
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
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

import h11
from django.conf import settings
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import Sentence, sentence

TIMEOUT_SECONDS: Final = 10.0
URL_MAX_LENGTH: Final = 500
READ_BYTES: Final = 4096
LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that are only valid within a machine or a network (RFC 6761, 6762, 8375; ICANN's .internal).
PRIVATE_NAMES: Final = (".localhost", ".local", ".internal", ".localdomain", ".home.arpa")
NAT64: Final = IPv6Network("64:ff9b::/96")  # IPv4 behind IPv6 (RFC 6052)


class Unreachable(Exception):
    """The address cannot be reached; `why` says it to the webhook's owner."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(why.code)
        self.why = why


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The result of an attempt: the status, 0 without an answer; `outcome` describes it; `ms` is its duration."""

    status: int
    outcome: Sentence
    ms: int

    @property
    def taken(self) -> bool:
        return 200 <= self.status < 300


def clean_url(url: str) -> str:
    """Return the cleaned `url`. Raises `DomainError` bad_url (400) if messages must not be sent there."""
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
        raise DomainError(400, "bad_url", sentence.format(most=URL_MAX_LENGTH), "url")
    if not may_be_public_host(parts.hostname or ""):
        sentence = _(
            "{host} is not a public address. For a receiver on your own machine see “Try it out” at "
            "/help/how-to/receive-webhooks/."
        )
        raise DomainError(400, "bad_url", sentence.format(host=parts.hostname), "url")
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
    """Return whether an address is public: not this machine or its network, also not within an IPv6 address."""
    if settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS:
        return True
    if isinstance(address, IPv6Address):
        within = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if within is None and address in NAT64:
            within = IPv4Address(int(address) & 0xFFFFFFFF)
        if within is not None:
            return is_public_address(within)
    return address.is_global and not address.is_multicast and not address.is_reserved


async def post_message(url: str, headers: Mapping[str, str], body: bytes) -> AttemptResult:
    """Send `body` to `url`; return the result. Never raises."""
    began = time.monotonic()
    status = 0
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            status = await _post_checked(urlsplit(url), headers, body)
        outcome = hook_answered(status)
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
    return AttemptResult(status, outcome, int((time.monotonic() - began) * 1000))


@sentence
def hook_answered(status: int) -> str:
    return _("answered {status}").format(status=status)


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


async def _post_checked(url: SplitResult, headers: Mapping[str, str], body: bytes) -> int:
    secure, host = url.scheme == "https", url.hostname or ""
    port = url.port or (443 if secure else 80)
    address = await _resolve_public_address(host, port)
    if secure:
        reader, writer = await asyncio.open_connection(address, port, ssl=_trust(), server_hostname=host)
    else:
        reader, writer = await asyncio.open_connection(address, port)
    try:
        return await _talk(reader, writer, url, headers, body)
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
) -> int:
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
            return event.status_code
        elif not isinstance(event, h11.InformationalResponse):
            raise Unreachable(hook_hung_up())
