"""Bots to begin with, in three sizes for each kind: at random, by the kind's own plan, and one that searches or says
why. They are made of what the kit has, so that they are never older than it."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path
from typing import Final

from scorebook_games.bots.sdk import scorebook_bot
from scorebook_games.registry import KINDS

EXAMPLES: Final = Path(scorebook_bot.__file__).with_name("examples")
SMALL, MEDIUM, LARGE = "small", "medium", "large"
SIZES: Final = (SMALL, MEDIUM, LARGE)

AT_RANDOM: Final = '''"""Plays a random legal move."""


class Bot:
    kinds = ("{kind}",)

    def move(self, view, legal):
        return view.random.choice(legal)
'''
BY_PLAN: Final = """

class Bot:
    kinds = ("{kind}",)
    want = ("observation",)

    def move(self, view, legal):
        worth = {plan}(view.observation)
        return max(legal, key=worth)
"""
EXPLAINED: Final = """

class Bot:
    kinds = ("{kind}",)
    want = ("observation",)

    def move(self, view, legal):
        worth = {plan}(view.observation)
        ranked = sorted(legal, key=worth, reverse=True)
        for move in ranked[:3]:  # what you print stands beside the move
            print(f"{{worth(move):8.2f}}  {{move}}")
        best = [move for move in legal if worth(move) == worth(ranked[0])]
        return view.random.choice(best)
"""


def starter(kind: str, size: str) -> str:
    """Return the file of a bot of a loaded kind. One without a plan has the smallest bot in every size."""
    if size == LARGE and (example := EXAMPLES / f"search_{kind}.py").is_file():
        return example.read_text(encoding="utf-8")
    plan = KINDS[kind].bots.plan
    if size == SMALL or plan is None:
        return AT_RANDOM.format(kind=kind)
    template = BY_PLAN if size == MEDIUM else EXPLAINED
    return own_source(plan.__module__) + template.format(kind=kind, plan=plan.__name__)


def own_source(module: str) -> str:
    """Return the source of a module without its imports from the library, of which a plan takes only types."""
    source = inspect.getsource(sys.modules[module])
    left_out: set[int] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scorebook_games"):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = [line for number, line in enumerate(source.splitlines(), 1) if number not in left_out]
    return "\n".join(lines).rstrip() + "\n"
