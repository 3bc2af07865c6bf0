"""`verify --all` reads every stream."""

from __future__ import annotations

import pytest

from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from tests.replays.export.test_game_json import AT, faults, opened, output_of, play


@pytest.mark.django_db(transaction=True)
def test_all_verifies_games_and_the_chains_of_the_other_streams(capsys: pytest.CaptureFixture[str]) -> None:
    play(opened(), 3)
    season = eventlog.create(subject=Stream.Subject.SEASON, at=AT)
    eventlog.append(season.pk, [["joined", 1]], expected=None, times=[9], at=AT)
    eventlog.append(season.pk, [["joined", 2]], expected=None, times=[3], at=AT)
    assert output_of(capsys, "--all") == "1 games and 1 other streams were read.\nNo faults.\n"
    Stream.objects.filter(pk=season.pk).update(version=3, head=bytes(32))
    assert f"season stream {season.pk}, event 2: The log ends with this event, but 3" in faults(capsys, "--all")
