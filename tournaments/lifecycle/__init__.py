"""How a season is set up, started, paused, ended and repeated."""
