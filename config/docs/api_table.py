"""Generates docs/reference/api-addresses.md from the OpenAPI document.

The description of an address is its view's docstring without the errors; then come its parameters and fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from config.docs.examples import API_PREFIX

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "api-addresses.md"
HEAD: Final = """\
# The API: addresses

All addresses are under `/api/v1/`. A row without a method is a GET. *Takes* are query parameters, with `?`, and fields
of the body. A list also takes `page_size` and `cursor` or `page` ([Lists](api.md#lists)), and each POST an
`idempotency_key` ([Asking twice](api.md#asking-twice)). `/api/v1/docs/` has an example of each.

`bin/dev manage write_documents` writes this page from the OpenAPI document.

| address | takes | what it does |
|---|---|---|
"""
COMMON: Final = frozenset({"cursor", "page", "page_size", "idempotency_key"})
MAX_FIELDS: Final = 12
# The parts of a docstring that the table leaves out: errors, and the example of a body.
ERRORS: Final = re.compile(r"\s*\b(?:Errors?\b|Fails with|[45]\d\d \w+_\w+|The body, as an example)")


def text(document: Mapping[str, Any]) -> str:
    """Return the whole page for that OpenAPI document."""
    return HEAD + "".join(rows(document))


def rows(document: Mapping[str, Any]) -> Iterator[str]:
    """Return a row for each description, with all addresses that share it."""
    by_description: dict[str, tuple[list[str], list[str]]] = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            addresses, takes = by_description.setdefault(words_of(operation), ([], []))
            address = path.removeprefix(API_PREFIX).replace("{", "<").replace("}", ">")
            addresses.append(address if method == "get" else f"{method.upper()} {address}")
            takes += [each for each in taken(operation, document) if each not in takes]
    for words, (addresses, takes) in by_description.items():
        shown = [*map(quoted, takes[:MAX_FIELDS]), *(["…"] if len(takes) > MAX_FIELDS else [])]
        yield f"| {', '.join(map(quoted, addresses))} | {', '.join(shown)} | {words} |\n"


def words_of(operation: Mapping[str, Any]) -> str:
    """Return an operation's description in one line."""
    words = " ".join(operation["description"].split())
    return ERRORS.split(words, maxsplit=1)[0].replace("|", r"\|")


def taken(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[str]:
    """Return its query parameters, each after `?`, and the fields of its body."""
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "query" and parameter["name"] not in COMMON:
            yield f"?{parameter['name']}"
    content: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {})
    for schema in [body["schema"] for body in content.values()][:1]:
        named = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
        for name, field in named.get("properties", {}).items():
            if name not in COMMON and not field.get("readOnly"):
                yield name


def quoted(name: str) -> str:
    """Return the name as code."""
    return f"`{name}`"
