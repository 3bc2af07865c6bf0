"""What every part of a league shares: errors, results, who did not come to a game, and the base of API views."""
