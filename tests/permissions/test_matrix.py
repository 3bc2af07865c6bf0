"""Who may: each cell of `table.txt` is asked for real, and the table covers the URL table.

A new address or method fails here until it has a row; the failure prints the row as it was answered, to be read and,
where it is right, put into the table.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import pytest
from django.contrib import admin
from django.core.cache import cache
from django.urls import URLPattern, get_resolver

from games.accounts import scopes, tokens
from games.moderation import support
from games.remote import door as remote
from tests.permissions.asking import Answer, Asker, filled, filled_body
from tests.permissions.reading import ROLES, Row, rows
from tests.permissions.world import World
from tournaments.clubs import founding

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
ROWS: Final = rows()
ADDRESSES: Final = list(dict.fromkeys(row.address for row in ROWS))
# A mail program posts there with one click and no session; the link's token says all that there is to say.
NEEDS_NO_CSRF: Final = {"/me/notices/stop/<stop>/"}


class House:
    """The world, and everybody who asks in it."""

    def __init__(self) -> None:
        self.world = World()
        users = self.world.people
        self.askers = {role: Asker.signed_in(users.get(name or "")) for role, name in ROLES.items()}
        self.askers["banned"] = Asker.signed_in(users["Boris"])
        self.askers["support"] = Asker.looking_on(users["Ada"], self.world.at["view"])
        self.tokens = {name: Asker.with_token(secret) for name, secret in self.world.secrets.items()}
        self.world.ban_boris()
        bot = remote.make(owner=users["Niamh"], name="Auk")
        self.bot = Asker.with_token(tokens.make(user=users["Niamh"], name="bot", wanted=["read", "play"], bot=bot)[1])
        of_admin = remote.make(owner=users["Ada"], name="Gull")
        self.admins_bot = Asker.with_token(
            tokens.make(user=users["Ada"], name="bot", wanted=["read", "play"], bot=of_admin)[1]
        )

    def ask(self, who: Asker, row: Row, method: str = "", *, from_elsewhere: bool = False) -> Answer:
        at = self.world.at
        return who.ask(
            method or row.method, filled(row.address, at), filled_body(row.body, at), from_elsewhere=from_elsewhere
        )


@pytest.fixture(scope="module")
def house(kept: None) -> House:
    return House()


@pytest.fixture(autouse=True)
def nobody_has_asked_before(db: None) -> None:
    """Limits are counted in the cache."""
    cache.clear()


def is_refusal(told: str) -> bool:
    return told == "login" or (told != "done" and int(told) >= 300)


def asked_as(house: House, row: Row, who: dict[str, Asker]) -> dict[str, str]:
    """What each of them is told; whoever is refused, or only reads, has changed nothing, and no answer to somebody who
    is known may be kept for others."""
    told = {}
    for name, asker in who.items():
        answer = house.ask(asker, row)
        told[name] = answer.told
        assert not answer.changed or not (row.safe or is_refusal(answer.told)), (name, row.line(), answer)
        if row.method != "STREAM" and asker is not house.askers["anonymous"]:
            kept = answer.response.get("Cache-Control", "")
            assert {"private", "no-store"} & set(kept.split(", ")), (name, row.line(), f"Cache-Control: {kept}")
    return told


# -- the cells


@pytest.mark.parametrize("address", ADDRESSES)
def test_each_person_is_answered_as_the_table_says(house: House, address: str) -> None:
    wrong = []
    for row in of(address):
        told = asked_as(house, row, {role: house.askers[role] for role in ROLES})
        found = replace(row, answers=tuple(told.values()))
        if found != row:
            wrong.append(found.line())
    assert not wrong, "answered otherwise:\n" + "\n".join(wrong)


def of(address: str) -> list[Row]:
    return [row for row in ROWS if row.address == address]


@pytest.mark.parametrize("address", dict.fromkeys(row.address for row in ROWS if row.private))
def test_a_private_club_is_not_there_for_others_and_as_it_was_for_its_own(house: House, address: str) -> None:
    founding.change(club=house.world.club, user=house.world.club.owner, visibility="private")
    wrong = []
    for row in of(address):
        told = asked_as(house, row, {role: house.askers[role] for role in ("anonymous", "stranger")})
        found = replace(row, private=tuple(told.values()))
        if found != row:
            wrong.append(found.line())
        within = asked_as(house, row, {role: house.askers[role] for role in ("member",)})
        assert within == {"member": row.answer("member")}, row.line()
    assert not wrong, "answered otherwise:\n" + "\n".join(wrong)


@pytest.mark.parametrize("address", ADDRESSES)
def test_who_is_banned_is_nobody_and_who_looks_on_changes_nothing_and_sees_no_secret(
    house: House, address: str
) -> None:
    wrong = []
    for row in of(address):
        shown = row.answer("admin") if row.support == "own" else row.answer("member")
        expected = {
            "banned": row.answer("anonymous"),
            "support": shown if row.support in ("own", "shown") else "403",
        }
        told = asked_as(house, row, {who: house.askers[who] for who in expected})
        if told != expected:
            wrong.append(f"{row.line()}\n  {told}, not {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("address", [address for address in ADDRESSES if address.startswith("/api/")])
def test_a_token_opens_what_its_scope_allows_and_nothing_else(house: House, address: str) -> None:
    wrong = []
    for row in of(address):
        if row.scope == "-":
            keys = ("read", "revoked", "banned")
            assert asked_as(house, row, {key: house.tokens[key] for key in keys}) == dict.fromkeys(keys, row.answers[0])
            continue
        of_admins = row.scope == "admin"
        person, prefix = ("admin", "ada ") if of_admins else ("owner", "")
        tokens = {key: house.tokens[prefix + key] for key in (row.scope, f"no {row.scope}", "read", "revoked")}
        tokens["banned"] = house.tokens["banned"]
        expected = {
            f"no {row.scope}": "403",
            "read": "403",
            "revoked": "401",
            "banned": "403",
            row.scope: row.answer(person),
        }
        told = asked_as(house, row, tokens)
        if told != expected:
            wrong.append(f"{row.line()}\n  {told}, not {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("address", [row.address for row in ROWS if row.api and row.safe])
def test_a_bots_token_reads_what_a_stranger_reads_whoever_its_owner_is(house: House, address: str) -> None:
    """The owner organises the club, or is an admin: that is theirs and not the bot's."""
    row = next(row for row in of(address) if row.safe)
    stated = scopes.bot_may("GET", filled(row.address, house.world.at))
    fair = {row.answer("stranger")} if stated else {"403"} if row.scope != "-" else {row.answer("anonymous")}
    told = asked_as(house, row, {"organiser's": house.bot, "admin's": house.admins_bot})
    assert set(told.values()) <= fair, (row.line(), told)


def test_a_token_is_nothing_to_a_page(house: House) -> None:
    pages = [row for row in ROWS if not row.api and row.answer("anonymous") == "login" and row.method == "GET"]
    assert {house.ask(house.tokens["read"], row).told for row in pages} == {"login"}


@pytest.mark.parametrize("address", dict.fromkeys(row.address for row in ROWS if not row.safe))
def test_no_browser_is_made_to_do_something_by_another_site(house: House, address: str) -> None:
    for row in of(address):
        if not row.safe:
            answer = house.ask(house.askers["owner"], row, from_elsewhere=True)
            assert (answer.told == "403") == (row.address not in NEEDS_NO_CSRF), row.line()
            assert not answer.changed or row.address in NEEDS_NO_CSRF, row.line()


# -- the table is whole


def patterns(resolver: Any = None, above: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address there is, by its whole pattern."""
    for each in (resolver or get_resolver()).url_patterns:
        path = above + str(each.pattern)
        if isinstance(each, URLPattern):
            yield path, each
        else:
            yield from patterns(each, path)


def plain(pattern: str) -> str:
    """Without what one pattern has of its own and a longer one of several has not."""
    return pattern.replace("^", "")


def methods_of(pattern: URLPattern) -> set[str]:
    """Those that an endpoint of the API has; a page is asked instead."""
    view = pattern.callback
    if actions := getattr(view, "actions", None):
        return {method.upper() for method in actions} & set(METHODS)
    handles = getattr(view, "cls", None)
    return {method for method in METHODS if handles is not None and hasattr(handles, method.lower())}


def test_no_action_of_the_api_is_named_like_a_method() -> None:
    """It would answer that method at every address of its class."""
    views: list[Any] = [pattern.callback for _path, pattern in patterns()]
    classes = {view.cls for view in views if hasattr(view, "actions")}
    assert [each for each in classes for method in METHODS if hasattr(each, method.lower())] == []


def of_models(path: str) -> bool:
    """Whether that is an admin's page of a model, which `test_admin_pages` asks for."""
    return any(path.startswith(f"admin/{model._meta.label_lower.replace('.', '/')}/") for model in admin.site._registry)


def test_every_address_and_method_has_a_row() -> None:
    asked = defaultdict(set)
    for row in ROWS:
        asked[plain(row.place.route)].add("GET" if row.method == "STREAM" else row.method)
    there = {plain(path): methods_of(pattern) for path, pattern in patterns() if not of_models(path)}
    missing = {path for path in there if path not in asked and path not in SHADOWED}
    assert missing == set(), "addresses without a row"
    assert {path: methods - asked[path] for path, methods in there.items() if methods - asked[path]} == {}
    assert {path: asked[path] - there[path] for path in asked if there[path] and asked[path] - there[path]} == {}


def test_what_a_support_view_shows_is_what_the_table_says() -> None:
    """And each address that it does not show has a reason why not, of those that the table's head explains."""
    read = [row for row in ROWS if row.safe and row.support != "own"]
    assert {row.name for row in read if row.support == "shown"} == support.SHOWN
    assert {row.support for row in read} <= {"shown", "changes", "secret", "others", "admins", "forms", "machines"}
    assert {row.support for row in ROWS if not row.safe} <= {"-", "own"}


# Another pattern before these answers at their addresses, or they are for what there is none of.
SHADOWED: Final = {"admin/(?P<url>.*)$"}


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_method_without_a_row_does_nothing(house: House, address: str) -> None:
    row = of(address)[0]
    same = [each for each in ROWS if each.place.route == row.place.route]  # about other things, at the same place
    has = {"GET" if each.method == "STREAM" else each.method: each for each in (*same, *of(address))}
    missing = [method for method in METHODS if method not in has]
    asked = missing[-1:] if row.api else [method for method in missing if method != "PATCH"]  # of classes, see above
    for method in asked:
        answer = house.ask(house.askers["admin"], replace(row, body=None), method)
        assert answer.changed == [], (method, address)
        as_a_get = has["GET"].answer("admin") if "GET" in has else "405"
        fair = {"405"} if row.api else {"405", as_a_get, "200", "403", "404"}
        assert answer.told in fair, (method, address, answer.told)
