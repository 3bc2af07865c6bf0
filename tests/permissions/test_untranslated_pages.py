"""Every text of every page of the table can be translated: in a language of brackets, each text is in brackets."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Final
from zoneinfo import available_timezones

import pytest
from django.contrib.auth.models import User
from django.utils.translation import trans_real

from games.accounts.models import AccessToken
from games.accounts.scopes import SCOPES
from games.bots.kit import kit_names
from games.models import Game, Player
from tests.fixtures.bracketed_texts import left_over, translation
from tests.permissions.platform import PAGES, Platform
from tests.permissions.platform import platform as platform  # the fixture
from tests.permissions.table_rows import ROLES, Row
from tournaments.clubs.models import Club, ClubPost
from tournaments.seasons.models import Division, League, Note, Season

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

DOCUMENTS: Final = ("/help/", "/learn/", "/fairness/", "/rules/")  # whole documents, translated or in English
APART: Final = re.compile(r"(?s)<(script|style|svg|code|kbd|textarea|select)\b.*?</\1>|<!--.*?-->")
MAIN: Final = re.compile(r"(?s)<main\b.*</main>")
TAG: Final = re.compile(r"(?s)<[^>]*>")
CLAUSE: Final = re.compile(r"\([A-Z]{2}-\d+[a-z]?\)")  # of the rules, which a step cites
SHOWN: Final = re.compile(r'(?s)\b(?:title|aria-label|alt|placeholder)="([^"]*)"')
# Texts that people wrote in the world of the tests, addresses, and names of files and of webhook events.
WRITTEN: Final = (
    *(
        "Cards on Thursdays.",
        "She has asked for it.",
        "She sees no games.",
        "Dives.",
        "rosa@example.org",
        "@example.org",
        "https://",
    ),
    *("calendar.ics", "remote.py", "scorebook_bot.py", "game.over", "ping", "UTC", "API", "Scorebook"),
    *("(CSV)", "(JSON)", "Random", "Sensible", "Strong"),
)

CODES: Final = {"/admin/dashboard/, admin": ["person"]}  # the sort of an action's target in the audit log


def reader_of(row: Row) -> str | None:
    """Return the last role that may see the page, or None if no role may."""
    return next((role for role, found in reversed([*zip(ROLES, row.answers, strict=True)]) if found == "200"), None)


def names() -> list[str]:
    """Return the texts of rows, which nobody translates."""
    columns = ((Club, "name"), (League, "name"), (Season, "name"), (Division, "name"), (Player, "name"))
    rows = [*columns, (ClubPost, "title"), (ClubPost, "text"), (Note, "text"), (User, "username"), (User, "email")]
    rows += [(Game, "public_id"), (AccessToken, "name")]
    texts = {text for model, column in rows for text in model._default_manager.values_list(column, flat=True)}
    return [*filter(None, texts), *WRITTEN, *kit_names(), *(f"{scope}:" for scope in SCOPES), *available_timezones()]


def untranslated(response: Any, own: list[str]) -> list[str]:
    """Return the texts of a page, also of attributes, that are not in brackets, or [] if the answer is not HTML."""
    if not response.get("Content-Type", "").startswith("text/html"):
        return []
    found: list[str] = []
    for main in MAIN.findall(response.content.decode()):
        shown = APART.sub("\n", main)
        text = "\n".join([TAG.sub("\n", shown), *SHOWN.findall(shown)])
        found += left_over(CLAUSE.sub("", unescape(text)), own)
    return found


def test_no_text_of_any_page_is_untranslated(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [row for row in PAGES if row.method == "GET" and not row.address.startswith(DOCUMENTS)]
    own = names()
    monkeypatch.setattr(trans_real, "translation", translation)
    trans_real.deactivate_all()
    found, seen = {}, 0
    for row in pages:
        if (role := reader_of(row)) is None:
            continue
        platform.nobody_has_asked()
        answer = platform.ask(platform.askers[role], row)
        seen += 1
        if left := untranslated(answer.response, own):
            found[f"{row.address}, {role}"] = left
    assert seen > 90
    assert found == CODES
