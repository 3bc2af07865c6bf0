"""The page of a match, where its players agree on a time."""
