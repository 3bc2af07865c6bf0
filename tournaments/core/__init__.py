"""Shared by all parts of a league: results, no-shows, the form of events, and registries of what packages add."""
