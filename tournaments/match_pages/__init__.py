"""The page of a match, and where its players agree on a time."""
