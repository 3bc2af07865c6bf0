"""Standings as rows, and what they would be if open games ended in some way."""
