"""People: who they are, what they may do, what they are told, which games wait for them."""
