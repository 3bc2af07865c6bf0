"""Prints what a build of the engines computes, so that builds can be compared.

    python -m tests.scorebook_games.kinds.build_sums [FOLDER [BUILD]]

It plays the golden games, and fails at the first one that is not as it was. Then it prints digests of what is computed
with floating-point numbers: luck ledgers (value functions, plans) and reviews (guides, worlds, roll-outs). With FOLDER,
the engines of the build there run. `bin/dev compile` keeps only a build that prints what the plain engines print. With
`rules` as the BUILD it plays the golden games only.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from scorebook_games import build

SEATS = (2, 3)
CARELESS = (0.0, 0.1, 0.0)
REVIEWED = 4000  # positions


def sums(made: str) -> Iterator[str]:
    """Yield a line for each golden game, ledger and review. Raises `SystemExit` for a golden game that differs."""
    # The build has to be chosen before any engine is imported.
    from scorebook_games.luck.games import play
    from scorebook_games.luck.ledger import ledger_of
    from scorebook_games.registry import KINDS
    from scorebook_games.review import Reviewer
    from tests.scorebook_games.kinds import playthrough as golden

    for table in golden.games():
        text, name = golden.playthrough(table), golden.name_of(table)
        if table in golden.readable():
            kept = golden.digests_of(golden.path_of(table).read_text(encoding="utf-8"))
        else:
            kept = golden.kept_digests()[name]
        if difference := golden.first_difference(text, kept):
            raise SystemExit(f"The golden game {name} is not as it was. {difference}")
        yield f"{name} {digest(text)}"
    for kind in sorted(KINDS) if made != build.RULES_BUILD else ():
        for seats in SEATS:
            log = play(kind, CARELESS[:seats], f"{kind} {seats}".encode().ljust(32, b"."))
            yield f"{kind} ledger, {seats} seats {digest(json.dumps(ledger_of(log, KINDS[kind].value).plain()))}"
            reviewer = Reviewer(log, 0, budget=REVIEWED)
            for _ in reviewer.steps():
                pass
            yield f"{kind} review, {seats} seats {digest(json.dumps(reviewer.state()))}"


def digest(text: str) -> str:
    """Return sixteen hex digits that identify a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main(folder: str = "", made: str = build.COMPILED_BUILD) -> None:
    if folder:
        build.use(Path(folder), made)
    for line in sums(made):
        print(line)


if __name__ == "__main__":
    main(*sys.argv[1:])
