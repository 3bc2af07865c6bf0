from django.apps import AppConfig


class CalendarConfig(AppConfig):
    """Times that people agree on, reminders, calendars to subscribe to."""

    name = "tournaments.calendar"

    def ready(self) -> None:
        """Tell people which matches are ahead, and what is agreed on their times."""
        # Imported here: models exist only now.
        from games.accounts.subjects import CLOCK_LOW, add_subjects
        from games.play.signals import looking_ahead
        from tournaments.calendar import subjects, upcoming

        add_subjects(subjects.SUBJECTS, after=CLOCK_LOW)
        looking_ahead.connect(upcoming.list_upcoming_matches, dispatch_uid="tournaments.calendar.upcoming")
