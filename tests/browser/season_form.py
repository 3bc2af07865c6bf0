"""The form of a season in a browser."""

from __future__ import annotations

from playwright.sync_api import Page


def unfold(page: Page, topic: str) -> None:
    """Open a folded part of the form, named by its id. It folds the part that was open."""
    page.locator(f"#{topic} > summary").click()
