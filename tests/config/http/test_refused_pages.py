"""A page's view shows the refusal of a service, or lets it pass; then one middleware answers."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.test import RequestFactory

from config.http.errors import RefusedPageMiddleware
from games.common.errors import DomainError
from games.common.refusals import Refusals

MIDDLEWARE = RefusedPageMiddleware(lambda _request: HttpResponse())


@pytest.mark.parametrize(("status", "raised"), [(400, Http404), (404, Http404), (403, PermissionDenied)])
def test_a_refusal_that_a_view_lets_pass_gets_the_page_of_its_status(
    status: int, raised: type[Exception], rf: RequestFactory
) -> None:
    with pytest.raises(raised, match="no such bot"):
        MIDDLEWARE.process_exception(rf.get("/"), DomainError(status, "no", "There is no such bot."))


def test_a_refusal_for_the_moment_gets_the_page_that_sends_the_form_again(rf: RequestFactory) -> None:
    answer = MIDDLEWARE.process_exception(rf.post("/", {"name": "wren"}), DomainError(503, "busy", "Wait.", wait_s=5))
    assert answer
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert b"wren" in answer.content


@pytest.mark.parametrize("error", [DomainError(409, "not_due", "It is not due."), ValueError("404")])
def test_an_error_that_a_view_should_have_shown_stays_a_fault(error: Exception, rf: RequestFactory) -> None:
    assert MIDDLEWARE.process_exception(rf.get("/"), error) is None


def test_a_shown_refusal_ends_its_block_and_tells_the_status_of_the_page() -> None:
    shown: list[str] = []
    refused = Refusals(lambda error: shown.append(error.sentence))
    with refused:
        raise DomainError(409, "not_due", "It is not due.")
    assert (shown, refused.status) == (["It is not due."], 409)


@pytest.mark.parametrize("passing", [[403], ["not_owner"]])
def test_a_refusal_goes_on_by_its_status_or_its_code(passing: list[int | str]) -> None:
    with pytest.raises(DomainError, match="owner"), Refusals(passing=passing):
        raise DomainError(403, "not_owner", "Only the owner may do that.")
