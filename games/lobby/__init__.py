"""Ways to a game: tables at which people, guests and built-in bots wait until every chair is taken.

One thing for all: to challenge a person, to open a table and wait, to invite by link, to fill free chairs with built-in
bots, and to play against a built-in bot at once. `games.lobby.services` is the one door.
"""
