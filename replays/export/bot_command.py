"""Runs `bin/scorebook-bot`: the library's command, which here also writes pages of its games."""

from __future__ import annotations

import sys

from django.conf import settings

from replays.export import single_file
from scorebook_games.cli.command import main


def run() -> None:
    """Run the command, without settings and database."""
    if not settings.configured:
        settings.configure(USE_I18N=False)
    sys.exit(main(sys.argv[1:], single_file.single_file_page))


if __name__ == "__main__":
    run()
