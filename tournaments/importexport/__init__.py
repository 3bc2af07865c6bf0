"""Seasons as files: exporting a whole season, and importing a list of entrants or a whole season."""
