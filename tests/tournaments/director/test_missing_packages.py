"""The package of a format or a tie-break is removed while a season needs it: the season waits and says so, and no page
fails."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.test import Client

from config.monitoring.alerts import all_alerts
from games.common.models import Incident
from tests.fixtures.removed_kinds import removed
from tests.tournaments.club import Start, let_play, play_all
from tournaments.director import director
from tournaments.formats import FORMATS
from tournaments.maintenance.rebuild import NotCompared, find_differences
from tournaments.maintenance.status import collect_status
from tournaments.organiser.inbox import inbox_items
from tournaments.scoring.tie_breaks import TIE_BREAKS, tie_break_label, tie_break_name
from tournaments.seasons.models import Round, Season

pytestmark = pytest.mark.django_db
Removal = Callable[[], AbstractContextManager[None]]
PAGES = ("", "standings/", "rounds/", "activity/", "settings/")


@pytest.fixture
def playing(running: Start) -> Season:
    """Return a season in a round robin of four with head-to-head, whose first round is closed and second is open."""
    season = running(4, format="round_robin", tie_breaks=["head_to_head", "wins"])
    let_play(1, open_next=True)
    season.refresh_from_db()
    return season


@pytest.mark.parametrize(
    ("removal", "missing"),
    [
        pytest.param(lambda: removed(FORMATS, "round_robin"), "the format round_robin", id="format"),
        pytest.param(
            lambda: removed(TIE_BREAKS, "head_to_head"),
            "the tie-break head_to_head",
            id="tie-break",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_season_waits_for_a_removed_package_and_goes_on_when_it_is_back(
    playing: Season, client: Client, removal: Removal, missing: str
) -> None:
    client.raise_request_exception = False
    closed = Round.objects.filter(status="closed").count()
    with removal():
        play_all()
        director.advance()
        assert Round.objects.filter(status="closed").count() == closed
        assert not Incident.objects.exists()
        for page in PAGES:
            shown = client.get(f"/clubs/{playing.path}/{page}")
            assert (page, shown.status_code) == (page, 200)
            assert f"The season waits, because {missing} cannot be used here at present." in shown.content.decode()
        listed = client.get("/api/v1/seasons/")
        assert (listed.status_code, listed.json()["results"][0]["format"]) == (200, "round_robin")
        [item] = [each for each in inbox_items([playing.league.club]) if each.what == "missing"]
        assert missing in item.why
        alerts = {alert.title: alert.sentence for alert in all_alerts(collect_status())}
        title = f"Problem with {missing.split()[-1]}, which a package adds to seasons"
        assert "Install its package again." in alerts[title]
        found = list(find_differences(write=True))
        assert all(isinstance(each, NotCompared) for each in found)
        assert str(playing) in found[-1]
    director.advance()
    assert Round.objects.filter(status="closed").count() == closed + 1
    assert list(find_differences(write=True)) == []


def test_what_is_computed_by_a_removed_format_is_refused_with_a_sentence(playing: Season, client: Client) -> None:
    client.raise_request_exception = False
    with removed(FORMATS, "round_robin"):
        answer = client.get(f"/api/v1/seasons/{playing.pk}/what-if/")
        page = client.get(f"/clubs/{playing.path}/standings/?part=what-if")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "package_missing")
    assert "There is no format 'round_robin' here." in answer.json()["error"]["why"]
    assert page.status_code == 200


def test_a_season_with_a_removed_format_is_not_started() -> None:
    with removed(FORMATS, "swiss"):
        assert "swiss" not in FORMATS
        assert [FORMATS["swiss"].label, FORMATS["swiss"].rounds(4, 2, {})] == ["swiss (not available)", None]
        assert FORMATS["swiss"].why_unplayable(4, 2, {})
        assert FORMATS["swiss"].table_counts(4, 2, {}, short=False) == []


def test_a_removed_tie_break_keeps_its_key_as_its_name() -> None:
    with removed(TIE_BREAKS, "lots"):
        assert (tie_break_name("lots"), tie_break_label("lots")) == ("lots", "lots (not available)")


def test_the_dashboard_names_a_format_of_a_package_that_could_not_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS.broken, "lots", "lots of scorebook.formats can't be loaded.")
    [alert] = [alert for alert in all_alerts(collect_status()) if alert.what == "package-lots"]
    assert (alert.state, alert.sentence) == ("fault", "lots of scorebook.formats can't be loaded.")
