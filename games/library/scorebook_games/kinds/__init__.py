"""The kinds of game. Each is a folder with its rules, a plan for the sensible bot and a guide for the search."""
