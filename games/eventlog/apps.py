from django.apps import AppConfig


class EventLogConfig(AppConfig):
    """Streams of events: the truth of games, seasons and rating pools."""

    name = "games.eventlog"
    verbose_name = "Event log"
