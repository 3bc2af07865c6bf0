"""People: who they are, what they are told, which games wait for them."""
