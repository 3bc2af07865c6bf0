"""Draws the pictures in the rules.

    python -m tests.pictures find [NAME …]   finds the positions of all pictures, or of these
    python -m tests.pictures draw [NAME …]   draws all pictures, or these

It needs the settings of a development machine (SCOREBOOK_DEBUG=1, DJANGO_SETTINGS_MODULE, any DATABASE_URL). It reads
nothing from the database.
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
    django.setup()  # before the import, which loads models
    import_module(f"tests.pictures.{step}").main(names)
