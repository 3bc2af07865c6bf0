"""How long who may think: when a clock runs (`hours`), and what is left on it (`reckoning`), from a log. Pure."""
