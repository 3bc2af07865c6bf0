"""The whole table in one window: every kind at its greatest number of seats, at a desk's sizes and at a phone's."""

from __future__ import annotations

from typing import Final

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page

from games.kinds import KINDS
from games.models import Player
from tests.browser.conftest import Live
from tests.browser.fullest import NAMES, OWN, fullest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES: Final = ((1280, 720), (1440, 900), (768, 1024), (360, 740))
# What is wrong with the table as it lies in the window, in words. Cards of a hand overlap: each must show a strip.
FAULTS: Final = """({ atTable }) => {
  const felt = document.querySelector(".felt"), faults = [];
  const box = (element) => element.getBoundingClientRect();
  const within = (inner, outer, slack) => inner.left >= outer.left - slack && inner.right <= outer.right + slack
    && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const words = (element) => (element.dataset.card ?? element.textContent).trim().slice(0, 24);
  const named = (element) => `${element.className} “${words(element)}”`;
  const shown = (root, selector) => [...root.querySelectorAll(selector)].filter((each) => box(each).width > 0);
  const ask = (element, slack) => {
    const own = box(element), next = element.closest(".shown > span, .hc")?.nextElementSibling;
    const beside = next && box(next).top < own.bottom && box(next).left > own.left ? box(next).left : own.right;
    const [x, y] = [(own.left + Math.min(own.right, beside)) / 2, (own.top + own.bottom) / 2];
    if (!within(own, window_, slack)) return faults.push(`${named(element)} is not wholly in the window`);
    const hit = document.elementFromPoint(x, y);
    if (!element.contains(hit) && !hit?.contains(element)) faults.push(`${named(element)} is under ${hit?.className}`);
  };
  const near = felt.querySelector(".near .seat"), tray = document.querySelector(".tray");
  for (const each of shown(felt, ".seat")) ask(each.querySelector(".who > b"), 0);
  const own = ".shown .card, .plate .disc, .stand:not(.bare) .card:last-child, .score b";
  for (const each of shown(near, own)) ask(each, 1);
  const controls = atTable ? shown(tray, "h2, .hc, .moves .btn") : shown(document, ".controls button, .scrub input");
  if (controls.length < 3) faults.push("there is nothing to play with");
  for (const each of controls) ask(each, 0);
  for (const name of shown(felt, ".seat .who > b"))
    if (name.scrollWidth > name.clientWidth + 1) faults.push(`the name ${name.textContent} is cut`);
  const edge = box(felt);
  for (const each of shown(felt, ".card, .disc, .nm, .cap, .die, .count, .who *"))
    if (!each.closest(".vh") && !within(box(each), edge, 0)) faults.push(`${named(each)} runs beyond the felt`);
  for (const seat of shown(felt, ".seat"))
    for (const each of shown(seat, ".card, .disc, .nm, .cap, .die, .score"))
      if (!within(box(each), box(seat), 2)) faults.push(`${named(each)} runs beyond its seat`);
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  if (Number(felt.style.zoom || 1) < 0.66) faults.push(`the felt is drawn at ${felt.style.zoom} of its size`);
  return [...new Set(faults)];
}"""

# What of the controls leaves the window, or what grows, as the scrubber is dragged through some 20 positions.
DRAGGED: Final = """async () => {
  const scrubber = document.querySelector(".scrub input"), controls = document.querySelector(".controls");
  const felt = document.querySelector(".felt"), faults = [], last = Number(scrubber.max);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  let before = Infinity;
  for (let at = 0; at <= last; at += Math.max(1, Math.floor(last / 20))) {
    scrubber.value = String(at);
    scrubber.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    const below = Math.round(controls.getBoundingClientRect().bottom - innerHeight), zoom = Number(felt.style.zoom);
    if (below > 0) faults.push(`at ${at} the controls are ${below} px below the window`);
    if (zoom > before) faults.push(`at ${at} the board grows from ${before} to ${zoom}`);
    before = zoom;
  }
  return faults;
}"""


def faults_of(page: Page, *, at_table: bool) -> list[str]:
    """What does not fit, at each size of the window."""
    found = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.locator(".felt").evaluate("(felt) => felt.parentElement.scrollIntoView()")
        found += [f"{width} × {height}: {fault}" for fault in page.evaluate(FAULTS, {"atTable": at_table})]
    return found


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_full_table_fits_the_window_with_all_that_is_ones_own(page: Page, live: Live, kind: str) -> None:
    """Both as it is played and as a replay of one's own game, with all cards open, seen from one's own seat."""
    names = NAMES[: KINDS[kind].spec.seats_max]
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in names]
    over, on, version = fullest(players, kind)
    live.sign_in(page, players[OWN])
    page.goto(f"{live.address}/games/{over.public_id}/#{version}")
    near = [f'.felt[aria-label="The table after event {each}"]' for each in range(version - 3, version + 1)]
    page.locator(", ".join(near)).wait_for()
    assert page.locator(".felt .near .seat").get_attribute("data-seat") == str(OWN)
    wrong = [f"replay, {fault}" for fault in faults_of(page, at_table=False)]
    page.goto(f"{live.address}/games/{on.public_id}/")
    page.locator(".tray h2").wait_for()
    wrong += [f"table, {fault}" for fault in faults_of(page, at_table=True)]
    assert wrong == []


@pytest.mark.parametrize("kind", ["palace", "plate_spinner", "platinum_fish"])
def test_the_controls_of_a_replay_stay_in_the_window_at_every_position(page: Page, live: Live, kind: str) -> None:
    """With the two seats of most games, whose board begins under the page's head and then needs more room."""
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in NAMES[:2]]
    over, _on, _version = fullest(players, kind)
    live.sign_in(page, players[OWN])
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{live.address}/games/{over.public_id}/#1")
    page.locator(".felt .near .seat").wait_for()
    assert page.evaluate(DRAGGED) == []
