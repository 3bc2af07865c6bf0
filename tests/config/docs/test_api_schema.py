"""The OpenAPI document covers every address and is made without a warning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator, FormatChecker


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
    """Making it takes a second, and anybody may request it."""
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


def test_every_operation_stands_in_a_described_group(schema: dict[str, Any]) -> None:
    described = {each["name"] for each in schema["tags"] if each["description"]}
    assert {tag for operation in operations(schema) for tag in operation["tags"]} == described


def test_every_parameter_is_described(schema: dict[str, Any]) -> None:
    silent = {
        (each["name"], path)
        for path, methods in schema["paths"].items()
        for operation in methods.values()
        for each in operation.get("parameters", ())
        if not each.get("description")
    }
    assert silent == set()


def test_every_example_of_an_answer_has_the_shape_that_the_document_tells(schema: dict[str, Any]) -> None:
    """The examples are real answers of the API (`test_examples.py`), so the document must agree with them."""
    components = as_json_schema(schema["components"])
    wrong, looked_at = [], 0
    for operation in operations(schema):
        for content in (
            each.get("content", {}).get("application/json", {}) for each in operation["responses"].values()
        ):
            if "example" in content:
                looked_at += 1
                validator = Draft202012Validator(
                    {**as_json_schema(content["schema"]), "components": components}, format_checker=FormatChecker()
                )
                for each in validator.iter_errors(content["example"]):
                    wrong.append(f"{operation['operationId']}: {each.json_path} {each.message[:200]}")
    assert looked_at > 120
    assert wrong == []


def test_every_answer_tells_its_fields_and_a_table_its_columns(schema: dict[str, Any]) -> None:
    """Except the export of an account, to which every app adds its data."""
    untold = {
        operation["operationId"]
        for operation in operations(schema)
        for answer in operation["responses"].values()
        for content in answer.get("content", {}).values()
        if content["schema"].get("type") == "object" and "properties" not in content["schema"]
    }
    assert untold == {"me_export_retrieve"}
    [form] = [
        each
        for each in schema["paths"]["/api/v1/seasons/{season_id}/export/"]["get"]["parameters"]
        if each["name"] == "as"
    ]
    assert "`standings`: division, place, name, points" in form["description"]


def operations(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in schema["paths"].values():
        yield from methods.values()


def as_json_schema(node: Any) -> Any:
    """Return a part of an OpenAPI 3.0 document as JSON Schema, which has no `nullable`."""
    if isinstance(node, list):
        return [as_json_schema(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {name: as_json_schema(each) for name, each in node.items() if name not in ("nullable", "example")}
    return {"anyOf": [made, {"type": "null"}]} if node.get("nullable") is True else made
