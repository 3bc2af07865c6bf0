"""Seasons as files: an export has all of a season except sealed games, and an import makes a season from a list
completely or not at all."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.accounts import people
from games.common import clock
from games.models import Game, Player
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, Start, builtin_bot, play_all, play_season
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.importexport import entrants
from tournaments.importexport import export as importexport_export
from tournaments.importexport.entrant_rows import FileEntrant, match_entrants
from tournaments.importexport.entrants import ImportReport
from tournaments.lifecycle.setup import SeasonPlan
from tournaments.seasons.models import Entrant, League, Season

pytestmark = pytest.mark.django_db
IMPORT = "/clubs/lantern/import-season/"


def person(name: str) -> Player:
    return people.create_profile_and_player(User.objects.create_user(name.lower()), name)


def niamh() -> User:
    return User.objects.get(username="niamh")


def owner() -> Client:
    client = Client()
    client.force_login(niamh())
    return client


def import_(text: str, *, dry_run: bool = False, **asked: Any) -> ImportReport:
    more = {name: asked.pop(name, usual) for name, usual in (("like", None), ("results", False))}
    plan = SeasonPlan(**{"league": "chinese-ten", "name": "Winter", "kind": "chinese_ten", **asked})
    club = Club.objects.get()
    return entrants.import_season(club=club, user=niamh(), plan=plan, text=text, dry_run=dry_run, **more)


def rows(body: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(body.decode("utf-8-sig"))))


# writing


def test_a_written_season_has_every_entrant_round_pairing_result_and_standing(played: Start) -> None:
    season = played(3)
    data = json.loads(importexport_export.as_json(season))
    assert (data["format"], data["status"], data["settings"]) == ("scorebook-season", "finished", season.settings)
    assert [each["name"] for each in data["entrants"]] == [
        each.player.name for each in Entrant.objects.filter(season=season).order_by("number")
    ]
    games = [game for round in data["rounds"] for match in round["matches"] for game in match["games"]]
    assert len(games) == Game.objects.count() == 12
    for game in games:
        outcome = Game.objects.get(public_id=game["id"]).outcome
        assert outcome is not None
        assert (game["scores"], game["placings"]) == (outcome["scores"], outcome["placings"])
    assert all(round["byes"][0]["reason"] for round in data["rounds"])
    assert [row["place"] for row in data["standings"]] == [1, 2, 3]
    totals = {row["entrant"]: row["points"] for row in data["standings"]}
    added = dict.fromkeys(totals, 0.0)
    for round in data["rounds"]:
        for match in round["matches"]:
            for entrant, points in zip(match["entrants"], match["points"], strict=True):
                added[entrant] += points
    assert added == totals


@pytest.mark.slow
def test_the_tables_say_the_same_row_by_row(running: Start) -> None:
    season = play_season(running(4, format="round_robin", games_a_match=1))
    packed = zipfile.ZipFile(io.BytesIO(importexport_export.as_zip(season)))
    assert sorted(packed.namelist()) == ["entrants.csv", "pairings.csv", "results.csv", "standings.csv"]
    tables = {name.removesuffix(".csv"): rows(packed.read(name)) for name in packed.namelist()}
    assert [row["name"] for row in tables["entrants"]] == ["Gannet", "Tin Whistle", "Mother Goose", "Abacus"]
    assert len(tables["pairings"]) == 6
    assert len(tables["results"]) == 6 * 2
    assert {row["placing"] for row in tables["results"]} <= {"1", "2"}
    assert {row["name"] for row in tables["results"]} == {f"{row['name']} v1" for row in tables["entrants"]}
    assert [row["place"] for row in tables["standings"]] == ["1", "2", "3", "4"]


def test_what_is_sealed_is_not_in_the_file(running: Start) -> None:
    season = running(4, terms={"watch_delay": 3600})
    with clock.frozen_at(BEGIN):
        director.advance()
        assert play_all() == 4
        data = json.loads(importexport_export.as_json(season))
    for game in (game for round in data["rounds"] for match in round["matches"] for game in match["games"]):
        assert (game["status"], game["scores"], game["placings"], game["left"]) == ("playing", None, None, None)
    assert all(match["points"] is None for round in data["rounds"] for match in round["matches"])


def test_a_name_that_a_spreadsheet_would_calculate_is_text(running: Start) -> None:
    season = running(2)
    Player.objects.filter(name="Gannet").update(name="=1+1")
    table = importexport_export.as_csv(importexport_export.season_data(season), "entrants")
    assert rows(table)[0]["name"] == "'=1+1"
    assert entrants.read_entrants(table.decode()).rows[0].name == "=1+1"


@pytest.mark.slow
def test_a_season_of_many_rounds_costs_no_more_queries(played: Start) -> None:
    def cost(season: Season) -> int:
        with CaptureQueriesContext(connection) as asked:
            importexport_export.season_data(season)
        return len(asked)

    small, large = played(2), played(3, name="Winter")
    assert cost(large) == cost(small)


def test_page_and_api_hand_out_the_same_file(played: Start) -> None:
    season = played(2)
    kinds = {"json": "application/json", "zip": "application/zip", "results": "text/csv; charset=utf-8"}
    for form, kind in kinds.items():
        page = Client().get("/clubs/lantern/chinese-ten/autumn-2026/export/", {"as": form})
        api = Client().get(f"/api/v1/seasons/{season.pk}/export/", {"as": form})
        assert (page.status_code, page["Content-Type"]) == (200, kind)
        assert page["Content-Disposition"].startswith('attachment; filename="autumn-2026')
        assert len(api.content) == len(page.content)
    assert Client().get(f"/api/v1/seasons/{season.pk}/export/", {"as": "film"}).status_code == 404


# reading


def test_people_are_found_by_name_or_user_name_and_bots_by_name_and_version(league: League) -> None:
    person("Martha")
    builtin_bot("Gannet")
    for martha, gannet in (
        ("Martha", FileEntrant(3, "Gannet")),
        ("martha", FileEntrant(3, "Gannet v1")),
        ("MARTHA", FileEntrant(3, "Gannet", 1)),
    ):
        lines = match_entrants([FileEntrant(2, martha), gannet])
        assert [line.player.name if line.player else line.problem for line in lines] == ["Martha", "Gannet"]


def test_an_id_counts_only_with_its_name_for_ids_are_another_platforms_as_often_as_not(league: League) -> None:
    martha, gannet = person("Martha"), builtin_bot("Gannet")
    wrong = match_entrants([FileEntrant(2, "Martha", player=gannet.pk), FileEntrant(3, "Nobody", player=martha.pk)])
    assert wrong[0].player == martha
    assert wrong[1].problem == "There is no player Nobody."


def test_of_two_of_a_name_the_id_says_which(league: League) -> None:
    gannet = builtin_bot("Gannet")
    version = gannet.bot_version
    assert version
    second = Player.objects.create(
        name="Gannet", bot_version=type(version).objects.create(bot=version.bot, number=2, transport="built_in")
    )
    (line,) = match_entrants([FileEntrant(1, "Gannet")])
    assert line.problem.startswith("Several players have the name Gannet")
    assert [
        match_entrants([row])[0].player
        for row in (FileEntrant(1, "Gannet", 2), FileEntrant(1, "Gannet", player=gannet.pk))
    ] == [
        second,
        gannet,
    ]
    assert match_entrants([FileEntrant(1, "Gannet v2")])[0].player == second


def test_unknown_ones_are_told_line_by_line_and_nothing_is_written(league: League) -> None:
    person("Martha")
    report = import_("name\nMartha\nWilma\n\nBetty\nMartha\n")
    assert [(line.row.line, line.problem) for line in report.unknown] == [
        (3, "There is no player Wilma."),
        (5, "There is no player Betty."),
        (6, "Martha is already in line 2."),
    ]
    assert not report.fine
    assert Season.objects.count() == 0


def test_a_dry_run_goes_through_all_of_it_and_leaves_nothing(league: League) -> None:
    person("Martha")
    person("Laura")
    assert import_("Martha\nLaura", dry_run=True, league="", new_league="Winter League").fine
    assert (Season.objects.count(), League.objects.count()) == (0, 1)
    report = import_("Martha\nLaura")
    assert report.season
    assert (report.season.status, report.season.entries.count()) == ("open", 2)


def test_one_who_may_not_enter_lets_none_enter(league: League) -> None:
    person("Martha")
    builtin_bot("Gannet")
    text = json.dumps(
        {
            "format": "scorebook-season",
            "version": 2,
            "settings": {"kind": "plate_spinner", "terms": {"pace": "live", "rated": True}},
            "entrants": [{"name": "Martha"}, {"name": "Gannet"}],
        }
    )
    report = import_(text)
    assert "Bots cannot play rated live games" in report.problem
    assert Season.objects.count() == 0


def test_a_season_that_was_written_is_made_again_with_its_settings_and_entrants(running: Start) -> None:
    season = running(4, games_a_match=1, calendar={"rule": "weekdays", "times": ["tue 19:00"]})
    report = import_(importexport_export.as_json(season).decode())
    assert report.season
    assert report.season.settings == season.settings
    names = [list(each.entries.order_by("number").values_list("player", flat=True)) for each in (season, report.season)]
    assert names[0] == names[1]
    again = import_(
        importexport_export.as_csv(importexport_export.season_data(season), "entrants").decode(),
        name="Spring",
        like=season,
    )
    assert again.season
    assert again.season.settings == season.settings


# page, API, command


def test_an_organiser_tries_a_file_looks_at_its_lines_and_makes_the_season(league: League) -> None:
    person("Martha")
    person("Laura")
    client = owner()
    page = Page.of(client.get(IMPORT))
    assert page.faults() == []
    fields = {"league": "chinese-ten", "name": "Winter", "kind": "chinese_ten"}
    wrong = client.post(IMPORT, {**fields, "text": "Martha\nWilma", "do": "try"})
    assert wrong.status_code == 422
    assert "1 line names an unknown player" in Page.of(wrong).text
    assert "There is no player Wilma." in Page.of(wrong).text
    file = SimpleUploadedFile("list.csv", b"name\nMartha\nLaura\n")
    tried = client.post(IMPORT, {**fields, "file": file, "do": "try"})
    assert tried.status_code == 200
    shown = Page.of(tried)
    assert "All 2 entrants were found" in shown.text
    assert shown.faults() == []
    assert Season.objects.count() == 0
    assert "Laura" in tried.content.decode().partition("<textarea")[2].partition("</textarea>")[0]
    data = {"format": "scorebook-season", "version": 2, "entrants": ["Martha", "Laura"], "rounds": ["long"] * 99}
    shown = Page.of(client.post(IMPORT, {**fields, "text": json.dumps(data), "do": "try"}))
    assert "Martha" in shown.text
    assert "long" not in shown.text, "what is not looked at is not sent to and fro"
    made = client.post(IMPORT, {**fields, "text": "Martha\nLaura", "do": "import"})
    assert (made.status_code, made["Location"]) == (302, "/clubs/lantern/chinese-ten/winter/")


@pytest.mark.parametrize(
    "sent", [{}, {"name": ""}, {"text": "Martha", "league": "nowhere"}, {"text": "Martha", "like": "9"}]
)
def test_a_form_that_is_not_filled_in_says_what_is_missing(league: League, sent: dict[str, str]) -> None:
    answer = owner().post(IMPORT, {"league": "chinese-ten", "name": "Winter", "kind": "chinese_ten", **sent})
    assert answer.status_code == 422
    assert 'class="error-text"' in answer.content.decode()


def test_a_file_that_is_no_text_is_refused(league: League) -> None:
    file = SimpleUploadedFile("list.xls", b"\xd0\xcf\x11\xe0")
    answer = owner().post(IMPORT, {"league": "chinese-ten", "name": "W", "kind": "chinese_ten", "file": file})
    assert "Save the table as text" in Page.of(answer).text


def test_a_file_of_a_spreadsheet_is_read_and_a_guessed_encoding_is_said(league: League) -> None:
    file = SimpleUploadedFile("list.csv", "Jürgen\n".encode("windows-1252"))
    answer = owner().post(IMPORT, {"league": "chinese-ten", "name": "W", "kind": "chinese_ten", "file": file})
    page = Page.of(answer).text
    assert "There is no player Jürgen." in page
    assert "was read as Windows-1252" in page


def test_nobody_else_imports_into_a_club(league: League) -> None:
    stranger = Client()
    martha = person("Martha").user
    assert martha
    stranger.force_login(martha)
    assert stranger.get(IMPORT).status_code == 403
    sent = {"club": "lantern", "text": "Martha", "name": "Winter", "league": "chinese-ten", "kind": "chinese_ten"}
    answer = stranger.post("/api/v1/seasons/import/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_organiser")
    assert Client().post("/api/v1/seasons/import/", sent, content_type="application/json").status_code in (401, 403)


def test_programs_try_first_too(league: League) -> None:
    person("Martha")
    person("Laura")
    sent = {
        "club": "lantern",
        "text": "Martha\nLaura",
        "name": "Winter",
        "league": "chinese-ten",
    }
    client = owner()

    def post(**asked: Any) -> Any:
        return client.post("/api/v1/seasons/import/", {**sent, **asked}, content_type="application/json")

    nothing_to_play = post()
    assert (nothing_to_play.status_code, nothing_to_play.json()["fine"]) == (200, False)
    assert "kind" in nothing_to_play.json()["problem"]
    sent["kind"] = "chinese_ten"
    tried = post()
    assert (tried.status_code, tried.json()["fine"], tried.json()["season"]) == (200, True, None)
    unknown = post(text="Wilma", dry_run=False).json()
    assert (unknown["fine"], unknown["lines"][0]["problem"]) == (False, "There is no player Wilma.")
    assert Season.objects.count() == 0
    made = post(dry_run=False)
    assert made.status_code == 201
    assert made.json()["season"] == Season.objects.get().pk
    assert post(like=9).status_code == 404
    del sent["kind"]  # the season has it
    again = post(name="Spring", like=made.json()["season"], dry_run=False)
    assert again.status_code == 201, again.content


def test_the_command_writes_a_season_and_reads_it_again(played: Start, tmp_path: Path) -> None:
    played(2)
    file = tmp_path / "season.json"
    output = io.StringIO()
    call_command("season_file", "write", "lantern/chinese-ten/autumn-2026", str(file), stdout=output)
    asked = ["season_file", "read", "lantern", str(file), "--league", "chinese-ten", "--name", "Winter"]
    call_command(*asked, stdout=output)
    assert "The season can be created: add --write." in output.getvalue()
    assert Season.objects.count() == 1
    call_command(*asked, "--write", stdout=output)
    assert "Chinese Ten League, Winter has been set up." in output.getvalue()
    (tmp_path / "list.csv").write_text("Gannet\nWilma\n")
    with pytest.raises(SystemExit):
        call_command(*asked[:3], str(tmp_path / "list.csv"), *asked[4:], stdout=output)
    assert "2: Wilma: There is no player Wilma." in output.getvalue()
    for wrong in (["write", "nowhere", str(file)], ["write", "lantern/chinese-ten/autumn-2026", "x.xls"]):
        with pytest.raises(CommandError):
            call_command("season_file", *wrong)
