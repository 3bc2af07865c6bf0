"""Every page, file and API has the same answer to who has won (tournaments.seasons.pairing.division_standings)."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from tests.tournaments.club import Start
from tests.tournaments.importexport.test_season_files import import_
from tests.tournaments.season_pages.test_pages import address, get
from tournaments.importexport import export as importexport_export
from tournaments.maintenance.rebuild import find_differences
from tournaments.season_pages.overview import season_head
from tournaments.seasons.models import Season
from tournaments.seasons.stream import fold_season
from tournaments.standings.models import Standing

pytestmark = pytest.mark.django_db
NAMES = ("Adler", "Birke", "Ceder", "Distel", "Eibe", "Farn", "Ginster", "Hasel")


def written(format: str, entrants: int, *rounds: list[tuple[str, int, int]], **options: Any) -> str:
    """Return the file of a finished season. Each match is (slot, winner, loser); without a loser it
    is a bye."""
    numbers = list(range(1, entrants + 1))
    game = {"number": 1, "scores": [9, 3], "placings": [1, 2]}
    data = {
        "format": "scorebook-season",
        "version": 2,
        "status": "finished",
        "settings": {
            "kind": "chinese_ten",
            "format": format,
            "table_size": 2,
            "games_a_match": 1,
            "tie_breaks": ["head_to_head", "wins", "lots"],
            "format_options": options,
        },
        "divisions": [{"number": 1, "seeds": numbers, "lots": numbers, "places": []}],
        "entrants": [{"number": number, "name": NAMES[number - 1]} for number in numbers],
        "rounds": [
            {
                "number": number,
                "matches": [
                    {"table": table, "slot": slot, "entrants": [*pair], "games": [{**game, "seats": [*pair]}]}
                    for table, (slot, *pair) in enumerate(matches, start=1)
                    if all(pair)
                ],
                "byes": [{"entrant": one} for _slot, one, other in matches if not other],
            }
            for number, matches in enumerate(rounds, start=1)
        ],
    }
    return json.dumps(data)


A, B = "Group A", "Group B"
# In Group A are 1, 4, 5 and 8. 1 wins all matches there and the semi-final, 4 wins two, the semi-final and the final.
GROUPS = written(
    "groups",
    8,
    [(A, 1, 8), (A, 4, 5), (B, 2, 7), (B, 3, 6)],
    [(A, 5, 8), (A, 1, 4), (B, 6, 7), (B, 2, 3)],
    [(A, 4, 8), (A, 1, 5), (B, 3, 7), (B, 2, 6)],
    [("W1.1", 1, 3), ("W1.2", 4, 2)],
    [("F", 4, 1)],
    group_size=4,
    advance=2,
)
# 3 has the only point. It beat 2 and took the second place; nobody challenged 1.
LADDER = written("ladder", 3, [("3>2", 3, 2)])
# 1 wins with three points; 2 comes back through the lower bracket and has four.
DOUBLE_ELIMINATION = written(
    "double_elimination",
    7,
    [("W1.2", 4, 5), ("W1.3", 7, 2), ("W1.4", 3, 6), ("", 1, 0)],
    [("W2.1", 1, 4), ("W2.2", 3, 7), ("L1.2", 2, 6), ("", 5, 0)],
    [("W3.1", 1, 3), ("L2.1", 7, 5), ("L2.2", 2, 4)],
    [("L3.1", 2, 7), ("", 1, 0), ("", 3, 0)],
    [("L4.1", 2, 3), ("", 1, 0)],
    [("F", 1, 2)],
)


@pytest.mark.some(1)
@pytest.mark.parametrize(
    ("file", "order"),
    [
        (GROUPS, ["Distel", "Adler", "Birke", "Ceder"]),
        (LADDER, ["Adler", "Ceder", "Birke"]),
        (DOUBLE_ELIMINATION, ["Adler", "Birke", "Ceder", "Ginster"]),
    ],
    ids=["groups", "ladder", "double_elimination"],
)
def test_everything_names_the_same_winner(client: Client, running: Start, file: str, order: list[str]) -> None:
    running(2)  # the club
    report = import_(file, results=True)
    assert report.season, (report.problem, report.problems)
    season = Season.objects.get(pk=report.season.pk)
    assert not [note for note in report.notes if "differ" in note]
    division, count = season.divisions.get(), len(order)
    rows = list(Standing.objects.filter(division=division).select_related("entrant__player"))
    assert [row.entrant.player.name for row in rows][:count] == order
    assert {row.entrant.number: row.place for row in rows} == fold_season(season).division(1).places
    assert [row.entrant.player.name for row in season_head(season, division, None).leaders] == order[:1]
    data = importexport_export.season_data(season)
    table = csv.DictReader(io.StringIO(importexport_export.as_csv(data, "standings").decode("utf-8-sig")))
    assert [row["name"] for row in table][:count] == order
    shown = client.get(f"/api/v1/seasons/{season.pk}/standings/").json()["results"]
    assert [row["entrant"]["player"]["name"] for row in shown][:count] == order
    assert f"Finished. {order[0]} (from a file) came first." in get(client, f"{address(season)}activity/").text
    again = import_(json.dumps(json.loads(importexport_export.as_json(season))), results=True, name="Again")
    assert again.season
    assert not [note for note in again.notes if "differ" in note], "its own export"
    assert list(find_differences(write=True)) == []
