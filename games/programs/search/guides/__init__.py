"""What the search has to know of each kind: which moves to look at, how seats usually play, what a state is worth."""
