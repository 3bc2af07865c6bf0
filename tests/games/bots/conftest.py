"""Here the strong bot thinks for as long as it does in the house."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.bots.house import BOTS, Strong

STRONG = BOTS["strong"]
assert isinstance(STRONG, Strong)
ITERATIONS = {type(guide): guide.iterations for guide in STRONG.guides.values()}  # read before any test has begun


@pytest.fixture(autouse=True, scope="module")
def strong_thinks_as_in_the_house(strong_thinks_little: None) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for guide, iterations in ITERATIONS.items():
            patch.setattr(guide, "iterations", iterations)
        yield
