from importlib import import_module

from django.apps import AppConfig


class MaintenanceConfig(AppConfig):
    """The app for rebuilding, the demo, admin actions on leagues, and what leagues store about a person."""

    name = "tournaments.maintenance"

    def ready(self) -> None:
        """Register admin actions, checks and moderation subjects, and connect the export of personal data."""
        # Imported here: models exist only now.
        from games.play.signals import exporting
        from tournaments.maintenance import moderation, personal_data

        import_module(f"{self.name}.admin_actions")
        import_module(f"{self.name}.checks")
        moderation.register_subjects()
        exporting.connect(personal_data.league_data_of, dispatch_uid="tournaments.maintenance.personal_data.exporting")
