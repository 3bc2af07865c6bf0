"""Sets Django up for the commands that send odd requests, without rate limits, and with a separate database whose
changes are rolled back. Import it before anything that needs Django."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("SCOREBOOK_RATE_LIMIT_FACTOR", "0")

import django

django.setup()

from django.db import connection, transaction  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402


@contextmanager
def rolled_back_database() -> Iterator[None]:
    """Provide the tests' database with one open transaction, which is rolled back at the end of the block."""
    logging.disable(logging.ERROR)
    setup_test_environment(debug=False)
    connection.creation.create_test_db(verbosity=0, keepdb=True)
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
