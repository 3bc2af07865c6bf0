"""Writes docs/alerts.yml, the rules for Prometheus, from the definitions of alerts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from config.monitoring import alert_rules


class Command(BaseCommand):
    help = "Write docs/alerts.yml from the definitions of alerts in config/monitoring/alerts.py."

    def handle(self, *_args: Any, **_options: Any) -> None:
        alert_rules.FILE.write_text(alert_rules.text(), encoding="utf-8")
        self.stdout.write(f"Wrote {alert_rules.FILE}.")
