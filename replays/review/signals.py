"""Signals for other apps."""

from __future__ import annotations

from django.dispatch import Signal

# A review was finished: `review`, its row. Sent in the transaction that stores it.
review_made = Signal()
