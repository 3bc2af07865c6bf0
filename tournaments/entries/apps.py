from django.apps import AppConfig


class EntriesConfig(AppConfig):
    """Who plays in a season: entering, leaving, challenges of a ladder."""

    name = "tournaments.entries"

    def ready(self) -> None:
        """Tell people which challenges wait for their answer."""
        # Imported here: models exist only now.
        from games.play.signals import looking_ahead
        from tournaments.entries import ladder_selectors

        looking_ahead.connect(
            ladder_selectors.list_received_challenges, dispatch_uid="tournaments.entries.ladder_selectors"
        )
