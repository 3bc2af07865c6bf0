"""The API refuses unknown and impossible parameters, and never ignores them."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import Resolver404, resolve

from config import api_router
from config.http.query_params import parameters_of
from games.accounts import people
from scorebook_games.registry import KINDS

pytestmark = pytest.mark.django_db
SAMPLES: Final = ("7", "accept", "msg_1")


@pytest.fixture(scope="module")
def reads() -> dict[str, tuple[str, list[str]]]:
    """Return each GET of the OpenAPI document by its name: an address, and its documented parameters."""
    schema: dict[str, Any] = api_router.schema_document()
    found = {}
    for path, operations in schema["paths"].items():
        if "get" in operations:
            sample, name = named(path)
            parameters = operations["get"].get("parameters", [])
            found[name] = sample, sorted(each["name"] for each in parameters if each["in"] == "query")
    return found


@pytest.fixture(scope="module")
def martha(kept: None) -> Client:
    user = User.objects.create_user("martha")
    people.create_profile_and_player(user, "Martha")
    client = Client()
    client.force_login(user)
    return client


def named(path: str) -> tuple[str, str]:
    """Return an address of this form, and the name of its URL."""
    for sample in SAMPLES:
        address = re.sub(r"\{\w+\}", sample, path)
        try:
            return address, resolve(address).url_name or ""
        except Resolver404:
            continue
    raise AssertionError(path)


def test_a_view_reads_what_the_document_says(reads: dict[str, tuple[str, list[str]]]) -> None:
    found = {name: sorted(parameters_of(resolve(sample).func)) for name, (sample, _names) in reads.items()}
    assert found == {name: names for name, (_sample, names) in reads.items()}


def test_a_view_that_is_not_ours_reads_what_it_likes(client: Client) -> None:
    for address in ("", "schema/", "docs/"):
        assert client.get(f"/api/v1/{address}", {"colour": "green"}).status_code == 200


def test_every_address_refuses_a_parameter_that_it_does_not_read(
    client: Client, reads: dict[str, tuple[str, list[str]]]
) -> None:
    assert reads
    for name, (address, known) in reads.items():
        answer = client.get(address, {"colour": "green"})
        assert answer.status_code == 400, address
        error = answer.json()["error"]
        assert (error["code"], sorted(error["parameters"])) == ("unknown_parameter", known), name
        assert "'colour'" in error["sentence"]
        assert all(each in error["sentence"] for each in known)


@pytest.mark.parametrize(
    ("address", "parameter", "value", "named"),
    [
        ("games/", "status", "over", "playing, finished, aborted"),
        ("games/", "kind", "chess", ", ".join(sorted(KINDS))),
        ("games/", "player", "martha", "number"),
        ("games/", "kind", "", "kind is empty"),
        ("matches/", "season", "", "is empty"),
        ("games/", "page_size", "9999", "1 to 200"),
        ("games/", "page_size", "many", "1 to 200"),
        ("seasons/", "status", "done", "open, running, paused, finished, abandoned"),
        ("seasons/", "kind", "chess", "palace"),
        ("matches/", "round", "x", "number"),
        ("games/", "finished_after", "yesterday", "2026-11-23T18:00:00Z"),
        ("games/", "opened_before", "", "is empty"),
        ("rating-pools/", "pool", "cats", "people, bots, mixed"),
        ("ratings/", "kind", "chess", "palace"),
        ("clubs/", "mine", "maybe", "true or false"),
        ("bots/", "mine", "2", "true or false"),
        ("tables/", "mine", "yes", "true or false"),
        ("me/games/", "page_size", "0", "1 to 200"),
        ("inbox/", "page_size", "101", "1 to 100"),
        ("kinds/palace/", "status", "x", "has no parameters"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_what_can(
    martha: Client, address: str, parameter: str, value: str, named: str
) -> None:
    answer = martha.get(f"/api/v1/{address}", {parameter: value})
    assert answer.status_code == 400
    assert named in answer.content.decode()


def test_what_a_filter_names_is_what_comes(client: Client) -> None:
    assert client.get("/api/v1/games/", {"status": "playing", "kind": "palace"}).json()["results"] == []
    assert client.get("/api/v1/seasons/", {"club": "lantern"}).json()["results"] == []
