"""The log of a real season, kept as it was written: it must be read and counted like this for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tournaments.core.event import event
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_event, read_events
from tournaments.seasons.fold import SeasonFold

LOGS = sorted((Path(__file__).parent / "logs").glob("*.json"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_kept_log_is_read_stored_and_counted_as_when_it_was_written(path: Path) -> None:
    kept = json.loads(path.read_text())
    assert [each.stored() for each in read_events(kept["log"])] == kept["log"]
    folded = SeasonFold(read_events(kept["log"]))
    assert folded.status() == "finished"
    rows = folded.standings(folded.division(1))
    assert [[row.entrant, row.place, float(row.points)] for row in rows] == kept["standings"]


def test_an_event_whose_fields_have_changed_is_read_through_its_upcaster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeasonEvent, "types", dict(SeasonEvent.types))

    @event
    class RoundNamed(SeasonEvent):
        """Today a code and its values; it was a sentence before."""

        type = "round_named"
        round: int
        code: str
        values: dict[str, Any]

        @classmethod
        def upcast(cls, fields: list[Any]) -> list[Any]:
            return [*fields[:1], "text", {"text": fields[1]}] if len(fields) == 2 else fields

    monkeypatch.setattr("tournaments.seasons.events.registry.SEASON_EVENTS", SeasonEvent.types)
    assert read_event(["round_named", 3, "The last round."]) == RoundNamed(3, "text", {"text": "The last round."})
    assert read_event(["round_named", 3, "last", {}]) == RoundNamed(3, "last", {})
