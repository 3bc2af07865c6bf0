"""What admins do and find in the admin site: log-in, actions, search, the sidebar."""
