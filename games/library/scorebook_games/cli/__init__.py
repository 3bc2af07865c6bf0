"""The command `scorebook-bot`: local games, checks, replays and uploads."""
