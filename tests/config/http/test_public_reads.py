"""Public reads of the API can be cached and revalidated, and pages of other sites may make them."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.views.decorators.gzip import gzip_page

from config.http.public_reads import PublicReadsMiddleware

pytestmark = pytest.mark.django_db
READ = "/api/v1/kinds/palace/"
ELSEWHERE = {"Origin": "https://elsewhere.example"}


def test_an_answer_to_everybody_is_told_once_and_then_only_that_it_is_still_so(client: Client) -> None:
    first = client.get(READ)
    assert first["Cache-Control"] == "public, no-cache"
    assert {"Accept-Language", "Authorization", "Cookie"} <= set(first["Vary"].split(", "))
    again = client.get(READ, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert again["Access-Control-Allow-Origin"] == "*"
    other = client.get("/api/v1/kinds/plates/", headers={"If-None-Match": first["ETag"]})
    assert other.status_code == 200


def test_what_is_packed_is_still_the_same_though_it_is_packed_in_another_way(rf: RequestFactory) -> None:
    """Django adds random bytes to compressed answers, so that their length reveals nothing."""

    def packed(_request: HttpRequest) -> HttpResponse:
        return gzip_page(lambda _: HttpResponse("x" * 999))(rf.get(READ, headers={"Accept-Encoding": "gzip"}))

    first = PublicReadsMiddleware(packed)(rf.get(READ))
    assert first["Content-Encoding"] == "gzip"
    assert PublicReadsMiddleware(packed)(rf.get(READ, headers={"If-None-Match": first["ETag"]})).status_code == 304


def test_an_answer_to_somebody_is_kept_by_nobody() -> None:
    client = Client()
    client.force_login(User.objects.create_user("Martha"))
    for answer in (client.get(READ), client.get("/api/v1/me/")):
        assert answer["Cache-Control"] == "private, no-store"
        assert "ETag" not in answer.headers
    guessed = Client().get(READ, headers={"Authorization": "Bearer sb_guessed"})
    assert "public" not in guessed.get("Cache-Control", "")


def test_scripts_of_other_sites_may_read_and_do_nothing_else(client: Client) -> None:
    assert client.get(READ, headers=ELSEWHERE)["Access-Control-Allow-Origin"] == "*"
    assert client.get("/api/v1/games/NOWHERE/", headers=ELSEWHERE)["Access-Control-Allow-Origin"] == "*"
    asked = {**ELSEWHERE, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization"}
    answer = client.options(READ, headers=asked)
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (204, "*")
    assert "Authorization" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    for method in ("POST", "DELETE"):
        refused = client.options("/api/v1/clubs/", headers={**asked, "Access-Control-Request-Method": method})
        assert "Access-Control-Allow-Origin" not in refused.headers
    assert "Access-Control-Allow-Origin" not in client.post("/api/v1/clubs/", headers=ELSEWHERE).headers
    assert "Access-Control-Allow-Origin" not in client.get("/help/", headers=ELSEWHERE).headers
