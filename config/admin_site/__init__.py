"""The admin site: login, actions, search, sidebar."""
