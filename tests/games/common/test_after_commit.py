"""An action after a commit may fail without undoing the transaction."""

from __future__ import annotations

import logging

import pytest
from django.db import transaction

from games.common.after_commit import after_commit


@pytest.mark.django_db(transaction=True)
def test_an_error_after_the_commit_is_logged_and_goes_no_further(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    def fail() -> None:
        raise ConnectionError("The broker is away.")

    with caplog.at_level(logging.ERROR, logger="django.db.backends.base"), transaction.atomic():
        after_commit(fail)
        after_commit(done.append, 1)
        assert done == []
    assert done == [1]
    assert "The broker is away." in caplog.text
