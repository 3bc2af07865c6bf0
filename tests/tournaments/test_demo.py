"""The demo club."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from games import clock
from games.bots.house import BOTS
from games.models import BotVersion, Game
from tests.tournaments.club import BEGIN, play_season
from tournaments import director
from tournaments.demo import BOT_PACE_MS
from tournaments.models import Club, League, Season

pytestmark = pytest.mark.django_db


def demo() -> list[str]:
    out = StringIO()
    with clock.at(BEGIN):
        call_command("demo", at_once=True, stdout=out)
    return out.getvalue().splitlines()


def test_demo_makes_a_club_whose_leagues_are_being_played() -> None:
    demo()
    assert Club.objects.get().zone == "Europe/Dublin"
    seasons = Season.objects.order_by("kind")
    assert [(one.kind, one.status, one.pool) for one in seasons] == [
        ("chinese_ten", "running", "bots"),
        ("palace", "running", "bots"),
        ("plate_spinner", "running", "bots"),
        ("plates", "running", "bots"),
        ("platinum_fish", "running", "bots"),
    ]
    with clock.at(BEGIN):
        director.advance()
    assert Game.objects.filter(kind="chinese_ten").count() == 8
    assert Game.objects.filter(kind="plates").count() == 9
    assert Game.objects.filter(kind="platinum_fish").count() == 6
    assert all(game.local for game in Game.objects.all())
    assert set(BotVersion.objects.values_list("program", flat=True)) <= set(BOTS)


def test_demo_tells_its_passwords_once_and_they_open_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREBOOK_ADMIN_PASSWORD", "from the environment")
    told = dict(line.removeprefix("Login ").split(", password ") for line in demo()[:2])
    assert told["admin"] == "from the environment"
    organiser = authenticate(username="organiser", password=told["organiser"])
    admin = authenticate(username="admin", password=told["admin"])
    assert organiser == Club.objects.get().owner
    assert admin is not None
    assert admin.is_superuser
    assert not any("password " in line and told["organiser"] in line for line in demo())


def test_demo_twice_is_the_same_as_once() -> None:
    demo()
    before = [list(rows.objects.values()) for rows in (Club, League, Season, BotVersion)]
    demo()
    assert [list(rows.objects.values()) for rows in (Club, League, Season, BotVersion)] == before


def test_demo_has_no_end() -> None:
    demo()
    play_season(Season.objects.get(kind="plates"))
    assert list(Season.objects.filter(kind="plates").values_list("name", "status").order_by("pk")) == [
        ("Autumn 2026", "finished"),
        ("Autumn 2026, no. 2", "running"),
    ]


def test_demo_games_last_long_enough_to_be_watched() -> None:
    call_command("demo", stdout=StringIO())
    paces = Season.objects.values_list("kind", "terms__bot_pace_ms")
    assert dict(paces) == BOT_PACE_MS
