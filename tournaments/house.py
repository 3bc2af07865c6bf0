"""What of leagues concerns the house as a whole."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, Min
from django.utils.translation import gettext as _

from games.house.queues import Queue
from tournaments import director


def due_results_queue(now: datetime) -> Queue:
    """The games that are over and not yet counted in their season."""
    found = director.due_results().order_by().aggregate(n=Count("pk"), oldest=Min("game__finished_at"))
    age = (now - found["oldest"]).total_seconds() if found["oldest"] else None
    return Queue("results", _("Results to be counted"), "due", found["n"], age)
