from django.apps import AppConfig


class EntriesConfig(AppConfig):
    """The part of leagues about entries and challenges."""

    name = "tournaments.entries"

    def ready(self) -> None:
        """Register the notification subjects and the room of a season, and list open challenges with a person's
        games."""
        # Imported here: models exist only now.
        from games.accounts.subjects import CLOCK_LOW, SEASONS, add_subjects
        from games.play.signals import looking_ahead
        from tournaments.entries import ladder_selectors, subjects, talk

        add_subjects(subjects.SUBJECTS, after=CLOCK_LOW, group=SEASONS)
        talk.register_room()
        looking_ahead.connect(
            ladder_selectors.list_received_challenges, dispatch_uid="tournaments.entries.ladder_selectors"
        )
