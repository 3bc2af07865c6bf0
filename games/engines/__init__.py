"""The rules of the kinds of game. Standard library only; engines do not import one another."""
