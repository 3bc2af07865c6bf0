"""`python -m tests.pictures draw` draws the rules' pictures anew, `find` looks for their positions; names choose some.

Wants the settings of a development machine (SCOREBOOK_DEBUG=1, DJANGO_SETTINGS_MODULE, any DATABASE_URL); nothing is
read from the database.
"""

from __future__ import annotations

import sys
from importlib import import_module

import django

STEPS = ("find", "draw")

if __name__ == "__main__":
    step, *names = sys.argv[1:] or [""]
    if step not in STEPS:
        sys.exit(f"Say what to do: {' or '.join(STEPS)}.")
    django.setup()  # before what follows, which imports models
    import_module(f"tests.pictures.{step}").main(names)
