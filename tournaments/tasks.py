"""The Celery tasks of leagues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from celery import current_app, shared_task
from django.db.models import Exists, OuterRef

from games.models import Game
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import reminders
from tournaments.clubs import invitation_mail, invitations, posts
from tournaments.director import director
from tournaments.entries import availability_reminders
from tournaments.maintenance import rebuild_job
from tournaments.ratings import casual
from tournaments.seasons.models import MatchGame
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery

MESSAGE_EXPIRES_SECONDS = 5  # later the message is useless: beat sends the same one every two seconds


@shared_task(name="tournaments.advance")  # type: ignore[untyped-decorator]
def advance() -> None:
    """Do everything that is due in all seasons, and rate casual games. A message that is lost or arrives twice changes
    at most the time."""
    director.advance()
    casual.rate_casual_games()


@shared_task(name="tournaments.rebuild")  # type: ignore[untyped-decorator]
def rebuild() -> None:
    """Do the rebuild that an admin asked for, unless another worker does it."""
    rebuild_job.REBUILD.run()


@shared_task(name="tournaments.notify_clubs", time_limit=240)  # type: ignore[untyped-decorator]
def notify_clubs() -> None:
    """Send invitations that are due, notify clubs of news, and delete email addresses that are not needed any more."""
    invitations.forget_addresses()
    invitation_mail.INVITATION_MAILS.send_due()
    posts.notify_members_of_posts()


@shared_task(name="tournaments.remind")  # type: ignore[untyped-decorator]
def remind() -> None:
    """Remind people of matches that begin, rounds that end and rounds to come, update calendars, and send the message
    of a rebuild again that nobody has begun."""
    reminders.notify_due()
    availability_reminders.notify_due()
    calendar_entries.cancel_removed_seasons()
    calendar_entries.update_entries(calendar_entries.outdated_seasons()[: calendar_entries.SEASON_BATCH_SIZE])
    rebuild_job.REBUILD.resend_if_waiting()


@shared_task(name="tournaments.call_webhooks", time_limit=120)  # type: ignore[untyped-decorator]
def call_webhooks() -> None:
    """Create the messages for webhooks, send those that are due, and delete old ones."""
    webhooks_discovery.create_messages()
    webhooks_delivery.MESSAGES.send_due()
    webhooks_delivery.delete_old_messages()


def request_advance(game_ids: Sequence[int], **_: Any) -> None:
    """Send the task `advance` when no game of a finished game's round is being played any more, and for a casual game
    that is rated. A receiver of `games.play.signals.game_over`."""
    playing = MatchGame.objects.filter(
        match__round=OuterRef("match__round"), recorded_at=None, game__status=Game.Status.PLAYING
    )
    of_seasons = MatchGame.objects.filter(~Exists(playing), game__in=game_ids)
    if of_seasons.exists() or casual.due_tables().filter(game__in=game_ids).exists():
        current_app.send_task("tournaments.advance", queue="short", expires=MESSAGE_EXPIRES_SECONDS, retry=False)
