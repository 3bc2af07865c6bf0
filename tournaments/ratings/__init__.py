"""Ratings: Elo and Plackett–Luce as pure mathematics, and the rating pools that store Elo ratings."""
