#!/usr/bin/env python
"""Django's command line. `bin/dev manage …` runs it in the right environment."""

import os
import sys

from django.core.management import execute_from_command_line

from scorebook_games.kind import BrokenKind

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except BrokenKind as error:
        print(error, file=sys.stderr)
        sys.exit(2)
