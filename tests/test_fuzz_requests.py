"""Requests to the API and to pages that nobody thought of: a small sample, always the same, of what `tests.fuzz.api`
and `tests.fuzz.pages` send. After a change to an endpoint or a page run the commands themselves."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.response import Response
from rest_framework.views import APIView

from games.play.api import KindViewSet
from tests.fuzz.pages_asked import Pages
from tests.fuzz.requests_made import AS, Found, Fuzzer

# One in so many operations, and rows of the table of permissions, is in the sample.
in_samples = pytest.mark.parametrize("every", [150, pytest.param(15, marks=pytest.mark.slow)])


@pytest.fixture(scope="module")
def fuzzer(kept: None) -> Fuzzer:
    return Fuzzer()


@pytest.fixture(scope="module")
def pages(fuzzer: Fuzzer) -> Pages:
    return Pages(fuzzer.world)


@pytest.fixture(autouse=True)
def nobody_is_sent_away(db: None, settings: Any) -> None:
    """What is looked for is no flood."""
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 0


@in_samples
def test_no_request_breaks_the_api(fuzzer: Fuzzer, every: int) -> None:
    """Nor is any answered otherwise than the document says."""
    before = fuzzer.counts.total()
    found: list[Found] = []
    for number, label in enumerate(fuzzer.labels()[::every]):
        who = list(AS)[number % len(AS)]
        found += [*fuzzer.odd_requests(label), *fuzzer.made_requests(label, who, 2, number)]
    assert [each.report() for each in found] == []
    assert fuzzer.counts.total() - before > 1500 / every


@in_samples
def test_no_odd_request_breaks_a_page(pages: Pages, every: int) -> None:
    before = pages.counts.total()
    broken = [each.report() for row in pages.rows[::every] for each in pages.ask(row, f"sample {row.address}")]
    assert broken == []
    assert pages.counts.total() - before > 300 / every


@pytest.mark.slow
def test_an_answer_that_is_not_as_the_document_says_is_found(fuzzer: Fuzzer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the test."""

    def wrong(self: APIView, request: Any, **_named: Any) -> Response:
        return Response({"kind": 7}, status=200)

    monkeypatch.setattr(KindViewSet, "retrieve", wrong)
    (found, *_more) = fuzzer.made_requests("GET /api/v1/kinds/{kind}/", "anonymous", 8, 1)
    assert "GET /api/v1/kinds/" in found.report()
    assert found.status == 200


@pytest.mark.slow
def test_a_request_that_breaks_something_is_found_with_its_traceback(
    fuzzer: Fuzzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: APIView, request: Any, **_named: Any) -> Response:
        raise ZeroDivisionError("nothing to share")

    monkeypatch.setattr(KindViewSet, "retrieve", broken)
    (found, *_more) = fuzzer.made_requests("GET /api/v1/kinds/{kind}/", "anonymous", 8, 1)
    assert (found.status, "nothing to share" in found.why) == (500, True)
