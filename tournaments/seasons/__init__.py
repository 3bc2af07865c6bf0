"""Seasons: rows, settings, events and the state folded from them."""
