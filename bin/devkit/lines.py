"""`python -m devkit.lines` lists lines of templates, of the front end and of settings of tools with more than
120 characters.

Formatters break no strings, comments and template tags. Ruff checks Python, and `tests/test_docs.py` the documents.
"""

from __future__ import annotations

import subprocess
import sys

from devkit.paths import ROOT

LINE_MAX_LENGTH = 120
TEMPLATES = ("*.html", "*/templates/*.txt")
FRONT_END = ("*.css", "*.js", "*.mjs", "*.ts", "*.svelte")
SETTINGS = ("*.toml", "*.yaml", "*.yml", "Containerfile", "bin/dev")
KINDS = (*TEMPLATES, *FRONT_END, *SETTINGS)


def too_long() -> list[str]:
    """Return `path:line: length` of each."""
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
