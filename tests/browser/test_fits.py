"""The whole table fits in one window: every kind with all seats taken, at the sizes of desktops and of a phone.

In the default run frontend/tests/browser/fits.test.ts checks the components instead, on a laptop and on a phone.
"""

from __future__ import annotations

from typing import Final

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from playwright.sync_api import Page

from games.models import Player
from scorebook_games.registry import KINDS
from tests.browser.conftest import Live
from tests.browser.full_tables import NAMES, OWN, fullest

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES: Final = ((1280, 720), (1440, 900), (768, 1024), (360, 740))
# Two scripts, shared with the tests of components. They return layout faults of the table, and faults of the controls
# while the scrubber is dragged.
SCRIPTS: Final = settings.BASE_DIR / "frontend" / "tests" / "browser"
FAULTS: Final = (SCRIPTS / "faults.js").read_text(encoding="utf-8")
DRAGGED: Final = (SCRIPTS / "dragged.js").read_text(encoding="utf-8")


def faults_of(page: Page, *, at_table: bool) -> list[str]:
    """Return what does not fit in the window, at each of its sizes."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.locator(".felt").evaluate("(felt) => felt.parentElement.scrollIntoView()")
        found += [f"{width} × {height}: {fault}" for fault in page.evaluate(FAULTS, {"atTable": at_table})]
    return found


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_full_table_fits_the_window_with_all_that_is_ones_own(page: Page, live: Live, kind: str) -> None:
    """The pages are the table of a running game, and the replay of a finished one with all cards open."""
    names = NAMES[: KINDS[kind].spec.seats_max]
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in names]
    over, on, version = fullest(players, kind)
    live.sign_in(page, players[OWN])
    page.goto(f"{live.address}/games/{over.public_id}/#{version}")
    near = [f'.felt[aria-label="The table after step {each}"]' for each in range(version - 3, version + 1)]
    page.locator(", ".join(near)).wait_for()
    page.locator(".deck:not(.to-come)").wait_for()  # its controls are loaded after the board
    assert page.locator(".felt .near .seat").get_attribute("data-seat") == str(OWN)
    wrong = [f"replay, {fault}" for fault in faults_of(page, at_table=False)]
    page.goto(f"{live.address}/games/{on.public_id}/")
    page.locator(".tray h2").wait_for()
    wrong += [f"table, {fault}" for fault in faults_of(page, at_table=True)]
    assert wrong == []


@pytest.mark.parametrize("kind", ["palace", "plate_spinner", "platinum_fish"])
def test_the_controls_of_a_replay_stay_in_the_window_at_every_position(page: Page, live: Live, kind: str) -> None:
    """The game has two seats, as most games do. Its board begins below the page's header and then needs more room."""
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in NAMES[:2]]
    over, _on, _version = fullest(players, kind)
    live.sign_in(page, players[OWN])
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{live.address}/games/{over.public_id}/#1")
    page.locator(".felt .near .seat").wait_for()
    page.locator(".scrub input").wait_for()  # it is loaded after the board
    assert page.evaluate(DRAGGED, {"positions": 50}) == []
