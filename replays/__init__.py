"""Reading a game again: frames, live streams, exports and verification, all folded from its log."""
