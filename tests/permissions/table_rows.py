"""Reads the table of permissions, `table.txt`, as rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from django.urls import ResolverMatch, resolve

TABLE: Final = Path(__file__).with_name("table.txt")
ROLES: Final = {
    "anonymous": None,
    "stranger": "Laura",
    "member": "Martha",
    "organiser": "Otto",
    "owner": "Niamh",
    "admin": "Ada",
}
SAFE: Final = ("GET", "STREAM")
NAMED: Final = re.compile(r"<(\w+)>")
# Values of the <names> for which "1" does not match the address's pattern.
LIKE: Final = {"calendar": "1" * 20, "reset": "1-1", "hook_message": "msg_1", "my_message": "msg_1"}


@dataclass(frozen=True)
class Row:
    """A row: a method of an address. `answers` are those to `ROLES`. `private` are those to an anonymous person and a
    stranger if the club is private (None if that makes no difference). `scope` is the scope that a token needs ("-" for
    none, as on pages). `support` says whether an admin who impersonates the member sees it, or why not."""

    method: str
    address: str
    answers: tuple[str, ...]
    private: tuple[str, ...] | None
    scope: str
    support: str
    body: Any = None

    @property
    def safe(self) -> bool:
        return self.method in SAFE

    @property
    def api(self) -> bool:
        return self.address.startswith("/api/")

    @property
    def place(self) -> ResolverMatch:
        """Return the entry of the URL table for the address."""
        return place_of(self.address)

    @property
    def name(self) -> str:
        """Return the name of that entry."""
        return self.place.url_name or "account_signup"  # our entry, which is before allauth's for the same address

    def answer(self, role: str) -> str:
        return self.answers[list(ROLES).index(role)]

    def line(self) -> str:
        """Return the row as it is written in the table."""
        private = " ".join(f"{each:>5}" for each in self.private or ("-", "-"))
        cells = " ".join(f"{each:>5}" for each in self.answers)
        first = f"{self.method:6} {self.address:74} {cells} | {private} | {self.scope:8} {self.support}".rstrip()
        return first if self.body is None else f"{first}\n    {json.dumps(self.body, ensure_ascii=False)}"


@cache
def place_of(address: str) -> ResolverMatch:
    """Return the entry of the URL table for an address with <names>."""
    return resolve(NAMED.sub(lambda found: LIKE.get(found[1], "1"), address.partition("?")[0]))


def rows(path: Path = TABLE) -> list[Row]:
    return list(_rows(path.read_text().splitlines()))


def _rows(lines: list[str]) -> Iterator[Row]:
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith(("#", " ")):
            continue
        after = lines[number + 1] if number + 1 < len(lines) else ""
        body = json.loads(after) if after.startswith("    {") else None
        asked, private, rest = (part.split() for part in line.split("|"))
        assert len(asked) == 2 + len(ROLES), line
        assert len(private) == len(rest) == 2, line
        closed = None if private == ["-", "-"] else tuple(private)
        yield Row(asked[0], asked[1], tuple(asked[2:]), closed, rest[0], rest[1], body)
