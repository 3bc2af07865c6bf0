"""Card and dice games, their event logs, and the bots that play them. Needs only the standard library."""

from scorebook_games import build

# The version is set only here: both pyproject.toml files, /health/ready/ and the bot kit read it.
__version__ = "0.1.0"

build.select_build()  # must run before any engine is imported
