"""The pages of a season: its overview, its setup form, and the actions of its buttons."""
