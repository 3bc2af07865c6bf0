"""Setting up seasons through the API: the same answers as the form's, for programs.

Niamh owns the club, Otto organises, Martha and Laura play there, Ada is the admin.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.models import Player
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import schema_for
from scorebook_games.registry import KINDS
from tests.fixtures.players import laura, martha, otto, person, sign_in
from tests.tournaments.club import new_club
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.seasons.models import League, Season

__all__ = ["laura", "martha", "otto", "person", "sign_in"]
pytestmark = pytest.mark.django_db
WEEK = 7 * 86400


@pytest.fixture
def club() -> Club:
    niamh = User.objects.create_user("niamh")
    club = new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)
    League.objects.create(club=club, name="Palace League", slug="palace")
    return club


@pytest.fixture
def organiser(club: Club, otto: Player, sign_in: Callable[[Player], Client]) -> Client:
    assert otto.user
    club.memberships.create(user=otto.user, role="organiser")
    return sign_in(otto)


def wanted(**changed: Any) -> dict[str, Any]:
    usual = {"club": "lantern", "league": "palace", "name": "Spring", "kind": "palace", "bots": {"random": 2}}
    return {**usual, **changed}


def post(browser: Client, path: str, data: dict[str, Any] | None = None) -> Any:
    return browser.post(f"/api/v1/seasons/{path}", data or {}, content_type="application/json")


# the kinds


def test_every_kind_tells_its_options_and_terms_with_help() -> None:
    kinds = Client().get("/api/v1/kinds/").json()
    assert [kind["kind"] for kind in kinds] == list(KINDS)
    for found in kinds:
        spec = KINDS[found["kind"]].spec
        assert (found["title"], found["seats_min"], found["seats_max"]) == (spec.title, spec.seats_min, spec.seats_max)
        for group, options in (("options", spec.options), ("terms", schema_for(paces_of(KINDS[found["kind"]].rules)))):
            assert [(each["name"], each["help"], each["type"]) for each in found[group]] == [
                (each.name, each.help, each.type) for each in options
            ]
        for option in [*found["options"], *found["terms"]]:
            assert option["help"].endswith(".")
            assert option["choices"] or option["type"] != "choice"
        assert found["built_in_bots"]


def test_a_default_that_depends_on_the_seats_is_told_for_each_number() -> None:
    """PA-1: one pack serves two players."""
    usual = Client().get("/api/v1/kinds/palace/").json()["usual"]
    assert {seats: options["packs"] for seats, options in usual.items()} == {"2": 1, "3": 2, "4": 2, "5": 3, "6": 3}


def test_there_is_no_kind_of_another_name() -> None:
    answer = Client().get("/api/v1/kinds/bridge/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_kind")


# a season


def test_a_season_is_set_up_whole_and_then_runs_itself(
    club: Club, organiser: Client, martha: Player, laura: Player
) -> None:
    for player in (martha, laura):
        assert player.user
        club.memberships.create(user=player.user)
    begins = clock.now() + timedelta(hours=1)
    plan = wanted(
        league="",
        new_league="Palace Nights",
        table_size=4,
        format="round_robin",
        options={"joker": "reverse", "turn_limit": 50},
        terms={"move_seconds": 3600, "rated": False},
        games_a_match=1,
        starts_at=begins.isoformat(),
        calendar={"seconds": WEEK},
        players=[martha.pk, laura.pk],
        points={"system": "placing", "scale": [5, 3, 1, 0], "bye": 0},
        tie_breaks=["wins", "lots"],
        start=True,
    )
    answer = post(organiser, "", plan)
    assert answer.status_code == 201
    data = answer.json()
    assert data == Client().get(f"/api/v1/seasons/{data['id']}/").json()
    assert (data["club"], data["league"], data["status"], data["pool"]) == (
        "lantern",
        "palace-nights",
        "running",
        "mixed",
    )
    assert data["options"] == KINDS["palace"].resolve(4, {"joker": "reverse", "turn_limit": 50})
    assert (data["terms"]["move_seconds"], data["terms"]["rated"]) == (3600, False)
    assert (data["points"]["scale"], data["tie_breaks"]) == ([5, 3, 1, 0], ["wins", "lots"])
    with clock.frozen_at(begins):
        director.advance()
    [game] = Client().get("/api/v1/games/").json()["results"]
    assert game["options"] == data["options"]
    assert {seat["player"]["name"] for seat in game["seats"]} == {"Martha", "Laura", "Random", "Random 2"}


@pytest.mark.some(10)
@pytest.mark.parametrize(
    ("changed", "status", "code", "field"),
    [
        ({"kind": "bridge"}, 400, "unknown_kind", "kind"),
        ({"options": {"jokers": "two"}}, 400, "bad_option", "options.jokers"),
        ({"options": {"wild": 1}}, 400, "bad_option", "options.wild"),
        ({"terms": {"pace": "slow"}}, 400, "bad_option", "terms.pace"),
        ({"table_size": 7}, 400, "bad_option", "table_size"),
        ({"format": "lottery"}, 400, "bad_format", "format"),
        ({"games_a_match": 99}, 400, "bad_format", "games_a_match"),
        ({"points": {"system": "sums"}}, 400, "bad_points", "points"),
        ({"tie_breaks": ["beauty"]}, 400, "bad_tie_break", "tie_breaks"),
        ({"starts_at": "2001-01-01T00:00:00Z"}, 400, "bad_schedule", "starts_at"),
        ({"starts_at": "9999-12-31T00:00:00Z"}, 400, "bad_schedule", "starts_at"),
        ({"calendar": {"seconds": 10**9}}, 400, "bad_schedule", "calendar.seconds"),
        ({"name": "…"}, 400, "bad_name", "name"),
        ({"league": "", "new_league": "!"}, 400, "bad_name", "new_league"),
        ({"league": "", "new_league": "Palace"}, 409, "name_taken", "new_league"),
        ({"league": "bridge"}, 404, "league_not_found", "league"),
        ({"bots": {"oracle": 1}}, 400, "bad_entrants", "bots"),
        ({"players": [424242]}, 400, "bad_entrants", "players"),
        ({"terms": {"pace": "live"}}, 409, "bot_in_live_season", "entrants"),
        ({"bots": {"random": 1}, "start": True}, 409, "too_few_entrants", "entrants"),
    ],
)
def test_a_refusal_names_the_field_and_nothing_is_written(
    organiser: Client, changed: dict[str, Any], status: int, code: str, field: str
) -> None:
    answer = post(organiser, "", wanted(**changed))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (status, code, field)
    assert error["sentence"].endswith(".")
    assert not Season.objects.exists()
    assert not Player.objects.filter(bot_version__isnull=False).exists()
    assert League.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": None}, "name"),
        ({"bots": {"random": 9}}, "bots"),
        ({"players": ["x"]}, "players"),
        ({"options": []}, "options"),
        ({"starts_at": "soon"}, "starts_at"),
        ({"table_size": "many"}, "table_size"),
        ({"club": ""}, "club"),
    ],
)
def test_what_has_the_wrong_shape_is_named(organiser: Client, changed: dict[str, Any], field: str) -> None:
    answer = post(organiser, "", wanted(**changed))
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "invalid")
    assert list(error["fields"]) == [field]


def test_a_change_keeps_what_is_not_sent(organiser: Client) -> None:
    points = {"system": "game_wins", "scale": [3], "bye": 0}
    made = post(organiser, "", wanted(options={"ace": "reset"}, points=points, tie_breaks=["lots"])).json()
    path = f"/api/v1/seasons/{made['id']}/"
    answer = organiser.patch(path, {"name": "Summer", "bots": {"sensible": 1}}, content_type="application/json")
    assert answer.status_code == 200
    data = answer.json()
    assert {**data, "name": "Spring", "slug": "spring", "divisions": made["divisions"]} == made
    assert (data["name"], data["options"]["ace"]) == ("Summer", "reset")
    assert Season.objects.get().divisions.get().entrants.count() == 3


def test_another_kind_or_size_begins_from_its_usual_options(organiser: Client) -> None:
    made = post(organiser, "", wanted(options={"ace": "reset"})).json()
    path = f"/api/v1/seasons/{made['id']}/"
    data = organiser.patch(path, {"kind": "plates", "table_size": 3}, content_type="application/json").json()
    assert data["options"] == KINDS["plates"].resolve(3, {})
    assert (data["games_a_match"], data["points"]["system"]) == (3, "placing")


def test_an_open_season_is_entered_started_and_then_not_removed(
    organiser: Client, martha: Player, sign_in: Any
) -> None:
    made = post(organiser, "", wanted(bots={"random": 1})).json()
    own = sign_in(martha)
    assert post(own, f"{made['id']}/join/").status_code == 200
    again = post(own, f"{made['id']}/join/")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_joined")
    assert post(organiser, f"{made['id']}/start/").json()["status"] == "running"
    assert post(organiser, f"{made['id']}/start/").json()["error"]["code"] == "season_started"
    path = f"/api/v1/seasons/{made['id']}/"
    late = organiser.patch(path, {"name": "Late"}, content_type="application/json")
    assert (late.status_code, late.json()["error"]["code"]) == (409, "season_started")
    director.advance()
    assert organiser.delete(path).json()["error"]["code"] == "season_played"


def test_a_season_is_given_up_while_nothing_is_paired(organiser: Client) -> None:
    made = post(organiser, "", wanted()).json()
    assert organiser.delete(f"/api/v1/seasons/{made['id']}/").status_code == 204
    assert not Season.objects.exists()


@pytest.mark.parametrize(("role", "code"), [("anonymous", "not_signed_in"), ("member", "not_organiser")])
def test_who_may_not_is_told_why(club: Club, organiser: Client, martha: Player, role: str, code: str) -> None:
    """tests/permissions checks for every role who may do it."""
    made = post(organiser, "", wanted()).json()
    browser = Client()
    if role == "member":
        assert martha.user
        club.memberships.create(user=martha.user, role=role)
        browser.force_login(martha.user)
    path = f"/api/v1/seasons/{made['id']}/"
    answers = [
        post(browser, "", wanted(name="Theirs")),
        browser.patch(path, {"name": "Theirs too"}, content_type="application/json"),
        post(browser, f"{made['id']}/start/"),
        browser.delete(path),
    ]
    assert [(answer.status_code, answer.json()["error"]["code"]) for answer in answers] == [(403, code)] * 4
    assert Season.objects.count() == 1


# presets


def test_a_preset_fills_what_a_program_leaves_out(organiser: Client) -> None:
    listed = {each["key"]: each for each in organiser.get("/api/v1/seasons/presets/").json()}
    assert listed["evening"]["settings"]["games_a_match"] == 1
    made = post(organiser, "", wanted(preset="evening", terms={"move_seconds": 45}))
    assert made.status_code == 201
    season = Season.objects.get()
    assert (season.format, season.games_a_match, season.settings["format_options"]) == ("swiss", 1, {"rounds": 5})
    assert (season.terms["move_seconds"], season.terms["bank_seconds"]) == (45, 120)


def test_a_season_like_a_former_one_of_the_club(organiser: Client) -> None:
    post(organiser, "", wanted(format="knockout", bots={"random": 1, "sensible": 1}))
    former = Season.objects.get()
    made = post(organiser, "", {"club": "lantern", "name": "Summer", "kind": "palace", "like": former.pk})
    assert made.status_code == 201, made.content
    season = Season.objects.get(name="Summer")
    assert (season.format, season.entries.count(), season.league) == ("knockout", 2, former.league)
    assert season.starts_at - former.starts_at == timedelta(weeks=1)
    assert post(organiser, "", wanted(name="Autumn", like=former.pk + 99)).status_code == 404
