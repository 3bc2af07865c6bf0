"""A review in a real browser: from a finished game to its mistake, and into a game that continues from there."""

from __future__ import annotations

import time
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from games.models import Game, Player
from replays.review import reviews
from scorebook_games.review import Reviewer
from tests.browser.conftest import Live
from tests.replays.review import blunder
from tests.replays.review.blunder import open_blunder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_player_goes_to_a_mistake_and_plays_on_from_there(
    page: Page, live: Live, martha: Player, laura: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "Reviewer", partial(Reviewer, budget=blunder.BUDGET))
    game = open_blunder([martha, laura])
    live.sign_in(page, martha)
    page.goto(f"{live.address}/games/{game.public_id}/?viewpoint=0")
    page.get_by_role("button", name="Review this game for Martha").click()
    expect(page.get_by_role("progressbar", name="Progress of the review")).to_be_visible()
    assert reviews.make_due(time.monotonic() + 60)
    expect(page.get_by_role("navigation", name="Mistakes").get_by_role("link")).to_have_count(2)
    page.keyboard.press("m")
    page.keyboard.press("m")
    panel = page.get_by_role("region", name="Review for Martha")
    expect(panel.get_by_role("status")).to_contain_text("“Place the king” is better by 100 percentage points")
    page.wait_for_url(f"**#{blunder.VERSION}")
    panel.get_by_role("button", name="Play on from here").click()
    page.wait_for_url(lambda address: game.public_id not in address)
    expect(page.locator(".tray h2")).to_be_visible()
    going_on = Game.objects.get(continued_from=game)
    assert (going_on.continued_at, going_on.seats.get(player=martha).seat) == (blunder.VERSION, 0)
