from django.apps import AppConfig


class EventLogConfig(AppConfig):
    """Event streams, from which games, seasons and rating pools are made."""

    name = "games.eventlog"
    verbose_name = "Event log"
