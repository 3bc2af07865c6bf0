"""Outboxes whose senders are killed before each statement, or run several at once.

An email is never sent twice: if nobody knows whether it was sent, it is unsure. A message to a webhook arrives at least
once, always with the same id.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from games.accounts import notices
from games.accounts.mail import NOTICE_MAILS
from games.accounts.models import Notice, PushMessage
from games.accounts.push import services
from games.accounts.push.delivery import PUSH_MESSAGES
from games.common import clock
from games.common.outbox import Outbox, SendState
from tests.chaos.repeated_steps import DONE, PROCESSES, Stage, Step
from tests.chaos.story import HOUR, NOW, club, niamh, somebody
from tests.games.accounts.test_push import Browser
from tests.servers import mail_server
from tests.tournaments.webhooks.conftest import Receiver, receiver, receivers
from tournaments.clubs import invitations
from tournaments.clubs.invitation_mail import INVITATION_MAILS
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.delivery import MESSAGES

__all__ = ["receiver", "receivers"]
pytestmark = pytest.mark.django_db(transaction=True)
MAY_BECOME = {  # outbox → allowed ends: (state, how often it arrived)
    NOTICE_MAILS: {(SendState.SENT, 1), (SendState.UNSURE, 0), (SendState.UNSURE, 1)},
    INVITATION_MAILS: {(SendState.SENT, 1), (SendState.UNSURE, 0), (SendState.UNSURE, 1)},
    MESSAGES: {(SendState.SENT, 1), (SendState.SENT, 2)},
    PUSH_MESSAGES: {(SendState.SENT, 1), (SendState.SENT, 2)},  # the browser shows one
}
numbers = count(1)


@dataclass
class Channel:
    """A way out: `make` adds a row to `outbox`, and `arrived` returns what has arrived so far. Repeats of a row are
    equal."""

    outbox: Outbox
    make: Callable[[], Any]
    arrived: Callable[[], list[str]]


@pytest.fixture
def letters(settings: Any) -> Iterator[list[str]]:
    with mail_server.running() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server.letters


@pytest.fixture
def channel(request: pytest.FixtureRequest) -> Channel:
    made: Channel = globals()[request.param](request)
    return made


def of_notices(request: pytest.FixtureRequest) -> Channel:
    letters = request.getfixturevalue("letters")
    player = somebody()
    assert player.user
    EmailAddress.objects.create(user=player.user, email="person@example.org", primary=True, verified=True)

    def make() -> Any:
        key = f"outbox:{next(numbers)}"
        notices.notify_users([player.user_id or 0], "challenge", key=key, by=player, url="/play/")
        return Notice.objects.get(key=key)

    return Channel(NOTICE_MAILS, make, lambda: list(letters))


def of_invitations(request: pytest.FixtureRequest) -> Channel:
    letters = request.getfixturevalue("letters")
    owner, owned = niamh(), club()
    EmailAddress.objects.create(user=owner, email="niamh@example.org", primary=True, verified=True)

    def make() -> Any:
        owned.invitations.all().delete()  # because their number in a day is limited
        return invitations.invite_by_mail(club=owned, user=owner, email=f"bram{next(numbers)}@example.org")

    return Channel(INVITATION_MAILS, make, lambda: list(letters))


def of_webhooks(request: pytest.FixtureRequest) -> Channel:
    receiver: Receiver = request.getfixturevalue("receiver")
    hook = webhooks.create_webhook(user=niamh(), club=club(), url=receiver.url, events=["game.over"])[0]

    def make() -> Any:
        hook.deliveries.all().delete()
        hook.refresh_from_db()
        return webhooks_discovery.create_ping(hook)

    return Channel(MESSAGES, make, lambda: receiver.ids)


def of_devices(request: pytest.FixtureRequest) -> Channel:
    receiver: Receiver = request.getfixturevalue("receiver")
    player = somebody()
    assert player.user
    services.add_device(user=player.user, **Browser(receiver).subscription)

    def make() -> Any:
        notices.notify_users([player.user_id or 0], "challenge", key=f"push:{next(numbers)}", by=player, url="/play/")
        return PushMessage.objects.order_by("pk").last()

    return Channel(PUSH_MESSAGES, make, lambda: [headers["topic"] for headers, _body in receiver.came])


CHANNELS = ["of_notices", "of_invitations", "of_webhooks", "of_devices"]


def sent(channel: Channel, row: Any, before: int) -> tuple[str, int]:
    """Return the state of the row, and how often it has arrived."""
    row.refresh_from_db()
    came = channel.arrived()[before:]
    assert len(set(came)) <= 1 or channel.outbox not in (MESSAGES, PUSH_MESSAGES)
    return row.send_state, len(came)


@pytest.mark.slow
@pytest.mark.parametrize("channel", CHANNELS, indirect=True)
def test_a_sender_that_is_killed_before_any_statement_loses_nothing_and_sends_no_email_twice(channel: Channel) -> None:
    ends = set()
    for number in count():
        with clock.frozen_at(NOW):
            row, before = channel.make(), len(channel.arrived())
        [ended] = Stage().run(Step("send", NOW, channel.outbox.send_due), die_at=number)
        [later] = Stage().run(Step("send", NOW + HOUR, channel.outbox.send_due))
        assert later.code == DONE
        ends.add(sent(channel, row, before))
        if ended.code == DONE:
            break
        assert ended.code == -signal.SIGKILL
    assert number >= 5
    assert ends == MAY_BECOME[channel.outbox]


# slow for webhooks: on a busy machine all attempts may fail before they arrive
SEVERAL = [
    pytest.param(each, marks=pytest.mark.slow) if each in ("of_webhooks", "of_devices") else each for each in CHANNELS
]


@pytest.mark.some(1)
@pytest.mark.parametrize("channel", SEVERAL, indirect=True)
def test_of_several_senders_at_once_one_sends(channel: Channel) -> None:
    with clock.frozen_at(NOW):
        row = channel.make()
    ended = Stage().run(Step("send", NOW, channel.outbox.send_due), PROCESSES)
    assert [each.code for each in ended] == [DONE] * PROCESSES
    if sent(channel, row, 0) == (SendState.DUE, 0):  # its attempt failed, as one may on a busy machine
        Stage().run(Step("send", NOW + HOUR, channel.outbox.send_due), PROCESSES)
    assert sent(channel, row, 0) == (SendState.SENT, 1), getattr(row, "log", "")
