"""A game at each of its moments: frames, captions and positions, made from its log alone."""
