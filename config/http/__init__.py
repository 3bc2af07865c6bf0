"""What holds for every request and answer: middleware, errors, limits, parsers, health."""
