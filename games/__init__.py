"""A game and its log: engines, table, bots, accounts. Knows nothing of tournaments or replays."""

from games import build

__version__ = "0.1.0"  # the only place of the version: pyproject.toml, /health/ready/ and the kit read it

build.select_build()  # before anybody imports an engine
