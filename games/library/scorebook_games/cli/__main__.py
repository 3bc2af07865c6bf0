"""Runs `scorebook-bot`, also as ``python -m scorebook_games.cli``."""

from __future__ import annotations

import sys

from scorebook_games.kind import BrokenKind


def run() -> None:
    """Run the command. It writes games as JSON; to make pages of them, you need a checkout of Scorebook."""
    try:
        from scorebook_games.cli.command import main  # noqa: PLC0415  loads all kinds
    except BrokenKind as error:
        print(f"scorebook-bot: {error}", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
