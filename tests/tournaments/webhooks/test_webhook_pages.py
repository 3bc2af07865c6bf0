"""Webhooks on their pages and through the API, and the receiver in docs/how-to/receive-webhooks.md."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.assertions.confirmation import confirm
from tests.tournaments.webhooks.conftest import Receiver
from tournaments.clubs.models import Club
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, body: Any = None) -> Any:
    return client.post(f"/api/v1/{path}", json.dumps(body or {}), content_type="application/json")


def test_an_organiser_makes_tries_and_removes_one_on_the_pages(club: Club, receiver: Receiver) -> None:
    browser, here = signed_in(club.owner), "/clubs/lantern/webhooks/"
    assert "There are no webhooks yet" in browser.get(here).content.decode()
    made = browser.post(here, {"url": receiver.url, "events": ["game.over"]}).content.decode()
    hook = Webhook.objects.get()
    assert re.search(r'value="whsec_[^"]+"', made)
    assert "whsec_" not in browser.get(here).content.decode()
    page = f"{here}{hook.pk}/"
    assert "being sent" in browser.post(page, {"do": "ping"}, follow=True).content.decode()
    webhooks_delivery.MESSAGES.send_due()
    shown = browser.get(page).content.decode()
    assert "answered 204" in shown
    assert receiver.ids[0] in shown
    browser.post(page, {"do": "resend", "id": Delivery.objects.get().pk})
    webhooks_delivery.MESSAGES.send_due()
    assert receiver.ids == [Delivery.objects.get().message_id] * 2
    assert "whsec_" in confirm(browser, page, {"do": "rotate"}).content.decode()
    assert "switched off" in browser.post(page, {"do": "off"}, follow=True).content.decode()
    assert confirm(browser, page, {"do": "remove"}).headers["Location"] == here
    assert not Webhook.objects.exists()


def test_a_refusal_stands_beside_its_field(club: Club) -> None:
    answer = signed_in(club.owner).post("/clubs/lantern/webhooks/", {"url": "http://x", "events": ["game.over"]})
    assert answer.status_code == 422
    assert "Give an address that begins with https://" in answer.content.decode()


def test_a_person_sees_and_changes_their_own_alone(martha: User, club: Club) -> None:
    mine, _secret = webhooks.create_webhook(user=martha, club=None, url="https://example.org/", events=["game.over"])
    clubs, _other = webhooks.create_webhook(
        user=club.owner, club=club, url="https://example.org/", events=["game.over"]
    )
    browser = signed_in(martha)
    assert browser.get(f"/me/webhooks/{mine.pk}/").status_code == 200
    assert browser.get(f"/me/webhooks/{clubs.pk}/").status_code == 404
    assert browser.get(f"/clubs/lantern/webhooks/{mine.pk}/").status_code == 403
    assert signed_in(club.owner).get(f"/clubs/lantern/webhooks/{mine.pk}/").status_code == 404
    assert signed_in(club.owner).get(f"/api/v1/me/webhooks/{mine.pk}/").status_code == 404


def test_the_api_does_all_that_the_pages_do(martha: User, receiver: Receiver) -> None:
    client = signed_in(martha)
    made = post(client, "me/webhooks/", {"url": receiver.url, "events": ["game.over"]})
    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    here = f"me/webhooks/{made.json()['id']}/"
    assert "secret" not in client.get(f"/api/v1/{here}").json()
    assert [each["url"] for each in client.get("/api/v1/me/webhooks/").json()["results"]] == [receiver.url]
    assert post(client, f"{here}ping/").status_code == 201
    assert post(client, f"{here}ping/").json()["error"]["code"] == "ping_waits"
    webhooks_delivery.MESSAGES.send_due()
    [message] = client.get(f"/api/v1/{here}deliveries/").json()["results"]
    assert (message["state"], message["log"][0]["status"], message["body"]) == (
        "sent",
        204,
        receiver.came[0][1].decode(),
    )
    assert post(client, f"{here}deliveries/{message['message_id']}/resend/").json()["state"] == "due"
    assert post(client, f"{here}deliveries/{message['message_id']}/resend/").json()["error"]["code"] == "still_due"
    assert post(client, f"{here}rotate/").json()["secret"] != made.json()["secret"]
    changed = client.patch(f"/api/v1/{here}", json.dumps({"on": False}), content_type="application/json")
    assert changed.json()["off"] == "owner"
    assert post(client, f"{here}ping/").json()["error"]["code"] == "webhook_off"
    assert client.delete(f"/api/v1/{here}").status_code == 204
    refused = post(client, "me/webhooks/", {"url": "ftp://x", "events": ["game.over"]}).json()["error"]
    assert (refused["code"], refused["field"]) == ("bad_url", "url")


@pytest.fixture
def example(martha: User, settings: Any, tmp_path: Path) -> Iterator[tuple[Webhook, subprocess.Popen[str]]]:
    """Yield a webhook of Martha, and the document's receiver as a process that has its secret."""
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hook, secret = webhooks.create_webhook(
        user=martha, club=None, url=f"http://127.0.0.1:{port}/", events=["game.over"]
    )
    [code] = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "how-to" / "receive-webhooks.md").read_text(), re.DOTALL
    )
    (tmp_path / "receiver.py").write_text(code)
    environment = {**os.environ, "SECRET": secret, "PORT": str(port)}
    program = subprocess.Popen(
        [sys.executable, "receiver.py"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    while program.poll() is None:
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                break
    yield hook, program
    program.terminate()
    program.wait()


def test_the_receiver_of_the_document_takes_our_messages_once_and_nobody_elses(
    example: tuple[Webhook, subprocess.Popen[str]],
) -> None:
    hook, program = example
    first = webhooks_discovery.create_ping(hook)
    assert webhooks_delivery.MESSAGES.send_due() == 1
    webhooks.resend_message(first)
    assert webhooks_delivery.MESSAGES.send_due() == 1
    Webhook.objects.filter(pk=hook.pk).update(nonce="0" * 32)  # somebody else's secret
    forged = webhooks_discovery.create_ping(hook)
    assert webhooks_delivery.MESSAGES.send_due() == 0
    forged.refresh_from_db()
    assert forged.last
    assert forged.last["status"] == 401
    Webhook.objects.filter(pk=hook.pk).update(nonce=hook.nonce, failures=0, retry_at=None)
    last = webhooks_discovery.create_ping(hook)
    assert webhooks_delivery.MESSAGES.send_due() == 1
    program.terminate()
    output = (program.stdout.read() if program.stdout else "").splitlines()
    assert output == [f'ping {{"webhook": {hook.pk}}}'] * 2  # the first message once, and the last; not the forged one
    assert last.pk
