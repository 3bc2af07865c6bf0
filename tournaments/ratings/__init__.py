"""Ratings: Elo and Plackett-Luce as mathematics, and the pools that keep them."""
