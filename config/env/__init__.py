"""What the environment gives: secrets, and the address of the database."""
