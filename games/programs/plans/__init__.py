"""What the built-in sensible bot plays: a plan for each kind, from an observation to the worth of a move. Pure."""
