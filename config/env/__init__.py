"""Environment variables: settings, secrets, and the address of the database."""
