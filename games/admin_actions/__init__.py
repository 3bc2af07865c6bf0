"""What admins do about rows: the registry of actions, its audit, and what the pages of the admin share."""
