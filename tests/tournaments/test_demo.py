"""The demo club."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import call_command

from games.accounts import people
from games.common import clock
from games.models import BotVersion, Game, Player
from scorebook_games.bots.builtin import BUILTIN_BOTS
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, play_season
from tests.tournaments.entries.test_entries import faults
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.maintenance import demo_people
from tournaments.maintenance.demo import BOT_PACE_MS
from tournaments.organiser.inbox import inbox_items
from tournaments.seasons.models import Bye, League, Match, Note, SealedLineup, Season
from tournaments.seasons.stream import fold_season, season_log

pytestmark = pytest.mark.django_db


def demo(*, bots_only: bool = True) -> list[str]:
    out = StringIO()
    with clock.frozen_at(BEGIN):
        call_command("demo", at_once=True, bots_only=bots_only, stdout=out)
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
    with clock.frozen_at(BEGIN):
        director.advance()
    assert Game.objects.filter(kind="chinese_ten").count() == 8
    assert Game.objects.filter(kind="plates").count() == 9
    assert Game.objects.filter(kind="platinum_fish").count() == 6
    assert all(game.played_by_workers for game in Game.objects.all())
    assert set(BotVersion.objects.values_list("program", flat=True)) <= set(BUILTIN_BOTS)


def test_demo_tells_its_passwords_once_and_they_open_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOREBOOK_ADMIN_PASSWORD", "from the environment")
    found = dict(line.removeprefix("Login ").split(", password ") for line in demo()[:2])
    assert found["admin"] == "from the environment"
    organiser = authenticate(username="organiser", password=found["organiser"])
    admin = authenticate(username="admin", password=found["admin"])
    assert organiser == Club.objects.get().owner
    assert admin is not None
    assert admin.is_superuser
    assert not any("password " in line and found["organiser"] in line for line in demo())


def test_demo_twice_is_the_same_as_once() -> None:
    demo()
    before = [list(rows.objects.values()) for rows in (Club, League, Season, BotVersion)]
    demo()
    assert [list(rows.objects.values()) for rows in (Club, League, Season, BotVersion)] == before


@pytest.mark.slow
def test_demo_has_no_end() -> None:
    demo()
    play_season(Season.objects.get(kind="plates"))
    assert list(Season.objects.filter(kind="plates").values_list("name", "status").order_by("pk")) == [
        ("Autumn 2026", "finished"),
        ("Autumn 2026, no. 2", "running"),
    ]


def test_demo_games_last_long_enough_to_be_watched() -> None:
    call_command("demo", bots_only=True, stdout=StringIO())
    paces = Season.objects.values_list("kind", "terms__bot_pace_ms")
    assert dict(paces) == BOT_PACE_MS


# its seasons of people


@pytest.fixture
@world
def troubled(db: None) -> Club:
    demo(bots_only=False)
    return Club.objects.get()


def season_event_types(league: str) -> list[str]:
    """Return the types of events in the stream of that league's season."""
    return [event.type for event in season_log(Season.objects.get(league__slug=league))]


@pytest.mark.slow
def test_the_seasons_of_people_have_had_every_trouble_of_a_club(troubled: Club) -> None:
    types = season_event_types("thursday")
    for trouble in (
        "entrant_away",
        "game_adjudicated",
        "game_annulled",
        "entrant_withdrawn",
        "match_disputed",
        "match_appointed",
    ):
        assert trouble in types
    assert {bye.kind for bye in Bye.objects.filter(round__division__season__league__slug="thursday")} == {"bye", "away"}
    season = Season.objects.get(league__slug="thursday")
    assert fold_season(season).division(1).missed()  # somebody did not come
    # a cup is under way, and a ladder waits for a challenge
    quarters = Match.objects.filter(round__division__season__league__slug="cup", round__number=2)
    assert {match.finished_at is None for match in quarters} == {True, False}
    assert season_event_types("ladder").count("entrant_challenged") == 6
    assert season_event_types("ladder").count("challenge_refused") == 1
    assert "at sea" in Note.objects.get(season__league__slug="ladder").text
    ladder = fold_season(Season.objects.get(league__slug="ladder")).division(1)
    assert len(ladder.challenges) == 1
    # and of two teams that meet, one has handed in its line-up
    for trouble in ("lineup_handed_in", "board_substituted"):
        assert trouble in season_event_types("teams")
    assert SealedLineup.objects.filter(match__round__number=2).count() == 1
    # so the organiser's inbox has items
    with clock.frozen_at(BEGIN):
        found = inbox_items([troubled])
    assert {"dispute", "untimed"} <= {item.what for item in found}


@pytest.mark.slow
def test_a_second_demo_leaves_the_seasons_of_people_alone_and_rebuild_finds_no_fault(troubled: Club) -> None:
    assert faults() == []
    before = [list(rows.objects.values()) for rows in (User, Player, League, Season, Match)]
    assert any("The Ladder already exists." in line for line in demo(bots_only=False))
    assert [list(rows.objects.values()) for rows in (User, Player, League, Season, Match)] == before
    everybody = User.objects.filter(username__startswith="lantern-")
    assert everybody.count() == len(demo_people.PEOPLE_NAMES)
    assert not any(user.has_usable_password() for user in everybody)  # nobody can log in as one of them


@pytest.mark.slow
def test_a_name_that_somebody_has_is_left_to_them() -> None:
    taken = people.create_profile_and_player(User.objects.create_user("marigold"), "Marigold")
    demo(bots_only=False)
    assert Player.objects.get(name="Marigold") == taken
    assert Player.objects.get(user__username="lantern-marigold").name == "Marigold of Lantern Street"
