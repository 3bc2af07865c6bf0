from importlib import import_module

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """The app for what is computed about finished games."""

    name = "replays.review"

    def ready(self) -> None:
        """Register the admin actions for ledgers, and the answers to leagues and pages of bots."""
        from games.play.signals import asking_luck, asking_play
        from replays.review.decision_costs import account_of
        from replays.review.luck import luck_of_games

        import_module(f"{self.name}.admin_actions")
        asking_luck.connect(luck_of_games, dispatch_uid="replays.review.luck")
        asking_play.connect(account_of, dispatch_uid="replays.review.decision_costs")
