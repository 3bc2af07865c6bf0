from importlib import import_module

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """Rebuilding, the demo, what admins do to leagues, and what leagues hold of a person."""

    name = "tournaments.maintenance"

    def ready(self) -> None:
        """Register what admins do to leagues; answer who exports their data."""
        # Imported here: models exist only now.
        from games.play.signals import exporting
        from tournaments.maintenance import moderation, personal_data

        import_module(f"{self.name}.admin_actions")
        moderation.register_subjects()
        exporting.connect(personal_data.league_data_of, dispatch_uid="tournaments.maintenance.personal_data.exporting")
