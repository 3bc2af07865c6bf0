"""`scorebook-bot`, or ``python -m games.bots.sdk``: the one place that knows the kit and the pages of replays."""

from __future__ import annotations

import sys

from django.conf import settings

from games.bots.sdk.command import main
from replays.export import single_file


def run() -> None:
    """The command, with no settings and no database."""
    if not settings.configured:
        settings.configure(USE_I18N=False)
    sys.exit(main(sys.argv[1:], single_file.single_file_page))


if __name__ == "__main__":
    run()
