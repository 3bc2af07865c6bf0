"""A game as its events, in pure code: the events, the state after them, pacing, and what each seat may see."""
