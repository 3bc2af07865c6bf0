"""The API can do whatever a page can. This compares pages, API and admin.

`TWINS` is the table: each page that takes a POST, or each button of a page with several, with the operations that do
the same. A new page, button or operation without a row fails.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from config import api_router
from tournaments import organiser, season_pages, webhooks
from tournaments.organiser import views as inbox_pages
from tournaments.season_pages import action_views
from tournaments.webhooks import views as webhook_pages

CLUB, SEASON, MATCH, TABLE, BOT = "clubs/{slug}/", "seasons/{id}/", "matches/{id}/", "tables/{token}/", "bots/{name}/"
TALK: Final = "talk/{place}/{of}/"
TIMES: Final = "matches/{match_id}/times/"
MINE, CLUBS = "me/webhooks/{id}/", "clubs/{club}/webhooks/{id}/"
# Page, or page and button → operations.
TWINS: Final[dict[str, tuple[str, ...]]] = {
    "me": ("PATCH me/", "POST me/push-devices/", "DELETE me/push-devices/{id}/"),
    "me-delete": ("DELETE me/",),
    "me-tokens": ("POST me/tokens/",),
    "me-token-revoke": ("DELETE me/tokens/{id}/",),
    "notices-seen": ("POST me/notices/seen/",),
    "notice-open": ("POST me/notices/seen/",),
    "notices-stop": ("PATCH me/",),
    "zone": ("PATCH me/",),
    "shortcuts": ("PATCH me/",),
    "play": ("POST tables/",),
    "play-now": ("POST tables/", f"POST {TABLE}sit/"),
    "open-table-act": tuple(f"POST {TABLE}{what}/" for what in ("sit", "leave", "decline", "close", "fill", "ready")),
    "seek": ("POST seek/", "DELETE seek/", "POST seek/bot/"),
    "play-again": ("POST tables/",),
    "remote-bots": ("POST remote-bots/",),
    "remote-bot": ("POST remote-bots/{id}/games/", "POST remote-bots/{id}/versions/", "DELETE me/tokens/{id}/"),
    "vacation": ("POST me/vacations/",),
    "end-vacation": ("DELETE me/vacations/{id}/",),
    "check-in": ("POST games/{public_id}/ready/",),
    "puzzle": ("POST puzzles/{kind}/{date}/",),
    "my-mistake": ("POST me/mistakes/{exercise}/answer/",),
    "review": ("POST games/{public_id}/review/{seat}/", "DELETE games/{public_id}/review/{seat}/"),
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
    "inbox nudge": ("POST matches/{match_id}/nudge/",),
    "inbox adjudicate": (f"POST {MATCH}adjudicate/",),
    "inbox decide": (f"POST {MATCH}adjudicate/",),
    "inbox extend": (f"POST {SEASON}extend/",),
    "inbox accept": (f"POST {CLUB}requests/{{asked}}/{{answer}}/",),
    "inbox refuse": (f"POST {CLUB}requests/{{asked}}/{{answer}}/",),
    "inbox admit": (f"POST {SEASON}admit/",),
    "inbox decline": (f"POST {SEASON}withdraw/",),
    "inbox withdraw": (f"POST {SEASON}withdraw/",),
    "inbox resume": (f"POST {SEASON}resume/",),
    "inbox start": (f"POST {SEASON}start/",),
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
    "season-commentary": (f"POST {SEASON}commentary/", f"DELETE {SEASON}commentary/"),
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
            "accept-invitation",
            "check-in",
            "challenge",
            "accept-challenge",
            "decline-challenge",
            "withdraw-challenge",
            "admit",
            "withdraw",
            "answer-round",
        )
    },
    "season-availability": (f"POST {SEASON}answer-round/",),
    "availability-link": (f"POST {SEASON}answer-round/",),
    "report": ("POST reports/",),
    "me-conduct": ("POST me/conduct/{id}/read/",),
    "talk": (f"POST {TALK}",),
    "talk-remove": ("POST talk/messages/{id}/remove/",),
    "me-mute": ("PUT me/mutes/{id}/", "DELETE me/mutes/{id}/"),
    "me-note": ("PUT me/notes/{about}/{of}/",),
    "ban-object": ("POST me/conduct/{id}/object/",),
    "bot-new": ("POST bots/",),
    "bot-upload": (f"POST {BOT}versions/",),
    "bot-change": (f"PATCH {BOT}",),
    "bot-challenge": (f"POST {BOT}challenges/",),
    "bot-compare": (f"POST {BOT}comparisons/",),
    "bot-play": (f"POST {BOT}versions/{{number}}/play/",),
    "bot-rerun-trial": (f"POST {BOT}versions/{{number}}/admission/",),
    "season-team-new": (f"POST {SEASON}register-team/",),
    "season-team-change": (f"POST {SEASON}change-team/",),
    "season-team-leave": (f"POST {SEASON}leave-team/",),
    "match-lineup": (f"POST {MATCH}lineup/",),
    "match-substitute": (f"POST {MATCH}substitute/",),
    "season-undo-round": (f"POST {SEASON}undo-round/",),
    "season-pair-again": (f"POST {SEASON}pair-again/",),
    "season-results": (f"POST {MATCH}adjudicate/",),
    "match-decide": (f"POST {MATCH}adjudicate/",),
    "match-annul": (f"POST {MATCH}annul/",),
    "match-replay": (f"POST {MATCH}replay/",),
    "match-dispute": (f"POST {MATCH}dispute/",),
    "dispute-decline": (f"POST {MATCH}decline/",),
    # the table and the replay viewer, which are programs in the browser
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
    # the admin's confirmation pages, made from the same registry
    "admin": ("POST admin/actions/",),
}
# Pages that accept a POST without an operation, with the reason.
OF_BROWSERS: Final[Mapping[str, str]] = {
    "impersonation": "an admin looks on in the browser; the admin's action support_view is its operation",
    "support-end": "and stops looking on",
    "guest-signup": "a guest signs up: with a password, in a browser",
}
# Operations without a page, with the reason.
OF_PROGRAMS: Final[Mapping[str, str]] = {
    f"POST {TABLE}invite/": "on a page one names whom one invites when the table is set up",
}
# Page that shows something → the operations that return the same.
READS: Final[dict[str, tuple[str, ...]]] = {
    "home": ("GET me/games/", "GET me/notices/"),
    "me": ("GET me/", "GET me/push-devices/"),
    "my-turn": ("GET me/games/",),
    "me-export": ("GET me/export/",),
    "me-tokens": ("GET me/tokens/",),
    "me-calendar": ("GET me/calendar/",),
    "me-conduct": ("GET me/conduct/", "GET reports/"),
    "talk": (f"GET {TALK}", "GET talk/phrases/"),
    "talk-message": (f"GET {TALK}",),
    "me-talk": ("GET me/notes/", "GET me/mutes/"),
    "me-note": ("GET me/notes/",),
    "my-games": ("GET me/games/",),
    "my-seasons": ("GET me/seasons/",),
    "my-webhooks": ("GET me/webhooks/",),
    "my-webhook": ("GET me/webhooks/{id}/", "GET me/webhooks/{id}/deliveries/"),
    "notices": ("GET me/notices/",),
    "vacation": ("GET me/vacations/",),
    "play": ("GET tables/", "GET kinds/"),
    "seek": ("GET seek/",),
    "open-table": ("GET tables/{token}/",),
    "watch": ("GET games/",),
    "replay": ("GET games/{public_id}/replay/", "GET games/{public_id}/events/", "GET games/{public_id}/turn/"),
    "broadcast": ("GET games/{public_id}/replay/",),
    "embed": ("GET games/{public_id}/replay/",),
    "commentary": ("GET games/{public_id}/commentary/{secret}/",),
    "commentary-games": ("GET commentary/{secret}/",),
    "season-commentary": (f"GET {SEASON}commentary/",),
    "puzzles": ("GET puzzles/",),
    "puzzle": ("GET puzzles/{kind}/{date}/",),
    "my-mistakes": ("GET me/mistakes/",),
    "my-mistake": ("GET me/mistakes/{exercise}/",),
    "review": ("GET games/{public_id}/review/{seat}/",),
    "club-list": ("GET clubs/",),
    "club": (f"GET {CLUB}", "GET seasons/", f"GET {CLUB}news/"),
    "club-news": (f"GET {CLUB}news/",),
    "club-change-news": (f"GET {CLUB}news/",),
    "club-calendar": (f"GET {CLUB}calendar/",),
    "club-members": (f"GET {CLUB}members/", f"GET {CLUB}requests/"),
    "club-remove-member": (f"GET {CLUB}members/",),
    "club-log": (f"GET {CLUB}events/",),
    "club-settings": (f"GET {CLUB}",),
    "club-invitations": (f"GET {CLUB}invitations/",),
    "club-transfer": (f"GET {CLUB}transfer/",),
    "club-webhooks": ("GET clubs/{club}/webhooks/",),
    "club-webhook": ("GET clubs/{club}/webhooks/{id}/", "GET clubs/{club}/webhooks/{id}/deliveries/"),
    "inbox": ("GET inbox/",),
    "club-inbox": ("GET clubs/{club}/inbox/",),
    "club-audit-log": ("GET clubs/{club}/audit-log/",),
    "season-rulings": ("GET clubs/{club}/audit-log/", "GET clubs/{club}/inbox/"),
    "season": ("GET matches/", f"GET {SEASON}", f"GET {SEASON}entrants/"),
    "season-standings": tuple(f"GET {SEASON}{what}/" for what in ("standings", "what-if", "strengths")),
    "season-team": (f"GET {SEASON}teams/", f"GET {MATCH}boards/"),
    "season-availability": (f"GET {SEASON}availability/", f"GET {SEASON}entrants/"),
    "availability-link": (f"GET {SEASON}availability/", "GET me/seasons/"),
    "season-hall": ("GET matches/", f"GET {SEASON}rounds/"),
    "season-rounds": ("GET matches/", f"GET {SEASON}rounds/"),
    "season-activity": (f"GET {SEASON}timeline/",),
    "season-settings": (f"GET {SEASON}",),
    "season-export": ("GET seasons/{season_id}/export/",),
    "match": (f"GET {MATCH}", f"GET {TIMES}"),
    "ratings": ("GET ratings/", "GET rating-pools/"),
    "introduction": ("GET kinds/{kind}/introduction/",),
    "player": ("GET players/{id}/", "GET ratings/", "GET games/"),
    "bots": ("GET bots/",),
    "bot": tuple(f"GET {BOT}{what}" for what in ("", "versions/", "comparisons/", "faults/", "ratings/")),
    "bot-results": (f"GET {BOT}results/",),
    "bot-analysis": (f"GET {BOT}analysis/",),
    "bot-source": (f"GET {BOT}versions/{{number}}/source/",),
    "fault": (f"GET {BOT}faults/",),
    "remote-bots": ("GET remote-bots/",),
    "remote-bot": ("GET remote-bots/{id}/", "GET me/tokens/"),
}
# Pages that only show a form or a confirmation. Their POST is in `TWINS`.
FORMS: Final = {
    *("bot-new", "club-archive", "club-join", "club-leave", "club-new", "dispute-decline", "invitation"),
    "season-results",
    *("match-annul", "match-decide", "match-dispute", "match-replay", "me-delete", "notices-stop", "report"),
    *("match-lineup", "match-substitute"),
    *(
        "season-change",
        "season-import",
        "season-new",
        "season-pair-again",
        "season-remove",
        "season-team-change",
        "season-team-new",
        "season-undo-round",
        "shortcuts",
        "zone",
    ),
}
# Pages without an operation, with the reason.
FOR_READERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("fairness", "learn", "help-document", "help-file", "rules"),
        "a text, the same for everybody",
    ),
    **dict.fromkeys(
        ("club-calendar-feed", "season-calendar-feed", "player-calendar-feed", "calendar-secret"),
        "a file for calendar programs",
    ),
    **dict.fromkeys(
        (
            *("bot-badge", "bot-picture", "club-picture", "game-picture"),
            *("match-picture", "player-picture", "puzzle-picture", "season-picture", "season-team-picture", "oembed"),
        ),
        "what other programs show beside a link",
    ),
    "service-worker": "a script for browsers",
    "metrics": "figures for Prometheus",
    "javascript-catalog": "the words of the front end, in a reader's language",
    "robots": "a file for search engines",
    "kit": "a file of the kit, the same for everybody",
    "lab": "a program that runs in the browser; what it reads and uploads is in the API",
    "lab-frame": "the frame in which the lab runs bots",
    "lab-starter": "a text, the same for everybody",
    "guest-signup": "a guest signs up: with a password, in a browser",
    "impersonation": "an admin looks on in the browser; a program sends the header Support-View",
    "support-export": "the file of the admin's action export_person, whose answer names the address",
    "support-password": "the link of the admin's action new_password, to be handed over; as it",
}
# Pages whose POST goes to other pages. Each of their buttons has a row.
BUTTONS: Final[Mapping[str, tuple[str, Mapping[str, object]]]] = {
    "inbox": ("inbox", inbox_pages.ACTIONS),
    "club-inbox": ("inbox", inbox_pages.ACTIONS),
    "season-step": ("step", action_views.ACTIONS),
    "club-webhook": ("webhook", webhook_pages.ACTIONS),
    "my-webhook": ("webhook", webhook_pages.ACTIONS),
}
# Pages whose programs in the browser send to the API.
BY_PROGRAM: Final = {"replay", "admin"}


def pages() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every page with its name, without the API, the admin and allauth's pages."""

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
    """Return whether the view's source accepts a POST: by `require_POST`, a list of methods, or a condition."""
    source = inspect.getsource(inspect.unwrap(view))
    return any(word in source for word in ("request.POST", "require_POST", '"POST"', "@get_or_post"))


def is_shown(view: Callable[..., Any]) -> bool:
    """Return whether the page shows something."""
    return "require_POST" not in inspect.getsource(inspect.unwrap(view))


@pytest.fixture(scope="module")
def everything() -> set[str]:
    """Return all operations of the OpenAPI document."""
    schema: dict[str, Any] = api_router.schema_document()
    return {
        f"{method.upper()} {path.removeprefix('/api/v1/')}"
        for path, methods in schema["paths"].items()
        for method in methods
    }


@pytest.fixture(scope="module")
def operations(everything: set[str]) -> set[str]:
    """Return all operations that change something."""
    return {each for each in everything if not each.startswith("GET ")}


def test_what_a_page_shows_the_api_tells(everything: set[str]) -> None:
    shown = {name for name, view in pages() if is_shown(view)}
    assert sorted(shown - set(READS) - FORMS - set(FOR_READERS)) == []
    assert sorted((set(READS) | FORMS | set(FOR_READERS)) - shown - BY_PROGRAM) == []
    assert sorted({operation for row in READS.values() for operation in row} - everything) == []
    assert sorted(FORMS - set(TWINS)) == []


def test_every_page_that_does_something_has_its_twin_in_the_api() -> None:
    doing = {name for name, view in pages() if takes_a_post(view)}
    assert {"me", "club-members", "bot-upload", "season-step"} <= doing
    assert sorted(doing - set(TWINS) - set(OF_BROWSERS) - set(BUTTONS)) == []
    rows = {name for name in TWINS if " " not in name}
    assert sorted(rows - doing - BY_PROGRAM) == []


def test_every_button_of_a_page_with_several_has_its_own() -> None:
    wanted = {f"{row} {button}" for row, forms in BUTTONS.values() for button in forms}
    assert sorted(wanted - set(TWINS)) == []
    assert sorted({name for name in TWINS if " " in name} - wanted) == []


@pytest.mark.parametrize(
    ("package", "actions"),
    [
        (season_pages, {*action_views.ACTIONS, "show", "save", "start"}),  # the last three are of a season's form
        (organiser, {*inbox_pages.ACTIONS, *action_views.ACTIONS, "away", "there"}),
        (webhooks, {*webhook_pages.ACTIONS, *webhook_pages.ACTION_QUESTIONS}),
    ],
)
def test_every_button_in_the_templates_asks_for_something_that_is_done(package: ModuleType, actions: set[str]) -> None:
    [folder] = package.__path__
    html = "".join(path.read_text() for path in Path(folder).glob("templates/**/*.html"))
    buttons = [tag for tag in re.findall(r"<button[^>]*>", html) if 'name="do"' in tag]
    asked = {re.search(r'value="([^"]*)"', tag)[1] for tag in buttons}  # type: ignore[index]
    assert asked
    assert sorted(each for each in asked - actions if "{" not in each) == []


def test_every_operation_that_a_row_names_is_there(operations: set[str]) -> None:
    named = {operation for row in TWINS.values() for operation in row}
    assert sorted(named - operations) == []


def test_every_operation_is_that_of_a_page(operations: set[str]) -> None:
    named = {operation for row in TWINS.values() for operation in row}
    assert sorted(operations - named - set(OF_PROGRAMS)) == []
    assert sorted(set(OF_PROGRAMS) - operations | set(OF_PROGRAMS) & named) == []
