"""The form of a season in a browser."""

from __future__ import annotations

from playwright.sync_api import Page


def unfold(page: Page, *topics: str) -> None:
    """Open folded parts of the form, named by their ids."""
    for topic in topics:
        page.locator(f"#{topic} > summary").click()
