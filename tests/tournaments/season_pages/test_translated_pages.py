"""Every text of a page goes through gettext: in a test language that adds brackets, no text lacks them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.utils.translation import trans_real

from games.accounts.scopes import SCOPES
from games.bots.kit import kit_names
from games.models import Player
from tests.factories.people import browser
from tests.fixtures.bracketed_texts import left_over, translation
from tests.tournaments.club import Start, let_play
from tournaments.seasons.models import Division, Season

pytestmark = pytest.mark.django_db

PAGES = (
    "/",
    "/watch/",
    "/play/",
    "/clubs/",
    "/ratings/",
    "/bots/",
    "/me/",
    "/me/games/",
    "/me/notices/",
    "/me/tokens/",
    "/me/vacation/",
    "/inbox/",
)
OF_CLUB = ("", "members/", "calendar/", "settings/", "invitations/", "log/", "new-season/")
OF_SEASON = ("", "rounds/", "standings/", "settings/", "activity/")
APART = re.compile(r"(?s)<(script|style|svg|code|kbd|textarea|select)\b.*?</\1>|<!--.*?-->")
MAIN = re.compile(r"(?s)<main\b.*</main>")
TAG = re.compile(r"<[^>]*>")


def test_no_text_of_a_page_is_untranslated(running: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    season = running(4)
    let_play(1, open_next=True)
    club = season.league.club
    client = browser(club.owner)
    home = f"/clubs/{club.slug}/"
    names = [
        club.name,
        season.league.name,
        season.name,
        club.zone,
        "Scorebook",
        "Random",
        "Sensible",
        "Strong",
        "API",
        "&nbsp;",
    ]
    names += ["(CSV)", "(JSON)", club.owner.username, *kit_names(), *(f"{scope}:" for scope in SCOPES)]
    names += [*Player.objects.values_list("name", flat=True), *Division.objects.values_list("name", flat=True)]
    monkeypatch.setattr(trans_real, "translation", translation)
    trans_real.deactivate_all()
    found = {}
    for path in [*PAGES, *(home + page for page in OF_CLUB), *(season_path(season, home) + page for page in OF_SEASON)]:
        response = client.get(path)
        found[path] = response.status_code if response.status_code != 200 else untranslated(response, names)
    assert {path: left for path, left in found.items() if left} == {}


def season_path(season: Season, home: str) -> str:
    return f"{home}{season.league.slug}/{season.slug}/"


def untranslated(response: Any, names: list[str]) -> list[str]:
    """Return the texts of the page that did not go through gettext."""
    [main] = MAIN.findall(response.content.decode())
    return left_over(TAG.sub("\n", APART.sub("\n", main)), [name for name in names if name])
