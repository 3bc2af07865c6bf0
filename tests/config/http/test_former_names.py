"""What addresses and parameters were called in the last release still works."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config.http.former_names import FormerNamesMiddleware

FORMER_PAGE = "/clubs/lantern/chinese-ten/autumn/pair-anew/?division=1"
asks = RequestFactory()
echo = FormerNamesMiddleware(lambda request: HttpResponse(f"{request.path_info} {request.GET.urlencode()}"))


def test_who_asks_for_a_page_at_its_former_address_is_sent_to_the_present_one() -> None:
    answer = echo(asks.get(FORMER_PAGE))
    assert (answer.status_code, answer["Location"]) == (301, FORMER_PAGE.replace("anew", "again"))


def test_a_redirection_from_a_former_address_has_the_headers_of_all_answers() -> None:
    answer = Client().get(FORMER_PAGE)
    assert answer.status_code == 301
    assert {"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} <= set(answer.headers)


@pytest.mark.parametrize(
    ("sent", "arrives"),
    [
        (lambda: asks.post(FORMER_PAGE), b"/clubs/lantern/chinese-ten/autumn/pair-again/ division=1"),
        (lambda: asks.get("/api/v1/seasons/1/pair-anew/"), b"/api/v1/seasons/1/pair-again/ "),
        (lambda: asks.get("/games/7F3K0000/?eyes=1"), b"/games/7F3K0000/ viewpoint=1"),
        (lambda: asks.get("/games/7F3K0000/?eyes=1&viewpoint=0"), b"/games/7F3K0000/ viewpoint=0"),
        (lambda: asks.get("/games/7F3K0000/?viewpoint=0"), b"/games/7F3K0000/ viewpoint=0"),
    ],
)
def test_any_other_request_under_a_former_name_is_answered_as_under_the_present_one(
    sent: Callable[[], HttpRequest], arrives: bytes
) -> None:
    assert echo(sent()).content == arrives


@pytest.mark.parametrize("path", ["//example.org/a/b/pair-anew/", "/clubs/pair-anew/", "/clubs/lantern/pair-anew/"])
def test_an_address_that_only_ends_like_a_former_one_is_left_alone(path: str) -> None:
    request = asks.get("/")
    request.path = request.path_info = path
    answer = echo(request)
    assert (answer.status_code, answer.content) == (200, f"{path} ".encode())
