"""`python -m devkit.lines`: names each line of templates and of the front end that is longer than 120 characters.

Formatters break no string, no comment and no template tag. Ruff looks at Python, `tests/test_docs.py` at the documents.
"""

from __future__ import annotations

import subprocess
import sys

from devkit.paths import ROOT

LINE_MAX_LENGTH = 120
KINDS = ("*.html", "*.css", "*.js", "*.mjs", "*.ts", "*.svelte")


def too_long() -> list[str]:
    """`path:line` and the length of each."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--", *KINDS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [
        f"{name}:{number}: {len(line)} characters"
        for name in filter(None, names.stdout.split("\0"))
        if (ROOT / name).is_file()
        for number, line in enumerate((ROOT / name).read_text().splitlines(), 1)
        if len(line) > LINE_MAX_LENGTH
    ]


if __name__ == "__main__":
    found = too_long()
    print("\n".join(found))
    sys.exit(bool(found))
