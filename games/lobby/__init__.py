"""Ways to a game: tables at which people, guests and built-in bots wait until every seat is taken.

One thing serves all: to challenge a person, to open a table and wait, to invite by link, to fill free seats with
built-in bots, and to play against a built-in bot at once. `games.lobby.services` has the services.
"""
