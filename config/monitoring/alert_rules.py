"""Writes docs/alerts.yml, the rules for Prometheus, from the definitions of alerts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import override

from config.monitoring.alert_types import AlertDefinition, Rule
from config.monitoring.alerts import DEFINITIONS

FILE: Final[Path] = settings.BASE_DIR / "docs" / "alerts.yml"
HEAD: Final = """\
# Rules for Prometheus: each is about something that does not mend itself. docs/reference/metrics.md explains the
# metrics. The admin's dashboard shows the same alerts with what can be done about them. This file is generated from
# config/monitoring/alerts.py by `manage.py write_documents`.
groups:
  - name: scorebook
    rules:
"""
# Folded scalars (`>-`) need no quotes; a reader joins their lines by spaces.
RULE: Final = """\
      - alert: {name}
        expr: >-
{expression}
        for: {lasting}
        labels: {{code: {code}, severity: {severity}}}
        annotations:
          summary: >-
{summary}
          description: >-
{description}
"""


def text() -> str:
    """Return the content of the file, in English."""
    with override("en"):
        return HEAD + "".join(_rule(definition, definition.rule) for definition in DEFINITIONS if definition.rule)


def _rule(definition: AlertDefinition, rule: Rule) -> str:
    title = rule.title or _filled(definition.title, rule.values)
    return RULE.format(
        name=rule.name,
        expression=_folded(rule.expression, 10),
        lasting=rule.lasting,
        code=definition.code,
        severity=definition.severity,
        summary=_folded(f"{title}.", 12),
        description=_folded(rule.sentence or _filled(definition.sentence, rule.values), 12),
    )


def _filled(words: str | Promise, values: Mapping[str, str]) -> str:
    return str(cast(str, words).format(**values)) if values else str(words)


def _folded(words: str, indent: int) -> str:
    """Return the words as lines of a folded scalar."""
    margin = " " * indent
    return textwrap.fill(
        words, 120, initial_indent=margin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
