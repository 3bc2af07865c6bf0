"""Time to think: when a clock runs (`hours`), what is left on it (`reckoning`), and what stops it."""
