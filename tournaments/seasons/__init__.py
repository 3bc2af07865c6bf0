"""A season: its rows, settings, events and state."""
