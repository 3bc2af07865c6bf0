"""The types of alerts: a definition, the cases that are found, and the actions for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal, cast

from django.urls import reverse
from django.utils.functional import Promise

from games.admin_actions import registry as admin_actions
from games.common.dataclass_serializer import UNSENT
from tournaments.maintenance.status import LeagueStatus


@dataclass(frozen=True)
class AlertAction:
    """An action about an alert, by `POST admin/actions/`; `reason` is a suggestion, and `words` are on the button."""

    action: str
    target: str
    words: str
    reason: str = ""

    @property
    def known(self) -> admin_actions.Action:
        return admin_actions.find_action(self.action)

    @property
    def name(self) -> str:
        """A name that is unique among the actions of its alert and stays the same while the page is refreshed."""
        return f"{self.action}-{self.target}".lower().replace(" ", "-")

    @property
    def address(self) -> str:
        """The address of its page."""
        return reverse("admin-do", args=[self.action, *([self.target] if self.target else [])])


@dataclass(frozen=True)
class Alert:
    """A problem of the platform: since when, why, and the actions that solve it.

    `state` and `word` are the mark on the dashboard. `what` is the code of the alert or of its case.
    """

    what: str
    title: str
    since: datetime
    state: Annotated[str, "stuck, warn or fault."]
    word: Annotated[str, UNSENT]
    sentence: str
    page: Annotated[str, "Address of a page with details; may be empty."] = ""
    actions: list[AlertAction] = field(default_factory=list)

    @property
    def name(self) -> str:
        """A name that stays the same while the page is refreshed."""
        return f"{self.what}-{self.actions[0].target if self.actions else ''}".lower().replace(" ", "-")


@dataclass(frozen=True)
class AlertCase:
    """A case of an alert: what is wrong now, since when, and what can be done about it.

    `values` fill the placeholders of the definition's texts. `title`, `sentence` and `word` replace those of the
    definition if the case has its own. `code` distinguishes the cases of an alert that can have several.
    """

    since: datetime
    values: Mapping[str, object] = field(default_factory=dict)
    title: str | None = None
    sentence: str | None = None
    word: str | None = None
    code: str | None = None
    page: str = ""
    actions: list[AlertAction] = field(default_factory=list)


@dataclass(frozen=True)
class Rule:
    """The condition of an alert for Prometheus: it fires when `expression` has held for the time `lasting`.

    `values` fill the placeholders of the definition's texts, in Prometheus' template language. `title` and `sentence`
    replace those texts if they name something that is not in a metric.
    """

    name: str
    expression: str
    lasting: str = "5m"
    values: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    sentence: str = ""


@dataclass(frozen=True)
class AlertDefinition:
    """Something that can be wrong with the platform.

    `condition` finds the cases in the collected status, for the dashboard and `status/`. `rule` asks the same of the
    metrics, for docs/alerts.yml. If one of the two is missing, `because` says why. `sentence` says what happens and
    what to do; `actions` are the admin actions that the dashboard offers. `severity`: a page wakes somebody, a ticket
    waits until morning. `state` and `word` are the mark on the dashboard.
    """

    code: str
    severity: Literal["page", "ticket"]
    title: str | Promise
    sentence: str | Promise = ""
    state: Literal["stuck", "warn", "fault"] = "warn"
    word: str | Promise = ""
    actions: tuple[str, ...] = ()
    condition: Callable[[LeagueStatus], Iterable[AlertCase]] | None = None
    rule: Rule | None = None
    because: str = ""

    def found_in(self, now: LeagueStatus) -> Iterator[Alert]:
        """Yield the present cases."""
        for case in self.condition(now) if self.condition else ():
            yield Alert(
                case.code or self.code,
                _filled(self.title, case.values) if case.title is None else case.title,
                case.since,
                self.state,
                str(self.word) if case.word is None else case.word,
                _filled(self.sentence, case.values) if case.sentence is None else case.sentence,
                case.page,
                case.actions,
            )


def _filled(words: str | Promise, values: Mapping[str, object]) -> str:
    """Return words with their values filled in; a plural is chosen by `n`."""
    return str(cast(str, words).format(**values))
