"""What all packages share and none owns: clock, errors, pages of lists, limits, log context."""
