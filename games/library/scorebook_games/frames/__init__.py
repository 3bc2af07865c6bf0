"""A game at each of its moments: frames and captions, made from its log alone. Pure."""
