"""Standings as rows, as they are and as they would be if open games ended so."""
