"""Sends odd requests to every row of the table of permissions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tests.fuzz import odd
from tests.fuzz.traces import traceback_of
from tests.permissions.requests import Asker, filled, quietly
from tests.permissions.table_rows import NAMED, ROLES, Row, rows
from tests.permissions.world import World, permissions_world

FIELD: Final = re.compile(r'\bname="([\w-]+)"')
# The roles that are tried in this order. The first that may see a page is used.
ORDER: Final = ("member", "owner", "admin", "stranger", "anonymous")


@dataclass(frozen=True)
class Broken:
    """A request that was answered 5xx, with the traceback."""

    method: str
    address: str
    body: bytes
    kind: str
    trace: str

    def report(self) -> str:
        return f"{self.method} {self.address[:500]}\n  {self.kind} {self.body[:500]!r}\n{self.trace}"


class Pages:
    """The world of the table of permissions, within a transaction that is rolled back."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or permissions_world()
        if "ban" not in self.world.at:
            self.world.ban_boris()
        self.askers = {role: Asker.signed_in(self.world.people.get(name or "")) for role, name in ROLES.items()}
        self.rows = [row for row in rows() if row.method != "STREAM"]
        self.counts: Counter[str] = Counter()
        self.names = odd.names_read()
        self.fields: dict[str, list[str]] = {}

    def ask(self, row: Row, number: str) -> Iterator[Broken]:
        """Send a request with an odd query or body, and one to an odd address. Yield what breaks."""
        chance, who = random.Random(number), self.let_in(row)
        address = filled(row.address, self.world.at)
        names = self.fields_of(row, address, who)
        if row.safe:
            yield from self.send(row, who, address.partition("?")[0] + "?" + odd.encoded(chance, names).decode())
        else:
            yield from self.send(row, who, address, *odd.body(chance, names))
        if NAMED.search(row.address):
            yield from self.send(row, who, self.odd_address(row.address, chance))

    def let_in(self, row: Row) -> Asker:
        role = next((role for role in ORDER if row.answer(role).isdecimal() and int(row.answer(role)) < 400), "owner")
        return self.askers[role]

    def odd_address(self, address: str, chance: random.Random) -> str:
        """Return an address with one odd part and correct parts before it."""
        parts = NAMED.findall(address)
        wrong = chance.randrange(len(parts))
        at = {name: self.world.at[name] for name in parts}
        marked = NAMED.sub(lambda found: "\n" if found[1] == parts[wrong] else found[0], address)
        return filled(marked, at).replace("\n", odd.part(chance))

    def fields_of(self, row: Row, address: str, who: Asker) -> list[str]:
        """Return field names of the page at an address and, about as often, names that any page reads."""
        if row.address not in self.fields:
            with quietly():
                page: Any = who.browser().get(address)
            text = "" if page.streaming else page.content.decode(errors="replace")
            found = FIELD.findall(text) if "html" in page.headers.get("Content-Type", "") else []
            own = list(row.body or ()) + sorted(set(found) - {"viewport", "description", "csrfmiddlewaretoken"})
            self.fields[row.address] = own * (1 + len(self.names) // max(1, len(own))) + self.names
        return self.fields[row.address]

    def send(self, row: Row, who: Asker, address: str, body: bytes = b"", kind: str = "") -> Iterator[Broken]:
        """Send a request, roll back what it did, and yield it if it breaks."""
        with quietly():
            answer: Any = who.browser().generic(row.method, address, body, content_type=kind or odd.KINDS[0])
        self.counts[str(answer.status_code)] += 1
        if answer.status_code >= 500:
            yield Broken(row.method, address, body, kind, traceback_of(answer))
