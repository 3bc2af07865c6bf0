"""What a new season may begin from: presets of formats, and former seasons."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from scorebook_games.registry import KINDS
from tests.tournaments.club import BEGIN
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle.drafts import draft_like, draft_of_preset, moved_calendar, season_presets
from tournaments.seasons.models import League
from tournaments.seasons.schedule import parse_calendar
from tournaments.seasons.settings import parse_settings


@pytest.mark.parametrize("preset", season_presets())
@pytest.mark.parametrize("kind", KINDS)
def test_a_preset_fits_each_kind_of_game(preset: str, kind: str) -> None:
    draft = draft_of_preset(preset, kind, "Europe/Dublin")
    bots = draft.pop("bots")
    agreed = parse_settings(draft)
    assert agreed.terms["zone"] == "Europe/Dublin"
    assert agreed.format == season_presets()[preset].format
    assert bool(bots) == season_presets()[preset].with_bots


def test_an_unknown_preset_is_refused_with_those_that_exist() -> None:
    with pytest.raises(DomainError, match=r"The preset must be one of weekly, .*, not 'bridge'") as refused:
        draft_of_preset("bridge", "plates", "UTC")
    assert (refused.value.status, refused.value.code, refused.value.field) == (400, "unknown_preset", "preset")


def test_listed_dates_move_and_days_off_stay_unless_they_are_over() -> None:
    calendar = parse_calendar(
        {"rule": "dates", "dates": ["2026-09-14 19:00"], "off": ["2026-09-20", "2026-12-24/2027-01-03"]}
    )
    moved = moved_calendar(calendar, timedelta(weeks=12), date(2026, 12, 1))
    assert moved.dates == (datetime(2026, 12, 7, 19, 0),)
    assert moved.off == ((date(2026, 12, 24), date(2027, 1, 3)),)


@pytest.mark.django_db
def test_a_season_like_a_former_one_has_its_settings_people_and_weekday(league: League, bots: list[Player]) -> None:
    """Dublin's clocks go back between the two, and the season still begins at 19:30 on a Wednesday."""
    with clock.frozen_at(BEGIN):
        former = seasons.create_season(
            league=league,
            name="Autumn",
            kind="palace",
            format="swiss",
            starts_at=datetime(2026, 9, 9, 18, 30, tzinfo=UTC),
            terms={"move_days": 2},
        )
        entries.enter_players(season=former, players=bots[:3])
    with clock.frozen_at(datetime(2026, 11, 11, 12, 0, tzinfo=UTC)):
        draft = draft_like(former)
    assert draft["starts_at"] == datetime(2026, 11, 18, 19, 30, tzinfo=UTC)
    assert draft["players"] == [player.pk for player in bots[:3]]
    assert (draft["format"], draft["terms"]["move_days"], draft["league"]) == ("swiss", 2, league.slug)
