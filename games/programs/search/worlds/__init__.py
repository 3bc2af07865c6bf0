"""What may be true: for each kind, whole states by lot that agree with everything that a seat is told."""
