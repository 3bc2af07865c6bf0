"""A season's settings: complete, checked, and read back as they were written."""

from __future__ import annotations

from typing import Any

import pytest

from games.common.errors import DomainError
from tests.tournaments.entries.test_entries import refused
from tournaments.seasons.settings import DivisionSettings, EntryPolicy, SeasonSettings, parse_settings

KIND = {"kind": "chinese_ten"}


def test_everything_has_its_usual_value_and_is_read_back_as_it_was() -> None:
    usual = parse_settings(KIND)
    assert SeasonSettings.read(usual.plain()) == usual
    assert (usual.entry, usual.divisions, usual.withdrawals, usual.on_round_deadline) == (
        EntryPolicy(),
        (DivisionSettings(),),
        "void_below_half",
        "wait",
    )


def test_the_log_holds_no_names_of_divisions() -> None:
    settings = parse_settings({**KIND, "divisions": [{"name": "Kings", "max_entrants": 8}, {"name": "Knaves"}]})
    assert settings.logged()["divisions"] == [{"max_entrants": 8}, {"max_entrants": None}]
    assert settings.plain()["divisions"][0]["name"] == "Kings"


@pytest.mark.parametrize(
    ("asked", "code", "field"),
    [
        ({"colour": "red"}, "unknown_setting", "colour"),
        ({"entry": {"height": 2}}, "unknown_setting", "entry.height"),
        ({"entry": {"players": "cats"}}, "bad_setting", "entry.players"),
        ({"entry": {"max_entrants": 1}}, "bad_setting", "entry.max_entrants"),
        ({"entry": {"invited_only": "yes"}}, "bad_setting", "entry.invited_only"),
        ({"entry": {"rating_min": 1600, "rating_max": 1500}}, "bad_setting", "entry.rating_max"),
        ({"entry": []}, "bad_setting", "entry"),
        ({"format_options": {"depth": 3}}, "bad_option", "format_options.depth"),
        ({"withdrawals": "shrug"}, "bad_setting", "withdrawals"),
        ({"on_round_deadline": True}, "bad_setting", "on_round_deadline"),
        ({"max_no_shows": -1}, "bad_setting", "max_no_shows"),
        ({"deals": "marked"}, "bad_setting", "deals"),
        ({"promoted": 1}, "bad_setting", "promoted"),
        ({"divisions": [{"name": "x" * 61}]}, "bad_setting", "divisions.name"),
        ({"divisions": [{}] * 21}, "bad_setting", "divisions"),
        ({"divisions": [{}, {}], "playoff": 1, "table_size": 3}, "bad_setting", "playoff"),
        ({"points_carryover": 1.5}, "bad_setting", "points_carryover"),
        ({"duration_seconds": -5}, "bad_setting", "duration_seconds"),
        ({"points": {"system": "placing", "scale": [1], "away": -1}}, "bad_points", "points"),
    ],
)
def test_what_cannot_be_is_refused_by_name(asked: dict[str, Any], code: str, field: str) -> None:
    with pytest.raises(DomainError) as error:
        parse_settings({**KIND, **asked})
    assert (error.value.status, error.value.code, error.value.field) == (400, code, field)


def test_a_season_holds_as_many_as_its_divisions_do_together() -> None:
    assert parse_settings({**KIND, "divisions": [{"max_entrants": 8}, {"max_entrants": 6}]}).max_entrants == 14
    assert parse_settings({**KIND, "divisions": [{"max_entrants": 8}, {}]}).max_entrants is None
    assert (
        parse_settings(
            {**KIND, "entry": {"max_entrants": 10}, "divisions": [{"max_entrants": 8}, {"max_entrants": 6}]}
        ).max_entrants
        == 10
    )
    with refused("unknown_kind"):
        parse_settings({})
