"""The lab in a real browser: Python in a worker of an opaque origin, a game on the board, prints and errors beside the
moves, a bot that never answers, and that nothing typed is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Live

# `long`: the browser starts Python twice, which takes some seconds of its processor.
pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.django_db(transaction=True)]

PRINTS = """class Bot:
    def move(self, view, legal):
        print("I have", len(view["hand"]))
        return legal[0]
"""
FAILS = PRINTS.replace("return legal[0]", "return legal[len(view['hand'])]")
HANGS = PRINTS.replace("return legal[0]", "while True: pass")
START = 180_000  # ms for Python to start on a busy machine


def write(page: Page, source: str) -> None:
    """Replace the text of the editor, as by pasting."""
    page.locator(".cm-content").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)


def open_lab(page: Page, live: Live, rest: str = "?kind=chinese_ten") -> None:
    page.goto(f"{live.address}/bots/lab/{rest}")
    expect(page.locator(".cm-content")).to_be_visible()


def test_a_bot_plays_in_the_browser_and_its_prints_and_errors_stand_beside_its_moves(
    page: Page, live: Live, complaints: set[str]
) -> None:
    # Chromium styles what is inserted into coloured text, which the policy refuses; the editor then draws it itself.
    complaints.add("Applying inline style")
    open_lab(page, live)
    write(page, PRINTS)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".felt")).to_be_visible(timeout=START)
    output = page.get_by_role("region", name="Output")
    expect(output.get_by_text("I have 20")).to_have_count(1)
    first = output.locator("li", has_text="I have 20")
    first.get_by_role("button").click()
    expect(first).to_have_attribute("aria-current", "step")

    write(page, FAILS)
    page.keyboard.press("ControlOrMeta+Enter")
    expect(output.get_by_text("IndexError").first).to_be_visible(timeout=START)
    output.get_by_role("button", name="Go to line 4").first.click()
    expect(page.locator(".cm-faulty")).to_contain_text("return legal[len")

    # A bot that never answers is ended; the game goes on without it, and the text stays, also after a reload.
    write(page, HANGS)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("status").get_by_text("has not answered for a second")).to_be_visible(timeout=START)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("Your text is kept.")

    # A page that is opened again continues from the image of Python's memory that the first one kept.
    page.add_init_script("addEventListener('message', ({ data }) => { if (data.image) window.startedAgain = true; })")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("while True:")
    write(page, PRINTS)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(output.get_by_text("I have 20")).to_have_count(1, timeout=START)
    assert page.evaluate("window.startedAgain") is None


def test_a_worker_reaches_no_server_and_no_other_origin(page: Page, live: Live, complaints: set[str]) -> None:
    complaints.add("Content Security Policy")  # the browser says what it refuses
    open_lab(page, live)
    frame = page.frames[1]
    assert frame.evaluate("self.origin") == "null"
    reached = frame.evaluate(
        """async (address) => {
          const source = URL.createObjectURL(new Blob([
            "fetch('" + address + "').then(() => postMessage('reached'), () => postMessage('refused'))"
          ], { type: "text/javascript" }));
          const worker = new Worker(source);
          return new Promise((resolve) => (worker.onmessage = ({ data }) => resolve(data)));
        }""",
        f"{live.address}/robots.txt",
    )
    assert reached == "refused"
