"""What admins see of the platform's state, and their actions on it."""
