"""Identifies programs by what they do: comments, docstrings and layout may change."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def program_hash(files: Iterable[Path], *, and_of: str = "") -> str:
    """Return sixteen hex digits that identify the code in files of Python, and a text beside it.

    It is the same under all versions of Python.
    """
    digest = hashlib.sha256(and_of.encode())
    for file in sorted(files):
        code = _written(ast.parse(file.read_bytes()))
        digest.update(f"\n{file.parent.name}/{file.name} {len(code)}\n{code}".encode())
    return digest.hexdigest()[:16]


def _written(node: Any) -> str:
    """Return a syntax tree as text. `ast.dump` writes empty fields in some versions of Python, and not in others."""
    if isinstance(node, ast.AST):
        fields = [f"{name}={_written(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])]
        return f"{type(node).__name__}({', '.join(fields)})"
    if isinstance(node, list):
        return f"[{', '.join(_written(each) for each in node if not _is_docstring(each))}]"
    return repr(node)


def _is_docstring(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
