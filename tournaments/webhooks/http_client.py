"""The one way out of the platform to an address that somebody else chose.

Only public addresses over TLS: the name is looked up once, every answer is checked, and the connection goes to the
address that was checked, whatever the name says a moment later. No redirect is followed, nothing but the status is
read, and all of it together has one time limit, so that a receiver that hangs, or answers a byte a second, costs that.
"""

from __future__ import annotations

import asyncio
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

TIMEOUT_SECONDS: Final = 10.0
URL_MAX_LENGTH: Final = 500
READ_BYTES: Final = 4096
LABEL: Final = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that never leave a machine or a network (RFC 6761, 6762, 8375; ICANN's .internal).
PRIVATE_NAMES: Final = (".localhost", ".local", ".internal", ".localdomain", ".home.arpa")
NAT64: Final = IPv6Network("64:ff9b::/96")  # IPv4 behind IPv6 (RFC 6052)

# Looking up a name cannot be called off; a server of names that hangs holds one of these, and nobody waits for it.
_lookups = ThreadPoolExecutor(8, thread_name_prefix="lookup")


class Unreachable(Exception):
    """There is no way there; the text says why, in a word for the delivery log."""


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """What came of a try: the status, 0 for none; `words` say why there is none; how long it took."""

    status: int
    words: str
    ms: int

    @property
    def taken(self) -> bool:
        return 200 <= self.status < 300


def clean_url(url: str) -> str:
    """`url` as it is kept. Raises `DomainError` bad_url (400) for what is never sent to."""
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
    """Whether `host`, a name or an address, may be on the public internet: what is known without a look-up.

    An IPv4 address has the form 127.0.0.1 and no other: many programs read 2130706433, 0x7f.1 and 127.1 as the same."""
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
    """Whether it is a public address: not this machine, not its network, not one that only looks public."""
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
    """Send `body` there, and say what came of it; never raises."""
    began = time.monotonic()
    status, words = 0, ""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            status = await _post_checked(urlsplit(url), headers, body)
    except TimeoutError:
        words = f"no answer within {TIMEOUT_SECONDS:g} s"
    except Unreachable as error:
        words = str(error)
    except ssl.SSLCertVerificationError as error:
        words = f"its certificate is invalid: {error.verify_message}"
    except (OSError, ssl.SSLError):
        words = "the connection was refused or broken"
    except h11.RemoteProtocolError:
        words = "the answer was not HTTP"
    return AttemptResult(status, words or f"answered {status}", int((time.monotonic() - began) * 1000))


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
    """The authorities that this machine trusts."""
    return ssl.create_default_context()


async def _resolve_public_address(host: str, port: int) -> str:
    """Where `host` is, by the one look-up that counts."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.run_in_executor(_lookups, _look_up, host, port)
    except (OSError, UnicodeError) as error:
        raise Unreachable("its host name is unknown") from error
    if not found or not all(is_public_address(ip_address(each.partition("%")[0])) for each in found):
        raise Unreachable("it is not on the public internet")
    return found[0]


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
            raise Unreachable("the connection ended without an answer")
