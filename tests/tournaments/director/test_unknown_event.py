"""An event of a later version in the log of a season: that season stops with a message, and no other does."""

from __future__ import annotations

import pytest
from django.test import Client

from games.common import clock
from games.common.models import Incident
from games.eventlog import store as eventlog
from tests.tournaments.club import BEGIN, Start
from tournaments.core.event import UnknownEventType
from tournaments.director import director
from tournaments.maintenance.rebuild import find_differences
from tournaments.seasons.events.registry import SEASON_EVENTS, read_event
from tournaments.seasons.models import Round
from tournaments.seasons.stream import fold_season

pytestmark = pytest.mark.django_db
LISTS = {"tables", "byes"}  # fields that `upcast` goes through
LATER = ["round_blessed", 1, 1, {"by": None, "note": None}]


def test_an_unknown_event_stops_its_season_and_no_other(client: Client, running: Start) -> None:
    stopped, sound = running(2, name="Stopped"), running(2, name="Sound")
    eventlog.append(stopped.stream_id, [LATER], expected=None, times=[0], at=BEGIN)
    with clock.frozen_at(BEGIN):
        director.advance()
        director.advance()
    assert set(Round.objects.values_list("division__season", flat=True)) == {sound.pk}
    incident = Incident.objects.get().sentence
    assert incident.startswith(f"{stopped.path} has stopped. The log has an event of the type “round_blessed”")
    [line, *_more] = client.get(f"/api/v1/seasons/{stopped.pk}/timeline/").json()["results"]
    assert (line["type"], "round_blessed" in line["text"]) == ("unknown", True)
    with pytest.raises(UnknownEventType):
        fold_season(stopped)
    [difference] = find_differences(write=True)
    assert "which this version of Scorebook does not know" in difference


def test_an_event_is_stored_as_it_was_read() -> None:
    assert read_event(LATER).stored() == LATER
    for type, event in SEASON_EVENTS.items():
        fields = [[] if name in LISTS else f"{name} of {type}" for name in event.field_names()]
        assert read_event([type, *fields]).stored() == [type, *fields]
    assert read_event(["entrant_challenged", 1, 2, 3]).stored() == ["entrant_challenged", 1, 2, 3, None]  # old log
    with pytest.raises(ValueError, match="An event round_closed cannot have the fields"):
        read_event(["round_closed", 1])
