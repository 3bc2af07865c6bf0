"""Ratings: Elo as pure mathematics, the pools that store Elo ratings, and the official table of bots."""
