from django.apps import AppConfig


class CalendarConfig(AppConfig):
    """Times that people agree on, reminders, calendars to subscribe to."""

    name = "tournaments.calendar"

    def ready(self) -> None:
        """Tell people which matches are ahead."""
        # Imported here: models exist only now.
        from games.play.signals import looking_ahead
        from tournaments.calendar import upcoming

        looking_ahead.connect(upcoming.list_upcoming_matches, dispatch_uid="tournaments.calendar.upcoming")
