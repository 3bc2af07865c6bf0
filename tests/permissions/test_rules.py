"""Tests of the rules that follow from a row of `table.txt`, and of whether the table is complete.

Each rule is that of one class or middleware. The tests check that every view has it, and send one request for each
scope and each reason; slow tests send all requests.

A new address or method fails here until it has a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, get_resolver
from rest_framework.authentication import SessionAuthentication

from games.accounts import scopes
from games.accounts.bearer import TokenAuthentication
from games.common.policy import stated
from games.moderation import impersonation
from tests.permissions.platform import API, PAGES, ROWS, Platform, asked_as, is_refusal, of_each_group, wrong_in
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import Row, place_of
from tests.permissions.test_matrix import nobody_has_asked_before as nobody_has_asked_before  # the fixture

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
# A mail program posts there with one click and without a session; the link's token contains everything.
NEEDS_NO_CSRF: Final = {"/me/notices/stop/<stop>/"}
# Another pattern answers first at these addresses, or they are for things that do not exist here.
SHADOWED: Final = {"admin/(?P<url>.*)$"}
# They need no user: redirects, and a page for everybody, which could not explain an invalid token.
ASKS_NOBODY: Final = {"/api/", "/api/v1/docs/"}


def one_of_each(rows: Iterable[Row], reason: Callable[[Row], object]) -> list[Row]:
    """Return the first row for each value of `reason`."""
    return list({reason(row): row for row in reversed(list(rows))}.values())


def does(row: Row) -> bool:
    """Return whether the row lets anybody in."""
    return any(not is_refusal(found) for found in row.answers)


def middleware(*names: str) -> list[int]:
    """Return the positions of these middleware. Each must exist once."""
    assert [name for name in names if settings.MIDDLEWARE.count(name) != 1] == []
    return [settings.MIDDLEWARE.index(name) for name in names]


# -- banned users, and admins who impersonate


def check_banned_and_support(platform: Platform, group: Iterable[Row]) -> None:
    wrong = []
    for row in group:
        shown = row.answer("admin") if row.support == "own" else row.answer("member")
        expected = {
            "banned": row.answer("anonymous"),
            "support": shown if row.support in ("own", "shown") else "403",
        }
        wrong += wrong_in(asked_as(platform, row, {who: platform.askers[who] for who in expected}), expected)
    assert not wrong, "\n".join(wrong)


def test_who_is_banned_is_nobody_and_who_looks_on_changes_nothing_and_sees_no_secret(platform: Platform) -> None:
    """One row of pages and of the API is requested for each reason, and every row with a separate check."""
    telling_apart_first = sorted(ROWS, key=lambda row: row.answer("anonymous") == row.answer("member"))
    asked = one_of_each(telling_apart_first, lambda row: (row.api, row.safe, row.support))
    asked += [row for row in ROWS if row.method == "STREAM" or (row.support == "secret" and is_visible(row))]
    check_banned_and_support(platform, asked)


@pytest.mark.slow
@of_each_group(ROWS)
def test_who_is_banned_or_looks_on_is_answered_so_everywhere(platform: Platform, group: list[Row]) -> None:
    check_banned_and_support(platform, group)


def test_one_middleware_says_who_asks_and_the_next_who_is_looked_at() -> None:
    session, known, looked = middleware(
        "django.contrib.sessions.middleware.SessionMiddleware",
        "games.accounts.sessions.SessionUserMiddleware",
        "games.moderation.impersonation.ImpersonationMiddleware",
    )
    assert session < known < looked
    own = {row.address for row in ROWS if row.support == "own" and row.method != "STREAM"}
    assert own == {row.address for row in ROWS if row.address.startswith(impersonation.PREFIXES_AS_ADMIN)}


def is_visible(row: Row) -> bool:
    return bool(stated(row.place.func, row.method, "visible_in_impersonation", False))


def test_what_a_support_view_shows_is_what_the_table_says() -> None:
    """Each address that a support view does not show has one of the reasons of the table's header."""
    read = [row for row in ROWS if row.safe and row.support != "own"]
    assert {row.name for row in read if row.support == "shown"} == {row.name for row in read if is_visible(row)}
    assert {row.support for row in read} <= {"shown", "changes", "secret", "others", "admins", "forms", "machines"}
    assert {row.support for row in ROWS if not row.safe} <= {"-", "own"}


# -- tokens


def check_tokens(platform: Platform, group: Iterable[Row]) -> None:
    wrong = []
    for row in group:
        if row.scope == "-":
            expected = dict.fromkeys(("read", "revoked", "banned"), row.answers[0])
            wrong += wrong_in(asked_as(platform, row, {key: platform.tokens[key] for key in expected}), expected)
            continue
        of_admins = row.scope == "admin"
        person, prefix = ("admin", "ada ") if of_admins else ("owner", "")
        tokens = {key: platform.tokens[prefix + key] for key in (row.scope, f"no {row.scope}", "read", "revoked")}
        tokens["banned"] = platform.tokens["banned"]
        expected = {
            f"no {row.scope}": "403",
            "read": "403",
            "revoked": "401",
            "banned": "403",
            row.scope: row.answer(person),
        }
        wrong += wrong_in(asked_as(platform, row, tokens), expected)
    assert not wrong, "\n".join(wrong)


def test_a_token_opens_what_its_scope_allows_and_nothing_else(platform: Platform) -> None:
    """One row that lets its owner in is requested for each scope, and each stream, which has a separate check."""
    asked = one_of_each((row for row in API if does(row)), lambda row: (row.scope, row.safe))
    asked += [row for row in API if row.method == "STREAM"]
    assert {row.scope for row in asked} == {*scopes.SCOPES, "-"}
    check_tokens(platform, asked)


@pytest.mark.slow
@of_each_group(API)
def test_a_token_opens_so_every_address_of_the_api(platform: Platform, group: list[Row]) -> None:
    check_tokens(platform, group)


def test_every_address_of_the_api_needs_the_scope_of_the_table(platform: Platform) -> None:
    wrong = []
    for row in API:
        method = "GET" if row.method == "STREAM" else row.method
        needed = "-" if row.address in ASKS_NOBODY else scopes.required_scope(row.place.func, method)
        if needed != row.scope:
            wrong.append(f"{row.line()}\n  needs {needed}")
    assert not wrong, "\n".join(wrong)


def test_every_view_of_the_api_asks_who_it_is_by_the_same_two_classes() -> None:
    """A user is known by a token, which may allow nothing, or by the browser's session, which is checked for CSRF."""
    views = {f"/{plain(path)}": pattern.callback for path, pattern in patterns() if path.startswith("api/")}
    asked_by = {path: classes_of(view) for path, view in views.items()}
    assert {path for path, classes in asked_by.items() if classes == []} == ASKS_NOBODY
    usual = [TokenAuthentication, SessionAuthentication]
    assert {path: classes for path, classes in asked_by.items() if classes not in (usual, [])} == {}


def classes_of(view: Any) -> list[type]:
    """Return the authentication classes of a view of REST framework, or of any action of its class."""
    if not hasattr(view, "cls"):
        return []
    made = [view.initkwargs, *(action.kwargs for action in actions_of(view))]
    own = [each["authentication_classes"] for each in made if "authentication_classes" in each]
    (classes,) = {tuple(each) for each in (own or [view.cls.authentication_classes])}
    return list(classes)


def actions_of(view: Any) -> list[Any]:
    named = getattr(view, "actions", None) or {}
    return [action for name in named.values() if hasattr(action := getattr(view.cls, name), "kwargs")]


def may_differ(row: Row) -> bool:
    """Return whether the answers of a row could differ between a bot and its owner, because a stranger gets another
    answer than an organiser or an admin."""
    return len({row.answer(who) for who in ("stranger", "owner", "admin")}) > 1


def check_bots(platform: Platform, group: Iterable[Row]) -> None:
    wrong = []
    for row in group:
        stated = scopes.is_allowed_for_bots(row.place.func, "GET")
        fair = {row.answer("stranger")} if stated else {"403"} if row.scope != "-" else {row.answer("anonymous")}
        cells = asked_as(platform, row, {"organiser's": platform.bot, "admin's": platform.admins_bot})
        wrong += [line for cell in cells.values() for line in cell.wrong(next(iter(fair)))]
    assert not wrong, "\n".join(wrong)


READ_BY_PROGRAMS: Final = [row for row in API if row.safe]


def test_a_bots_token_reads_what_a_stranger_reads_whoever_its_owner_is(platform: Platform) -> None:
    """The owner organises the club or is an admin, but the bot has none of these rights."""
    bots = [row for row in READ_BY_PROGRAMS if scopes.is_allowed_for_bots(row.place.func, "GET")]
    asked = [row for row in bots if may_differ(row)]
    asked += one_of_each([*bots, *READ_BY_PROGRAMS], lambda row: (row in bots, row.method, row.scope))
    check_bots(platform, asked)


@pytest.mark.slow
@of_each_group(READ_BY_PROGRAMS)
def test_a_bots_token_reads_so_at_every_address(platform: Platform, group: list[Row]) -> None:
    check_bots(platform, group)


def test_a_token_is_nothing_to_a_page(platform: Platform) -> None:
    """A page knows people by their session only."""
    row = next(row for row in PAGES if row.answer("anonymous") == "login" and row.safe)
    assert wrong_in(asked_as(platform, row, {"token": platform.tokens["read"]}), {"token": "login"}) == []


@pytest.mark.slow
def test_a_token_is_nothing_to_any_page(platform: Platform) -> None:
    for row in PAGES:
        if row.answer("anonymous") == "login" and row.method == "GET":
            assert wrong_in(asked_as(platform, row, {"token": platform.tokens["read"]}), {"token": "login"}) == []


# -- requests that another site makes a browser send


def check_other_sites(platform: Platform, group: Iterable[Row]) -> None:
    wrong = []
    for row in group:
        answer = platform.ask(platform.askers["owner"], row, from_elsewhere=True)
        if (answer.outcome == "403") == (row.address in NEEDS_NO_CSRF):
            wrong.append(f"{row.line()}\n  answered {answer.outcome} to another site")
        if answer.changed and row.address not in NEEDS_NO_CSRF:
            wrong.append(f"{row.line()}\n  changed {answer.changed}")
    assert not wrong, "\n".join(wrong)


DOING: Final = [row for row in ROWS if not row.safe]


def test_no_browser_is_made_to_do_something_by_another_site(platform: Platform) -> None:
    """One row that lets the owner in is requested for each method, of pages and of the API, and every row that needs no
    CSRF token."""
    asked = one_of_each(
        (row for row in DOING if not is_refusal(row.answer("owner")) or row.address in NEEDS_NO_CSRF),
        lambda row: (row.api, row.method, row.address.split("/")[1], row.address in NEEDS_NO_CSRF),
    )
    check_other_sites(platform, asked)


@pytest.mark.slow
@of_each_group(DOING)
def test_no_address_does_anything_for_another_site(platform: Platform, group: list[Row]) -> None:
    check_other_sites(platform, group)


def test_one_middleware_checks_all_but_the_api_which_checks_by_its_sessions() -> None:
    middleware("config.http.outside_api.Csrf")
    exempt = {plain(path) for path, pattern in patterns() if getattr(pattern.callback, "csrf_exempt", False)}
    of_api = {plain(path) for path, pattern in patterns() if hasattr(pattern.callback, "cls")}
    assert exempt == of_api | {plain(place_of(address).route) for address in NEEDS_NO_CSRF}


# -- the table is complete


def patterns(resolver: Any = None, above: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Yield the whole pattern of every address, with its entry of the URL table."""
    for each in (resolver or get_resolver()).url_patterns:
        path = above + str(each.pattern)
        if isinstance(each, URLPattern):
            yield path, each
        else:
            yield from patterns(each, path)


def plain(pattern: str) -> str:
    """Return a pattern without the signs in which patterns of the same address differ."""
    return pattern.replace("^", "")


def methods_of(pattern: URLPattern) -> set[str]:
    """Return the methods of an endpoint of the API; an empty set for a page, to which requests are sent instead."""
    view = pattern.callback
    if actions := getattr(view, "actions", None):
        return {method.upper() for method in actions} & set(METHODS)
    handles = getattr(view, "cls", None)
    return {method for method in METHODS if handles is not None and hasattr(handles, method.lower())}


def test_no_action_of_the_api_is_named_like_a_method() -> None:
    """Such an action would answer that method at every address of its class."""
    views: list[Any] = [pattern.callback for _path, pattern in patterns()]
    classes = {view.cls for view in views if hasattr(view, "actions")}
    assert [each for each in classes for method in METHODS if hasattr(each, method.lower())] == []


def of_models(path: str) -> bool:
    """Return whether this is an admin's page of a model, which `test_admin_pages` checks."""
    return any(path.startswith(f"admin/{model._meta.label_lower.replace('.', '/')}/") for model in admin.site._registry)


def test_every_address_and_method_has_a_row() -> None:
    """Each row of the API has a method. REST framework answers 405 to all other methods."""
    asked = defaultdict(set)
    for row in ROWS:
        asked[plain(row.place.route)].add("GET" if row.method == "STREAM" else row.method)
    there = {plain(path): methods_of(pattern) for path, pattern in patterns() if not of_models(path)}
    missing = {path for path in there if path not in asked and path not in SHADOWED}
    assert missing == set(), "addresses without a row"
    assert {path: methods - asked[path] for path, methods in there.items() if methods - asked[path]} == {}
    assert {path: asked[path] - there[path] for path in asked if there[path] and asked[path] - there[path]} == {}


# -- methods without a row


def without_rows(address: str) -> dict[str, Mapping[str, Row]]:
    """Return the methods of an address that have no row, each with the rows of its other methods."""
    at = [row for row in ROWS if row.address == address]
    same = [row for row in ROWS if row.place.route == at[0].place.route]  # rows of the same pattern
    has = {"GET" if row.method == "STREAM" else row.method: row for row in (*same, *at)}
    missing = [method for method in METHODS if method not in has]
    asked = missing[-1:] if at[0].api else [method for method in missing if method != "PATCH"]
    return dict.fromkeys(asked, has)


def check_methods(platform: Platform, addresses: Iterable[str]) -> None:
    wrong = []
    for address in dict.fromkeys(addresses):
        row = next(row for row in ROWS if row.address == address)
        for method, has in without_rows(address).items():
            answer = platform.ask(platform.askers["admin"], replace(row, body=None), method)
            as_a_get = has["GET"].answer("admin") if "GET" in has else "405"
            fair = {"405"} if row.api else {"405", as_a_get, "200", "403", "404"}
            if answer.changed or answer.outcome not in fair:
                wrong.append(f"{method} {address}: {answer.outcome}, changed {answer.changed}")
    assert not wrong, "\n".join(wrong)


def test_a_method_without_a_row_does_nothing(platform: Platform) -> None:
    """It is one address of the API, and pages with a GET, a POST or both."""
    pages = one_of_each(PAGES, lambda row: (row.place.func.__module__.partition(".")[0], *without_rows(row.address)))
    check_methods(platform, [row.address for row in (*one_of_each(API, lambda row: row.api), *pages)])


@pytest.mark.slow
@of_each_group(ROWS)
def test_no_method_without_a_row_does_anything(platform: Platform, group: list[Row]) -> None:
    check_methods(platform, (row.address for row in group))
