"""The history of a season: its timeline, the organisers' audit log, and notifications to entrants."""
