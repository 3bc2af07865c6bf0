"""The latest results of a club are those of matches that have one, however many ended without."""

from __future__ import annotations

import pytest

from tests.factories import worlds
from tests.tournaments.club import let_play
from tournaments.matches import rows
from tournaments.seasons.models import Match, MatchGame, Season

pytestmark = pytest.mark.django_db


@pytest.mark.some(1)
@pytest.mark.parametrize("scanned", [1, 2, 40])
def test_matches_without_a_result_hide_none_that_has_one(scanned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    season = worlds.season(worlds.league(), worlds.bots())
    let_play(2)
    ended = list(Match.objects.exclude(finished_at=None).order_by("-finished_at", "-pk"))
    MatchGame.objects.filter(match__in=ended[:2]).update(ruling=MatchGame.Ruling.ANNULLED)
    monkeypatch.setattr(rows, "ENDED_SCANNED", scanned)
    found = rows.latest_matches(list(Season.objects.filter(pk=season.pk)))
    assert len(ended) == 4
    assert [line.match.pk for line in found] == [match.pk for match in ended[2:]]
