"""A message that comes by Web Push is shown by the service worker of a real Chromium, which keeps nothing."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page

from games.models import Player
from tests.browser.conftest import Live

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

# a headless Chromium has no place for a notice, so the test looks at what the worker asks for
SHOWN_INSTEAD = """() => {
  self.shown = [];
  self.registration.showNotification = async (title, { body, tag, data }) => {
    self.shown.push([title, body, tag, data.url]);
  };
}"""


def test_a_push_message_becomes_a_notice_and_the_worker_keeps_nothing(live: Live, page: Page, martha: Player) -> None:
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
    notice = {"title": "It is your turn", "body": "Chinese Ten with Laura.", "url": "/me/games/", "tag": "turn:1"}
    sent = {"origin": live.address, "registrationId": registrations[-1], "data": json.dumps(notice)}
    session.send("ServiceWorker.deliverPushMessage", sent)
    page.wait_for_timeout(100)
    for _ in range(100):
        if shown := worker.evaluate("self.shown"):
            break
        page.wait_for_timeout(100)
    assert shown == [["It is your turn", "Chinese Ten with Laura.", "turn:1", "/me/games/"]]
    assert page.evaluate("caches.keys()") == []
    page.context.set_offline(True)
    page.goto(f"{live.address}/me/games/")
    assert page.get_by_role("heading").inner_text() == "No connection"
    page.context.set_offline(False)
    page.get_by_role("link", name="Load again").click()
    page.locator("#main").wait_for()
