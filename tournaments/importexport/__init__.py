"""Seasons as files: everything of one to take away, and a list of entrants to begin another with."""
