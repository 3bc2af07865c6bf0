"""Notices on devices: encrypted for the browser, waiting in quiet hours, and never more than they may say.

The push service of these tests listens on this machine. It decrypts what it receives, as a browser does.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client

from games.accounts import access, mail, notices, people, quiet_hours
from games.accounts.models import Notice, PushDevice, PushMessage
from games.accounts.push import keys, services
from games.accounts.push.delivery import PUSH_MESSAGES
from games.accounts.subjects import YOUR_TURN
from games.common import clock
from games.common.errors import DomainError
from games.models import Player
from tests.assertions.page import Page
from tests.games.accounts.conftest import NOON, Opened, Played, signed_in, until_turn_of, user_of
from tests.tournaments.webhooks.conftest import Receiver, receiver, receivers

__all__ = ["receiver", "receivers"]
pytestmark = pytest.mark.django_db


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Browser:
    """A browser with the keys that its Push API makes, at a push service."""

    service: Receiver
    key: EllipticCurvePrivateKey = field(default_factory=lambda: generate_private_key(SECP256R1()))
    auth: bytes = b"sixteen bytes ok"

    @property
    def subscription(self) -> dict[str, str]:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.service.url, "p256dh": base64url(point), "auth": base64url(self.auth)}

    def received(self) -> list[dict[str, str]]:
        """Return the messages, decrypted."""
        return [
            json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm"))
            for _headers, body in self.service.came
        ]


def device_of(person: Player, service: Receiver) -> Browser:
    browser = Browser(service)
    services.add_device(user=user_of(person), **browser.subscription)
    return browser


def test_a_turn_reaches_the_device_encrypted_and_signed_and_says_nothing_of_a_move(
    martha: Player, laura: Player, opened: Opened, receiver: Receiver
) -> None:
    """RFC 8291 (aes128gcm), RFC 8292 (vapid), RFC 8030, 5 (TTL, Urgency, Topic)."""
    browser = device_of(martha, receiver)
    game = opened(martha, laura)
    assert PUSH_MESSAGES.send_due() == 1
    assert browser.received() == [
        {
            "title": "It is your turn",
            "body": "It is your turn: Chinese Ten with Laura.",
            "url": f"/games/{game.public_id}/",
            "tag": Notice.objects.get(user=martha.user).key,
        }
    ]
    [(headers, body)] = receiver.came
    assert b"Laura" not in body
    assert (headers["content-encoding"], headers["ttl"], headers["urgency"]) == ("aes128gcm", "86400", "high")
    token = headers["authorization"].removeprefix("vapid t=").partition(",")[0]
    signed, _, signature = token.rpartition(".")
    verify(signed, services.decoded(signature))
    claims = json.loads(services.decoded(signed.split(".")[1]))
    assert claims["aud"] == receiver.url.rpartition("/hook")[0]
    assert PUSH_MESSAGES.send_due() == 0


def verify(signed: str, signature: bytes) -> None:
    """Check an ES256 signature (RFC 7518, 3.4) by the key that browsers are given."""
    key = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), services.decoded(keys.public_key()))
    pair = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    key.verify(encode_dss_signature(*pair), signed.encode(), ECDSA(SHA256()))


def test_a_turn_that_is_over_before_it_was_sent_is_not_sent(
    martha: Player, laura: Player, opened: Opened, play: Played, receiver: Receiver
) -> None:
    device_of(martha, receiver)
    until_turn_of(1, opened(martha, laura), play)
    assert PUSH_MESSAGES.send_due() == 0
    assert receiver.came == []


def notified(person: Player, key: str = "x", subject: str = "challenge") -> None:
    notices.notify_users([person.user_id or 0], subject, key=key, by=person, url="/play/")


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_removed_told_in_the_log_and_costs_no_one_else_anything(
    status: int, martha: Player, receivers: Callable[[], Receiver], caplog: pytest.LogCaptureFixture
) -> None:
    """RFC 8030, 7.3."""
    gone, works = device_of(martha, receivers()), device_of(martha, receivers())
    gone.service.status = status
    notified(martha)
    with caplog.at_level(logging.INFO, "scorebook.push"):
        assert PUSH_MESSAGES.send_due() == 1
    assert "is removed" in caplog.text
    assert gone.service.url not in caplog.text
    assert len(works.received()) == 1
    assert PushDevice.objects.get().endpoint == works.service.url
    notified(martha, "y")
    assert PUSH_MESSAGES.send_due() == 1
    assert len(gone.service.came) == 1


def test_a_push_service_that_fails_is_asked_again_later_and_waits_behind_others(
    martha: Player, receivers: Callable[[], Receiver]
) -> None:
    fails, works = device_of(martha, receivers()), device_of(martha, receivers())
    fails.service.status, fails.service.headers = 503, {"retry-after": "60"}
    with clock.frozen_at(NOON):
        notified(martha)
        assert PUSH_MESSAGES.send_due() == 1
        notified(martha, "y")
        assert [row.device.endpoint for row in PUSH_MESSAGES.claim_some()] == [works.service.url]
    fails.service.status = 201
    with clock.frozen_at(NOON + timedelta(seconds=61)):
        PushMessage.objects.filter(device__endpoint=works.service.url).delete()
        assert PUSH_MESSAGES.send_due() == 2
    assert PushDevice.objects.filter(failing_since=None).count() == 2


def test_a_device_whose_push_service_fails_for_days_is_removed(martha: Player, receiver: Receiver) -> None:
    device_of(martha, receiver)
    receiver.status = 500
    for days in (0, 6):
        with clock.frozen_at(NOON + timedelta(days=days)):
            notified(martha, f"day {days}")
            PUSH_MESSAGES.send_due()
    assert not PushDevice.objects.exists()


@pytest.mark.parametrize(
    ("spoiled", "code"),
    [
        ({"p256dh": "AAAA"}, "bad_subscription"),
        ({"p256dh": "ü"}, "bad_subscription"),
        ({"auth": "c2hvcnQ"}, "bad_subscription"),
        ({"endpoint": "ftp://push.example/x"}, "bad_url"),
    ],
)
def test_what_is_no_subscription_is_refused(
    spoiled: dict[str, str], code: str, martha: Player, receiver: Receiver
) -> None:
    with pytest.raises(DomainError) as refused:
        services.add_device(user=user_of(martha), **{**Browser(receiver).subscription, **spoiled})
    assert refused.value.code == code
    assert refused.value.field in ("", "endpoint"), "The API calls it so."


def test_nothing_is_sent_into_the_platforms_own_network(martha: Player, receiver: Receiver, settings: Any) -> None:
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = False
    subscription = {**Browser(receiver).subscription, "endpoint": "https://127.0.0.1/x"}
    with pytest.raises(DomainError, match="not a public address"):
        services.add_device(user=user_of(martha), **subscription)


def test_a_browser_notifies_whoever_uses_it_now_and_a_person_has_ten_at_most(
    martha: Player, laura: Player, receiver: Receiver
) -> None:
    device_of(martha, receiver)
    device_of(laura, receiver)
    assert PushDevice.objects.get().user == laura.user
    for number in range(services.MAX_DEVICES):
        subscription = {**Browser(receiver).subscription, "endpoint": f"{receiver.url}{number}"}
        services.add_device(user=user_of(martha), **subscription)
    with pytest.raises(DomainError, match="already 10 devices"):
        services.add_device(
            user=user_of(martha), **{**Browser(receiver).subscription, "endpoint": "http://push.example/"}
        )


def added_by_page(client: Client, receiver: Receiver) -> PushDevice:
    answer = client.post("/api/v1/me/push-devices/", Browser(receiver).subscription, "application/json")
    assert answer.status_code == 201, answer.content
    return PushDevice.objects.get()


def test_logging_out_ends_notices_on_this_device_and_a_new_password_on_all(martha: Player, receiver: Receiver) -> None:
    client = signed_in(martha)
    added_by_page(client, receiver)
    assert Page(client.get("/me/").text).text.count("this one") == 1
    client.post("/accounts/logout/")
    assert not PushDevice.objects.exists()
    added_by_page(signed_in(martha), receiver)
    access.end_all(martha.user_id or 0)
    assert not PushDevice.objects.exists()


def test_devices_are_listed_and_removed_by_page_and_api(martha: Player, laura: Player, receiver: Receiver) -> None:
    client = signed_in(martha)
    device = added_by_page(client, receiver)
    assert [each["id"] for each in client.get("/api/v1/me/push-devices/").json()] == [device.pk]
    assert signed_in(laura).delete(f"/api/v1/me/push-devices/{device.pk}/").status_code == 404
    assert signed_in(laura).post("/me/", {"form": "device", "device": device.pk}).status_code == 400
    assert client.post("/me/", {"form": "device", "device": device.pk}).status_code == 302
    assert client.get("/api/v1/me/push-devices/").json() == []


def test_a_person_chooses_by_subject_what_comes_to_devices(martha: Player, receiver: Receiver) -> None:
    device_of(martha, receiver)
    client = signed_in(martha)
    client.patch("/api/v1/me/", {"pushes": {"challenge": False, YOUR_TURN: True}}, "application/json")
    notified(martha)
    assert not PushMessage.objects.exists()
    wanted = {name: on for name, on in client.get("/api/v1/me/").json()["pushes"].items() if on and name != YOUR_TURN}
    client.post("/me/", {"form": "mails", "push-challenge": "on", **{f"push-{name}": "on" for name in wanted}})
    shown = client.get("/api/v1/me/").json()
    assert (shown["pushes"]["challenge"], shown["pushes"][YOUR_TURN], any(shown["mails"].values())) == (
        *(True, False),
        False,
    )
    notified(martha, "y")
    assert PushMessage.objects.count() == 1


# -- quiet hours

DUBLIN = ZoneInfo("Europe/Dublin")


@pytest.mark.parametrize(
    ("now", "begin", "end", "until"),
    [
        ("2026-07-01T22:00+01:00", time(22), time(7), "2026-07-02T07:00+01:00"),
        ("2026-07-01T21:59+01:00", time(22), time(7), None),
        ("2026-07-02T06:59:59+01:00", time(22), time(7), "2026-07-02T07:00+01:00"),
        ("2026-07-02T07:00+01:00", time(22), time(7), None),
        ("2026-07-02T13:00+01:00", time(12), time(14), "2026-07-02T14:00+01:00"),
        ("2026-07-02T21:30+00:00", time(22), time(7), "2026-07-03T07:00+01:00"),
        ("2026-10-24T23:00+01:00", time(22), time(7), "2026-10-25T07:00+00:00"),
    ],
)
def test_quiet_hours_are_in_the_persons_zone_and_may_go_beyond_midnight(
    now: str, begin: time, end: time, until: str | None
) -> None:
    found = quiet_hours.end_of_hours(datetime.fromisoformat(now), begin, end, DUBLIN)
    assert found == (datetime.fromisoformat(until) if until else None)


def quiet(person: Player) -> None:
    people.set_zone(user_of(person), "Europe/Dublin")
    quiet_hours.set_quiet_hours(people.profile_of(user_of(person)), time(22), time(7))


NIGHT = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)
MORNING = datetime(2026, 7, 2, 6, 0, tzinfo=UTC)


def test_what_comes_in_quiet_hours_waits_until_they_end_by_email_and_on_devices(
    martha: Player, receiver: Receiver
) -> None:
    device_of(martha, receiver)
    quiet(martha)
    with clock.frozen_at(NIGHT):
        notified(martha)
        assert (PUSH_MESSAGES.send_due(), mail.NOTICE_MAILS.send_due()) == (0, 0)
        assert (PushMessage.objects.get().tries, Notice.objects.get().tries) == (0, 0)
    with clock.frozen_at(MORNING - timedelta(seconds=1)):
        assert (PUSH_MESSAGES.send_due(), mail.NOTICE_MAILS.send_due()) == (0, 0)
    with clock.frozen_at(MORNING):
        assert (PUSH_MESSAGES.send_due(), mail.NOTICE_MAILS.send_due()) == (1, 1)


def test_what_waited_is_dropped_if_it_is_no_longer_true(martha: Player, receiver: Receiver) -> None:
    device_of(martha, receiver)
    quiet(martha)
    with clock.frozen_at(NIGHT):
        notified(martha)
        notified(martha, "y")
        PUSH_MESSAGES.send_due()
        notices.mark_seen(user_of(martha), pk=Notice.objects.get(key="x").pk)
    with clock.frozen_at(MORNING):
        assert PUSH_MESSAGES.send_due() == 1
    assert sorted(PushMessage.objects.values_list("send_state", flat=True)) == ["none", "sent"]


def test_quiet_hours_are_set_and_ended_by_page_and_api(martha: Player) -> None:
    client = signed_in(martha)
    assert client.post("/me/", {"form": "quiet", "begin": "22:00", "end": "07:00"}).status_code == 302
    assert client.get("/api/v1/me/").json()["quiet_hours"] == {"begin": "22:00", "end": "07:00"}
    refused = client.post("/me/", {"form": "quiet", "begin": "22:00", "end": "22:00"})
    assert (refused.status_code, "two different times" in refused.text) == (400, True)
    answer = client.patch("/api/v1/me/", {"quiet_hours": {"begin": "08:00", "end": "08:00"}}, "application/json")
    assert answer.json()["error"]["code"] == "bad_quiet_hours"
    client.patch("/api/v1/me/", {"quiet_hours": None}, "application/json")
    assert client.get("/api/v1/me/").json()["quiet_hours"] is None


# -- tabs and the service worker


def test_a_tab_in_the_background_asks_with_one_query_and_gets_304(
    martha: Player, laura: Player, opened: Opened, django_assert_num_queries: Any
) -> None:
    client = signed_in(martha)
    answer = client.get("/me/turn/")
    assert (answer.json(), answer["ETag"]) == ({"my_turn": False}, '"0"')
    opened(martha, laura)
    with django_assert_num_queries(2):  # the session, and the game
        again = client.get("/me/turn/", headers={"If-None-Match": '"0"'})
    assert again.json() == {"my_turn": True}
    same = client.get("/me/turn/", headers={"If-None-Match": '"1"'})
    assert (same.status_code, same.content) == (304, b"")
    assert "no-store" not in same.get("Cache-Control", "")


def test_the_service_worker_keeps_nothing_and_speaks_the_readers_language(client: Client) -> None:
    answer = client.get("/service-worker.js", headers={"Accept-Language": "de"})
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Cache-Control"] == "no-cache"
    assert "caches" not in answer.text, "what a tab shows always comes from the server"
    assert '<html lang=\\"de\\">' in answer.text
    assert "worker-src 'self'" in answer["Content-Security-Policy"]


def test_quiet_hours_are_in_the_browsers_zone_if_none_was_chosen(martha: Player) -> None:
    client = signed_in(martha)
    client.cookies["zone"] = "Europe%2FBerlin"
    people.set_zone(user_of(martha), "")
    for form in ({"form": "quiet", "begin": "22:00", "end": "07:00"}, {"form": "zone", "zone": ""}):
        assert client.post("/me/", form).status_code == 302
        assert people.profile_of(user_of(martha)).zone == "Europe/Berlin"
