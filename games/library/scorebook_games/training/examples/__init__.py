"""Programs to copy: how to train a bot."""
