"""Each kind's events as sentences, one module a kind."""
