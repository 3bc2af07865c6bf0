"""Sends notices to devices: claims those that are due, encrypts them, and sends many at a time.

A device whose push service fails waits, and its messages come after all others, so that it delays nobody. One that its
push service no longer knows is removed. A message that was being sent when its worker died is sent again: the browser
replaces the first one.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone, translation
from django.utils.text import Truncator

from games.accounts import notices, quiet_hours
from games.accounts.languages import mail_language
from games.accounts.mail import is_stale
from games.accounts.models import Notice, PushDevice, PushMessage
from games.accounts.push import keys
from games.accounts.subjects import CLOCK_LOW, SUBJECTS, YOUR_TURN
from games.accounts.zones import chosen_zone, zone_info
from games.common import clock, outgoing_http
from games.common.outbox import Outbox, SendState

CONCURRENT_MESSAGES: Final = 20  # messages that are sent at a time
TIME_TO_LIVE: Final = timedelta(days=1)  # how long a push service keeps a message for a device that is off
GIVE_UP_AFTER: Final = timedelta(days=5)  # after which a device whose push service fails is removed
MAX_BODY_CHARACTERS: Final = 300  # RFC 8291, 4: a message has up to 4,096 bytes
STATUS_GONE: Final = (404, 410)  # RFC 8030, 7.3: the push service no longer knows the device
STATUS_REFUSED: Final = (400, 413)  # the message will never be accepted
URGENT: Final = (YOUR_TURN, CLOCK_LOW)

logger = logging.getLogger("scorebook.push")


class PushMessages(Outbox):
    """The messages to devices."""

    model = PushMessage
    related = ("device", "notice__user__profile", "notice__game", "notice__by")
    pauses = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 5 * 60, 30 * 60, 2 * 3600))
    claim_timeout = timedelta(minutes=2)
    after_lost_claim = SendState.DUE

    def send_due(self, seconds: float = 20.0) -> int:
        """Send messages that are due for about `seconds`; return how many were accepted."""
        until, sent = time.monotonic() + seconds, 0
        self.release_lost_claims()
        while time.monotonic() < until and (claimed := self.claim_some()):
            sent += send_claimed(claimed)
        return sent

    def claim_some(self) -> list[PushMessage]:
        """Claim some messages: those of working devices, or else of others."""
        waiting = self.due().values_list("pk", flat=True)
        found = list(waiting.filter(device__failing_since=None)[:CONCURRENT_MESSAGES])
        return list(filter(None, map(self.claim, found or list(waiting[:CONCURRENT_MESSAGES]))))

    def held_until(self, row: PushMessage) -> datetime | None:
        return quiet_hours.end_of_quiet(row.notice.user)

    def call_workers(self) -> None:
        notices.send_pushes()


PUSH_MESSAGES: Final = PushMessages()


@dataclass(frozen=True, slots=True)
class Request:
    """A message as it is sent."""

    url: str
    headers: dict[str, str]
    body: bytes


def send_claimed(claimed: Iterable[PushMessage]) -> int:
    """Send all claimed messages at once and record the results; return how many were accepted."""
    requests = [(message, made) for message in claimed if (made := prepared(message)) is not None]
    answers = asyncio.run(_send_concurrently([made for _message, made in requests]))
    return sum(record_attempt(message, answer) for (message, _made), answer in zip(requests, answers, strict=True))


def prepared(message: PushMessage) -> Request | None:
    """Return the message as it is sent; None if it waits for the end of quiet hours, or is no longer true."""
    if (until := PUSH_MESSAGES.held_until(message)) is not None:
        PUSH_MESSAGES.postpone(message, until)
        return None
    if is_stale(message.notice):
        PUSH_MESSAGES.claimed(message).update(send_state=SendState.NONE)
        return None
    return build_request(message)


def build_request(message: PushMessage) -> Request:
    """Return the encrypted message for its device."""
    from pywebpush import WebPusher  # noqa: PLC0415  it is slow to import, and only what sends needs it

    device, notice = message.device, message.notice
    subscription = {"endpoint": device.endpoint, "keys": {"p256dh": device.p256dh, "auth": device.auth}}
    encrypted = WebPusher(subscription).encode(json.dumps(content(notice)).encode(), content_encoding="aes128gcm")
    headers = {
        "content-type": "application/octet-stream",
        "content-encoding": "aes128gcm",
        "authorization": keys.authorization(device.endpoint),
        "ttl": str(int(time_to_live(notice).total_seconds())),
        "urgency": "high" if notice.subject in URGENT else "normal",
        "topic": topic(notice),
    }
    return Request(device.endpoint, headers, bytes(encrypted["body"]))


def content(notice: Notice) -> dict[str, str]:
    """Return what the device shows, in the person's language and zone. It says nothing of a move or a card."""
    with timezone.override(zone_info(chosen_zone(notice.user))), translation.override(mail_language(notice.user)):
        row = notices.notice_row(notice)
        words = Truncator(" ".join(row.words.split())).chars(MAX_BODY_CHARACTERS)
        title = str(SUBJECTS[notice.subject].title)
    return {"title": title, "body": words, "url": row.address, "tag": notice.key}


def time_to_live(notice: Notice) -> timedelta:
    """Return how long the push service keeps the message: not beyond the moment that it is about."""
    if notice.about_at is None:
        return TIME_TO_LIVE
    return max(timedelta(), min(TIME_TO_LIVE, notice.about_at - clock.now()))


def topic(notice: Notice) -> str:
    """Return by what a later message about the same game replaces one that waits (RFC 8030, 5.4)."""
    about = f"{notice.subject}:{notice.game_id or notice.key}"
    return base64.urlsafe_b64encode(hashlib.sha256(about.encode()).digest()[:24]).decode()


async def _send_concurrently(requests: Sequence[Request]) -> list[outgoing_http.AttemptResult]:
    return await asyncio.gather(*(outgoing_http.post_message(each.url, each.headers, each.body) for each in requests))


@transaction.atomic
def record_attempt(message: PushMessage, answer: outgoing_http.AttemptResult) -> bool:
    """Record the result of an attempt; return whether the message was accepted. A device that is gone is removed, with
    the messages that wait for it."""
    device, now = message.device, clock.now()
    if answer.taken:
        PushDevice.objects.filter(pk=device.pk).exclude(failing_since=None).update(failing_since=None)
        return PUSH_MESSAGES.record(message, SendState.SENT)
    failing_since = device.failing_since or now
    if answer.status in STATUS_GONE or failing_since < now - GIVE_UP_AFTER:
        logger.info("Device %s of user %s is removed: its push service %s.", device.pk, device.user_id, answer.outcome)
        device.delete()
        return False
    PushDevice.objects.filter(pk=device.pk).update(failing_since=failing_since)
    became = SendState.FAILED if answer.status in STATUS_REFUSED else SendState.DUE
    PUSH_MESSAGES.record(message, became, answer.retry_after)
    return False


def delete_old_messages() -> int:
    """Delete messages that were sent or given up more than a week ago; return how many."""
    over = PushMessage.objects.exclude(send_state__in=(SendState.DUE, SendState.SENDING))
    return over.filter(send_at__lt=clock.now() - timedelta(days=7)).delete()[0]
