"""Exercises from people's own mistakes, and a puzzle a day for each kind."""
