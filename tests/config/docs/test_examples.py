"""The examples of the OpenAPI document. Each operation is sent to the API in a story, and its answer must have the form
of its example. An operation that the story does not send fails.

`SCOREBOOK_WRITE_EXAMPLES=1 pytest tests/config/docs/test_examples.py` writes the examples again. Check the difference,
because programs of others depend on it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from django.core.cache import cache

from config import api_router
from config.docs.examples import EXAMPLES, add_examples, load_examples, summary_of
from tests.config.docs.story import bots, cast, clubs, games, leagues, platform
from tests.config.docs.story.teller import Teller, alike, number_from_one, seed_the_dice, stop_the_clock

pytestmark = pytest.mark.django_db
WRITE: Final = "SCOREBOOK_WRITE_EXAMPLES" in os.environ
NOON: Final = datetime(2027, 1, 14, 12, tzinfo=UTC)
STORY: Final = (
    clubs.members,
    clubs.later,
    clubs.news,
    clubs.hands,
    clubs.webhooks,
    games.tables,
    games.playing,
    games.over,
    games.together,
    bots.uploaded,
    bots.remote,
    leagues.set_up,
    leagues.bots,
    leagues.people,
    leagues.appointments,
    leagues.commentary,
    leagues.ladder,
    leagues.teams,
    platform.account,
    platform.conduct,
    platform.admin,
    platform.dataset,
    platform.talk,
    platform.seek,
    platform.the_end,
)


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Send all requests of the story, and return operation → its request and answer."""
    cache.clear()
    number_from_one()
    seed_the_dice(monkeypatch)
    stop_the_clock(monkeypatch)
    teller = Teller()
    with teller.at(NOON):
        cast.arrive()
    for chapter in STORY:
        cache.clear()  # no rate limits
        with teller.at(teller.now):
            chapter(teller)
    return dict(sorted(teller.examples.items(), key=lambda one: one[0].split()[::-1]))


@pytest.fixture(scope="function" if WRITE else "module")  # with WRITE it must be made after the examples
def schema() -> dict[str, Any]:
    if WRITE:
        api_router.schema_document.cache_clear()
    return api_router.schema_document()


def operations(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path.removeprefix('/api/v1/')}", operation


@pytest.mark.slow
def test_every_operation_is_sent_and_answered_as_its_example_says(
    examples: dict[str, Any], schema: dict[str, Any]
) -> None:
    if WRITE:
        EXAMPLES.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")
        load_examples.cache_clear()
    unsent = {name for name, _operation in operations(schema)} - set(examples)
    assert sorted(unsent) == [], "send them in a chapter of tests/config/docs/story"
    assert sorted(set(load_examples()) ^ set(examples)) == []
    for operation, example in examples.items():
        assert alike(load_examples()[operation], example), (operation, load_examples()[operation], example)


def texts(expected: Any) -> Iterator[str]:
    """Yield every text in an answer."""
    if isinstance(expected, str):
        yield expected
    for each in expected.values() if isinstance(expected, dict) else expected if isinstance(expected, list) else ():
        yield from texts(each)


def test_no_sentence_of_an_answer_has_a_place_that_nobody_filled() -> None:
    for operation, example in load_examples().items():
        unfilled = [text for text in texts(example.get("answer")) if re.search(r"\{\w*\}|%\(\w+\)s", text)]
        assert unfilled == [], operation


def test_the_document_shows_each_example_at_its_operation(schema: dict[str, Any]) -> None:
    for operation, described in operations(schema):
        example = load_examples()[operation]
        answered = described["responses"][str(example["status"])]
        assert shown(answered) == ([example["answer"]] if "answer" in example else []), operation
        if "requestBody" in described or "request" not in example:
            assert shown(described.get("requestBody", {})) == ([example["request"]] if "request" in example else [])
        else:
            assert operation.startswith("DELETE ")
            assert json.dumps(example["request"]) in described["description"]
        named = {each["name"]: each.get("example") for each in described.get("parameters", ())}
        assert example.get("parameters", {}).items() <= named.items(), operation


def shown(described: Mapping[str, Any]) -> list[Any]:
    return [each["example"] for each in described.get("content", {}).values() if "example" in each]


def test_every_operation_has_a_summary_and_says_what_it_may_be_refused_with(schema: dict[str, Any]) -> None:
    for operation, described in operations(schema):
        assert 3 <= len(described["summary"]) <= 200, (operation, described["summary"])
        assert {"401", "429"} <= set(described["responses"]), operation
        assert "404" in described["responses"] or "{" not in operation, operation


def test_a_summary_is_the_first_sentence() -> None:
    assert summary_of("Leave the club. Errors: 403 guest.") == "Leave the club"
    assert summary_of("For organisers.\nGET: the") == "For organisers"
    assert add_examples({"paths": {}}) == {"paths": {}}
