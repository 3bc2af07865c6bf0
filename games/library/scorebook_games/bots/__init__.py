"""Bots: the protocol in which they are asked for moves, and the built-in bots. Uses no database."""
