"""Answers the page that asks before something that cannot be undone, as a person does: by what its form holds."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.page import Page


def confirm(browser: Client, path: str, sent: dict[str, Any] | None = None, **options: Any) -> Any:
    """Press a button that sends `sent`, and the one of the page that asks; a reason is among what was sent."""
    asked = browser.post(path, sent or {})
    assert asked.status_code == 422, asked.status_code
    fields = [attrs for tag, attrs in Page.of(asked).tags if tag == "input" and attrs.get("type") == "hidden"]
    held = {attrs["name"]: attrs.get("value", "") for attrs in fields}
    return browser.post(path, {**held, **(sent or {})}, **options)
