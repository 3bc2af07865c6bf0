"""The logs of real seasons, kept as they were written. They must be read and counted in the same way for ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scorebook_games.presentation.coded_text import text
from tournaments.core.event import event
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.registry import read_event, read_events
from tournaments.seasons.events.rounds import RoundPaired
from tournaments.seasons.fold import SeasonFold
from tournaments.seasons.pairing import division_standings

UPCAST = {"round_paired"}  # types whose fields have changed
LOGS = sorted((Path(__file__).parent / "logs").glob("*.json"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_a_kept_log_is_read_stored_and_counted_as_when_it_was_written(path: Path) -> None:
    kept = json.loads(path.read_text())
    today = [each.stored() for each in read_events(kept["log"])]
    assert [each for each in today if each[0] not in UPCAST] == [each for each in kept["log"] if each[0] not in UPCAST]
    assert [each.stored() for each in read_events(today)] == today
    folded = SeasonFold(read_events(kept["log"]))
    assert folded.status() == "finished"
    rows = division_standings(folded, folded.division(1))
    assert [[row.entrant, row.place, float(row.points)] for row in rows] == kept["standings"]


def test_a_pairing_of_an_old_log_says_why_in_the_sentence_that_was_written_then() -> None:
    log = json.loads((Path(__file__).parent / "logs" / "round_robin_2026_11.json").read_text())["log"]
    old = next(each for each in log if each[0] == "round_paired")
    paired = read_event(old)
    assert isinstance(paired, RoundPaired)
    assert [text(why) for _match, _entrants, why, *_rest in paired.tables] == [table[2] for table in old[3]]
    assert old[3][0][2] == "Round 1 of 3: everyone meets everyone once."


def test_an_event_whose_fields_have_changed_is_read_through_its_upcaster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SeasonEvent, "types", dict(SeasonEvent.types))

    @event
    class RoundNamed(SeasonEvent):
        """An event that has a code and its values, and had a sentence before."""

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
