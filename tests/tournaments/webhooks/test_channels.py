"""Rooms of Discord, Slack and Matrix: which addresses are theirs, what a message looks like there, and that the
address stays a secret."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from games.common.errors import DomainError
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN, play_season
from tests.tournaments.webhooks.conftest import Receiver
from tests.tournaments.webhooks.test_webhook_pages import post, signed_in
from tournaments.clubs.models import Club
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.channels import Discord, Matrix, Slack, channel_of
from tournaments.webhooks.models import Delivery, Webhook

DISCORD = "https://discord.com/api/webhooks/1204/Kx9_a-Secret"
SLACK = "https://hooks.slack.com/services/T000/B000/XXXX"
MATRIX = "https://matrix.club.example/webhook/2f1c0d9e-77aa"


@pytest.mark.parametrize(
    ("url", "wanted", "kind"),
    [
        (DISCORD, "", "discord"),
        ("https://canary.discord.com/api/v10/webhooks/1/a", "", "discord"),
        (f" {SLACK} ", "", "slack"),
        (MATRIX, "matrix", "matrix"),
        (MATRIX, "", "program"),
        ("https://example.org/hook?of=us", "", "program"),
        ("https://example.org", "", "program"),
    ],
)
def test_a_pasted_address_says_which_room_it_is_and_only_matrix_must_be_named(url: str, wanted: str, kind: str) -> None:
    channel, kept = channel_of(url, wanted)
    assert (channel.kind, kept) == (kind, url.strip())


@pytest.mark.parametrize(
    ("url", "wanted", "words"),
    [
        (
            "https://discord.com/channels/12/34",
            "",
            "a room in Discord. Such an address begins with https://discord.com/api",
        ),
        ("https://hooks.slack.com/", "", "a room in Slack"),
        ("https://example.org/hook", "discord", "a room in Discord"),
        ("https://example.org/rooms/!abc", "matrix", "a room in Matrix"),
        (DISCORD, "matrix", "a room in Matrix"),
        (DISCORD, "program", "a room in Discord"),
        ("https://10.0.0.1/webhook/12345678", "matrix", "is not a public address"),
        ("http://discord.com/api/webhooks/1/a", "", "begins with https://"),
        ("discord", "", "begins with https://"),
    ],
)
def test_an_address_that_is_none_is_refused_with_a_sentence(url: str, wanted: str, words: str) -> None:
    with pytest.raises(DomainError, match="") as refused:
        channel_of(url, wanted)
    assert (refused.value.code, words in refused.value.sentence) == ("bad_url", True), refused.value.sentence


def test_each_room_gets_its_own_form_and_a_name_formats_and_calls_nobody() -> None:
    text, link = "@everyone *Bo* <b>&", "https://s.example/games/x/"
    assert Discord.body({}, text, link) == {
        "content": "@everyone \\*Bo\\* <b\\>&\n<https://s.example/games/x/>",
        "allowed_mentions": {"parse": []},
    }
    assert Slack.body({}, text, link) == {"text": "@everyone *Bo* &lt;b&gt;&amp; <https://s.example/games/x/|Open>"}
    assert Matrix.body({}, text, link) == {
        "text": f"{text} {link}",
        "html": '@everyone *Bo* &lt;b&gt;&amp; <a href="https://s.example/games/x/">Open</a>',
    }


@pytest.fixture
def room(club: Club, receiver: Receiver, db: None) -> Webhook:
    """Return a webhook to a room of Discord, whose messages come to `receiver`."""
    hook, secret = webhooks.create_webhook(
        user=club.owner, club=club, url=DISCORD, events=["game.over", "round.opened", "season.closed"]
    )
    assert secret == ""
    Webhook.objects.update(url=receiver.url)
    return hook


@pytest.mark.django_db
def test_a_season_reads_well_in_a_room(room: Webhook, running: Any, receiver: Receiver) -> None:
    season = play_season(running(2))
    before = BEGIN - timedelta(days=1)
    Webhook.objects.update(events_since=before, discovered_until=before)
    webhooks_discovery.create_messages()
    webhooks_delivery.MESSAGES.send_due()
    words = [message["content"].replace("\\", "").partition("\n")[0] for message in receiver.messages]
    assert f"{season}: round 1 is paired." in words
    assert f"{season} is finished." in words
    games = [each for each in words if each.startswith("A game is over: Chinese Ten with ")]
    assert games
    assert all(each.endswith(("wins.", "first place.")) for each in games)
    assert not any("webhook-signature" in headers for headers, _body in receiver.came)


@pytest.mark.django_db
def test_a_room_that_is_gone_is_switched_off(room: Webhook, receiver: Receiver) -> None:
    receiver.status = 404
    webhooks.send_ping(room)
    webhooks_delivery.MESSAGES.send_due()
    room.refresh_from_db()
    assert room.off == Webhook.Off.GONE


@pytest.mark.django_db
def test_the_address_of_a_room_is_shown_shortened_everywhere(club: Club) -> None:
    browser, here = signed_in(club.owner), "/clubs/lantern/webhooks/"
    made = browser.post(here, {"url": DISCORD, "events": ["game.over"]}).text
    hook = Webhook.objects.get()
    shown = [made, browser.get(here).text, browser.get(f"{here}{hook.pk}/").text]
    shown.append(browser.get("/api/v1/clubs/lantern/webhooks/").text)
    for each in shown:
        assert "cret" in each
        assert "Kx9_a-Se" not in each
    assert "Discord" in Page(shown[2]).text
    assert post(browser, f"clubs/lantern/webhooks/{hook.pk}/rotate/").json()["error"]["code"] == "not_signed"
    assert Delivery.objects.count() == 0
