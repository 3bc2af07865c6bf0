"""Rebuilding, repairing, exporting and demonstrating what leagues hold."""
