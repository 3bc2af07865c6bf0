"""Commentators of a season's games: the secret address that its organisers give them."""
