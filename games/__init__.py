"""A game and its log: engines, table, bots, accounts. Knows nothing of tournaments or replays."""
