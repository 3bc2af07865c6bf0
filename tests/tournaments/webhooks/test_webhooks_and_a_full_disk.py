"""Webhooks on a full disk: messages that could not be written are written later, and sent."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.db import OperationalError, transaction

from games.common import clock
from games.common.outbox import SendState
from tests.servers.full_disk import full
from tests.tournaments.club import Start, play_season
from tests.tournaments.webhooks.conftest import Receiver
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_full_disk_met")]


@pytest.fixture
def soon(running: Start, hook: Webhook) -> datetime:
    """Return the time a minute after the end of a season about which a webhook is to be sent."""
    season = play_season(running(2))
    assert season.finished_at
    return season.finished_at + timedelta(minutes=1)


def test_a_message_without_room_for_its_row_is_found_again_and_told_once(
    soon: datetime, hook: Webhook, receiver: Receiver
) -> None:
    with clock.frozen_at(soon):
        with full("webhooks_delivery"), pytest.raises(OperationalError, match="No space"), transaction.atomic():
            webhooks_discovery.create_messages()
        assert not Delivery.objects.exists()
        looked = Webhook.objects.get(pk=hook.pk).discovered_until
        assert looked < soon  # so that this time is searched again
        assert webhooks_discovery.create_messages() > 0
        webhooks_delivery.MESSAGES.send_due()
        assert webhooks_discovery.create_messages() == 0
    found = [each["type"] for each in receiver.messages]
    assert found.count("season.closed") == 1
    assert len(found) == Delivery.objects.filter(send_state=SendState.SENT).count()


def test_a_message_whose_answer_could_not_be_written_down_is_sent_again(soon: datetime, receiver: Receiver) -> None:
    """A message arrives at least once (docs/how-to/receive-webhooks.md). The receiver recognises a second copy by its
    id."""
    with clock.frozen_at(soon):
        webhooks_discovery.create_messages()
        claimed = webhooks_delivery.claim_messages()
        with full("webhooks_delivery"), pytest.raises(OperationalError, match="No space"), transaction.atomic():
            webhooks_delivery.send_claimed(claimed)
    with clock.frozen_at(soon + webhooks_delivery.CLAIM_LOST_AFTER + timedelta(seconds=1)):
        webhooks_delivery.MESSAGES.send_due()
    assert not Delivery.objects.exclude(send_state=SendState.SENT).exists()
    ids = [headers["webhook-id"] for headers, _body in receiver.came]
    assert len(set(ids)) == Delivery.objects.count() < len(ids)
