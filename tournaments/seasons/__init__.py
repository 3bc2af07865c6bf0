"""A season: its settings, events and state, how it is set up, and how it is shown."""
