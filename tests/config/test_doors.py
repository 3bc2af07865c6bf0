"""What pages, API and admin can do, compared: whatever a person can do on a page, a program can do by the API.

`TWINS` is the table: each page that takes a POST, and each button of one with several, with the operations that do
the same. A new page, button or operation without a row fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from tournaments import step_pages
from tournaments.desk import pages as desk_pages
from tournaments.webhooks import pages as webhook_pages

CLUB, SEASON, MATCH, TABLE, BOT = "clubs/{slug}/", "seasons/{id}/", "matches/{id}/", "tables/{token}/", "bots/{name}/"
TIMES: Final = "matches/{match_id}/times/"
MINE, CLUBS = "me/webhooks/{id}/", "clubs/{club}/webhooks/{id}/"
# Page, or page and button → operations.
TWINS: Final[dict[str, tuple[str, ...]]] = {
    "me": ("PATCH me/",),
    "me-delete": ("DELETE me/",),
    "me-tokens": ("POST me/tokens/",),
    "me-token-revoke": ("DELETE me/tokens/{id}/",),
    "notices-seen": ("POST me/notices/seen/",),
    "notice-open": ("POST me/notices/seen/",),
    "notices-stop": ("PATCH me/",),
    "zone": ("PATCH me/",),
    "play": ("POST tables/",),
    "play-now": ("POST tables/", f"POST {TABLE}sit/"),
    "open-table-act": tuple(f"POST {TABLE}{what}/" for what in ("sit", "leave", "decline", "close", "fill", "ready")),
    "again": ("POST tables/",),
    "remote-bots": ("POST remote-bots/",),
    "remote-bot": ("POST remote-bots/{id}/games/", "POST remote-bots/{id}/versions/", "DELETE me/tokens/{id}/"),
    "vacation": ("POST me/vacations/",),
    "end-vacation": ("DELETE me/vacations/{id}/",),
    "check-in": ("POST games/{public_id}/ready/",),
    "match-times": (
        f"POST {TIMES}",
        f"DELETE {TIMES}{{proposal_id}}/",
        f"POST {TIMES}{{proposal_id}}/accept/",
        f"POST {TIMES}{{proposal_id}}/decline/",
    ),
    "me-calendar": ("POST me/calendar/", "DELETE me/calendar/"),
    "club-new": ("POST clubs/",),
    "club-news": (f"POST {CLUB}news/",),
    "club-change-news": (f"PUT {CLUB}news/{{post}}/", f"DELETE {CLUB}news/{{post}}/"),
    "club-members": (f"PATCH {CLUB}members/{{member}}/", f"POST {CLUB}requests/{{asked}}/{{answer}}/"),
    "club-remove-member": (f"DELETE {CLUB}members/{{member}}/",),
    "club-join": (f"POST {CLUB}join/", f"DELETE {CLUB}join/"),
    "club-leave": (f"POST {CLUB}leave/",),
    "club-settings": (f"PATCH {CLUB}",),
    "club-invitations": (
        f"POST {CLUB}invitations/",
        f"POST {CLUB}invitations/{{invitation}}/resend/",
        f"DELETE {CLUB}invitations/{{invitation}}/",
    ),
    "club-transfer": (f"POST {CLUB}transfer/", f"DELETE {CLUB}transfer/", f"POST {CLUB}transfer/accept/"),
    "club-archive": (f"POST {CLUB}archive/", f"POST {CLUB}unarchive/"),
    "invitation": ("POST club-invitations/use/",),
    "own-invitation": ("POST club-invitations/{id}/accept/", "POST club-invitations/{id}/decline/"),
    "desk nudge": ("POST matches/{match_id}/nudge/",),
    "desk decide": (f"POST {MATCH}adjudicate/",),
    "desk extend": (f"POST {SEASON}extend/",),
    "desk accept": (f"POST {CLUB}requests/{{asked}}/{{answer}}/",),
    "desk refuse": (f"POST {CLUB}requests/{{asked}}/{{answer}}/",),
    "desk admit": (f"POST {SEASON}admit/",),
    "desk decline": (f"POST {SEASON}withdraw/",),
    "desk withdraw": (f"POST {SEASON}withdraw/",),
    "desk resume": (f"POST {SEASON}resume/",),
    "desk start": (f"POST {SEASON}start/",),
    "my-seasons": (f"POST {SEASON}away/",),
    "my-webhooks": ("POST me/webhooks/",),
    "my-webhook": (f"POST {MINE}rotate/", f"DELETE {MINE}"),
    "club-webhooks": ("POST clubs/{club}/webhooks/",),
    "club-webhook": (f"POST {CLUBS}rotate/", f"DELETE {CLUBS}"),
    "webhook ping": (f"POST {MINE}ping/", f"POST {CLUBS}ping/"),
    "webhook on": (f"PATCH {MINE}", f"PATCH {CLUBS}"),
    "webhook off": (f"PATCH {MINE}", f"PATCH {CLUBS}"),
    "webhook resend": tuple(f"POST {of}deliveries/{{message}}/resend/" for of in (MINE, CLUBS)),
    "season-new": ("POST seasons/", "POST seasons/preview/"),
    "season-change": (f"PATCH {SEASON}", "POST seasons/preview/"),
    "season-start": (f"POST {SEASON}start/",),
    "season-join": (f"POST {SEASON}join/",),
    "season-remove": (f"DELETE {SEASON}",),
    "season-import": ("POST seasons/import/",),
    **{
        f"step {step}": (f"POST {SEASON}{step}/",)
        for step in (
            "pause",
            "resume",
            "extend",
            "abandon",
            "leave",
            "check-in",
            "challenge",
            "accept-challenge",
            "decline-challenge",
            "withdraw-challenge",
            "admit",
            "withdraw",
            "away",
        )
    },
    "report": ("POST reports/",),
    "me-conduct": ("POST me/conduct/{id}/read/",),
    "ban-object": ("POST me/conduct/{id}/object/",),
    "bot-new": ("POST bots/",),
    "bot-upload": (f"POST {BOT}versions/",),
    "bot-change": (f"PATCH {BOT}",),
    "bot-challenge": (f"POST {BOT}challenges/",),
    "bot-compare": (f"POST {BOT}comparisons/",),
    "bot-play": (f"POST {BOT}versions/{{number}}/play/",),
    "bot-again": (f"POST {BOT}versions/{{number}}/gate/",),
    "season-undo-round": (f"POST {SEASON}undo-round/",),
    "season-pair-anew": (f"POST {SEASON}pair-anew/",),
    "match-decide": (f"POST {MATCH}adjudicate/",),
    "match-annul": (f"POST {MATCH}annul/",),
    "match-replay": (f"POST {MATCH}replay/",),
    "match-dispute": (f"POST {MATCH}dispute/",),
    "dispute-decline": (f"POST {MATCH}decline/",),
    # the table and the viewer, which are programs in the browser
    "replay": tuple(
        f"POST games/{{public_id}}/{what}/"
        for what in (
            "moves",
            "bundles",
            "ready",
            "resign",
            "offer-abort",
            "accept-abort",
            "decline-abort",
            "rematch",
            "decline-rematch",
            "continue",
        )
    ),
    # the admin's confirm pages, made from the same registry
    "admin": ("POST admin/actions/",),
}
# Pages that take a POST, and why there is no operation for them.
OF_BROWSERS: Final[Mapping[str, str]] = {
    "support-look": "an admin looks on in the browser; the admin's action support_view is its operation",
    "support-end": "and stops looking on",
    "keep": "a guest signs up: with a password, in a browser",
}
# Operations that no page has, and why.
OF_PROGRAMS: Final[Mapping[str, str]] = {
    f"POST {TABLE}invite/": "on a page one names whom one invites when the table is set up",
}
# Pages whose POST is that of others: each of their buttons has a row.
BUTTONS: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    "desk": ("desk", desk_pages.DOORS),
    "club-desk": ("desk", desk_pages.DOORS),
    "season-step": ("step", step_pages.STEPS),
    "club-webhook": ("webhook", webhook_pages.DOORS),
    "my-webhook": ("webhook", webhook_pages.DOORS),
}
# Their pages are programs in the browser, which send to the API itself.
BY_PROGRAM: Final = {"replay", "admin"}


def pages() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every page by its name; not the API, the admin and what is allauth's own."""

    def walk(resolver: Any, above: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        for each in resolver.url_patterns:
            path = above + str(each.pattern)
            if path.startswith(("api/", "admin/", "accounts/", "health/")):
                continue
            if isinstance(each, URLResolver):
                yield from walk(each, path)
            elif isinstance(each, URLPattern) and each.name:
                yield each.name, each.callback

    return walk(get_resolver(), "")


def takes_a_post(view: Callable[..., Any]) -> bool:
    """Whether the view's source says so: by `require_POST`, a list of methods, or by asking."""
    source = inspect.getsource(inspect.unwrap(view))
    return any(word in source for word in ("request.POST", "require_POST", '"POST"', "@BOTH"))


@pytest.fixture(scope="module")
def operations() -> set[str]:
    """What the OpenAPI document lets programs do, besides reading."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return {
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in schema["paths"].items()
        for method in methods
        if method != "get"
    }


def test_every_page_that_does_something_has_its_twin_in_the_api() -> None:
    doing = {name for name, view in pages() if takes_a_post(view)}
    assert {"me", "club-members", "bot-upload", "season-step"} <= doing
    assert sorted(doing - set(TWINS) - set(OF_BROWSERS) - set(BUTTONS)) == []
    rows = {name for name in TWINS if " " not in name}
    assert sorted(rows - doing - BY_PROGRAM) == []


def test_every_button_of_a_page_with_several_has_its_own() -> None:
    wanted = {f"{row} {button}" for row, doors in BUTTONS.values() for button in doors}
    assert sorted(wanted - set(TWINS)) == []
    assert sorted({name for name in TWINS if " " in name} - wanted) == []


def test_every_operation_that_a_row_names_is_there(operations: set[str]) -> None:
    named = {operation for row in TWINS.values() for operation in row}
    assert sorted(named - operations) == []


def test_every_operation_is_that_of_a_page(operations: set[str]) -> None:
    named = {operation for row in TWINS.values() for operation in row}
    assert sorted(operations - named - set(OF_PROGRAMS)) == []
    assert sorted(set(OF_PROGRAMS) - operations | set(OF_PROGRAMS) & named) == []
