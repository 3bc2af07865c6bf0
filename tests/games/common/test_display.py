"""Times as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone, translation

from games.common.templatetags.display import when, when_inside


def test_this_day_is_small_inside_a_sentence() -> None:
    now = timezone.now()
    assert f">Today, {now:%H:%M}<" in when(now)
    assert f">today, {now:%H:%M}<" in when_inside(now)
    with translation.override("de"):
        assert f">heute, {now:%H:%M}<" in when_inside(now)


def test_another_year_is_a_date_in_both_places() -> None:
    long_ago = datetime(2020, 11, 16, 9, tzinfo=UTC)
    assert when(long_ago) == when_inside(long_ago)
    assert "2020" in when(long_ago)
