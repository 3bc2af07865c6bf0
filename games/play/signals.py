"""What other packages and apps may listen to. Each app connects its receivers in its
`apps`; they run in the order in which `INSTALLED_APPS` names the apps."""

from __future__ import annotations

from typing import Final

from django.dispatch import Signal

# What happens to games. These two only hurry those who listen; the work itself is found by a query.

# Sent once after the commit that ended one or more games, with `game_ids`.
game_over = Signal()
# Sent once after the commit that moved one or more games on, with `game_ids`: somebody's turn may have begun.
moved_on = Signal()

# Offers to the others at a table: to abort the game, to play it again, and the game that follows once all want it.
ABORT: Final = "abort"
REMATCH: Final = "rematch"
FOLLOWING: Final = "following"
# Sent within the transaction of an offer, with `what` it is, the `game`, ids of the `users` to whom it is made, the
# player `by` whom, and a `key` that no other offer has.
offered = Signal()

# What others know of a person, a game or a queue.

# Sent with `player` when what they play is listed. A receiver answers with a list of
# `games.accounts.mygames.UpcomingGame`.
looking_ahead = Signal()
# Sent with `player` and `games`, ids, when what they play or played is listed. A receiver answers with a dictionary of
# id → `games.accounts.mygames.GameContext` for those that it knows.
listing = Signal()
# Sent when games with uploaded bots are shown. A receiver answers with a sentence on what they wait for, or "".
asking_why_bots_wait = Signal()
# Sent with `user` and their `player` (or None) when a person's data is handed to them. A receiver answers with a
# dictionary of what it holds.
exporting = Signal()

# How a person goes.

# Sent with `user` before an account is deleted. A receiver may answer with a sentence: what is to be done first.
leaving = Signal()
# Sent with `player` within the transaction in which they stop playing for good, after their games are resigned. A
# receiver takes back what others would wait for.
stopped_playing = Signal()
# Sent with `user` within the transaction in which somebody is banned: whatever the order of the receivers, others see
# all of it or nothing. A receiver ends what lets them in, and what plays for them.
banned = Signal()
# Sent with `user` within the transaction in which a ban ends. A receiver gives back what the ban took, except log-ins
# and tokens: these are made again.
unbanned = Signal()
# Sent with `request` and `user` when somebody logs in whose account is not active. A receiver may answer with the page
# that says why.
turned_away = Signal()
