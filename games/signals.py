"""What other apps may listen to. A signal only hurries them; the work itself is found by a query."""

from __future__ import annotations

from django.dispatch import Signal

# Sent after the commit that ended a game, with `game_id`.
game_over = Signal()
