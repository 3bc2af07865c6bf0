"""A mail server is down, refuses or recovers. No email is lost, and none is sent twice unless an admin decides so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from games.accounts import mail, notices, people
from games.accounts.models import Notice
from games.admin_actions import registry as admin_actions
from games.admin_actions.models import AdminAction
from games.common import clock
from games.common.errors import DomainError
from tests.servers import mail_server
from tests.servers.web import free_port

pytestmark = pytest.mark.django_db
WHY = "The mail server works again."


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_superuser("ada")


@pytest.fixture
def notice(db: None) -> Notice:
    """Return a notice to Martha that is to be sent by email."""
    player = people.create_profile_and_player(User.objects.create_user("martha"), "Martha")
    assert player.user
    EmailAddress.objects.create(user=player.user, email="martha@example.org", primary=True, verified=True)
    notices.notify_users([player.user.pk], "challenge", key="x", by=player, url="/play/")
    return Notice.objects.get()


@pytest.fixture(autouse=True)
def by_smtp(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_TIMEOUT = "127.0.0.1", 5


def state(notice: Notice) -> str:
    notice.refresh_from_db()
    return notice.send_state


def test_while_the_mail_server_is_down_mail_waits_and_goes_out_when_it_is_back(notice: Notice, settings: Any) -> None:
    settings.EMAIL_PORT = free_port()
    assert mail.NOTICE_MAILS.send_due() == 0
    assert (state(notice), notice.tries) == ("due", 1)
    assert "refused" in notice.send_error
    assert mail.NOTICE_MAILS.waiting_for_retry().get() == notice

    with mail_server.running() as server:
        settings.EMAIL_PORT = server.port
        with clock.frozen_at(clock.now() + timedelta(minutes=5)):
            assert mail.NOTICE_MAILS.send_due() == 1
            assert mail.NOTICE_MAILS.send_due() == 0
    assert (state(notice), notice.send_error, len(server.letters)) == ("sent", "", 1)


def test_a_server_that_says_try_later_is_asked_again_and_quoted_without_the_address(
    notice: Notice, settings: Any
) -> None:
    """RFC 5321, 4.2.1: 4yz is temporary, 5yz is permanent. In both cases nothing was accepted, so nothing is unsure."""
    with mail_server.running("451 try later, martha@example.org") as server:
        settings.EMAIL_PORT = server.port
        assert mail.NOTICE_MAILS.send_due() == 0
        assert (state(notice), notice.send_error) == ("due", "451 try later, …")

        server.answer = "550 no such person"
        with clock.frozen_at(clock.now() + timedelta(minutes=5)):
            assert mail.NOTICE_MAILS.send_due() == 0
    assert (state(notice), notice.send_error) == ("failed", "550 no such person")


def test_an_admin_has_all_that_wait_tried_at_once_but_not_what_is_unsure(
    ada: User, notice: Notice, settings: Any
) -> None:
    settings.EMAIL_PORT = free_port()
    for hour in range(12):  # then the email is given up
        with clock.frozen_at(clock.now() + timedelta(hours=2 * hour)):
            mail.NOTICE_MAILS.send_due()
    assert state(notice) == "failed"
    unsure = Notice.objects.create(
        user=notice.user, subject="challenge", key="y", created=clock.now(), send_state="unsure", send_at=clock.now()
    )

    with mail_server.running() as server:
        settings.EMAIL_PORT = server.port
        done = admin_actions.perform("try_mails", reason=WHY, by=ada)
        assert done.outcome == "1 email is being sent."
        assert mail.NOTICE_MAILS.send_due() == 1
    assert (state(notice), state(unsure)) == ("sent", "unsure")


def test_an_admin_sends_an_unsure_one_again_once(ada: User, notice: Notice, settings: Any) -> None:
    Notice.objects.update(send_state="unsure", send_at=clock.now())
    with mail_server.running() as server:
        settings.EMAIL_PORT = server.port
        for _click in range(2):
            admin_actions.perform("resend_mail", notice, reason="Martha says that none came.", by=ada, key="form")
            mail.NOTICE_MAILS.send_due()
    assert (state(notice), len(server.letters), AdminAction.objects.count()) == ("sent", 1, 1)
    with pytest.raises(DomainError) as refused:
        admin_actions.perform("resend_mail", notice, reason=WHY, by=ada)
    assert refused.value.code == "not_unsent"
