"""Matches as pages and lists show them."""
