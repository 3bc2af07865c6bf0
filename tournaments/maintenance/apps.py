from importlib import import_module

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """Rebuilding, the demo, what admins do to leagues, and what leagues hold of a person."""

    name = "tournaments.maintenance"

    def ready(self) -> None:
        """Register what admins do to leagues; answer who leaves, is deleted or exports their data."""
        # Imported here: models exist only now.
        from django.contrib.auth.models import User
        from django.db.models.signals import pre_delete

        from games.play.signals import exporting, leaving
        from tournaments.maintenance import moderation, personal_data

        import_module(f"{self.name}.admin_actions")
        moderation.register_subjects()
        pre_delete.connect(
            personal_data.forget_reasons, User, dispatch_uid="tournaments.maintenance.personal_data.forgetting"
        )
        leaving.connect(personal_data.check_owns_no_club, dispatch_uid="tournaments.maintenance.personal_data.leaving")
        exporting.connect(personal_data.league_data_of, dispatch_uid="tournaments.maintenance.personal_data.exporting")
