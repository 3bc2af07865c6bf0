"""`bin/dev pin` resolves requirements/*.in to exact versions with hashes. No package index is written into the
files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from devkit.console import Trouble, step
from devkit.paths import ROOT

IN_ORDER = ("uv", "app", "dev", "local-postgres", "local-node")  # dev uses app's versions


def pin(arguments: Sequence[str]) -> int:
    """Pin all requirements; the arguments go to `uv pip compile`, as in `bin/dev pin --upgrade`."""
    uv = str(Path(sys.executable).with_name("uv"))
    options = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-emit-index-url"]
    for name in IN_ORDER:
        with step(name) as done:
            command = [uv, "pip", "compile", "-q", *options, f"{name}.in", "-o", f"{name}.txt", *arguments]
            ran = subprocess.run(command, cwd=ROOT / "requirements", capture_output=True, text=True, check=False)
            if ran.returncode:
                raise Trouble(ran.stderr.strip())
            done(f"requirements/{name}.txt")
    return 0
