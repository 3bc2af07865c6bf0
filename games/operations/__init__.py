"""What admins do about the platform, and what they are shown of it."""
