"""Bots as a league sees them: their page, their results, their place in a season."""
