"""The admin site: log-in, actions, search, sidebar."""
