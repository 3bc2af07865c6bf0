"""Creates, changes, tests and deletes webhooks, for pages and API."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.common.outbox import SendState
from tournaments.clubs.locking import check_account, check_organiser
from tournaments.clubs.models import Club
from tournaments.seasons.models import Season
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import messages as webhook_messages
from tournaments.webhooks import signing
from tournaments.webhooks.channels import ChannelKind, channel_of
from tournaments.webhooks.delivery import MESSAGES
from tournaments.webhooks.models import Delivery, Webhook

MAX_WEBHOOKS: Final = 10  # of a club, or of a person
DOUBLE_SUBMIT_WINDOW: Final = timedelta(minutes=1)


def webhooks_of(user: User | AnonymousUser, club: Club | None) -> QuerySet[Webhook]:
    """Return the webhooks of the club, or of the person. Raises `DomainError` not_organiser, guest (403)."""
    if club is not None:
        check_organiser(user, club)
        return Webhook.objects.filter(club=club).select_related("season__league", "club")
    return Webhook.objects.filter(user=check_account(user)).select_related("club")


@transaction.atomic
def create_webhook(
    *,
    user: User | AnonymousUser,
    club: Club | None,
    url: str,
    events: Collection[str],
    season: Season | None = None,
    channel: str = "",
) -> tuple[Webhook, str]:
    """Create a webhook; return it and its secret, which is never shown again. Earlier events are not sent. `channel` is
    a `ChannelKind`, "" for that of the address; a room has no secret but its address.

    Raises `DomainError`: bad_url, bad_events, bad_season (400), not_organiser, guest (403), too_many_webhooks, same_url
    (409).
    """
    existing = webhooks_of(user, club)
    owner = check_account(user)
    where, url = channel_of(url, channel)
    wanted = _checked_events(events, club)
    if season is not None and (club is None or season.league.club_id != club.pk):
        raise DomainError(400, "bad_season", _("The club has no such season."), "season")
    _lock_owner(owner, club)
    if existing.count() >= MAX_WEBHOOKS:
        sentence = _("There are already {n} webhooks. Delete one first.").format(n=MAX_WEBHOOKS)
        raise DomainError(409, "too_many_webhooks", sentence)
    _check_webhook_limit(existing, url, season)
    now = clock.now()
    hook = Webhook.objects.create(
        user=None if club else owner,
        club=club,
        season=season,
        made_by=owner,
        url=url,
        channel=where.kind,
        events=wanted,
        created=now,
        events_since=now,
        discovered_until=now,
    )
    return hook, signing.secret_of(hook.nonce) if hook.signed else ""


def _lock_owner(owner: User, club: Club | None) -> None:
    """Lock the owner, so that nobody adds a webhook between count and insert."""
    if club is None:
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    else:
        Club.objects.select_for_update(no_key=True).get(pk=club.pk)


def _check_webhook_limit(others: QuerySet[Webhook], url: str, season: Season | None) -> None:
    if others.filter(url=url, season=season).exists():
        raise DomainError(
            409, "same_url", _("There is already a webhook with this address. Change its events instead."), "url"
        )


def _checked_events(events: Collection[str], club: Club | None) -> list[str]:
    known = webhooks_discovery.event_choices(club)
    if not events or set(events) - set(known):
        sentence = _("Choose at least one event of {known}.").format(known=", ".join(known))
        raise DomainError(400, "bad_events", sentence, "events")
    return [event for event in known if event in events]


@transaction.atomic
def update_webhook(
    hook: Webhook, *, url: str | None = None, events: Collection[str] | None = None, on: bool | None = None
) -> Webhook:
    """Change a webhook's address or events, or switch it off or on. Events that happen while it is off are not sent.

    Raises `DomainError`: bad_url, bad_events (400), same_url (409).
    """
    locked = _lock_webhook(hook)
    if url is not None:
        where, locked.url = channel_of(url, locked.channel if locked.channel == ChannelKind.MATRIX else "")
        locked.channel = where.kind
        others = Webhook.objects.filter(user=locked.user_id, club=locked.club_id).exclude(pk=locked.pk)
        _check_webhook_limit(others, locked.url, locked.season)
    if events is not None:
        locked.events = _checked_events(events, locked.club)
    if on is False and not locked.off:
        locked.off = Webhook.Off.OWNER
        webhooks_delivery.give_up_waiting(locked)
    if on is True and locked.off:
        _reset_starting_point(locked)
    if on is True or url is not None:
        _reset_failures(locked)
    locked.save()
    return locked


def _reset_starting_point(hook: Webhook) -> None:
    hook.off, hook.events_since = Webhook.Off.NONE, clock.now()
    hook.discovered_until = hook.events_since


def _reset_failures(hook: Webhook) -> None:
    hook.failures, hook.failing_since, hook.retry_at = 0, None, None


def delete_webhook(hook: Webhook) -> None:
    """Delete a webhook with its messages."""
    hook.delete()


@transaction.atomic
def disable_as_admin(hook: Webhook) -> Webhook:
    """Switch a webhook off as an admin. Its owners are notified and may switch it on again. Raises `DomainError`
    webhook_off (409)."""
    locked = _check_enabled(hook)
    locked.failing_since = locked.failing_since or clock.now()
    locked.off = Webhook.Off.ADMIN
    locked.save(update_fields=["failing_since", "off"])
    webhooks_delivery.give_up_webhook(locked)
    return locked


@transaction.atomic
def enable_as_admin(hook: Webhook) -> Webhook:
    """Switch a webhook on as an admin. Raises `DomainError` webhook_on (409)."""
    if not _lock_webhook(hook).off:
        raise DomainError(409, "webhook_on", _("The webhook is already on."))
    return update_webhook(hook, on=True)


@transaction.atomic
def retry_now(hook: Webhook) -> int:
    """Send a webhook's waiting messages now, without the rest of its pause; return how many.

    Raises `DomainError` webhook_off, nothing_waits (409).
    """
    locked = _check_enabled(hook)
    waiting = MESSAGES.make_due(locked.deliveries.filter(send_state=SendState.DUE))
    if not waiting:
        raise DomainError(409, "nothing_waits", _("The webhook has no waiting messages."))
    locked.retry_at = None
    locked.save(update_fields=["retry_at"])
    return waiting


def _lock_webhook(hook: Webhook) -> Webhook:
    return Webhook.objects.select_for_update(of=("self",)).select_related("club").get(pk=hook.pk)


@transaction.atomic
def rotate(hook: Webhook) -> str:
    """Create and return a new secret. For a day, messages are signed by the old one too, and no other one can be
    created. A second request within a minute (a button pressed twice) returns the same secret.

    Raises `DomainError` rotated_lately, not_signed (409).
    """
    locked, now = _lock_webhook(hook), clock.now()
    if not locked.signed:
        raise DomainError(409, "not_signed", _("Messages to a room are not signed. Its address is its only secret."))
    if locked.old_until is not None and now < locked.old_until - signing.OLD_SECRET_VALID_FOR + DOUBLE_SUBMIT_WINDOW:
        return signing.secret_of(locked.nonce)
    if locked.old_until is not None and now < locked.old_until:
        sentence = _(
            "A new secret was made within the last day, and the old one is valid until {until}. Wait until "
            "then. If the new secret is lost or known to others, delete the webhook and create a new one."
        )
        until = localtime(locked.old_until)
        shown = f"{date_format(until, 'DATETIME_FORMAT')} {until:%Z}"
        raise DomainError(409, "rotated_lately", sentence.format(until=shown))
    locked.old_nonce, locked.old_until = locked.nonce, now + signing.OLD_SECRET_VALID_FOR
    locked.nonce = Webhook._meta.get_field("nonce").get_default()
    locked.save(update_fields=["nonce", "old_nonce", "old_until"])
    return signing.secret_of(locked.nonce)


@transaction.atomic
def send_ping(hook: Webhook) -> Delivery:
    """Send a test message. Raises `DomainError` webhook_off, ping_waits (409)."""
    locked = _check_enabled(hook)
    if locked.deliveries.filter(type=webhook_messages.PING, send_state=SendState.DUE).exists():
        raise DomainError(409, "ping_waits", _("A test message is already being sent. Wait for its result."))
    return webhooks_discovery.create_ping(locked)


@transaction.atomic
def resend_message(message: Delivery) -> Delivery:
    """Send a message again now, with the same id. Raises `DomainError` webhook_off, still_due (409)."""
    hook = _check_enabled(message.webhook)
    if not MESSAGES.make_due(MESSAGES.rows(*MESSAGES.resendable).filter(pk=message.pk), tries=0):
        raise DomainError(409, "still_due", _("This message is already being sent and is retried automatically."))
    Webhook.objects.filter(pk=hook.pk).update(retry_at=None)
    message.refresh_from_db()
    return message


def _check_enabled(hook: Webhook) -> Webhook:
    locked = _lock_webhook(hook)
    if locked.off:
        raise DomainError(409, "webhook_off", _("The webhook is switched off. Switch it on first."))
    return locked
