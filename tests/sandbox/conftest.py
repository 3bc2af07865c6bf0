"""A zygote for all sandbox tests. Without tier A the tests skip and report why; with CI=true (or 1) they fail."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from devkit.tests import nothing_may_be_left_out
from games.sandbox import self_check
from games.sandbox.supervisor import Zygote
from tests.closing_lines import NO_SANDBOX


@pytest.fixture(scope="session", autouse=True)
def bots_may_share_the_testers_uid() -> None:
    os.environ.setdefault(self_check.SHARED_ALLOWED, "1")


@pytest.fixture(scope="session")
def sandbox(bots_may_share_the_testers_uid: None) -> self_check.Tier:
    found = self_check.tier()
    if found.name != "A":
        end = pytest.fail if nothing_may_be_left_out() else pytest.skip
        end(f"{NO_SANDBOX}, nothing of it is tested. {found.reason}")
    return found


@pytest.fixture(scope="session")
def zygote(sandbox: self_check.Tier) -> Iterator[Zygote]:
    running = Zygote()
    yield running
    running.close()
