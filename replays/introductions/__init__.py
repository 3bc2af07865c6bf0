"""Introductions: a first game of a kind that a reader plays by a script (`scorebook_games.introduction`)."""
