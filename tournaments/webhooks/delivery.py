"""Sends messages to webhooks: claims those that are due, sends many at a time, and retries with growing pauses.

A webhook that fails gets growing pauses as a whole, and then one message at a time until it accepts one, so that it
does not delay others. A message that was being sent when its worker died is sent again: delivery is at least once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from games.accounts import notices
from games.common import clock, outgoing_http
from games.common.outbox import Outbox, SendState
from scorebook_games.presentation.coded_text import plain
from tournaments.webhooks import signing
from tournaments.webhooks.channels import CHANNELS
from tournaments.webhooks.discovery import send_wake
from tournaments.webhooks.models import Delivery, Webhook
from tournaments.webhooks.subjects import WEBHOOK_OFF, webhook_switched_off
from tournaments.webhooks.urls_for import webhook_owners, webhook_url

RETRY_PAUSES: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600)
)
GIVE_UP_AFTER: Final = timedelta(days=5)
MIN_WISHED_PAUSE: Final = RETRY_PAUSES[0]  # the limits of what a receiver may ask for by Retry-After
MAX_WISHED_PAUSE: Final = RETRY_PAUSES[-1]
CLAIM_LOST_AFTER: Final = timedelta(minutes=2)  # an older claim is of a worker that has died
DELIVERY_RETENTION: Final = timedelta(days=30)
MAX_ATTEMPTS_LOGGED: Final = 20  # attempts in a message's log
CONCURRENT_MESSAGES: Final = 20  # messages that are sent at a time
CONCURRENT_PER_WEBHOOK: Final = 5  # of these, messages for one webhook
AGENT: Final = "Scorebook-Webhooks/1"


class WebhookMessages(Outbox):
    """The messages to webhooks."""

    model = Delivery
    related = ("webhook",)
    pauses = RETRY_PAUSES
    claim_timeout = CLAIM_LOST_AFTER
    after_lost_claim = SendState.DUE
    resendable = (SendState.SENT, SendState.FAILED)

    def send_due(self, seconds: float = 20.0) -> int:
        """Send messages that are due for about `seconds`; return how many were accepted. Webhooks that failed before
        come last."""
        until, sent = time.monotonic() + seconds, 0
        self.release_lost_claims()
        while time.monotonic() < until and (claimed := claim_messages() or claim_messages(failing=True)):
            sent += send_claimed(claimed)
        return sent

    def call_workers(self) -> None:
        send_wake()

    def is_given_up(self, row: Delivery, tries: int) -> bool:  # noqa: ARG002
        return row.created < clock.now() - GIVE_UP_AFTER


MESSAGES: Final = WebhookMessages()


def claim_messages(*, failing: bool = False) -> list[Delivery]:
    """Claim some messages that are due, a few of each webhook, each by compare-and-set."""
    now, due = clock.now(), MESSAGES.due()
    ready = Webhook.objects.filter(Exists(due.filter(webhook=OuterRef("pk"))), off="")
    ready = ready.filter(Q(retry_at=None) | Q(retry_at__lte=now))
    ready = ready.filter(failures__gt=0) if failing else ready.filter(failures=0)
    claimed: list[Delivery] = []
    for hook in ready.order_by(F("taken_at").asc(nulls_first=True))[:CONCURRENT_MESSAGES]:
        if failing:  # pauses the webhook, so that no other worker claims its next message
            pause = now + timedelta(seconds=2 * outgoing_http.TIMEOUT_SECONDS)
            if not Webhook.objects.filter(pk=hook.pk, retry_at=hook.retry_at).update(retry_at=pause):
                continue
        waiting = due.filter(webhook=hook).values_list("pk", flat=True)[: 1 if failing else CONCURRENT_PER_WEBHOOK]
        claimed += filter(None, map(MESSAGES.claim, list(waiting)))
    return claimed


def send_claimed(claimed: Sequence[Delivery]) -> int:
    """Send all claimed messages at once and record the results; return how many were accepted."""
    at = clock.now()
    answers = asyncio.run(_send_concurrently(claimed, at))
    return sum(record_attempt(message, answer, at) for message, answer in zip(claimed, answers, strict=True))


async def _send_concurrently(claimed: Sequence[Delivery], at: datetime) -> list[outgoing_http.AttemptResult]:
    return await asyncio.gather(*(_send_message(message, at) for message in claimed))


async def _send_message(message: Delivery, at: datetime) -> outgoing_http.AttemptResult:
    body = message.body.encode()
    headers = {"content-type": "application/json", "user-agent": AGENT}
    signed = signing.headers(message.webhook, message.message_id, body, at) if message.webhook.signed else {}
    return await outgoing_http.post_message(message.webhook.url, {**headers, **signed}, body)


@transaction.atomic
def record_attempt(message: Delivery, answer: outgoing_http.AttemptResult, at: datetime) -> bool:
    """Record the result of an attempt, unless the claim was lost meanwhile; return whether the message was accepted."""
    hook = Webhook.objects.select_for_update(no_key=True).get(pk=message.webhook_id)
    line = {"at": at.isoformat(), "ms": answer.ms, "status": answer.status, "sentences": plain([answer.outcome])}
    log = [*message.log, line][-MAX_ATTEMPTS_LOGGED:]
    became = SendState.SENT if answer.taken else SendState.DUE
    recorded = MESSAGES.record(message, became, wished_pause(answer), log=log)
    if recorded:
        _record_webhook_health(hook, answer, message.webhook.failures)
    return recorded and answer.taken


def wished_pause(answer: outgoing_http.AttemptResult) -> timedelta | None:
    """Return the pause that a receiver asks for, within limits; None if it asks for none."""
    if answer.retry_after is None:
        return None
    return min(max(answer.retry_after, MIN_WISHED_PAUSE), MAX_WISHED_PAUSE)


def _record_webhook_health(hook: Webhook, answer: outgoing_http.AttemptResult, before: int) -> None:
    """Update a webhook's failures. Messages that fail together count as one: `before` is the number of failures when
    they were claimed."""
    now = clock.now()
    if answer.taken:
        hook.failures, hook.failing_since, hook.retry_at, hook.taken_at = 0, None, None, now
    else:
        hook.failures = before + 1
        hook.failing_since = hook.failing_since or now
        hook.retry_at = now + (wished_pause(answer) or MESSAGES.pause_after(hook.failures))
        if answer.status in CHANNELS[hook.channel].gone:
            hook.off = Webhook.Off.GONE
        elif hook.failing_since < now - GIVE_UP_AFTER:
            hook.off = Webhook.Off.SILENT
    hook.save(update_fields=["failures", "failing_since", "retry_at", "taken_at", "off"])
    if hook.off:
        give_up_webhook(hook)


def give_up_webhook(hook: Webhook) -> None:
    """Give up waiting messages of a webhook that is off, and notify its owners."""
    give_up_waiting(hook)
    since = hook.failing_since.isoformat() if hook.failing_since else ""
    sentence, key = webhook_switched_off(hook.pk, hook.off), f"webhook:{hook.pk}:{since}"
    notices.notify_users(webhook_owners(hook), WEBHOOK_OFF, key=key, sentences=[sentence], url=webhook_url(hook))


def give_up_waiting(hook: Webhook) -> None:
    """Give up the waiting messages of a webhook."""
    hook.deliveries.filter(send_state=SendState.DUE).update(send_state=SendState.FAILED)


def delete_old_messages() -> int:
    """Delete old messages that are not waiting; return how many."""
    over = Delivery.objects.exclude(send_state__in=(SendState.DUE, SendState.SENDING))
    return over.filter(created__lt=clock.now() - DELIVERY_RETENTION).delete()[0]
