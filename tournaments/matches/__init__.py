"""Matches as data for pages and lists."""
