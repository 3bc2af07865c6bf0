"""A whole season is exported as a file and imported again: the same rounds, results and standings, as new events.

Niamh owns the club; built-in bots play. "The same" means that a second export is equal, except for ids.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, Start, play_all, play_season
from tests.tournaments.importexport.test_parse import WHOLE
from tests.tournaments.importexport.test_season_files import IMPORT, import_, niamh, person
from tournaments.calendar.entries import update_entries
from tournaments.clubs.models import Membership
from tournaments.director import director
from tournaments.entries import availability, challenges
from tournaments.entries import services as entries
from tournaments.importexport import export as importexport_export
from tournaments.lifecycle.running import resume_season
from tournaments.maintenance.rebuild import find_differences, fold_timed
from tournaments.ratings.models import Rating
from tournaments.rulings import services as rulings
from tournaments.seasons import projection
from tournaments.seasons.events.rounds import RoundPaired
from tournaments.seasons.models import (
    Division,
    Entrant,
    ImportedGame,
    League,
    Match,
    OrganiserAction,
    Round,
    Season,
)
from tournaments.seasons.projection import Unknown
from tournaments.seasons.row_writer import SEASON_TABLES
from tournaments.seasons.stream import fold_season, season_log, timed_season_log
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
WHY = "The clock was wrong."
OTHERS = ("season", "imported_at", "written_at", "paused_at", "delay_seconds")  # fields in which an import differs


def exported_season(season: Season) -> dict[str, Any]:
    """Return the data of a season's file, without ids and the fields in which an import differs."""
    data: dict[str, Any] = json.loads(importexport_export.as_json(season))
    for name in OTHERS:
        del data[name]
    for past in data["rounds"]:
        for match in past["matches"]:
            del match["id"]
            for game in match["games"]:
                del game["id"], game["log"]
    for entrant in data["entrants"]:
        del entrant["player"]
    for division in data["divisions"]:
        del division["name"]  # a season of one division gives it its own name
    return data


def again(season: Season, form: str = "json", **asked: Any) -> Season:
    """Export the season, import the file, and return the new season."""
    data = importexport_export.season_data(season)
    text = (
        importexport_export.as_json(season).decode()
        if form == "json"
        else importexport_export.as_csv(data, "results").decode()
    )
    report = import_(text, results=True, **asked)
    assert report.fine, (report.problem, report.problems, report.unknown)
    assert report.season
    return report.season


def standings(season: Season) -> list[tuple[int, float, Any]]:
    rows = Standing.objects.filter(entrant__season=season).order_by("entrant__number")
    return [(row.place, row.points, row.row) for row in rows]


def only_in_the_file(season: Season) -> set[tuple[str, str]]:
    """Return (model, column) of the values that are not in the log of an imported season."""
    state = fold_timed(timed_season_log(season))
    rows = [("Season", projection.season_columns(state))]
    rows += [(table.model.__name__, row) for table in SEASON_TABLES for row in table.rows(state, None).values()]
    return {(model, name) for model, row in rows for name, value in row.items() if isinstance(value, Unknown)}


IMPORTED = (Season, Division, Entrant, Round, Match)
NAMED = {(each.__name__, name) for each in IMPORTED for name in each.table_source.imported}


def check(season: Season) -> Season:
    """Import the season. Check that the import has the same data and agrees with its stream, and return it."""
    made = again(season)
    assert exported_season(made) == exported_season(season)
    assert standings(made) == standings(season)
    assert list(find_differences(write=True)) == []
    assert only_in_the_file(made) == NAMED - {("Season", "paused_at"), ("Match", "reason")}, "docs/reference/tables.md"
    paired = [each for each in season_log(made) if isinstance(each, RoundPaired)]
    logged = {match: why for each in paired for match, _entrants, why, *_rest in each.tables}
    assert logged == dict(Match.objects.filter(pk__in=logged).values_list("pk", "reason"))
    return made


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "settings",
    [
        {"format": "swiss", "format_options": {"rounds": 3}},
        pytest.param(
            {"format": "knockout", "games_a_match": 1, "format_options": {"third_place": True}}, marks=pytest.mark.slow
        ),
        {"format": "groups", "games_a_match": 1, "format_options": {"group_size": 3, "advance": 1}},
        {"format": "arena", "games_a_match": 1, "duration_seconds": 120},
        pytest.param(
            {"format": "swiss", "table_size": 4, "games_a_match": 1, "short_tables": "built_in_bot"},
            marks=pytest.mark.slow,
        ),
        pytest.param({"format": "round_robin"}, marks=pytest.mark.slow),
        pytest.param({"format": "double_round_robin", "games_a_match": 1}, marks=pytest.mark.slow),
        pytest.param({"format": "double_elimination", "games_a_match": 1}, marks=pytest.mark.slow),
        pytest.param({"format": "round_robin", "table_size": 4, "games_a_match": 1}, marks=pytest.mark.slow),
        pytest.param(
            {"format": "swiss", "table_size": 4, "games_a_match": 1, "short_tables": "short"}, marks=pytest.mark.slow
        ),
    ],
    ids=lambda settings: f"{settings['format']}-{settings.get('table_size', 2)}-{settings.get('short_tables', '')}",
)
def test_every_format_comes_back_with_the_same_standings(running: Start, settings: dict[str, Any]) -> None:
    kind = {"kind": "palace", "options": {}} if settings.get("table_size") else {}
    # With these numbers somebody rests, or a table of three stands beside one of four.
    many = 7 if settings["format"] == "groups" or (settings["format"] == "swiss" and kind) else 5
    season = play_season(running(many, **kind, **settings))
    made = check(season)
    assert made.status == "finished"
    assert Rating.objects.filter(pool__kind=season.kind).count() == season.entries.count()


@pytest.mark.slow
def test_a_ladder_comes_back_rung_by_rung(running: Start) -> None:
    season = running(4, format="ladder", games_a_match=1, duration_seconds=300)
    ladder = fold_season(season)
    lots = ladder.lots(ladder.division(1))
    order = [season.entries.get(number=number) for number in sorted(lots, key=lambda number: lots[number])]
    with clock.frozen_at(BEGIN):
        challenges.create_challenge(entrant=order[2], other=order[1])
        challenges.create_challenge(entrant=order[3], other=order[0])
    season = play_season(season)
    assert season.divisions.get().rounds_opened
    check(season)


@pytest.mark.slow
def test_troubles_come_back_too(running: Start) -> None:
    """The season has a walkover, byes, an absence, a decided game, an annulled one and one that was played again."""
    season = running(5, format="round_robin", options={"packs": 1})
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    first, second = Match.objects.order_by("pk")[:2]
    rulings.adjudicate(match=first, game=1, places=[2, 1], scores=[3, 9], by=niamh(), note=WHY)
    rulings.annul_game(match=second, game=2, by=niamh(), note=WHY)
    rulings.order_replay(match=second, game=1, by=niamh(), note=WHY)
    availability.set_away_rounds(entrant=season.entries.get(number=2), rounds=[3])
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
        entries.withdraw_entrant(entrant=season.entries.get(number=5), why="organiser", by=niamh(), note=WHY)
    season = play_season(season)
    data = exported_season(season)
    games = [game for past in data["rounds"] for match in past["matches"] for game in match["games"]]
    assert {game["ruling"] for game in games} == {None, "adjudicated", "annulled", "replaced"}
    assert {bye["kind"] for past in data["rounds"] for bye in past["byes"]} >= {"away", "walkover"}
    made = check(season)
    assert made.entries.get(number=5).status == "withdrawn"


@pytest.mark.slow
def test_divisions_with_a_play_off_come_back(running: Start) -> None:
    divisions = [{"name": "First", "max_entrants": 3}, {"name": "Second"}]
    made = check(
        play_season(
            running(6, divisions=divisions, promoted=1, relegated=1, playoff=1, format="round_robin", games_a_match=1)
        )
    )
    assert [each.is_playoff for each in made.divisions.all()] == [False, False, True]


@pytest.mark.slow
def test_deals_that_games_shared_are_compared_there_too(running: Start) -> None:
    season = play_season(
        running(4, deals="duplicate", format="round_robin", games_a_match=1, tie_breaks=["datum", "lots"])
    )
    data = exported_season(season)
    games = [game for past in data["rounds"] for match in past["matches"] for game in match["games"]]
    assert sorted({game["deal"] for game in games}) == [1, 2, 3], "one in each round"
    check(season)


@pytest.mark.slow
def test_a_season_that_was_not_over_waits_and_goes_on(running: Start) -> None:
    season = running(4, format="round_robin")
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(minutes=1)):
        director.advance()
        text = importexport_export.as_json(season).decode()
    with clock.frozen_at(BEGIN + timedelta(days=30)):
        report = import_(text, results=True)
        made = report.season
        assert made
        assert (made.status, report.rounds, made.divisions.get().rounds_opened) == ("paused", 1, 1)
        assert any("1 round was not closed" in note for note in report.notes)
        assert any("resume it" in note for note in report.notes)
        assert list(find_differences(write=True)) == []
        running_on = resume_season(season=made, by=niamh())
        assert running_on.delay_seconds == 30 * 24 * 60 * 60 - 60
        director.advance()
    rounds = made.divisions.get().rounds
    assert [each.status for each in rounds.order_by("number")] == ["closed", "open"]
    met = [
        {side.entrant.number for side in match.entrants.all()} for each in rounds.all() for match in each.matches.all()
    ]
    assert len({frozenset(pair) for pair in met}) == 4, "nobody meets twice"


def test_a_season_of_names_ends_as_it_stands(running: Start) -> None:
    """While Martha is no member of the club, the results count for her name and not for her account."""
    martha = person("Martha")
    season = running(3, format="round_robin")
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        director.advance()
    data = json.loads(importexport_export.as_json(season))
    data["entrants"][0] |= {"name": "Martha", "bot": False, "bot_version": None, "player": martha.pk}
    report = import_(json.dumps(data), results=True)
    made = report.season
    assert made
    assert report.lines[0].made == "Martha"
    assert made.status == "abandoned"
    assert any("no account in this club" in note for note in report.notes)
    named = made.entries.get(number=1).player
    assert (named.name, named.from_file, named.user, named.pk != martha.pk) == ("Martha", True, None, True)
    assert not Entrant.objects.filter(player=martha).exists()
    assert martha.user
    Membership.objects.create(club=season.league.club, user=martha.user)
    member = import_(json.dumps(data), results=True, name="Spring").season
    assert member
    assert member.entries.get(number=1).player == martha


def test_what_came_in_a_file_is_not_rated_and_nothing_of_it_is_decided_here(played: Start) -> None:
    season = played(3)
    before = list(Rating.objects.order_by("pk").values_list("rating", "games"))
    games = Game.objects.count()
    made = again(season)
    assert list(Rating.objects.order_by("pk").values_list("rating", "games")) == before
    assert Game.objects.count() == games
    match = Match.objects.filter(round__division__season=made).order_by("pk").first()
    assert match
    decisions: list[Callable[[], object]] = [
        lambda: rulings.annul_game(match=match, game=1, by=niamh(), note=WHY),
        lambda: rulings.adjudicate(match=match, places=[1, 2], by=niamh(), note=WHY),
        lambda: rulings.undo_round(division=match.round.division, number=6, by=niamh(), note=WHY),
    ]
    for decide in decisions:
        with pytest.raises(DomainError) as refused:
            decide()
        assert (refused.value.status, refused.value.code) == (409, "imported_result")


def test_pages_api_calendar_and_audit_know_what_was_imported(played: Start) -> None:
    made = again(played(2))
    match = Match.objects.filter(round__division__season=made).order_by("pk").first()
    assert match
    page = Page.of(Client().get(f"/matches/{match.pk}/"))
    assert "played elsewhere" in page.text
    assert "no replay" in page.text
    assert page.faults() == []
    data = Client().get(f"/api/v1/matches/{match.pk}/").json()
    assert (data["games"], len(data["imported"])) == ([], 2)
    assert Client().get(f"/api/v1/seasons/{made.pk}/").json()["imported_at"]
    season = Client().get("/clubs/lantern/chinese-ten/winter/activity/")
    assert "An organiser imported the season from a file" in Page.of(season).text
    assert update_entries([made]) >= 0
    act = OrganiserAction.objects.get(stream=made.stream_id, what="season_imported")
    assert act.by == niamh()
    row = match.imported.order_by("number").first()
    assert row
    ImportedGame.objects.filter(pk=row.pk).update(result={**row.result, "scores": [0, 0]})
    assert len(list(find_differences(write=True))) == 1
    row_now = match.imported.get(pk=row.pk)
    assert (row_now.result, list(find_differences(write=True))) == (row.result, [])


def test_the_table_of_results_comes_back_as_well(played: Start) -> None:
    season = played(3)
    made = again(season, "csv", like=season)
    assert made.status == "finished"
    points = [
        dict(Standing.objects.filter(entrant__season=each).values_list("entrant__player__name", "points"))
        for each in (season, made)
    ]
    assert points[0] == points[1]
    assert list(find_differences(write=True)) == []


def test_a_table_of_people_makes_a_season(league: League) -> None:
    text = (
        "round,table,seat,name,score,placing,status\n"
        "1,1,0,Martha,9,1,\n1,1,1,Laura,3,2,\n1,,,Wilma,,,bye\n"
        "2,1,0,Wilma,9,1,\n2,1,1,Martha,3,2,\n2,,,Laura,,,bye\n"
        "3,1,0,Laura,9,1,\n3,1,1,Wilma,3,2,\n3,,,Martha,,,bye\n"
    )
    settings: dict[str, Any] = {"format": "round_robin", "games_a_match": 1}
    tried = import_(text, results=True, dry_run=True, **settings)
    assert tried.fine
    assert tried.standings[0][1] == 1
    assert (Season.objects.count(), Player.objects.filter(from_file=True).count()) == (0, 0)
    made = import_(text, results=True, **settings).season
    assert made
    assert made.status == "finished"
    assert list(find_differences(write=True)) == []


def test_each_try_and_the_import_draw_the_same_lots(league: League) -> None:
    """Eight players who never met have equal points in pairs, so that the lots decide."""
    text = "round,table,seat,name,placing\n" + "".join(
        f"1,{table},{seat},{name},{seat + 1}\n"
        for table, pair in enumerate(("Adler Birke", "Ceder Distel", "Eibe Farn", "Ginster Hasel"), start=1)
        for seat, name in enumerate(pair.split())
    )
    settings: dict[str, Any] = {"format": "swiss", "games_a_match": 1, "format_options": {"rounds": 1}}
    settings |= {"tie_breaks": ["lots"]}
    tries = [import_(text, results=True, dry_run=True, **settings) for _each in range(4)]
    made = import_(text, results=True, **settings)
    assert made.season, made.problem
    assert [each.standings for each in tries] == [made.standings] * 4
    assert len({place for _division, place, _name, _points in made.standings}) == 8


@pytest.mark.parametrize(("format", "stand"), [("swiss", True), ("round_robin", False)])
def test_results_of_who_withdrew_stand_where_not_everybody_meets(league: League, format: str, stand: bool) -> None:
    """A file says `of`, as for a round robin: below half of the games, only there the results are removed."""
    game = {"number": 1, "scores": [1, 0], "placings": [1, 2]}
    withdrawn = {"status": "withdrawn", "withdrawn": {"why": "asked", "played": 1, "of": 3}}
    names = ("Adler", "Birke", "Ceder", "Distel")
    pairs = [(1, 2), (3, 4)]
    matches = [
        {"table": table, "entrants": pair, "games": [{**game, "seats": pair}]}
        for table, pair in enumerate(pairs, start=1)
    ]
    data = {
        **WHOLE,
        "entrants": [
            {"number": number, "name": name, **(withdrawn if name == "Distel" else {})}
            for number, name in enumerate(names, start=1)
        ],
        "rounds": [{"number": 1, "matches": matches}],
    }
    options: dict[str, Any] = {"format_options": {"rounds": 1}} if format == "swiss" else {}
    report = import_(json.dumps(data), results=True, format=format, games_a_match=1, **options)
    assert report.season, report.problem
    points = {name: points for _division, _place, name, points in report.standings}
    assert (points["Ceder"] == points["Adler"]) == stand


def test_results_that_cannot_be_are_refused_and_nothing_is_written(league: League) -> None:
    cell = import_("round,table,game,seat,name,score,placing\n1,1,1,0,Martha,x,1\n", results=True)
    assert [(one.line, one.column) for one in cell.problems] == [(2, "score")]
    assert not cell.fine
    for change, sentence in (
        ({"divisions": []}, "numbers 1, 2"),
        ({"rounds": []}, "no rounds"),
        ({"rounds": [{**each, "status": "open"} for each in WHOLE["rounds"]]}, "The file has no closed round"),
    ):
        with pytest.raises(DomainError, match=sentence) as refused:
            import_(json.dumps({**WHOLE, **change}), results=True)
        assert (refused.value.status, refused.value.code) == (400, "bad_file")
    assert (Season.objects.count(), Player.objects.count()) == (0, 0)


@pytest.mark.parametrize("turns", [30, pytest.param(60, marks=pytest.mark.slow)])
def test_whatever_is_broken_is_refused_or_whole(running: Start, turns: int) -> None:
    """Random parts of a file are replaced. The only error is a domain error, and each season made agrees with its
    stream."""
    data = json.loads(importexport_export.as_json(play_season(running(4, format="knockout", games_a_match=1))))
    chance = random.Random(6)
    made = 0
    for turn in range(turns):
        broken = json.loads(json.dumps(data))
        for _ in range(chance.randint(1, 3)):
            spoil(broken, chance)
        seasons, players = Season.objects.count(), Player.objects.count()
        season = None
        with contextlib.suppress(DomainError):
            season = import_(json.dumps(broken), results=True, name=f"Try {turn}").season
        if season is None:
            assert (Season.objects.count(), Player.objects.count()) == (seasons, players)
        else:
            made += 1
            assert importexport_export.as_json(season)
    assert 0 < made < turns
    assert list(find_differences(write=True)) == []


def spoil(data: Any, chance: random.Random) -> None:
    """Replace or delete a random part of `data`."""
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key in list(part) if isinstance(part, dict) else range(len(part)):
            places.append((part, key))
            if isinstance(part[key], dict | list):
                walk(part[key])

    walk({name: data[name] for name in ("divisions", "entrants", "rounds", "standings")})
    part, key = chance.choice(places)
    if isinstance(part, dict) and chance.random() < 0.2:
        del part[key]
    else:
        part[key] = chance.choice([None, 0, 1, -1, 2, 3, 2**40, 1.5, "", "x", True, [], {}, [1, 2], [[1, 1]], "\ud800"])


# page, API, command


def test_an_organiser_sees_what_a_file_comes_to_and_imports_it(played: Start) -> None:
    season = played(3)
    client = Client()
    client.force_login(niamh())
    fields = {"league": "chinese-ten", "name": "Winter", "kind": "chinese_ten", "results": "yes"}
    fields |= {"text": importexport_export.as_json(season).decode()}
    tried = client.post(IMPORT, {**fields, "do": "try"})
    page = Page.of(tried)
    assert tried.status_code == 200
    assert "Rounds: 6. Games: 12. Entrants: 3. The season can be imported." in page.text
    assert "not rated" in page.text
    assert page.faults() == []
    assert Season.objects.count() == 1
    made = client.post(IMPORT, {**fields, "do": "import"})
    assert (made.status_code, made["Location"]) == (302, "/clubs/lantern/chinese-ten/winter/")
    assert "Winter has been imported." in Page.of(client.get(made["Location"])).text
    wrong = client.post(IMPORT, {**fields, "text": "round,table,seat,name,placing\nx,1,0,Martha,1\n", "do": "try"})
    assert wrong.status_code == 422
    assert "1 cell has an error. Nothing was saved." in Page.of(wrong).text
    assert "Enter a whole number from 1 to 2000." in Page.of(wrong).text
    assert Page.of(wrong).faults() == []


def test_programs_import_whole_seasons_too(played: Start, tmp_path: Path) -> None:
    season = played(2)
    client = Client()
    client.force_login(niamh())
    sent = {"club": "lantern", "league": "chinese-ten", "name": "Winter", "results": True}
    sent |= {"text": importexport_export.as_json(season).decode(), "kind": "chinese_ten"}

    def post(**asked: Any) -> Any:
        return client.post("/api/v1/seasons/import/", {**sent, **asked}, content_type="application/json")

    tried = post()
    assert (tried.status_code, tried.json()["rounds"], tried.json()["season"]) == (200, 2, None)
    assert [row["place"] for row in tried.json()["standings"]] == [1, 2]
    assert post(text="Martha\nLaura").json()["error"]["code"] == "bad_file"
    made = post(dry_run=False)
    assert made.status_code == 201
    assert made.json()["season"] == Season.objects.latest("pk").pk
    stranger = Client()
    martha = person("Martha").user
    assert martha
    stranger.force_login(martha)
    refused = stranger.post("/api/v1/seasons/import/", sent, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_organiser")
    file = tmp_path / "season.json"
    file.write_bytes(importexport_export.as_json(season))
    asked = ["season_file", "read", "lantern", str(file), "--league", "chinese-ten", "--name", "Spring"]
    call_command(*asked, "--results", "--write", stdout=io.StringIO())
    assert Season.objects.latest("pk").imported_at
