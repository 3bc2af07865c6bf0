"""From the first page to the first move in a browser: at once, by a link, as a guest, with and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect

from games.accounts.models import Profile
from games.common import clock
from games.lobby import services as lobby
from games.lobby.table_request import TableRequest
from games.models import Game, PendingBundle, Player
from tests.browser.conftest import Live

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def nobody_has_tried_before() -> Iterator[None]:
    """Clear the cache, in which limits on guests are counted."""
    cache.clear()
    yield
    cache.clear()


def at_the_table(page: Page) -> None:
    expect(page.locator(".tray h2")).to_be_visible()
    expect(page.locator(".tabletop")).to_have_attribute("data-link", "open")


def test_from_the_first_page_to_the_first_move_in_three_clicks_and_once_more(live: Live, page: Page) -> None:
    page.goto(live.address)
    page.get_by_role("link", name="Play a game now").click()
    page.get_by_role("button", name="Play Plate Spinner").click()
    at_the_table(page)
    page.get_by_role("button", name="Roll all 3").click()
    expect(page.locator(".tray h2")).to_have_text("Moves submitted")
    guest = Profile.objects.get(guest=True)
    assert PendingBundle.objects.get().game.seats.filter(player__user=guest.user).exists()
    expect(page.get_by_role("complementary", name="You are a guest")).to_contain_text("Sign up to keep your games")
    page.get_by_role("button", name="Resign…").click()
    page.get_by_role("button", name="Resign the game").click()
    before = page.url
    page.get_by_role("button", name="Rematch").click()
    expect(page).not_to_have_url(before)
    at_the_table(page)
    first, second = Game.objects.order_by("pk")
    assert second.rematch_of == first


def test_a_table_is_opened_and_a_friend_comes_by_its_link(
    live: Live, page: Page, browser: Browser, martha: Player
) -> None:
    live.sign_in(page, martha)
    page.goto(f"{live.address}/play/")
    page.get_by_label("Game", exact=True).select_option("palace")
    expect(page.locator("[name^=option_palace]").first).to_be_attached()
    page.get_by_text("Options of the game").click()
    expect(page.get_by_label("Players must announce their last card")).to_be_visible()
    page.get_by_label("Anyone with my link").check()
    page.get_by_role("button", name="Open table").click()
    link = page.get_by_label("Anyone with this link can join").input_value()
    assert link == page.url
    friend = browser.new_context().new_page()
    friend.goto(link)
    expect(friend.get_by_role("heading", level=1)).to_have_text("Martha invites you to Palace")
    friend.get_by_role("button", name="Join as a guest").click()
    at_the_table(friend)
    at_the_table(page)  # the page opens the game by itself
    assert page.url == friend.url
    friend.context.close()


@pytest.mark.slow
def test_who_waits_is_asked_whether_they_are_there(live: Live, page: Page, martha: Player, laura: Player) -> None:
    with clock.frozen_at(clock.now() - timedelta(minutes=5)):
        made = lobby.create_table(
            host=martha, wish=TableRequest(kind="chinese_ten", seats=2, terms={"move_seconds": 60})
        )
    live.sign_in(page, martha)
    page.goto(f"{live.address}/play/{made.token}/")
    expect(page.get_by_text("One seat is free")).to_be_visible()
    lobby.sit(table=made, player=laura)
    here = page.get_by_role("button", name="I am here")
    expect(here).to_be_focused()
    page.keyboard.press("Enter")
    at_the_table(page)


@pytest.mark.slow
def test_the_list_of_tables_follows_what_happens(live: Live, page: Page, martha: Player) -> None:
    page.goto(f"{live.address}/play/")
    expect(page.get_by_text("No tables are open now.")).to_be_visible()
    made = lobby.create_table(host=martha, wish=TableRequest(kind="plates", seats=3, terms={"move_days": 3}))
    expect(page.get_by_role("button", name="Join Plates, Martha")).to_be_visible()
    lobby.close(table=made, player=martha)
    expect(page.get_by_text("No tables are open now.")).to_be_visible()


@pytest.mark.slow
def test_without_scripts_and_on_a_phone_one_comes_to_a_game_too(live: Live, browser: Browser, martha: Player) -> None:
    made = lobby.create_table(host=martha, wish=TableRequest(kind="platinum_fish", seats=2, terms={"move_days": 3}))
    context = browser.new_context(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live.address}/play/")
    page.get_by_label("Game", exact=True).select_option("palace")
    page.get_by_role("button", name="Show this game’s options").click()
    page.get_by_text("Options of the game").click()
    expect(page.get_by_label("Players must announce their last card")).to_be_visible()
    page.get_by_role("button", name="Join Platinum Fish, Martha").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Platinum Fish")
    made.refresh_from_db()
    assert made.game
    assert page.url == f"{live.address}/games/{made.game.public_id}/"
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 360])
def test_the_pages_fit_a_narrow_screen(live: Live, page: Page, martha: Player, width: int) -> None:
    made = lobby.create_table(
        host=martha, wish=TableRequest(kind="plates", seats=4, terms={"move_seconds": 30, "bank_seconds": 300})
    )
    page.set_viewport_size({"width": width, "height": 740})
    for player in (None, martha):
        if player:
            live.sign_in(page, player)
        for path in ("/play/", f"/play/{made.token}/"):
            page.goto(f"{live.address}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
