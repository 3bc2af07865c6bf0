from django.apps import AppConfig


class CommentaryConfig(AppConfig):
    """The part of leagues about commentators, who see all hands of a season's games."""

    name = "tournaments.commentary"

    def ready(self) -> None:
        """Let games ask which secrets open them to commentators."""
        # Imported here: models exist only now.
        from games.visibility.commentary import register_commentators
        from tournaments.commentary.services import opens

        register_commentators(opens)
