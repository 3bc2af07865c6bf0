"""The words of each kind: its events as sentences, a module a kind."""
