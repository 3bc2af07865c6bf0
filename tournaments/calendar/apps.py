from django.apps import AppConfig


class CalendarConfig(AppConfig):
    """The part of leagues about match times, reminders and calendar feeds."""

    name = "tournaments.calendar"

    def ready(self) -> None:
        """Register the notification subjects, and list upcoming matches on the page of a person's games."""
        # Imported here: models exist only now.
        from games.accounts.subjects import CLOCK_LOW, SEASONS, add_subjects
        from games.play.signals import looking_ahead
        from tournaments.calendar import subjects, upcoming

        add_subjects(subjects.SUBJECTS, after=CLOCK_LOW, group=SEASONS)
        looking_ahead.connect(upcoming.list_upcoming_matches, dispatch_uid="tournaments.calendar.upcoming")
