"""The form's part about formats, who may enter, divisions, points, ties and policies: the season has what was chosen,
the form shows what the season has, and the preview counts what is then played."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games.common import clock
from games.models import Game
from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, play_all
from tests.tournaments.season_pages.test_setup import SHORT_OPTIONS, errors, filled, send, typed_back
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.formats import FORMATS
from tournaments.season_pages import rules_form
from tournaments.season_pages.setup_form import SetupForm
from tournaments.seasons.models import League, Match, Round, Season
from tournaments.seasons.setting import YesNo
from tournaments.seasons.settings import parse_settings

pytestmark = pytest.mark.django_db
URL = "/api/v1/seasons/preview/"
ALL: dict[str, Any] = {
    "entry_players": "mixed",
    "entry_no_agents": "yes",
    "entry_max_entrants": "40",
    "entry_invited_only": "yes",
    "entry_rating_min": "1200",
    "entry_rating_max": "2100",
    "entry_check_in_hours": "3",
    "entry_late_rounds": "2",
    "entry_alternates": "yes",
    "divisions": "First division, 8\nSecond division: 10\nThird",
    "promoted": "2",
    "relegated": "1",
    "playoff": "1",
    "points_carryover": "12.5",
    "duration": "12 weeks",
    "points_system": "match_points",
    "points_scale": "3, 1",
    "points_bye": "1.5",
    "points_away": "0.5",
    "tie_breaks": "buchholz head_to_head lots",
    "withdrawals": "forfeit",
    "max_no_shows": "2",
    "paid_absences": "1",
    "on_round_deadline": "adjudicate",
    "short_tables": "short",
    "deals": "duplicate",
    "luck": "shown",
    "do": "save",
}


NO_BOTS: dict[str, Any] = {"bot_sensible": "0", "bot_random": "0"}  # teams enter for themselves


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    with clock.frozen_at(BEGIN):
        yield


@pytest.fixture
def niamh(client: Client, league: League) -> Client:
    client.force_login(league.club.owner)
    return client


def of_format(name: str, turn: int) -> dict[str, Any]:
    """Return each setting of the format at one end of its range, which `turn` selects."""
    ends = {
        option.name: (["no", "yes"] if option.type == "bool" else option.choices or (option.minimum, option.maximum))
        for option in FORMATS[name].options
    }
    return {f"format_{name}_{option}": str(values[turn % len(values)]) for option, values in ends.items()}


def test_everything_that_is_chosen_is_in_the_seasons_settings(niamh: Client) -> None:
    response = send(niamh, filled(**ALL))
    assert response.status_code == 302, response.context["form"].errors
    settings = Season.objects.get().settings
    assert settings["entry"] == {
        "players": "mixed",
        "no_agents": True,
        "rating_min": 1200,
        "rating_max": 2100,
        "invited_only": True,
        "max_entrants": 40,
        "late_rounds": 2,
        "check_in_hours": 3,
        "alternates": True,
        "stand_ins": False,
    }
    assert settings["paid_absences"] == 1
    assert settings["divisions"] == [
        {"name": "First division", "max_entrants": 8},
        {"name": "Second division", "max_entrants": 10},
        {"name": "Third", "max_entrants": None},
    ]
    assert [settings[name] for name in ("promoted", "relegated", "playoff", "points_carryover")] == [2, 1, 1, 0.125]
    assert settings["duration_seconds"] == 12 * 7 * 86400
    assert settings["points"] == {"system": "match_points", "scale": [3, 1], "bye": 1.5, "away": 0.5}
    assert settings["tie_breaks"] == ["buchholz", "head_to_head", "lots"]
    policies = ("withdrawals", "max_no_shows", "on_round_deadline", "short_tables", "deals", "luck")
    assert [settings[name] for name in policies] == [
        "forfeit",
        2,
        "adjudicate",
        "short",
        "duplicate",
        "shown",
    ]


def games_and_formats() -> Iterator[Any]:
    """Yield each kind with each format, at one end of the settings' ranges. By default each format has two kinds; the
    other cases are slow."""
    for i, kind in enumerate(KINDS):
        for j, name in enumerate(FORMATS):
            few = i in (j % len(KINDS), (j + 1) % len(KINDS))
            yield pytest.param(kind, name, (i + j) % 2, marks=() if few else pytest.mark.slow)


@pytest.mark.some(8)
@pytest.mark.parametrize(("kind", "name", "turn"), [*games_and_formats()])
def test_a_season_of_every_game_and_format_comes_back_from_its_form_as_it_was(
    niamh: Client, kind: str, name: str, turn: int
) -> None:
    by_teams = FORMATS[name].by_teams
    seats = "3" if turn and KINDS[kind].spec.seats_max > 2 and not by_teams else "2"
    chosen = of_format(name, turn) | {"format": name, "table_size": seats, "do": "save"}
    if turn:
        apart = {"deals": "own"} if FORMATS[name].continuous else {}  # their tables begin apart
        chosen = {**ALL, **chosen, "playoff": "0", **apart}
        if FORMATS[name].by_stage or by_teams:  # their places do not come from points, or from a player's games
            chosen["luck"] = "hidden"
    chosen |= NO_BOTS if by_teams else {}
    assert send(niamh, filled(kind, **chosen)).status_code == 302
    season = Season.objects.get()
    for option in FORMATS[name].options:
        typed = season.settings["format_options"][option.name]
        assert chosen[f"format_{name}_{option.name}"] == typed_back(typed)
    held = SetupForm(season.league.club, None, season).initial
    before, page = season.settings, "/clubs/lantern/chinese-ten/autumn-2026/change/"
    answer = niamh.post(page, {name: value for name, value in held.items() if value != ""} | {"do": "save"})
    assert answer.status_code == 302
    season.refresh_from_db()
    assert season.settings == before


def test_what_nobody_touches_is_what_a_season_has_that_says_nothing(niamh: Client) -> None:
    for name, format in FORMATS.items():
        send(niamh, filled(format=name, name=f"Season {name}", do="save", **(NO_BOTS if format.by_teams else {})))
        season = Season.objects.get(name=f"Season {name}")
        plain = parse_settings({"kind": "chinese_ten", "format": name, "terms": {"zone": "Europe/Dublin"}}).plain()
        filled_in = {"terms": 0, "calendar": 0}  # the calendar that is sent, and the club’s zone
        assert {**season.settings, **filled_in} == {**plain, **filled_in}


def test_points_that_are_taken_back_are_the_usual_ones_again(niamh: Client) -> None:
    send(niamh, filled(points_system="game_wins", do="save"))
    season = Season.objects.get()
    assert season.points["system"] == "game_wins"
    held = SetupForm(season.league.club, None, season).initial
    changed = {
        **held,
        **dict.fromkeys(("points_system", "points_scale", "points_bye", "points_away"), ""),
        "do": "save",
    }
    niamh.post("/clubs/lantern/chinese-ten/autumn-2026/change/", changed)
    season.refresh_from_db()
    assert season.points == {"system": "match_points", "scale": [1], "bye": 0, "away": 0}


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"format": "bridge"}, "format", "bridge is not one of the available choices"),
        ({"format": "groups", "format_groups_group_size": "13"}, "format_groups_group_size", "from 2 to 12."),
        ({"format": "knockout", "format_knockout_drawn": "toss"}, "format_knockout_drawn", "not one of the available"),
        ({"entry_players": "cats"}, "entry_players", "not one of the available choices"),
        ({"entry_max_entrants": "1"}, "entry_max_entrants", "A whole number from 2 to 500."),
        ({"divisions": "First, 1"}, "divisions", "a division must have 2 to 500 entrants"),
        ({"divisions": "x" * 61}, "divisions", "at most 60 characters"),
        ({"divisions": "A\n" * 21}, "divisions", "1 to 20 divisions"),
        ({"points_carryover": "101"}, "points_carryover", "less than or equal to 100"),
        ({"points_system": "match_points", "points_scale": "a lot"}, "points_scale", "as “3, 1, 0”"),
        ({"points_system": "match_points", "points_scale": "inf, 0"}, "points_scale", "as “3, 1, 0”"),
        ({"points_system": "match_points", "points_scale": "nan"}, "points_scale", "as “3, 1, 0”"),
        ({"points_scale": "3, 1"}, "points_system", "Choose what counts"),
        ({"tie_breaks": "wins beauty"}, "tie_breaks", "There is no tie-break 'beauty'"),
        ({"max_no_shows": "-1"}, "max_no_shows", "A whole number from 0 to 100."),
        ({"duration": "long"}, "duration", "Write a number and a unit"),
    ],
)
def test_what_is_wrong_is_told_at_its_field_which_is_in_sight(
    league: League, changed: dict[str, str], field: str, sentence: str
) -> None:
    form = SetupForm(league.club, filled(**changed))
    assert sentence in " ".join(map(str, form.errors[field]))
    assert in_sight(form, field)


@pytest.mark.parametrize(
    ("changed", "field", "sentence"),
    [
        ({"entry_rating_min": "2000", "entry_rating_max": "1000"}, "entry_rating_max", "is below the lowest"),
        ({"entry_players": "people"}, "q", "Only people can enter"),
        ({"promoted": "2"}, "promoted", "A season with one division has no promotion or relegation"),
        ({"points_system": "placing", "points_scale": "0, 1"}, "points_scale", "Enter the points from the highest"),
    ],
)
def test_what_the_season_would_not_do_is_told_at_its_field_too(
    niamh: Client, changed: dict[str, str], field: str, sentence: str
) -> None:
    response = send(niamh, filled(**changed))
    assert sentence in errors(response)[field]
    assert in_sight(response.context["form"], field)


def in_sight(form: SetupForm, field: str) -> bool:
    folds = [form.entry_fold(), form.divisions_fold(), form.counting_fold(), form.policies_fold()]
    folds.append(form.tie_breaks_fold())
    return all(fold.open for fold in folds if field in [each.name for each in fold.fields])


def test_every_option_of_every_format_has_its_field_with_a_sentence_of_help(niamh: Client) -> None:
    for name, chosen in FORMATS.items():
        part = Page.of(send(niamh, filled(format=name, do=None), part="format"))
        names = [attrs["name"] for tag, attrs in part.tags if tag in ("input", "select")]
        assert names == [f"format_{name}_{option.name}" for option in chosen.options]
        assert all(option.help in part.text for option in chosen.options)
    page = Page.of(niamh.get("/clubs/lantern/new-season/"))
    described = {attrs["name"] for tag, attrs in page.tags if attrs.get("aria-describedby") and "name" in attrs}
    assert {f"entry_{name}" for name in ("players", "max_entrants", "rating_min", "alternates")} <= described
    assert {
        "divisions",
        "promoted",
        "relegated",
        "playoff",
        "points_carryover",
        "points_system",
        "withdrawals",
        "deals",
    } <= described


def test_what_is_usual_stays_folded_up_and_what_is_chosen_is_open(niamh: Client) -> None:
    form = SetupForm(Club.objects.get(), filled())
    assert not any(fold.open for fold in (form.entry_fold(), form.divisions_fold(), form.counting_fold()))
    assert SetupForm(Club.objects.get(), filled(max_no_shows="2")).policies_fold().open


def test_a_rule_that_is_yes_or_no_is_no_unless_yes_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none yet; one that is declared needs no change of the form."""
    quiet = YesNo(label="Quiet", help="Nobody speaks.", group="policies")
    monkeypatch.setitem(rules_form.POLICY_FIELDS, "quiet", quiet)
    usual = parse_settings({"kind": "chinese_ten"}).points
    for sent, chosen in (("no", False), ("yes", True)):
        form = rules_form.RulesForm({**rules_form.default_values(), "quiet": sent})
        assert form.is_valid(), form.errors
        value = form.rules_settings(usual)["quiet"]
        assert quiet.check("quiet", value) is chosen


def test_a_number_that_is_taken_back_is_the_usual_one_again(niamh: Client) -> None:
    send(niamh, filled(max_no_shows="2"))
    season = Season.objects.get()
    assert season.settings["max_no_shows"] == 2
    form = SetupForm(season.league.club, filled(max_no_shows=""), season)
    assert form.is_valid(), form.errors
    assert form.plan().max_no_shows == 0


PLAYED = [name for name, format in FORMATS.items() if name not in ("ladder", "arena") and not format.by_teams]
# The counts are a forecast of the format's, which `tests/tournaments/formats/test_forecast.py` compares with what is
# played for each format.
BY_DEFAULT = ("swiss", "groups")


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "name",
    [name if name in BY_DEFAULT else pytest.param(name, marks=pytest.mark.slow) for name in PLAYED],
)
def test_what_the_preview_counts_is_what_is_then_played(niamh: Client, name: str) -> None:
    """Six built-in bots play. Drawn matches go to the better seed, so that none is replayed, and one final decides."""
    data = filled("plates", format=name, bot_sensible="3", bot_random="3", apart="1 minute", games_a_match="1")
    data |= {f"option_plates_{option}": str(value) for option, value in SHORT_OPTIONS.items() if option == "rounds"}
    asked = {option.name for option in FORMATS[name].options}
    wanted = {"drawn": "seed", "reset": "no", "group_size": "3", "advance": "1"}
    data |= {f"format_{name}_{option}": value for option, value in wanted.items() if option in asked}
    made = SetupForm(Club.objects.get(), data).outlook()
    assert made is not None
    assert not made.why_unplayable
    page = Page.of(send(niamh, data | {"do": "show"}))
    assert f"Rounds {made.rounds} Matches {made.matches}" in page.text
    assert not Season.objects.exists()
    send(niamh, data)
    season = Season.objects.get()
    for minute in range(60):
        with clock.frozen_at(season.starts_at + timedelta(minutes=minute)):
            director.advance()
            play_all(minute)
        season.refresh_from_db()
        if season.status == "finished":
            break
    counted = [one.matches.count() for one in Round.objects.order_by("number")]
    assert counted == list(made.a_round)
    assert (Match.objects.count(), Game.objects.count()) == (made.matches, made.games)


def test_divisions_share_the_entrants_out_in_the_preview(niamh: Client) -> None:
    data = filled(divisions="First, 4\nSecond", bot_sensible="5", bot_random="2", do="show")
    made = SetupForm(Club.objects.get(), data).outlook()
    assert made is not None
    assert (made.division_sizes, made.a_round) == ((4, 3), (3, 3, 3))
    assert "Divisions 2 with 4, 3 in them" in Page.of(send(niamh, data)).text


def test_a_ladder_says_when_it_ends_and_promises_no_rounds(niamh: Client) -> None:
    page = Page.of(send(niamh, filled(format="ladder", duration="2 weeks", do="show")))
    assert "Without a schedule" in page.text
    assert "Wed 23 Sep 2026" in page.text
    page = Page.of(send(niamh, filled(format="arena", do="show")))
    assert "When an organiser ends it" in page.text


def test_the_preview_says_when_there_are_too_few(niamh: Client) -> None:
    page = Page.of(send(niamh, filled(format="groups", do="show")))
    assert "Cannot start Two groups need 8 entrants and there are 2" in page.text


# the same through the API


def asked(**changed: Any) -> dict[str, Any]:
    plan = {"club": "lantern", "league": "chinese-ten", "name": "Spring", "kind": "chinese_ten", "format": "knockout"}
    return plan | {"bots": {"random": 5}, "starts_at": "2026-09-09T18:30:00Z"} | changed


def test_programs_get_the_same_preview_and_nothing_is_written(niamh: Client) -> None:
    answer = niamh.post(URL, asked(), content_type="application/json")
    assert answer.status_code == 200
    data = answer.json()
    assert (data["rounds"], data["a_round"], data["matches"], data["games"]) == (3, [1, 2, 1], 4, 8)
    assert data["opens"][0] == "2026-09-09T18:30:00Z"
    assert not Season.objects.exists()


@pytest.mark.parametrize(
    ("changed", "status", "code", "field"),
    [
        ({"format_options": {"third_place": 3}}, 400, "bad_option", "format_options.third_place"),
        ({"entry": {"max_entrants": 1}}, 400, "bad_setting", "entry.max_entrants"),
        ({"starts_at": "2020-09-09T18:30:00Z"}, 400, "bad_schedule", "starts_at"),
        ({"format": "bridge"}, 400, "bad_format", "format"),
    ],
)
def test_the_preview_refuses_what_a_season_would(
    niamh: Client, changed: dict[str, Any], status: int, code: str, field: str
) -> None:
    answer = niamh.post(URL, asked(**changed), content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["error"]["field"]) == (
        status,
        code,
        field,
    )


def test_the_preview_is_for_organisers(client: Client, league: League, django_user_model: Any) -> None:
    client.force_login(django_user_model.objects.create_user("bram"))
    answer = client.post(URL, asked(), content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_organiser")
