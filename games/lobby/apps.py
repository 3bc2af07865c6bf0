from django.apps import AppConfig


class LobbyConfig(AppConfig):
    """Ways to a game: tables that wait for players."""

    name = "games.lobby"

    def ready(self) -> None:
        """Withdraw from tables who stops playing; give what is theirs to who exports their data."""
        # Imported here: models exist only now.
        from games.lobby import receivers
        from games.play import signals

        signals.stopped_playing.connect(receivers.withdraw, dispatch_uid="games.lobby.stopped_playing")
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.lobby.exporting")
