"""Programs that play: the house's own bots, and who sits behind a seat that is no person."""
