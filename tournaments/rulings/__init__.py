"""Rulings: what organisers decide about results, and the disputes that players open."""
