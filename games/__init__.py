"""The games platform: logs, play, bots, accounts. It knows nothing of tournaments or replays."""
