"""A message that comes by Web Push is shown by the service worker of a real Chromium, which keeps nothing.

A push service of this machine receives the message and decrypts it with the browser's keys. Chromium's own push service
is in another network, so what it would deliver to the worker is delivered by the browser's debugger.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from games.accounts.push.delivery import PUSH_MESSAGES
from games.models import Player
from games.play import services as play
from scorebook_games.gamelog import visibility
from tests.browser.conftest import Live
from tests.browser.playing_by_touch import at, open_game, version
from tests.games.accounts.test_push import device_of
from tests.tournaments.webhooks.conftest import Receiver, receiver, receivers

__all__ = ["receiver", "receivers"]
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# a headless Chromium has no place for a notice, so the test looks at what the worker asks for
SHOWN_INSTEAD = """() => {
  self.shown = [];
  self.registration.showNotification = async (title, { body, tag, data }) => {
    self.shown.push([title, body, tag, data.url]);
  };
}"""


def send_due() -> int:
    """Send what is due, in a thread of its own: the browser's driver runs an event loop in this one."""

    def send() -> int:
        try:
            return PUSH_MESSAGES.send_due()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(send).result()


def test_a_turn_becomes_a_notice_and_the_worker_keeps_nothing(
    live: Live, page: Page, martha: Player, laura: Player, receiver: Receiver
) -> None:
    page.context.grant_permissions(["notifications"], origin=live.address)
    live.sign_in(page, martha)
    session = page.context.new_cdp_session(page)
    registrations: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(each["registrationId"] for each in event["registrations"]),
    )
    session.send("ServiceWorker.enable")
    page.goto(f"{live.address}/me/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    [worker] = page.context.service_workers
    worker.evaluate(SHOWN_INSTEAD)
    device = device_of(martha, receiver)
    game = open_game([martha, laura], "chinese_ten", move_seconds=24 * 60 * 60)
    assert send_due() == 1
    [notice] = device.received()
    sent = {"origin": live.address, "registrationId": registrations[-1], "data": json.dumps(notice)}
    session.send("ServiceWorker.deliverPushMessage", sent)
    page.wait_for_timeout(100)
    for _ in range(100):
        if shown := worker.evaluate("self.shown"):
            break
        page.wait_for_timeout(100)
    address = f"/games/{game.public_id}/"
    assert shown == [["It is your turn", "It is your turn: Chinese Ten with Laura.", notice["tag"], address]]

    page.goto(f"{live.address}{address}")
    at(page, version(game))
    page.goto("about:blank")
    fold = play.load_game(game)
    [seat] = fold.awaited()
    play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)
    page.goto(f"{live.address}{address}")  # the worker has no copy of the game as it was
    at(page, version(game))
    assert page.evaluate("caches.keys()") == []

    page.context.set_offline(True)
    page.goto(f"{live.address}/me/games/")
    expect(page.get_by_role("heading")).to_have_text("No connection")
    page.context.set_offline(False)
    page.get_by_role("link", name="Load again").click()
    page.locator("#main").wait_for()
