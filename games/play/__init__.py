"""Playing a game: opening it, moves, leaving, time running out, and the rows that follow its log."""
