"""frontend/openapi.json: the part of the OpenAPI document that the front end reads, from which its types are made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings

FILE: Final[Path] = settings.BASE_DIR / "frontend" / "openapi.json"
READ: Final = ("Replay", "Turn")  # the answers that frontend/src/types.ts names; those that they refer to come along
REFERENCE: Final = re.compile(r'"#/components/schemas/(\w+)"')


def text(document: Mapping[str, Any]) -> str:
    """The whole file."""
    schemas = document["components"]["schemas"]
    kept = {name: shape(schemas[name]) for name in sorted(reachable(schemas, READ))}
    part = {
        "openapi": document["openapi"],
        "info": {"title": document["info"]["title"], "version": "1"},
        "paths": {},
        "components": {"schemas": kept},
    }
    return json.dumps(part, indent=2, ensure_ascii=False) + "\n"


def shape(schema: Any) -> Any:
    """The schema without its descriptions, so that another wording there changes nothing here."""
    if isinstance(schema, list):
        return [shape(each) for each in schema]
    if isinstance(schema, dict):
        return {name: shape(each) for name, each in schema.items() if name != "description" or isinstance(each, dict)}
    return schema


def reachable(schemas: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """The names and all that their schemas refer to, however indirectly."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += REFERENCE.findall(json.dumps(schemas[name]))
    return found
