"""Finished games as files: JSON that can be verified elsewhere, and an HTML page that needs no server."""
