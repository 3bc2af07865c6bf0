"""Runs `scorebook-kind`, also as ``python -m scorebook_games.conformance``."""

from __future__ import annotations

import sys

from scorebook_games.conformance.command import main


def run() -> None:
    """Run the command."""
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
