"""A game and its log: engines, table, bots, accounts. Knows nothing of tournaments or replays."""

from games import build

build.select_build()  # before anybody imports an engine
