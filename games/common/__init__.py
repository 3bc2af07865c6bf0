"""Modules that all packages use: clock, errors, pages of lists, rate limits, log context."""
