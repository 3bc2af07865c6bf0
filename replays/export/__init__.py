"""A finished game as a file: JSON that can be verified elsewhere, and one page that needs no server."""
