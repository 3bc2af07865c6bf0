"""Which clauses of the rules are cited by which tests: `python -m tests.clauses`.

Every clause of a kind's rules.md (a heading or list item that begins with its number, `CT-7`) must be cited by a test:
its number stands in the source of a test function, docstring, comment or body. A citation may be a span (`PL-7 to
PL-9`).
Prints a table, and exits with 1 when a clause has no test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scorebook_games.conformance.page import clauses_of

IN_A_ROW = 9  # clauses in a row of the table
ROOT = Path(__file__).parent.parent
KINDS = ROOT / "games" / "library" / "scorebook_games" / "kinds"
SPAN = re.compile(r"\b([A-Z]{2,3})-(\d+)(?: to |–| … )\1-(\d+)\b")
CITED = re.compile(r"\b[A-Z]{2,3}-\d+[a-z]?\b")


def clauses(rules: Path) -> dict[str, list[str]]:
    """Return the numbers of all clauses by kind, in the order of the page."""
    pages = sorted(rules.glob("*/rules.md"))
    return {page.parent.name: list(clauses_of(page)) for page in pages}


def cited(text: str) -> set[str]:
    """Return every clause that `text` cites; a span gives all its clauses."""
    numbers = set(CITED.findall(text))
    for letters, first, last in SPAN.findall(text):
        numbers |= {f"{letters}-{number}" for number in range(int(first), int(last) + 1)}
    return numbers


def test_functions(source: str) -> Iterator[str]:
    """Return the text of each test function of a module, with the comments and decorators directly above it."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]]) - 1
            while first and lines[first - 1].startswith("#"):
                first -= 1
            yield "\n".join(lines[first : node.end_lineno])


def citations(tests: Path) -> dict[str, int]:
    """Return how many test functions cite each clause."""
    counts: dict[str, int] = {}
    for module in sorted(tests.rglob("test_*.py")):
        source = module.read_text(encoding="utf-8")
        for text in test_functions(source) if CITED.search(source) else ():
            for clause in cited(text):
                counts[clause] = counts.get(clause, 0) + 1
    return counts


def main(rules: Path = KINDS, tests: Path = ROOT / "tests") -> int:
    """Print the table. Returns 1 if a clause has no test or a page has no clauses, else 0."""
    pages, counts = clauses(rules), citations(tests)
    missing = [clause for numbers in pages.values() for clause in numbers if clause not in counts]
    for page, numbers in pages.items():
        print(f"{page}: {len(numbers)} clauses, cited {sum(counts.get(clause, 0) for clause in numbers)} times")
        for first in range(0, len(numbers), IN_A_ROW):
            print("  " + "  ".join(f"{clause:>5} {counts.get(clause, 0):3}" for clause in numbers[first:][:IN_A_ROW]))
    empty = [page for page, numbers in pages.items() if not numbers]
    if not pages or empty:
        print(f"No clauses found: {', '.join(empty) or rules}")
        return 1
    total = sum(map(len, pages.values()))
    print(f"{total} clauses, {len(missing)} without a test{': ' + ', '.join(missing) if missing else ''}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
