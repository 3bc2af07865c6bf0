"""When rounds open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tournaments.schedule import DAY, opens_at

THURSDAY = datetime(2026, 10, 22, 19, 0, tzinfo=UTC)  # 20:00 in Dublin, in summer time


def test_first_round_opens_with_the_season() -> None:
    assert opens_at(THURSDAY, 7 * DAY, 1, "Europe/Dublin") == THURSDAY


def test_weekly_round_keeps_its_hour_when_the_clocks_change() -> None:
    """Summer time ends on 25 October 2026: 20:00 in Dublin is 20:00 UTC from then on."""
    assert opens_at(THURSDAY, 7 * DAY, 2, "Europe/Dublin") == datetime(2026, 10, 29, 20, 0, tzinfo=UTC)


def test_shorter_rounds_are_counted_in_seconds() -> None:
    assert opens_at(THURSDAY, 25, 13, "Europe/Dublin") == THURSDAY + timedelta(seconds=300)
