"""Clubs, leagues, seasons: who plays whom and when, what came of it, and the ratings."""
