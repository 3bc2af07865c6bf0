"""Something that is wrong, as the dashboard and the API show it, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from django.urls import reverse

from games.admin_actions import registry as admin_actions


@dataclass(frozen=True)
class AlertAction:
    """An action to offer, with a reason that the admin may change; `words` are on the button."""

    action: str
    target: str
    words: str
    reason: str = ""

    @property
    def known(self) -> admin_actions.Action:
        return admin_actions.find_action(self.action)

    @property
    def name(self) -> str:
        """A name for it among those of its item, that stays the same while the page is refreshed."""
        return f"{self.action}-{self.target}".lower().replace(" ", "-")

    @property
    def address(self) -> str:
        """Of its page."""
        return reverse("admin-do", args=[self.action, *([self.target] if self.target else [])])


@dataclass(frozen=True)
class Alert:
    """One thing: what, since when, and why in a sentence. `state` is a shape of the house (stuck, warn, fault)."""

    what: str
    title: str
    since: datetime
    state: str
    word: str
    sentence: str
    page: str = ""
    deeds: list[AlertAction] = field(default_factory=list)

    @property
    def name(self) -> str:
        """A name for the item that stays the same while the page is refreshed."""
        return f"{self.what}-{self.deeds[0].target if self.deeds else ''}".lower().replace(" ", "-")
