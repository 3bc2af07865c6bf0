"""Luck and decisions in finished games: the ledger (`ledger`), and how a value function is fitted (`fit`)."""
