"""The league's task for workers, and what hurries it."""

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
from tournaments.maintenance import rebuild_job
from tournaments.seasons.models import MatchGame
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery

MESSAGE_EXPIRES_SECONDS = 5  # seconds after which the message is worth nothing: beat says the same every two


@shared_task(name="tournaments.advance")  # type: ignore[untyped-decorator]
def advance() -> None:
    """Do whatever is due in all seasons. A message that comes twice, or not at all, changes nothing but the hour."""
    director.advance()


@shared_task(name="tournaments.rebuild")  # type: ignore[untyped-decorator]
def rebuild() -> None:
    """Do the rebuild that an admin asked for, unless somebody does."""
    rebuild_job.run_rebuild()


@shared_task(name="tournaments.tell_clubs", time_limit=240)  # type: ignore[untyped-decorator]
def notify_clubs() -> None:
    """Send the invitations of clubs that are due, tell their members of news, forget addresses that are used up."""
    invitations.forget_addresses()
    invitation_mail.INVITATION_MAILS.send_due()
    posts.notify_members_of_posts()


@shared_task(name="tournaments.remind")  # type: ignore[untyped-decorator]
def remind() -> None:
    """Remind people of matches that begin and of rounds that close; bring calendars up to date."""
    reminders.notify_due()
    calendar_entries.cancel_removed_seasons()
    calendar_entries.update_entries(calendar_entries.outdated_seasons()[: calendar_entries.SEASON_BATCH_SIZE])
    rebuild_job.resend_if_waiting()


@shared_task(name="tournaments.tell_webhooks", time_limit=120)  # type: ignore[untyped-decorator]
def call_webhooks() -> None:
    """Find what webhooks are to be told, tell what is due, forget what was told long ago."""
    webhooks_discovery.create_messages()
    webhooks_delivery.send_due()
    webhooks_delivery.delete_old_messages()


def request_advance(game_ids: Sequence[int], **_: Any) -> None:
    """Listens to `games.play.signals.game_over`: when nothing is left to play in a game's round, ask for `advance`."""
    playing = MatchGame.objects.filter(
        match__round=OuterRef("match__round"), recorded_at=None, game__status=Game.Status.PLAYING
    )
    if MatchGame.objects.filter(~Exists(playing), game__in=game_ids).exists():
        current_app.send_task("tournaments.advance", queue="short", expires=MESSAGE_EXPIRES_SECONDS, retry=False)
