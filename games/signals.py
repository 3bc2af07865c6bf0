"""What other apps may listen to. A signal only hurries them; the work itself is found by a query."""

from __future__ import annotations

from django.dispatch import Signal

# Sent once after the commit that ended one or more games, with `game_ids`.
game_over = Signal()
