"""Entering and leaving seasons, and the challenges of ladders."""
