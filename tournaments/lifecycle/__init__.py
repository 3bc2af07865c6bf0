"""Seasons are set up, started, paused, resumed, ended and repeated here."""
