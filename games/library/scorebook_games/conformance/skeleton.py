"""Writes the package of a new kind: the kind in `template` under another name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

TEMPLATE: Final = Path(__file__).parent / "template"
PYPROJECT: Final = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "scorebook-{dashed}"
version = "0.1.0"
description = "{title}, a kind of game for Scorebook"
requires-python = ">=3.11"
dependencies = ["scorebook-games"]

[project.entry-points."scorebook.kinds"]
{kind} = "{package}.kind:KIND"

[tool.setuptools.packages.find]
include = ["{package}*"]

[tool.setuptools.package-data]
"*" = ["*.json", "*.md", "*.svg", "*.webp", "pictures/*", "ui/*"]

[tool.pytest.ini_options]
scorebook_kinds = ["{kind}"] # pytest asks for what a kind promises
"""


class BadName(Exception):
    """A name that a new kind cannot have, or a folder that exists already. The text says why."""


def create(kind: str, folder: Path) -> list[Path]:
    """Write the package of a kind into a new folder in `folder`. Raises `BadName`."""
    if not re.fullmatch(r"[a-z][a-z0-9]+(_[a-z0-9]+)*", kind):
        raise BadName(f"{kind!r} can't be the name of a kind. Use small letters, digits and _, as in go_fish.")
    words = kind.split("_")
    letters = "".join(word[0] for word in words) if len(words) > 1 else kind[:2]
    names = {
        "kind": kind,
        "title": " ".join(word.capitalize() for word in words),
        "dashed": kind.replace("_", "-"),
        "package": f"scorebook_{kind}",
    }
    root = folder / f"scorebook-{names['dashed']}"
    if root.exists():
        raise BadName(f"{root} is there already.")
    texts = {
        root / "pyproject.toml": PYPROJECT.format(**names),
        root / names["package"] / "__init__.py": f'"""{names["title"]}."""\n',
    }
    for name in ("kind.py", "rules.py", "rules.md"):
        text = (TEMPLATE / name).read_text(encoding="utf-8")
        for old, new in (
            ("highest_card", kind),
            ("Highest Card", names["title"]),
            ("HighestCard", names["title"].replace(" ", "")),
            ("HC-", f"{letters[:3].upper()}-"),
        ):
            text = text.replace(old, new)
        texts[root / names["package"] / name] = text
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return list(texts)
