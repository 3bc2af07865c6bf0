"""What the house's sensible bot plays: a plan for each kind, from an observation to the worth of a move. Pure."""
