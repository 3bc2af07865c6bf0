"""Programs that play: the protocol in which they are asked, and the built-in bots. No database."""
