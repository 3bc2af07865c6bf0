from django.apps import AppConfig


class WorkersConfig(AppConfig):
    """Processes that play the games of bots: leases, sessions, sandboxes."""

    name = "games.workers"

    def ready(self) -> None:
        """Register the text that says why bots wait."""
        # imported here, because models exist only now
        from games.play import signals
        from games.workers import waiting_reasons

        signals.asking_why_bots_wait.connect(
            waiting_reasons.sandbox_wait_on_request, dispatch_uid="games.workers.sandboxes"
        )
