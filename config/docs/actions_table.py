"""Generates docs/reference/admin-actions.md from the registry of admin actions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from games.admin_actions import registry

FILE: Final[Path] = settings.BASE_DIR / "docs" / "reference" / "admin-actions.md"
HEAD: Final = """\
# Actions of admins

Every action asks for a reason. [Admin](admin.md) tells how actions are done, and how targets are named.
`bin/dev manage write_documents` writes this page from the registry of actions.

| action | button | target | fields | what follows |
|---|---|---|---|---|
"""


def text() -> str:
    """Return the whole page."""
    return HEAD + "".join(rows())


def rows() -> Iterator[str]:
    """Return a row for each action, by code, with the fields that it needs besides the reason."""
    for action in registry.every_action():
        fields = ", ".join(f"`{name}`" for name in action.fields)
        target = action.target_type or "platform"
        yield f"| `{action.code}` | {action.title} | {target} | {fields} | {action.help} |\n"
