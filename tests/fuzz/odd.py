"""Texts, numbers, days and bytes that somebody may send, by mistake or on purpose, and addresses and forms that have
them."""

from __future__ import annotations

import random
import re
from typing import Final
from urllib.parse import quote_from_bytes

from django.conf import settings

TEXTS: Final = (
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",  # half a character (a lone surrogate)
    "\udfff\ud800",
    "²",
    "٣",
    "１２",
    "-1",
    "-0",
    "0",
    "1_000",
    "0x10",
    "1e999",
    "NaN",
    "9" * 19,
    "9" * 400,
    "0" * 5000 + "1",
    "2147483648",
    "-9223372036854775809",
    "0000-00-00",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "2026-13",
    "9999-12",
    "0000-01",
    "9999-12-31T23:59:59.999999+14:00",
    "0001-01-01T00:00:00-23:59",
    "2026-02-30T25:61",
    "sun 18:00",
    "Europe/Nowhere",
    "../../etc/passwd",
    "//evil.example/",
    "http://[::1",
    "javascript:alert(1)",
    "a\r\nX-Odd: 1",
    "\u202egnp.exe",
    "🂡" * 300,
    "x" * 20_000,
    "' OR 1=1 --",
    "%s%n{0}{x.__class__}",
    "[]",
    '{"a": [1, {}]}',
    "true",
    "null",
    "<b>&amp;",
)
BYTES: Final = (b"\xff\xfe", b"\xc3\x28", b"%", b"%zz", b"\xed\xa0\x80", b"\x80" * 50)
KINDS: Final = (
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/x-www-form-urlencoded; charset=no-such-thing",
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "multipart/form-data; boundary=" + "y" * 300,
    "application/json",
    "text/plain; charset=\xe9",
    "",
)
READS: Final = re.compile(r'(?:GET|POST|query_params|sent)(?:\.get|\.getlist)?[\[(]\s*"([\w-]+)"')


def names_read() -> list[str]:
    """Return the names of all parameters that the sources of pages read."""
    apps = [settings.BASE_DIR / name for name in ("config", "games", "replays", "tournaments")]
    files = sorted(path for app in apps for path in app.rglob("*.py") if "migrations" not in path.parts)
    return sorted({name for path in files for name in READS.findall(path.read_text())})


def text(chance: random.Random) -> bytes:
    """Return one odd text as bytes. It may have a lone surrogate, which no correct encoder writes."""
    if chance.random() < 0.15:
        return chance.choice(BYTES)
    return chance.choice(TEXTS).encode("utf-8", "surrogatepass")


def part(chance: random.Random) -> str:
    """Return an odd part of an address."""
    return quote_from_bytes(text(chance)[:300], safe="")


def encoded(chance: random.Random, names: list[str]) -> bytes:
    """Return an encoded query or form with some of `names`, some of them repeated."""
    pairs = []
    for _each in range(chance.randint(1, 6)):
        value = quote_from_bytes(text(chance), safe="")
        pairs.append(f"{chance.choice(names)}={value}")
    return "&".join(pairs).encode()


def body(chance: random.Random, names: list[str]) -> tuple[bytes, str]:
    """Return a form and its content type. Most forms are well formed, some have odd parts, and some are far too
    long."""
    sort = chance.random()
    if sort < 0.7:
        return encoded(chance, names), KINDS[0]
    if sort < 0.8:
        parts = b"".join(
            b'--x\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n'
            % (chance.choice(names).encode(), text(chance)[:40].replace(b"\n", b""), text(chance))
            for _each in range(3)
        )
        return parts + b"--x--\r\n", "multipart/form-data; boundary=x"
    if sort < 0.95:
        return chance.choice([encoded(chance, names), b"{", b'"' + text(chance)]), chance.choice(KINDS)
    return chance.choice([b"a=1&" * 2000, b"a=" + b"x" * 10_000_000]), KINDS[0]
