"""How an uploaded bot is admitted: checks, trial games, and what its author is told."""
