from django.apps import AppConfig


class TournamentsConfig(AppConfig):
    """The Django app of leagues: tasks, commands and shared pages. Each package with models is an app of its own."""

    name = "tournaments"

    def ready(self) -> None:
        """Register the notification subjects; let ratings follow seasons, and the end of a game start the director."""
        # Imported here: models exist only now.
        from games.accounts.context import register_reader_column
        from games.accounts.subjects import ACCOUNT_AND_ADMINS, CLUBS, SEASONS, add_subjects
        from games.bots.subjects import BOT_TAKEN_DOWN
        from games.common.page_cache import register_reader_facts
        from games.lobby.seekers import register_strengths
        from games.moderation.subjects import ACCOUNT
        from games.play.signals import game_over
        from tournaments.activity import subjects as season_subjects
        from tournaments.clubs import subjects as club_subjects
        from tournaments.organiser.counts import ORGANISES, ORGANISES_COLUMN, count_for
        from tournaments.ratings.pools import PoolWriter
        from tournaments.ratings.selectors import ratings_in
        from tournaments.rulings import subjects as ruling_subjects
        from tournaments.seasons.aggregate import FOLLOWERS
        from tournaments.tasks import request_advance
        from tournaments.teams import subjects as team_subjects
        from tournaments.webhooks import subjects as webhook_subjects

        add_subjects(season_subjects.SUBJECTS, after=BOT_TAKEN_DOWN, group=SEASONS)
        add_subjects(team_subjects.SUBJECTS, after=BOT_TAKEN_DOWN, group=SEASONS)
        add_subjects(club_subjects.SUBJECTS, after=BOT_TAKEN_DOWN, group=CLUBS)
        add_subjects(ruling_subjects.SUBJECTS, after=ACCOUNT, group=SEASONS)
        add_subjects(webhook_subjects.SUBJECTS, after=ACCOUNT, group=ACCOUNT_AND_ADMINS)
        register_reader_column(ORGANISES, ORGANISES_COLUMN)
        register_reader_facts(count_for)
        FOLLOWERS.append(PoolWriter)
        register_strengths(ratings_in)
        game_over.connect(request_advance, dispatch_uid="tournaments.request_advance")
