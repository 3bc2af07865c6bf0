"""What every part shares and no part owns: clock, errors, pages of lists, limits, idempotency, log context."""
