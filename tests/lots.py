"""What is drawn by lot in tests: the same each time, from the test's own name.

The secrets of deals, from which cards and dice follow, the salts of games and the draws of seasons come from the name
of the test; what a fixture for several tests draws from that of the fixture, and a world's from the world's. So it
does not matter which tests run before, or beside. With another SCOREBOOK_TEST_SEED all of it is drawn otherwise: each
run with `--all` has a new one, and a run that fails tells it. Other processes draw as in the platform.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from devkit.tests import SEED

SEED_OF_RUN = os.environ.get(SEED) or "0"
UNPATCHED = (secrets.token_bytes, os.urandom)
drawing = [random.Random(SEED_OF_RUN)]


@contextmanager
def of(name: Hashable) -> Iterator[None]:
    """Draw by this name within the block."""
    drawing.append(random.Random(f"{SEED_OF_RUN} {name!r}"))
    try:
        yield
    finally:
        drawing.pop()


class Lots:
    """Replaces the module `secrets` in modules that draw lots."""

    @staticmethod
    def token_bytes(size: int) -> bytes:
        if (secrets.token_bytes, os.urandom) != UNPATCHED:  # the test already draws its own way
            return secrets.token_bytes(size)
        return drawing[-1].randbytes(size)

    def token_hex(self, size: int) -> str:
        return self.token_bytes(size).hex()

    def __getattr__(self, name: str) -> Any:
        return getattr(secrets, name)


@pytest.fixture(autouse=True, scope="session")
def lots_are_the_tests_own() -> Iterator[None]:
    from games import models
    from tournaments.lifecycle import services as seasons

    with pytest.MonkeyPatch.context() as patch:
        for module in (models, seasons):  # deals and salts; the draws of seasons
            patch.setattr(module, "secrets", Lots())
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with of(item.nodeid):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest) -> Iterator[None]:
    if fixturedef.scope == "function":
        return (yield)
    with of((fixturedef.baseid, fixturedef.argname, getattr(request, "param_index", 0))):
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if terminalreporter.getreports("failed") or terminalreporter.getreports("error"):
        terminalreporter.write_line(f"Lots were drawn with {SEED}={SEED_OF_RUN}: with it they fall the same again.")
