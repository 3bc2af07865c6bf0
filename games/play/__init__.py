"""Playing a game: opening it, moves, leaving, time running out, and the rows that are made from its log."""
