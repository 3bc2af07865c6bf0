"""What admins do about the house, and what they are shown of it."""
