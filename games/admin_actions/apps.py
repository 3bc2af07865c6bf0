from django.apps import AppConfig


class AdminActionsConfig(AppConfig):
    """Actions of admins: a registry, the audit log, and the three ways to call them."""

    name = "games.admin_actions"
    verbose_name = "Admin actions"
