"""Signals for other packages and apps.

Each app connects its receivers in its `apps`. They run in the order of the apps in `INSTALLED_APPS`.
"""

from __future__ import annotations

from typing import Final

from django.dispatch import Signal

# What happens to games. These two signals only hurry their receivers; the work itself is found by a query.

# Sent once after the commit that ended one or more games, with `game_ids`, and `with_people`: the ids of those in which
# somebody sat who is no program.
game_over = Signal()
# Sent once after the commit that moved one or more games on, with `game_ids`. It may be somebody's turn now.
moved_on = Signal()

# Offers to the others at a table: to abort the game, to play a rematch, and the next game once all want it.
ABORT: Final = "abort"
REMATCH: Final = "rematch"
FOLLOWING: Final = "following"
# Sent within the transaction of an offer: `what` it is, the `game`, the ids of the `users` who get it, the player `by`
# whom it is made, and a `key` that no other offer has.
offered = Signal()

# What others know of a person, a game or a queue.

# Sent with `player` when their games are listed. A receiver returns a list of `games.accounts.mygames.UpcomingGame`.
looking_ahead = Signal()
# Sent with the ids `games` and a `player` (or None) when games are listed or shown. A receiver returns a dictionary id
# → `games.accounts.mygames.GameContext` for those that it knows.
listing = Signal()
# Sent when games with uploaded bots are shown. A receiver returns a sentence on what they wait for, or "".
asking_why_bots_wait = Signal()
# Sent with `games` (ids) and `value_hash` when points without luck are shown. A receiver returns a dictionary id → luck
# of each seat, in shares of 1, for those that are open to all and have a ledger by that value function.
asking_luck = Signal()
# Sent with a `player` and the ids `games` of open ones, the latest first, when the play of a bot is shown. A receiver
# returns `games.play.play_account.PlayAccount`.
asking_play = Signal()
# Sent with a finished `game` when its result is shown. A receiver returns `games.play.stakes.Stakes`.
asking_stakes = Signal()
# Sent with a finished `game` when a stored page of it is looked for. A receiver returns a value that is another one as
# soon as it says something else of the game, by `listing` without a player or by `asking_stakes`.
asking_version = Signal()
# Sent with `user` and their `player` (or None) when a person's data is exported. A receiver returns a dictionary of
# what it holds.
exporting = Signal()

# Sent with the `unit` of a move that was made, its `seat` and the version `since` that its player knew, if they want to
# see it. A receiver returns the frames that follow, as JSON data. If one fails, the move is answered without them.
asking_frames = Signal()

# How a person leaves the platform.

# Sent with `user` before an account is deleted. A receiver may return a sentence that says what must be done first.
leaving = Signal()
# Sent with `player` within the transaction in which they stop playing for good, after they resigned their games. A
# receiver withdraws what others would wait for.
stopped_playing = Signal()
# Sent with `user` within the transaction in which somebody is banned, so others see the effects of all receivers or of
# none. A receiver ends the user's access and what plays for them.
banned = Signal()
# Sent with `user` within the transaction in which a ban ends. A receiver gives back what the ban took, except sessions
# and tokens, which are made again.
unbanned = Signal()
# Sent with `request` and `user` when a person with an inactive account logs in. A receiver may return the page that
# says why.
turned_away = Signal()
