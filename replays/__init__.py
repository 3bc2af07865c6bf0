"""Replays: frames, live streams, exports and verification of games, all folded from their logs."""
