"""Answers the page that asks for confirmation, as a person does."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.assertions.page import Page


def confirm(browser: Client, path: str, sent: dict[str, Any] | None = None, **options: Any) -> Any:
    """Press a button that sends `sent`, and then the button of the confirmation page. `sent` may have a reason."""
    asked = browser.post(path, sent or {})
    assert asked.status_code == 422, asked.status_code
    fields = [attrs for tag, attrs in Page.of(asked).tags if tag == "input" and attrs.get("type") == "hidden"]
    held = {attrs["name"]: attrs.get("value", "") for attrs in fields}
    return browser.post(path, {**held, **(sent or {})}, **options)
