"""What other apps may listen to. A signal only hurries them; the work itself is found by a query."""

from __future__ import annotations

from django.dispatch import Signal

# Sent once after the commit that ended one or more games, with `game_ids`.
game_over = Signal()
# Sent once after the commit that moved one or more games on, with `game_ids`: somebody's turn may have begun.
moved_on = Signal()
# Sent with `user` before an account is deleted. A receiver may answer with a sentence: what is to be done first.
leaving = Signal()
# Sent with `player` when what they play is listed. A receiver answers with a list of
# `games.accounts.mygames.UpcomingGame`.
looking_ahead = Signal()
# Sent with `player` and `games`, ids, when what they play or played is listed. A receiver answers with a dictionary of
# id → `games.accounts.mygames.GameContext` for those that it knows.
listing = Signal()
# Sent with `player` when a person's data is handed to them. A receiver answers with a dictionary of what it holds.
exporting = Signal()
