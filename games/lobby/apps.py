from django.apps import AppConfig


class LobbyConfig(AppConfig):
    """Ways to a game: tables that wait for players."""

    name = "games.lobby"

    def ready(self) -> None:
        """Add the notices of tables, withdraw people who stop playing, and export people's data."""
        # imported here, because models exist only now
        from django.contrib.auth.signals import user_logged_out

        from games.accounts.subjects import GAME_OVER, GAMES, add_subjects
        from games.lobby import receivers, subjects
        from games.play import signals

        add_subjects(subjects.SUBJECTS, after=GAME_OVER, group=GAMES)
        signals.stopped_playing.connect(receivers.withdraw, dispatch_uid="games.lobby.stopped_playing")
        user_logged_out.connect(receivers.stop_seeking, dispatch_uid="games.lobby.logged_out")
        signals.exporting.connect(receivers.data_of, dispatch_uid="games.lobby.exporting")
