"""A zygote for all tests of the sandbox. Without tier A they say so loudly; with CI=true that is a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from games.bots.sandbox import probe
from games.bots.sandbox.keeper import Zygote


@pytest.fixture(scope="session", autouse=True)
def bots_may_share_the_testers_uid() -> None:
    os.environ.setdefault(probe.SHARED_ALLOWED, "1")


@pytest.fixture(scope="session")
def sandbox(bots_may_share_the_testers_uid: None) -> probe.Tier:
    found = probe.tier()
    if found.name != "A":
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(
            f"NO SANDBOX HERE, nothing of it is tested. {found.reason}"
        )
    return found


@pytest.fixture(scope="session")
def zygote(sandbox: probe.Tier) -> Iterator[Zygote]:
    running = Zygote()
    yield running
    running.close()
