"""An operation refuses a field of the body that it does not read, and never ignores one."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiViewExtension
from rest_framework import serializers

from config import api_router
from config.http import body_fields
from config.http.body_fields import declared_bodies, unknown_fields

pytestmark = pytest.mark.django_db


def operations() -> dict[str, dict[str, Any]]:
    """Return each operation of the OpenAPI document that changes something, by its name, such as `POST /address/`."""
    schema: dict[str, Any] = api_router.schema_document()
    return {
        f"{method.upper()} {path}": operation
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if method != "get"
    }


def test_every_operation_says_what_body_it_reads() -> None:
    """Otherwise each web process logs an error at its first request."""
    declared_bodies.cache_clear()
    GENERATOR_STATS.reset()
    assert declared_bodies()
    assert not GENERATOR_STATS._error_cache


@pytest.mark.parametrize(
    ("kind", "every"),
    [
        ("application/json", 1),
        *((form, 20) for form in ("application/x-www-form-urlencoded", "multipart/form-data")),
        *(
            pytest.param(form, 1, marks=pytest.mark.slow)
            for form in ("application/x-www-form-urlencoded", "multipart/form-data")
        ),
    ],
)
def test_every_operation_refuses_a_field_that_it_does_not_read(client: Client, kind: str, every: int) -> None:
    """One place reads the fields of all operations. By default, every twentieth operation is checked."""
    sent = {
        "application/json": ('{"colour": "green"}', kind),
        "application/x-www-form-urlencoded": ("colour=green", kind),
        "multipart/form-data": (
            '--x\r\nContent-Disposition: form-data; name="colour"\r\n\r\ngreen\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    }
    for operation in list(operations())[::every]:
        method, path = operation.split()
        address = re.sub(r"\{\w+\}", "7", path.replace("{message}", "msg_1").replace("{answer}", "accept"))
        answer = client.generic(method, address, *sent[kind])
        assert answer.status_code == 400, (operation, answer.content)
        error = answer.json()["error"]
        assert (error["code"], error["field"]) == ("unknown_field", "colour"), operation


def test_the_nearest_field_is_named_and_one_within_another_is_found(client: Client) -> None:
    def refused(**sent: Any) -> dict[str, Any]:
        error: dict[str, Any] = client.post("/api/v1/clubs/", sent, content_type="application/json").json()["error"]
        return error

    class Chair(serializers.Serializer[Any]):
        bot = serializers.CharField()

    class Table(serializers.Serializer[Any]):
        chairs = Chair(many=True)
        host = Chair()
        options = serializers.DictField()

    sent = {"chairs": [{"bot": "x"}, {"bt": "x"}], "host": {"idempotency_key": 1}, "options": {"packs": 2}}
    assert list(unknown_fields(sent, Table())) == [("chairs.1.bt", ["bot"]), ("host.idempotency_key", ["bot"])]
    assert refused(name="Lantern", visibilty="private")["sentence"].endswith("Did you mean 'visibility'?")


def test_two_first_requests_at_once_both_learn_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """drf-spectacular loads its extensions at their first use, which takes a moment."""

    class Missing(OpenApiViewExtension):  # type: ignore[no-untyped-call]
        target_class = "nowhere.View"
        priority = 1

        @classmethod
        def _load_class(cls) -> None:
            time.sleep(0.05)
            super()._load_class()  # type: ignore[no-untyped-call]

        def view_replacement(self) -> Any:
            raise AssertionError("There is no such view.")

    monkeypatch.setattr(OpenApiViewExtension, "_registry", [Missing])
    with ThreadPoolExecutor(2) as threads:
        answers = [threads.submit(body_fields.declared_bodies.__wrapped__) for _ in range(2)]
    assert answers[0].result().keys() == answers[1].result().keys() != set()
