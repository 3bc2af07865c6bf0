"""What finished games say about luck and play: the luck ledger of each, computed by workers and shown on its page."""
