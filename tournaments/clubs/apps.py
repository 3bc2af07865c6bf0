from django.apps import AppConfig


class ClubsConfig(AppConfig):
    """Clubs, their members, and who may see and do what."""

    name = "tournaments.clubs"

    def ready(self) -> None:
        """Say whose games a person may not see."""
        # Imported here: models exist only now.
        from games.visibility import audience
        from tournaments.clubs.permissions import closed_to

        audience.register_hidden_audiences(closed_to)
