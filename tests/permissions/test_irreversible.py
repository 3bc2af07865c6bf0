"""What cannot be undone needs a confirmation. Each such request is sent without it, by a user who may do it.

Every page that takes a POST, and every button of a page with several, is either tested here or listed in `HARMLESS`,
with the way to undo it. A new one fails until it is in one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from django.core.cache import cache

from games.common.confirmation import (
    CONFIRMED_FIELD,
    IRREVERSIBLE,
    NO_REASON,
    NOT_CONFIRMED,
    REASON_NEEDED,
    REQUIRED_REASON,
)
from tests.assertions.page import Page
from tests.config.test_api_twins import TWINS
from tests.permissions.platform import Platform
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.requests import Answer, filled, filled_body
from tests.permissions.table_rows import ROLES

RUNNING, ENTRIES = "/clubs/<club>/<league>/<running>/", "/clubs/<club>/<league>/<entries>/"
# Code → (page or button of `TWINS`, user who may do it, address, other fields of the form).
ASKED: Final[Mapping[str, tuple[str, str, str, dict[str, str]]]] = {
    "start_season": ("season-start", "organiser", f"{ENTRIES}start/", {}),
    "abandon_season": ("step abandon", "organiser", f"{RUNNING}step/", {"do": "abandon", "how": "stands"}),
    "withdraw_entrant": ("step withdraw", "organiser", f"{RUNNING}step/", {"do": "withdraw", "entrant": "<playing>"}),
    "leave_season": ("step leave", "member", f"{RUNNING}step/", {"do": "leave"}),
    "leave_team": ("season-team-leave", "member", "/clubs/<club>/<league>/<team_season>/teams/<team>/leave/", {}),
    "remove_season": ("season-remove", "organiser", f"{ENTRIES}remove/", {}),
    "undo_round": ("season-undo-round", "organiser", f"{RUNNING}undo-round/", {}),
    "decide_match": ("match-decide", "organiser", "/matches/<match>/decide/", {"place0": "1", "place1": "2"}),
    "annul_game": ("match-annul", "organiser", "/matches/<match>/games/1/annul/", {}),
    "replay_game": ("match-replay", "organiser", "/matches/<match>/games/1/replay/", {}),
    "decline_dispute": ("dispute-decline", "organiser", "/matches/<match>/disputes/<dispute>/decline/", {}),
    "new_commentary_address": ("season-commentary", "organiser", f"{RUNNING}commentary/", {"do": "create"}),
    "withdraw_commentary": ("season-commentary", "organiser", f"{RUNNING}commentary/", {"do": "withdraw"}),
    "archive_club": ("club-archive", "owner", "/clubs/<club>/archive/", {}),
    "take_over_club": ("club-transfer", "member", "/clubs/<club>/transfer/", {"do": "accept"}),
    "leave_club": ("club-leave", "member", "/clubs/<club>/leave/", {}),
    "remove_member": ("club-remove-member", "owner", "/clubs/<club>/remove-member/?member=<martha_member>", {}),
    "revoke_invitation": (
        "club-invitations",
        "organiser",
        "/clubs/<club>/invitations/",
        {"do": "revoke", "id": "<invitation>"},
    ),
    "decline_invitation": ("own-invitation", "member", "/my-invitations/<own_invitation>/", {"do": "decline"}),
    "delete_post": ("club-change-news", "organiser", "/clubs/<club>/change-news/?post=<post>", {"do": "delete"}),
    "delete_account": ("me-delete", "stranger", "/me/delete/", {"name": "Laura"}),
    "revoke_token": ("me-token-revoke", "member", "/me/tokens/<token>/revoke/", {}),
    "remove_webhook": ("club-webhook", "organiser", "/clubs/<club>/webhooks/<hook>/", {"do": "remove"}),
    "new_webhook_secret": ("my-webhook", "member", "/me/webhooks/<my_hook>/", {"do": "rotate"}),
    "new_calendar_address": ("me-calendar", "member", "/me/calendar/", {"do": "make"}),
    "remove_calendar_address": ("me-calendar", "member", "/me/calendar/", {"do": "revoke"}),
    "new_bot_version": ("remote-bot", "member", "/me/remote-bots/<remote>/", {"form": "version"}),
}
# Tested elsewhere, because they need another world, or because several buttons call the same service.
ELSEWHERE: Final[Mapping[str, str]] = {
    "step decline-challenge": "tests/tournaments/entries/test_challenges.py",
    "inbox withdraw": "tests/tournaments/organiser/test_page_of_inbox.py",
    "inbox decline": "the same question as that of withdrawing, for who plays by now",
    "inbox start": "the same question as on the season's page",
    "inbox decide": "a form of its own, which needs a reason",
    "inbox adjudicate": "a form of its own, which needs a reason",
    "season-results": "a form of its own, which needs a reason",
    "invitation": "the same question as that of one's own invitation",
    "admin": "the confirm page of games.admin_actions.registry, which needs a reason",
    "replay": "the table in the browser asks before resigning, leaving and finishing",
}
# All other pages and buttons, with the way to undo each.
HARMLESS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("me", "shortcuts", "notices-stop", "zone", "club-settings", "season-change", "bot-change"), "set it again"
    ),
    **dict.fromkeys(("notices-seen", "notice-open", "me-conduct"), "only says that it was read"),
    **dict.fromkeys(("me-tokens", "my-webhooks", "club-webhooks", "remote-bots", "bot-new", "bot-upload"), "one more"),
    **dict.fromkeys(("club-new", "season-new", "season-import", "club-news"), "can be cancelled, archived, deleted"),
    **dict.fromkeys(("play", "play-now", "open-table-act", "play-again"), "an offer: make another, or sit elsewhere"),
    "seek": "cancel it; resign a game that nobody has moved in",
    **dict.fromkeys(("season-team-new", "season-team-change", "match-lineup", "match-substitute"), "name others"),
    **dict.fromkeys(("vacation", "end-vacation", "my-seasons", "match-times"), "say otherwise"),
    **dict.fromkeys(("step answer-round", "season-availability", "availability-link"), "say otherwise"),
    **dict.fromkeys(("webhook ping", "webhook resend", "webhook on", "webhook off"), "nothing is lost"),
    **dict.fromkeys(
        ("bot-challenge", "bot-compare", "bot-play", "bot-rerun-trial"), "games of one's own bots; play another"
    ),
    **dict.fromkeys(("club-members", "club-join", "season-join", "step admit", "inbox admit"), "can be removed, leave"),
    **dict.fromkeys(("inbox accept", "inbox refuse"), "can be removed; may ask again after a week"),
    **dict.fromkeys(("step pause", "step resume", "inbox resume", "step extend", "inbox extend"), "the other button"),
    **dict.fromkeys(("step accept-invitation",), "can leave until it starts"),
    **dict.fromkeys(("step challenge", "step withdraw-challenge", "step accept-challenge"), "a match is played"),
    **dict.fromkeys(("step check-in", "check-in", "inbox nudge"), "only says that somebody is there, or wanted"),
    **dict.fromkeys(("season-pair-again",), "what was set up takes its course"),
    **dict.fromkeys(("my-mistake",), "it is asked again"),
    **dict.fromkeys(("puzzle",), "another puzzle tomorrow"),
    **dict.fromkeys(("review",), "another review, the same to the byte"),
    **dict.fromkeys(("talk", "talk-remove"), "said once more; admins read what was removed"),
    **dict.fromkeys(("me-mute", "me-note"), "set it again"),
    **dict.fromkeys(("report", "match-dispute", "ban-object"), "words to those who decide, who answer"),
}


@pytest.fixture(autouse=True)
def nobody_has_asked_before(db: None) -> None:
    cache.clear()


def sent(platform: Platform, code: str, **more: str) -> Answer:
    """Send the request of `code` as the user who may do it, and return the answer."""
    _kind, who, address, body = ASKED[code]
    if code.endswith("calendar_address"):
        assert platform.world.at["calendar"], "There is one to lose."
    found = filled_body({**body, **more}, platform.world.at)
    return platform.askers[who].ask("POST", filled(address, platform.world.at), found)


def code_of(answer: Answer) -> str:
    page = Page.of(answer.response)
    return next((attrs["data-code"] or "" for _tag, attrs in page.tags if "data-code" in attrs), "")


@pytest.mark.parametrize("code", ASKED)
def test_what_cannot_be_undone_is_refused_until_it_is_confirmed(platform: Platform, code: str) -> None:
    bare = sent(platform, code, note="Because.", reason="Because.")
    assert (bare.outcome, code_of(bare), bare.changed) == ("422", NOT_CONFIRMED, [])
    if IRREVERSIBLE[code] == REQUIRED_REASON:
        silent = sent(platform, code, **{CONFIRMED_FIELD: code})
        assert (silent.outcome, code_of(silent), silent.changed) == ("422", REASON_NEEDED, [])


# These change only rows that `Asker` ignores. tests/games/bots/remote and tests/tournaments/calendar check these rows.
UNSEEN: Final = {"revoke_token", "new_calendar_address", "remove_calendar_address"}


# Of these the world allows only the question; other tests do them: tests/tournaments/season_pages/test_setup.py …
NOT_HERE: Final = ("archive_club", "decide_match", "new_commentary_address", "start_season")


@pytest.mark.parametrize("code", [code for code in ASKED if code not in NOT_HERE])
def test_what_is_confirmed_is_done(platform: Platform, code: str) -> None:
    reason = {} if IRREVERSIBLE[code] == NO_REASON else {"note": "Because.", "reason": "Because.", "key": "once"}
    answer = sent(platform, code, **{CONFIRMED_FIELD: code, **reason})
    assert answer.outcome in ("done", "200", "302"), answer
    assert answer.changed or code in UNSEEN


def test_everything_that_a_page_does_is_asked_first_or_has_a_way_back() -> None:
    asked = {kind for kind, _who, _address, _body in ASKED.values()}
    assert sorted(set(TWINS) - asked - set(ELSEWHERE) - set(HARMLESS)) == []
    assert sorted((asked | set(ELSEWHERE) | set(HARMLESS)) - set(TWINS)) == []
    assert sorted(set(IRREVERSIBLE) - set(ASKED)) == ["decline_challenge"]
    assert {who for _kind, who, _address, _body in ASKED.values()} <= set(ROLES)


WITH_REASON: Final[tuple[tuple[str, str, str, dict[str, Any]], ...]] = (
    ("organiser", "POST", "/api/v1/seasons/<running_id>/abandon/", {"how": "stands"}),
    ("organiser", "POST", "/api/v1/seasons/<running_id>/withdraw/", {"entrant": "<playing>"}),
    ("organiser", "DELETE", "/api/v1/seasons/<entries_id>/", {}),
    ("organiser", "POST", "/api/v1/matches/<match>/annul/", {"game": 1}),
    ("organiser", "DELETE", "/api/v1/clubs/<club>/members/<martha_member>/", {}),
    ("owner", "POST", "/api/v1/clubs/<club>/archive/", {}),
)


@pytest.mark.parametrize(("who", "method", "address", "body"), WITH_REASON)
def test_the_api_needs_the_reason_that_the_page_asks_for(
    platform: Platform, who: str, method: str, address: str, body: Mapping[str, Any]
) -> None:
    answer = platform.askers[who].ask(method, filled(address, platform.world.at), filled_body(body, platform.world.at))
    assert (answer.outcome, answer.changed) == ("400", [])


def test_what_was_sent_is_sent_once_more_with_the_answer(platform: Platform) -> None:
    """The page works without a script, because its form contains the fields of the first request."""
    page = Page.of(sent(platform, "withdraw_entrant").response)
    held = {attrs.get("name"): attrs.get("value") for tag, attrs in page.tags if tag == "input"}
    assert held["do"] == "withdraw"
    assert held["entrant"] == str(platform.world.at["playing"])
    assert page.faults() == []


def test_nobody_else_is_asked(platform: Platform) -> None:
    """A user who may not do it is refused before the confirmation."""
    _kind, _who, address, body = ASKED["abandon_season"]
    found = platform.askers["member"].ask("POST", filled(address, platform.world.at), body)
    assert found.outcome == "403"
