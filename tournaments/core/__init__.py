"""Shared by all parts of a league: errors, results, no-shows, and the base of API views."""
