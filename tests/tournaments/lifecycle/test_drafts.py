"""What a new season may begin from: presets of formats, and former seasons."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from scorebook_games.registry import KINDS
from tests.tournaments.club import BEGIN, play_all
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.lifecycle.drafts import draft_like, draft_of_preset, moved_calendar, season_presets
from tournaments.seasons.models import League, Season
from tournaments.seasons.schedule import parse_calendar
from tournaments.seasons.settings import parse_settings


@pytest.mark.parametrize("preset", season_presets())
@pytest.mark.parametrize("kind", KINDS)
def test_a_preset_fits_each_kind_of_game(preset: str, kind: str) -> None:
    draft = draft_of_preset(preset, kind, "Europe/Dublin")
    bots = draft.pop("bots")
    assert draft.pop("repeats") == season_presets()[preset].repeats
    draft.pop("starts_at", None)
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


@pytest.mark.slow
@pytest.mark.django_db
def test_a_weekly_cup_of_bots_starts_by_itself_each_week_and_takes_entries_until_then(
    league: League, bots: list[Player]
) -> None:
    """Dublin's clocks go back on 25 October 2026, and the next cup still starts at 18:00."""
    with clock.frozen_at(datetime(2026, 10, 20, 12, 0, tzinfo=UTC)):
        draft = draft_of_preset("bot_cup", "chinese_ten", "Europe/Dublin")
        draft.pop("bots")
        first = seasons.create_season(league=league, name="Cup", **draft)
        entries.enter_players(season=first, players=bots[:2])
        assert director.advance() == 0
    assert first.starts_at == datetime(2026, 10, 24, 17, 0, tzinfo=UTC)  # Saturday, 18:00 in Dublin
    second = played_out(first).successor
    assert second is not None
    assert (second.status, second.starts_at) == ("open", datetime(2026, 10, 31, 18, 0, tzinfo=UTC))
    assert [each.player for each in second.entries.order_by("number")] == bots[:2]
    with clock.frozen_at(first.starts_at + timedelta(days=3)):
        entries.enter_season(season=second, player=bots[2])
        director.advance()
        second.refresh_from_db()
        assert second.status == "open"
    assert played_out(second).entries.count() == 3


def played_out(season: Season) -> Season:
    """Let the director play a season of bots from its start until it has a successor."""
    moment = season.starts_at
    for turn in range(100):
        with clock.frozen_at(moment):
            director.advance()
            play_all(turn)
        season.refresh_from_db()
        if season.successor:
            return season
        moment += timedelta(minutes=1)
    raise AssertionError("The season does not end.")
