"""Parsing of season files: what they say, or why they are refused. The tests use no database."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from games.common.errors import DomainError
from scorebook_games.presentation.coded_text import Sentence, written
from tournaments.formats.reasons import alone_in_round, imported
from tournaments.importexport import entrants
from tournaments.importexport.entrant_rows import FileEntrant
from tournaments.importexport.entrants import MAX_FILE_BYTES
from tournaments.importexport.parse import parse_season
from tournaments.importexport.season_file import MAX_REPLAYS, SeasonFile, parse_reason
from tournaments.importexport.values import FileObject
from tournaments.lifecycle.setup import SeasonPlan


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("name\nMartha\nGannet\n", [("Martha", 0), ("Gannet", 0)]),
        ("Martha\r\nGannet\r\n", [("Martha", 0), ("Gannet", 0)]),
        ("\ufeffname;version\nMartha;\nGannet;1\n", [("Martha", 0), ("Gannet", 1)]),
        ("player\tname\n\tmartha\n\tGannet v1\n", [("martha", 0), ("Gannet v1", 0)]),
        ('["Martha", "Gannet"]', [("Martha", 0), ("Gannet", 0)]),
        ('[{"name": "MARTHA"}, {"name": "Gannet", "bot_version": 1}]', [("MARTHA", 0), ("Gannet", 1)]),
    ],
)
def test_a_list_names_its_entrants_in_any_of_the_usual_forms(text: str, names: list[tuple[str, int]]) -> None:
    assert [(row.name, row.version) for row in entrants.read_entrants(text).rows] == names


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no entrants"),
        ("name\n", "has no entrants"),
        ("[]", "has no entrants"),
        ("who,when\nMartha,now\n", "first line must name the columns"),
        ("name,version\nMartha,x\n", "Line 2: version and player must be numbers."),
        ("name,player\nMartha,-1\n", "Line 2: version and player must be numbers."),
        ("name\n" + "x" * 201, "Line 2: a name must have 1 to 200 characters."),
        ("{", "This is not valid JSON"),
        ("[" * 100_000, "This is not valid JSON"),
        ("{}", "This is not a season file"),
        ('{"format": "scorebook-game", "version": 2}', "This is not a season file"),
        ('{"format": "scorebook-season", "version": 1, "entrants": []}', "Export the season again"),
        ('{"format": "scorebook-season", "version": 2}', "no list of entrants"),
        ('{"format": "scorebook-season", "version": 2, "settings": 1, "entrants": []}', "must be an object"),
        ('[{"nom": "Martha"}]', "Entrant 1 has no name"),
        ("a\0b", "This is not a text file"),
        ("name\n\ud800\n", "This is not a text file"),
        ('["\\ud800"]', "This is not a text file"),
        ("\n".join(f"P{n}" for n in range(501)), "at most 500 entrants"),
        ("x" * (MAX_FILE_BYTES + 1), "at most 900 kB"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(DomainError, match=sentence) as refused:
        entrants.read_entrants(text)
    assert (refused.value.status, refused.value.code) == (400, "bad_file")


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)


@given(text=st.text(max_size=200) | JSON.map(json.dumps))
def test_whatever_is_sent_is_rows_or_a_refusal(text: str) -> None:
    rows: tuple[FileEntrant, ...] = (FileEntrant(1, "refused"),)
    with contextlib.suppress(DomainError):
        rows = entrants.read_entrants(text).rows
    assert rows
    assert all(row.name and 0 <= row.version < 2**31 for row in rows)


@pytest.mark.parametrize("name", ["unplayed", "lasts_seconds", "up", "down", "carry"])
def test_settings_by_names_of_before_are_refused_rather_than_left_out(name: str) -> None:
    plan = SeasonPlan(league="chinese-ten", name="Winter", kind="chinese_ten")
    with pytest.raises(
        DomainError, match=rf"no setting {name}\. The settings are calendar, .*on_round_deadline"
    ) as refused:
        entrants.plan_from_file({"kind": "chinese_ten", name: 0}, plan)
    assert refused.value.code == "bad_file"


@pytest.mark.parametrize("settings", [{"table_size": "x"}, {"options": 3}, {"terms": []}, {"calendar": "weekly"}])
def test_settings_of_a_file_are_checked_as_the_api_checks_them(settings: dict[str, Any]) -> None:
    with pytest.raises(DomainError, match=f"The setting {next(iter(settings))}: ") as refused:
        entrants.plan_from_file(settings, SeasonPlan(league="chinese-ten", name="Winter", kind="chinese_ten"))
    assert refused.value.code == "bad_file"


def test_a_table_says_cell_by_cell_what_is_wrong() -> None:
    text = (
        "round,table,game,seat,name,score,placing\n"
        "1,1,1,0,Martha,x,1\n"
        "1,1,1,1,Laura,3,\n"
        "1,2,1,0,Wilma,3,1\n"
        "0,2,1,1,Betty,2,2\n"
    )
    sheet = entrants.read_entrants(text)
    assert [(one.line, one.column) for one in sheet.problems] == [
        (2, "score"),
        (3, "placing"),
        (5, "round"),
        (4, "seat"),
    ]
    assert not sheet.rows


GAMES = [{"number": number, "seats": [1, 2], "scores": [3, 9], "placings": [2, 1]} for number in (1, 2)]
ROUNDS = [{"number": number, "matches": [{"table": 1, "entrants": [1, 2], "games": GAMES}]} for number in (1, 2)]
WHOLE: dict[str, Any] = {
    "format": "scorebook-season",
    "version": 2,
    "divisions": [{"number": 1, "places": []}],
    "entrants": [{"number": 1, "name": "Gannet"}, {"number": 2, "name": "Tin Whistle"}],
    "rounds": ROUNDS,
}


def past(data: dict[str, Any]) -> SeasonFile:
    """Return the season that a file with these results describes."""
    sheet = entrants.read_entrants(json.dumps(data))
    assert sheet.data
    return parse_season(sheet.data, table_size=2, games_a_match=2, continuous=False)


def test_the_results_of_a_file_are_read_round_by_round() -> None:
    found = past(WHOLE)
    assert ([each.number for each in found.rounds], found.games, found.left_out) == ([1, 2], 4, 0)


def test_the_last_repetition_of_a_game_may_have_been_aborted() -> None:
    """The match is over, so an annulled game follows it, whatever its number."""
    data = copy.deepcopy(WHOLE)
    data["rounds"][0]["matches"][0]["games"][0].update(status="aborted", replay=MAX_REPLAYS)
    games = past(data).rounds[0].matches[0].games
    assert [(game.number, game.replay, game.counted_as) for game in games] == [
        (1, MAX_REPLAYS, "aborted"),
        (2, 0, "played"),
        (1, MAX_REPLAYS + 1, "annulled"),
    ]


def test_what_a_file_says_is_the_same_in_every_language() -> None:
    """Lots that it does not have are drawn from it."""
    with override("de"):
        german = repr(past(WHOLE))
    assert german == repr(past(WHOLE))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data["entrants"][1].update(number=1), "Two entrants have the number 1"),
        (lambda data: data["rounds"][0]["matches"][0].update(entrants=[1, 1]), "match 1: Gannet occurs twice"),
        (lambda data: data["rounds"][0]["matches"][0].update(entrants=[1, 99]), "no such entrant"),
        (lambda data: data["rounds"][0]["matches"][0]["games"][0].update(placings=[1]), "for each seat"),
        (lambda data: data["rounds"][0]["matches"][0]["games"][0].update(scores=None), "must have scores and placings"),
        (
            lambda data: data["rounds"][0]["matches"][0]["games"][0].update(seats=[1, 1]),
            "each entrant of the match once",
        ),
        (lambda data: data["rounds"][0]["matches"][0]["games"][0].update(termination="Martha"), "must be one of"),
        (lambda data: data["rounds"][0]["matches"][0]["games"][0].update(number=9), "a match has 2"),
        (lambda data: data["rounds"][0]["matches"][0]["games"][0].update(placings=[2, 2]), "write 1, 1"),
        (lambda data: data["rounds"][0].update(opened_at="yesterday"), "must be a time such as"),
        (lambda data: data["rounds"][0].update(byes=[{"entrant": 1}, {"entrant": 1}]), "twice"),
        (lambda data: data.update(divisions=[]), "numbers 1, 2"),
        (
            lambda data: (
                data["divisions"].append({"number": 2, "places": [], "pairs": [[1, 2]]}),
                data["rounds"][0].update(division=2),
            ),
            "Gannet is not in it",
        ),
    ],
)
def test_results_that_cannot_be_are_refused_with_the_place(change: Any, sentence: str) -> None:
    data = copy.deepcopy(WHOLE)
    change(data)
    with pytest.raises(DomainError, match=sentence) as refused:
        past(data)
    assert (refused.value.status, refused.value.code) == (400, "bad_file")


REST_REASON = {"code": "alone_in_round", "params": {}, "text": "Sonst spielt niemand in dieser Runde."}


@pytest.mark.parametrize(
    ("sentence", "known"),
    [
        ({}, imported()),
        ({"reason": "By lot."}, written("By lot.")),
        ({"reason": "Nobody else.", "reasons": [REST_REASON]}, alone_in_round()),
        ({"reason": "By lot.", "reasons": [{"code": "written", "params": {"text": "Otto"}}]}, written("By lot.")),
        ({"reasons": []}, imported()),
    ],
)
def test_a_reason_is_read_by_its_codes_else_in_its_own_words(sentence: dict[str, Any], known: Sentence) -> None:
    assert parse_reason(FileObject(sentence, "Round 1")) == (known,)


@pytest.mark.parametrize(
    "reasons",
    [
        [REST_REASON, {"code": "from_the_future", "params": {}}],
        [REST_REASON, {"code": "written", "params": {"text": "Otto"}}],
        [{"code": "bot_taken_down", "params": {"whole": True}}],
        [{"code": "slot_match_again", "params": {"stage": ["written", {"text": "Otto has not paid"}]}}],
        [{"code": "same_points", "params": {"points": "two"}}],
        [{"code": ["same_points"], "params": {"points": 2}}],
        [{"params": []}],
        [3],
    ],
)
def test_reasons_that_no_format_gives_are_refused_with_what_to_do(reasons: Any) -> None:
    with pytest.raises(DomainError, match=r"Round 1: “reasons” may have only .* Leave out “reasons”") as refused:
        parse_reason(FileObject({"reason": "By lot.", "reasons": reasons}, "Round 1"))
    assert (refused.value.status, refused.value.code) == (400, "bad_file")
