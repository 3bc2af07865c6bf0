"""Clocks: when they run (`hours`), what is left on them (`reckoning`), and what stops them."""
