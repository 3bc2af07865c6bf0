"""A game as its events, pure: the events, the state after them, pacing, and what each seat may see."""
