"""Generates frontend/openapi.json: the part of the OpenAPI document from which the front end's types are made."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings

FILE: Final[Path] = settings.BASE_DIR / "frontend" / "openapi.json"
# The answers named in frontend/src/types.ts; schemas that they refer to are added.
READ: Final = ("Introduction", "Replay", "Review", "Turn")
REFERENCE: Final = re.compile(r'"#/components/schemas/(\w+)"')


def text(document: Mapping[str, Any]) -> str:
    """Return the whole file."""
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
    """Return the schema without descriptions, so that another wording changes nothing here."""
    if isinstance(schema, list):
        return [shape(part) for part in schema]
    if isinstance(schema, dict):
        return {name: shape(part) for name, part in schema.items() if name != "description" or isinstance(part, dict)}
    return schema


def reachable(schemas: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """Return the names and everything that their schemas refer to, directly or not."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += REFERENCE.findall(json.dumps(schemas[name]))
    return reached
