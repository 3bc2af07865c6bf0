"""Who enters a season, and who withdraws; the challenges of a ladder."""
