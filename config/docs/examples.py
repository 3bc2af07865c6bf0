"""Adds to the OpenAPI document what the code does not say: summaries, common errors, and examples.

The examples (`examples.json`, by operation) are requests that were sent in a test with their answers; the test repeats
and compares them (`tests/config/docs/test_examples.py`).
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

EXAMPLES: Final = Path(__file__).with_name("examples.json")
API_PREFIX: Final = "/api/v1/"
ERROR: Final = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
JSON_TYPE: Final = "application/json"
COMMON_ERRORS: Final = {
    "401": "The token is invalid, revoked or expired: bad_token, token_revoked, token_expired.",
    "403": "You are not logged in, or you or the token lack the right: not_signed_in, banned, bad_scope.",
    "429": "Too many requests: throttled, with wait_s and Retry-After.",
}
BODY_ERRORS: Final = {
    "400": "The body is malformed or invalid: parse_error, or invalid with the fields.",
    "413": "The body is too long: too_large.",
    "415": "The body's type is not supported here: unsupported_media_type.",
}


@cache
def load_examples() -> dict[str, dict[str, Any]]:
    """Return operation (“POST tables/”) → `status`, with `parameters`, `request` and `answer` if it has them."""
    found: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text())
    return found


def add_examples(result: dict[str, Any], **_generator: Any) -> dict[str, Any]:
    """Complete the document, as a hook of drf-spectacular."""
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            operation.setdefault("summary", summary_of(operation.get("description", "")))
            _errors(method, path, operation)
            _example(operation, load_examples().get(f"{method.upper()} {path.removeprefix(API_PREFIX)}"))
    return result


def summary_of(description: str) -> str:
    """Return the first sentence, in one line."""
    text = " ".join(description.split())
    return re.split(r"(?<=[.:;])\s", text, maxsplit=1)[0].rstrip(".:;")


def _errors(method: str, path: str, operation: dict[str, Any]) -> None:
    general = dict(COMMON_ERRORS)
    if "requestBody" in operation:
        general |= BODY_ERRORS
    elif method == "post":
        general["400"] = "The idempotency key is invalid, or needs an account: bad_key, key_needs_account."
    if method == "get":
        general["400"] = "A parameter is unknown or has an invalid value: unknown_parameter."
    if "{" in path:
        general["404"] = "It does not exist, or you may not see it."
    elif any(each["name"] in ("cursor", "page") for each in operation.get("parameters", ())):
        general["404"] = "This list has no such page."
    for status, words in general.items():
        operation["responses"].setdefault(status, {"description": words, "content": ERROR})


def _example(operation: dict[str, Any], example: dict[str, Any] | None) -> None:
    if example is None:
        return
    for parameter in operation.get("parameters", ()):
        if parameter["name"] in example.get("parameters", {}):
            parameter["example"] = example["parameters"][parameter["name"]]
    if "request" in example and "requestBody" in operation:
        _show(operation["requestBody"]["content"], example["request"])
    elif "request" in example:  # OpenAPI 3.0 has no body for DELETE
        operation["description"] += f"\n\nThe body, as an example: `{json.dumps(example['request'])}`"
    if "answer" in example:
        _show(operation["responses"][str(example["status"])]["content"], example["answer"])


def _show(content: dict[str, Any], example: Any) -> None:
    """Add an example as JSON, or as the first other content type."""
    content[JSON_TYPE if JSON_TYPE in content else next(iter(content))]["example"] = example
