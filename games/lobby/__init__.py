"""Ways to a game: tables at which people, guests and house bots wait until every chair is taken.

One thing for all: to challenge a person, to open a table and wait, to invite by link, to fill free chairs with house
bots, and to play against a house bot at once. `games.lobby.services` is the one door.
"""
