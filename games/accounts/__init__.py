"""People: who they are, what they may do, their notices, and the games that wait for them."""
