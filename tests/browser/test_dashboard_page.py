"""The dashboard in a browser: it refreshes while an admin writes, and works with a keyboard alone and on a phone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.urls import reverse
from playwright.sync_api import Page, expect

from config.broker.pgmq_schema import QUEUES, install_queue
from games.accounts import people
from games.admin_actions.models import AdminAction
from games.common import clock
from games.models import Game
from games.play import services as play
from games.workers.models import Worker
from tests.browser.conftest import Live
from tests.browser.test_axe import PHONE, WAYS, Way, faults
from tests.factories.builtin_bots import ensure_builtin_bots

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REFRESH = 'htmx.ajax("GET", "/admin/dashboard/", {target: "#condition", source: "#condition"})'


@pytest.fixture
def stuck(live: Live, page: Page) -> Game:
    """Return a game that failed, and open the dashboard as Ada. The game is the only problem there during the whole
    test: no messages of other tests are left, and a worker stays registered."""
    install_queue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pgmq.purge_queue(name) FROM unnest(%s::text[]) AS name", [list(QUEUES)])
    bots = ensure_builtin_bots()
    game = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])
    Game.objects.update(failures=3, leased_by="hall-2", attempt=3)
    Worker.objects.create(name="hall-1", started_at=clock.now(), heartbeat_at=clock.now() + timedelta(minutes=5))
    ada = people.create_profile_and_player(User.objects.create_superuser("ada"), "Ada")
    live.sign_in(page, ada)
    page.goto(f"{live.address}/admin/dashboard/")
    return game


def test_what_is_being_written_stays_while_the_page_refreshes_and_is_sent_by_keyboard(page: Page, stuck: Game) -> None:
    page.get_by_text("Try again…").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Try again: reason").fill("The worker is mended.")
    with page.expect_response("**/admin/dashboard/"):
        page.evaluate(REFRESH)
    expect(page.locator("#held")).to_contain_text("paused while you type")
    expect(page.get_by_label("Try again: reason")).to_have_value("The worker is mended.")

    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No problems")).to_be_visible()
    expect(page.locator(".log")).to_contain_text("The worker is mended.")
    assert AdminAction.objects.get().action == "retry"


def test_a_refresh_keeps_the_focus_and_what_was_unfolded(page: Page, stuck: Game) -> None:
    page.locator("#see-1").click()
    page.locator("#all-done").focus()
    Game.objects.update(failures=4)
    page.evaluate(REFRESH)
    expect(page.get_by_text("The game failed 4 times")).to_be_visible()
    expect(page.locator("#figures-1")).to_have_attribute("open", "")
    expect(page.locator("#all-done")).to_be_focused()


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_dashboard_and_the_page_of_an_action_have_no_fault_and_fit_on_a_phone(
    live: Live, page: Page, stuck: Game, way: Way
) -> None:
    for path in ("/admin/dashboard/", f"/admin/do/abort_game/{stuck.public_id}/", "/admin/do/close_signup/"):
        page.set_viewport_size(way.size)
        page.goto(live.address + path)
        assert faults(page, way) == [], path
        page.set_viewport_size(PHONE)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path


@pytest.mark.slow
def test_the_log_of_a_game_wraps_on_a_phone(live: Live, page: Page, stuck: Game) -> None:
    page.set_viewport_size(PHONE)
    page.goto(live.address + reverse("admin:games_game_change", args=[stuck.pk]))
    lines = page.locator("pre.game-log")
    assert lines.inner_text()
    assert lines.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
