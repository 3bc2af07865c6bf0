"""The players of a match see who has checked in, and that the game has begun, without loading the page again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from games.common import clock
from games.models import Deal, Game, Player
from games.play import services as play
from tests.browser.conftest import Live

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def game(martha: Player, laura: Player) -> Game:
    """Return a game whose players check in now."""
    begins = clock.now() + timedelta(minutes=5)
    terms = {"move_seconds": 60, "check_in_minutes": 30, "rated": False}
    deal = Deal.objects.create(seed=bytes(32))
    return play.open_game(kind="chinese_ten", players=[martha, laura], terms=terms, deal=deal, begins=begins)


def begin(game: Game) -> None:
    """Let the game's time come, and its countdown pass."""
    game.refresh_from_db()
    assert game.begins_at
    for seconds in (0, 3):
        game.refresh_from_db()
        with clock.frozen_at((game.deadline or clock.now()) + timedelta(seconds=seconds)):
            play.expire_clocks(game=game)


@pytest.mark.slow
def test_a_check_in_and_the_beginning_are_seen_at_once(live: Live, page: Page, game: Game, martha: Player) -> None:
    live.sign_in(page, martha)
    page.goto(f"{live.address}/games/{game.public_id}/")
    laura_line = page.locator("#check-in li").filter(has_text="Laura")
    expect(laura_line).to_contain_text("not checked in yet")
    play.mark_ready(game=game, seat=1)
    expect(laura_line).to_contain_text("is here")
    page.get_by_role("button", name="Check in").click()
    expect(page.locator("#check-in")).to_contain_text("You have checked in.")
    begin(game)
    expect(page.locator("#check-in")).to_have_count(0)
    expect(page.locator(".gamehead .state")).to_contain_text("In progress")
    expect(page.locator(".tray h2")).to_contain_text("turn")
