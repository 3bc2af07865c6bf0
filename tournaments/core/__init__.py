"""What every part of a league shares: errors, results, and the names of things for people."""
