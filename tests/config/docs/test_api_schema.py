"""The OpenAPI document: it covers every address and can be made without a warning."""

from __future__ import annotations

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator


@pytest.fixture(scope="module")
def schema() -> dict[str, object]:
    return SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-any-return,no-untyped-call]


def test_the_schema_is_made_without_a_warning(schema: dict[str, object]) -> None:
    assert schema["paths"]
    assert not GENERATOR_STATS._warn_cache
    assert not GENERATOR_STATS._error_cache


def test_every_operation_says_in_words_what_it_does(schema: dict[str, dict[str, dict[str, dict[str, str]]]]) -> None:
    silent = [
        f"{method.upper()} {path}"
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
        if not operation.get("description")
    ]
    assert silent == []


def test_the_document_is_made_once(db: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a second, and anybody may ask for it."""
    first = client.get("/api/v1/schema/")
    monkeypatch.setattr(SchemaGenerator, "parse", None)
    again = client.get("/api/v1/schema/")
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.content == first.content


def test_the_docs_page_loads_nothing_from_elsewhere(db: None, client: Client) -> None:
    page = client.get("/api/v1/docs/").content.decode()
    assert "swagger" in page
    assert "https://" not in page
    assert "//cdn" not in page
