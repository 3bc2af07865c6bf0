from django.apps import AppConfig


class AdminActionsConfig(AppConfig):
    """What admins do: a registry, its three doors and the audit log."""

    name = "games.admin_actions"
    verbose_name = "Admin actions"
