"""Everybody who sends requests in the world, and the rows of the table in groups by the start of their addresses.

One test requests all rows of a group, and a failure names every cell with another answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

import pytest
from django.core.cache import cache, caches

from games.accounts import tokens
from games.bots.remote import services as remote
from games.common import page_cache
from games.common.for_everybody import is_for_everybody
from tests.permissions.requests import Answer, Asker, filled, filled_body
from tests.permissions.table_rows import ROLES, Row, rows
from tests.permissions.world import permissions_world
from tournaments.organiser import counts

ROWS: Final = rows()
API: Final = [row for row in ROWS if row.api]
PAGES: Final = [row for row in ROWS if not row.api]
OF_SOMEBODY: Final = (
    "not_your_bot",
    "not_your_viewpoint",
    "source_not_published",
)  # refusals because a thing belongs to another person
ASKS_AGAIN: Final = re.compile(r"<[^>]*\shx-(?:get|post)=")
LOADS_HTMX: Final = re.compile(r'<script[^>]+src="[^"]*htmx')
CHANGING: Final = re.compile(r'(?<=csrfmiddlewaretoken" value=")\w+|(?<=cursor=)[\w=%-]+')
MANY: Final = 7  # the most rows of a group; six people request each row


class Platform:
    """The world, with everybody who sends requests in it."""

    def __init__(self) -> None:
        self.world = permissions_world()
        users = self.world.people
        self.askers = {role: Asker.signed_in(users.get(name or "")) for role, name in ROLES.items()}
        self.askers["banned"] = Asker.signed_in(users["Boris"])
        self.askers["support"] = Asker.looking_on(users["Ada"], self.world.at["view"])
        self.tokens = {name: Asker.with_token(secret) for name, secret in self.world.secrets.items()}
        self.world.ban_boris()
        self.in_inboxes = {user: counts.inbox_count(user) for user in users.values()}
        bot = remote.create_bot(owner=users["Niamh"], name="Auk")
        self.bot = Asker.with_token(
            tokens.create_token(user=users["Niamh"], name="bot", wanted=["read", "play"], bot=bot)[1]
        )
        of_admin = remote.create_bot(owner=users["Ada"], name="Gull")
        self.admins_bot = Asker.with_token(
            tokens.create_token(user=users["Ada"], name="bot", wanted=["read", "play"], bot=of_admin)[1]
        )

    def nobody_has_asked(self) -> None:
        """Empty the cache, in which rate limits are counted, and store the numbers of items in inboxes, which each page
        shows."""
        cache.clear()
        for user, count in self.in_inboxes.items():
            counts.store_inbox_count(user, count)

    def ask(self, who: Asker, row: Row, method: str = "", *, from_elsewhere: bool = False) -> Answer:
        at = self.world.at
        return who.ask(
            method or row.method, filled(row.address, at), filled_body(row.body, at), from_elsewhere=from_elsewhere
        )


@pytest.fixture(scope="module")
def platform(kept: None) -> Platform:
    return Platform()


@dataclass(frozen=True)
class Cell:
    """The answer to one role. `faults` are wrong whatever answer is expected."""

    row: Row
    name: str
    outcome: str
    faults: tuple[str, ...]

    def wrong(self, expected: str) -> list[str]:
        """Return a line for each fault."""
        asked = f"{self.row.method} {self.row.address}, {self.name}: "
        unexpected = [] if self.outcome == expected else [f"answered {self.outcome}, expected {expected}"]
        return [asked + each for each in (*unexpected, *self.faults)]


def asked_as(platform: Platform, row: Row, who: Mapping[str, Asker]) -> dict[str, Cell]:
    """Return the answer to each of these users, and check five rules: a refused or a reading request changes nothing;
    a 403 of the API tells an unknown caller to log in; an answer to a known caller may not be cached for others; a page
    with parts that refresh themselves loads htmx; with all pages stored that the others were shown, everybody is
    answered the same."""
    cells: dict[str, Cell] = {}
    answers: dict[str, Answer] = {}
    stored = StoredPages()
    for name, asker in who.items():
        stored.put_aside()
        answers[name] = answer = platform.ask(asker, row)
        faults = []
        if answer.changed and (row.safe or is_refusal(answer.outcome)):
            faults.append(f"changed {', '.join(answer.changed)}")
        if row.method != "STREAM" and asker is not platform.askers["anonymous"]:
            kept = answer.response.get("Cache-Control", "")
            if not {"private", "no-store"} & set(kept.split(", ")) and not is_for_everybody(answer.response):
                faults.append(f"may be kept for others: Cache-Control {kept!r}")
        if asker is platform.askers["anonymous"] and row.api and row.method != "STREAM" and answer.outcome == "403":
            response: Any = answer.response  # a test client's response, which can be read as JSON
            code = response.json()["error"]["code"]
            if code not in ("not_signed_in", *OF_SOMEBODY):
                faults.append(f"named the code {code}")
        if asks_again_in_vain(answer.response):
            faults.append("has parts that refresh themselves, and no htmx")
        cells[name] = Cell(row, name, answer.outcome, tuple(faults))
    if stored.put_back():
        for name, asker in who.items():
            again = platform.ask(asker, row)
            if (again.outcome, shown(again)) != (answers[name].outcome, shown(answers[name])):
                cells[name] = replace(cells[name], faults=(*cells[name].faults, "answered otherwise from the cache"))
    return cells


class StoredPages:
    """The rendered pages that are stored (`games.common.page_cache`). The cache is a dict of this process."""

    def __init__(self) -> None:
        self.cache: Any = caches[page_cache.CACHE]
        self.cache.clear()
        self.all: dict[str, Any] = {}

    def put_aside(self) -> None:
        """Empty the cache, so that the next request finds nothing."""
        self.all |= {key.split(":", 2)[2]: self.cache.get(key.split(":", 2)[2]) for key in list(self.cache._cache)}
        self.cache.clear()

    def put_back(self) -> bool:
        """Store everything again; return whether there is anything."""
        self.put_aside()
        self.cache.set_many(self.all)
        return bool(self.all)


def shown(answer: Answer) -> str:
    """Return what an answer shows, without tokens of forms and cursors, which differ each time."""
    response: Any = answer.response
    return "" if response.streaming else CHANGING.sub("", response.content.decode(errors="replace"))


def asks_again_in_vain(response: Any) -> bool:
    """Return whether this is a page with a fragment that needs htmx, and does not load it."""
    if not response.get("Content-Type", "").startswith("text/html"):
        return False
    page = response.content.decode()
    return "<html" in page and bool(ASKS_AGAIN.search(page)) and not LOADS_HTMX.search(page)


def wrong_in(cells: Mapping[str, Cell], expected: Mapping[str, str]) -> list[str]:
    """Return a line for each answer that differs from `expected`, which has them by name."""
    return [line for name, cell in cells.items() for line in cell.wrong(expected[name])]


def is_refusal(expected: str) -> bool:
    return expected == "login" or (expected != "done" and int(expected) >= 300)


def of_each_group(rows: Iterable[Row]) -> Callable[[Callable[..., None]], pytest.MarkDecorator]:
    """Return a mark that runs a test with each group of these rows, as `group`. A group has the name of its address's
    start."""
    groups = grouped(list(rows))
    return pytest.mark.parametrize("group", groups.values(), ids=groups)


def grouped(rows: list[Row], depth: int = 1) -> dict[str, list[Row]]:
    """Return the rows by the first parts of their addresses, with at most MANY rows in a group. Rows of small groups
    are joined under /…"""

    def start(row: Row) -> str:
        return "/".join(row.address.partition("?")[0].split("/")[: depth + 1])

    found: dict[str, list[Row]] = {}
    alone: dict[str, list[Row]] = {}
    for name, each in groupby(sorted(rows, key=start), start):
        group = list(each)
        if len(group) > MANY:
            found |= grouped(group, depth + 1)
        elif len(group) < 4:
            alone.setdefault(f"{name.rpartition('/')[0]}/…", []).extend(group)
        else:
            found[name] = group
    for name, group in alone.items():
        parts = [group[first : first + MANY] for first in range(0, len(group), MANY)]
        found |= {name if number == 0 else f"{name}{number + 1}": part for number, part in enumerate(parts)}
    return found
