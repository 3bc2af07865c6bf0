"""German sentences that are composed of parts, counts, and words before and after a name. The tests use no database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.utils import translation

from games.bots.sentences import milliseconds_text
from tournaments.activity.subjects import round_overdue
from tournaments.rulings import subjects as rulings
from tournaments.seasons.events.base import SeasonEvent
from tournaments.seasons.events.challenges import ChallengeRefused
from tournaments.seasons.events.lifecycle import SeasonFinished
from tournaments.seasons.events.rulings import DisputeSettled, MatchDisputed
from tournaments.seasons.schedule import CalendarError, parse_calendar, parse_weekly
from tournaments.seasons.week_words import in_english

NOTE = {"by": 1, "note": None}
WORDS = SimpleNamespace(
    player=lambda entrant: {1: "Pilar", 2: "Otto"}[entrant],
    place_of_match=lambda _match: (3, 1),
    note=lambda _details: "",
)


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    with translation.override("de"):
        yield


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (MatchDisputed(7, 1, NOTE), "Pilar erhebt Einspruch gegen das Ergebnis an Tisch 3 von Runde 1."),
        (
            DisputeSettled(7, 1, "declined", NOTE),
            "Das Ergebnis an Tisch 3 von Runde 1 bleibt bestehen. Einspruch erhob Pilar. Der Text der Begründung "
            "wurde entfernt.",
        ),
        (
            ChallengeRefused(1, 1, 2, {"how": "declined", "at": 0, "count": 2, "place": 4, "to": 1, "note": None}),
            "Pilar – Otto: Otto hat die Herausforderung abgelehnt (Ablehnung Nummer 2), damit geht Rang 4 an Pilar.",
        ),
        (SeasonFinished(1, [[1, 1], [2, 2]]), "Pilar belegt Rang 1."),
        (SeasonFinished(1, [[1, 1], [2, 1]]), "Pilar und Otto teilen sich Rang 1."),
    ],
    ids=lambda value: value.type if isinstance(value, SeasonEvent) else "",
)
def test_a_line_of_the_timeline_is_a_whole_sentence(event: SeasonEvent, text: str) -> None:
    line = event.describe(WORDS)
    assert line
    assert "".join(line.text) == text


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (rulings.result_adjudicated(None, 2, "Herbst"), "Ergebnis festgesetzt: deine Begegnung in Runde 2 von Herbst."),
        (rulings.result_annulled(1, 2, "Herbst"), "Annulliert, zählt also nicht: Spiel 1 in Runde 2 von Herbst."),
        (rulings.replay_ordered(None, 2, "Herbst"), "Wird wiederholt: deine Begegnung in Runde 2 von Herbst."),
        (
            round_overdue(2, "Herbst", 1),
            "Die Frist von Runde 2 in Herbst ist vorbei, und 1 Spiel ist nicht beendet. Entscheide, wie es zählt.",
        ),
    ],
)
def test_a_notice_has_the_right_case_and_number(made: object, text: str) -> None:
    assert str(made) == text


@pytest.mark.parametrize(
    "calendar",
    [
        {"rule": "weekdays"},
        {"times": ["19:00"]},
        {"times": ["tue"]},
        {"times": ["soon"]},
        {"fallback_time": "tue 19:00, fri 19:00"},
    ],
)
def test_what_an_error_advises_is_read_by_the_api_too(calendar: dict[str, object]) -> None:
    with pytest.raises(CalendarError) as refused:
        parse_calendar(calendar)
    assert parse_weekly(in_english(re.findall("„([^“]*)“", refused.value.sentence)[-1]))


def test_a_number_of_milliseconds_has_a_comma() -> None:
    assert [milliseconds_text(3.42), milliseconds_text(34.2)] == ["3,4", "34"]
