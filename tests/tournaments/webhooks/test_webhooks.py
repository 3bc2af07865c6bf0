"""Webhooks from end to end: events are found, signed, sent over real sockets, and sent again until they are accepted.

`receiver` is sent all events of Niamh's club; the clock stands at `BEGIN` unless a test says otherwise.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections

from games.accounts import people
from games.accounts.models import Notice
from games.common import clock, outgoing_http
from games.common.errors import DomainError
from games.models import Deal
from games.play import services as play
from tests.tournaments.club import BEGIN, Start, new_club, play_all, play_season
from tests.tournaments.webhooks.conftest import Receiver
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.seasons.models import MatchGame, Season
from tournaments.webhooks import delivery as webhooks_delivery
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import services as webhooks
from tournaments.webhooks import signing
from tournaments.webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db
Receivers = Callable[[], Receiver]


class Hands:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = BEGIN

    def on(self, step: timedelta) -> datetime:
        self.now += step
        return self.now


def status_of_message_to(url: str) -> int:
    return asyncio.run(outgoing_http.post_message(url, {}, b"{}")).status


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each receiver two seconds to answer, so that a busy machine makes none late that answers at once."""
    monkeypatch.setattr(outgoing_http, "TIMEOUT_SECONDS", 2.0)


def run_delivery_task() -> int:
    """Do what the worker's task does, and return the number of messages sent."""
    webhooks_discovery.create_messages()
    return webhooks_delivery.MESSAGES.send_due()


def pinged(hook: Webhook) -> Delivery:
    message = webhooks.send_ping(hook)
    webhooks_delivery.MESSAGES.send_due()
    message.refresh_from_db()
    return message


# which events are sent


def test_a_season_is_told_from_its_first_round_to_its_end(running: Start, hook: Webhook, receiver: Receiver) -> None:
    season = play_season(running(3))
    assert season.finished_at
    with clock.frozen_at(season.finished_at + timedelta(minutes=1)):
        run_delivery_task()
    found = sorted(receiver.messages, key=lambda each: (each["timestamp"], each["type"]))
    kinds = [each["type"] for each in found]
    games, rounds = MatchGame.objects.count(), season.divisions.get().rounds.count()
    assert (kinds.count("round.opened"), kinds.count("game.over"), kinds.count("season.closed")) == (rounds, games, 1)
    assert found[0]["data"] == {
        "round": season.divisions.get().rounds.get(number=1).pk,
        "number": 1,
        "division": 1,
        "season": season.pk,
        "club": "lantern",
        "link": f"http://localhost:8000/clubs/lantern/chinese-ten/{season.slug}/",
        "api": f"http://localhost:8000/api/v1/seasons/{season.pk}/",
    }
    closed = next(each["data"] for each in found if each["type"] == "season.closed")
    assert (closed["season"], closed["status"]) == (season.pk, "finished")


def test_nothing_is_told_twice_and_nothing_that_happened_before(running: Start, club: Club, hook: Webhook) -> None:
    season = play_season(running(2))
    assert season.finished_at
    with clock.frozen_at(season.finished_at + timedelta(minutes=1)):
        assert webhooks_discovery.create_messages() > 0
        assert webhooks_discovery.create_messages() == 0  # within the time that is searched again
        late, _secret = webhooks.create_webhook(
            user=club.owner, club=club, url=f"{hook.url}&late", events=["season.closed"]
        )
        webhooks_discovery.create_messages()
    assert not late.deliveries.exists()


def test_a_message_holds_ids_and_links_and_no_results(running: Start, hook: Webhook) -> None:
    season = play_season(running(2))
    assert season.finished_at
    with clock.frozen_at(season.finished_at):
        webhooks_discovery.create_messages()
    allowed = {"game", "match", "round", "number", "division", "season", "status", "club", "link", "api"}
    messages = [receiver_sees(each) for each in Delivery.objects.all()]
    assert {name for data in messages for name in data} == allowed


def receiver_sees(message: Delivery) -> dict[str, Any]:
    return dict(json.loads(message.body)["data"])


def test_a_games_end_is_told_once_everybody_may_know_it(running: Start, hook: Webhook) -> None:
    running(2)
    with clock.frozen_at(BEGIN):
        director.advance()
        play_all()
        webhooks_discovery.create_messages()
        assert not Delivery.objects.filter(type="game.over").exists()  # its result is not recorded yet
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(seconds=1)):
        webhooks_discovery.create_messages()
    assert Delivery.objects.filter(type="game.over").count() == MatchGame.objects.exclude(recorded_at=None).count() > 0


def test_a_webhook_of_one_season_is_told_of_no_other(running: Start, club: Club, receiver: Receiver) -> None:
    one, other = running(2, name="One"), running(2, name="Other")
    with clock.frozen_at(BEGIN):
        webhooks.create_webhook(user=club.owner, club=club, url=receiver.url, events=["round.opened"], season=one)
        director.advance()
    with clock.frozen_at(BEGIN + timedelta(seconds=1)):
        run_delivery_task()
    assert other.divisions.get().rounds.exists()
    assert [each["data"]["season"] for each in receiver.messages] == [one.pk]


def test_a_person_is_told_when_a_game_of_theirs_is_over(martha: User, receiver: Receiver, hands: Hands) -> None:
    laura = people.create_profile_and_player(User.objects.create_user("laura"), "Laura")
    bram = people.create_profile_and_player(User.objects.create_user("bram"), "Bram")
    me = people.player_of_user(martha)
    assert me
    webhooks.create_webhook(user=martha, club=None, url=receiver.url, events=["game.over"])
    own = play.open_game(kind="chinese_ten", players=[me, laura], deal=Deal.objects.create(seed=bytes(32)), terms={})
    others = play.open_game(
        kind="chinese_ten", players=[laura, bram], deal=Deal.objects.create(seed=bytes(32)), terms={}
    )
    hands.on(timedelta(seconds=1))
    for game in (own, others):
        play.leave_game(game=game, seat=1, how="resigned")
    hands.on(timedelta(seconds=1))
    run_delivery_task()
    assert [each["data"] for each in receiver.messages] == [
        {
            "game": own.public_id,
            "link": f"http://localhost:8000/games/{own.public_id}/",
            "api": f"http://localhost:8000/api/v1/games/{own.public_id}/",
        }
    ]


def test_what_is_committed_late_is_found_nevertheless(running: Start, hook: Webhook, hands: Hands) -> None:
    season = running(2)
    hands.on(timedelta(minutes=5))
    webhooks_discovery.create_messages()
    Season.objects.filter(pk=season.pk).update(finished_at=BEGIN + timedelta(minutes=1), status="finished")
    webhooks_discovery.create_messages()
    assert Delivery.objects.get(type="season.closed").about == season.pk


# the signature


def test_a_message_is_signed_as_standard_webhooks_has_it(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    message = pinged(hook)
    headers, body = receiver.came[0]
    key = base64.b64decode(signing.secret_of(hook.nonce).removeprefix("whsec_"))
    signed = f"{message.message_id}.{int(hands.now.timestamp())}.".encode() + body
    assert len(key) == 32
    assert headers["webhook-id"] == message.message_id
    assert headers["webhook-timestamp"] == str(int(hands.now.timestamp()))
    assert headers["webhook-signature"] == "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    assert headers["content-type"] == "application/json"
    assert body == message.body.encode()


def test_for_a_day_after_a_new_secret_both_sign(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    old = signing.headers(hook, "msg_1", b"{}", hands.now)["webhook-signature"]
    secret = webhooks.rotate(hook)
    hook.refresh_from_db()
    assert secret == signing.secret_of(hook.nonce) != signing.secret_of(hook.old_nonce)
    both = signing.headers(hook, "msg_1", b"{}", hands.now)["webhook-signature"].split()
    assert (len(both), both[1]) == (2, old)
    hands.on(timedelta(days=1))
    assert len(signing.headers(hook, "msg_1", b"{}", hands.now)["webhook-signature"].split()) == 1


def test_a_button_that_is_pressed_twice_makes_one_secret(hook: Webhook, hands: Hands) -> None:
    """Otherwise the secret that receivers have would sign nothing any more."""
    old = signing.headers(hook, "msg_1", b"{}", hands.now)["webhook-signature"]
    first = webhooks.rotate(hook)
    assert webhooks.rotate(hook) == first
    hook.refresh_from_db()
    assert old in signing.headers(hook, "msg_1", b"{}", hands.now)["webhook-signature"].split()
    hands.on(timedelta(seconds=50))
    assert webhooks.rotate(hook) == first


def test_no_third_secret_is_made_while_receivers_may_use_the_old_one(hook: Webhook, hands: Hands) -> None:
    first = webhooks.rotate(hook)
    hands.on(timedelta(hours=23))
    with pytest.raises(DomainError, match=r"the old one is valid until [^.]* UTC\.") as refused:
        webhooks.rotate(hook)
    assert (refused.value.status, refused.value.code) == (409, "rotated_lately")
    hook.refresh_from_db()
    assert signing.secret_of(hook.nonce) == first
    hands.on(timedelta(hours=2))
    assert webhooks.rotate(hook) != first


def test_the_database_does_not_hold_the_secret(hook: Webhook, settings: Any) -> None:
    secret = signing.secret_of(hook.nonce)
    assert secret not in str(list(Webhook.objects.values_list()))
    settings.SECRET_KEY = "another platform"
    assert signing.secret_of(hook.nonce) != secret


# receivers that fail


def test_what_is_not_taken_is_tried_again_with_growing_pauses(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    receiver.status = 500
    message = pinged(hook)
    waited = []
    for _ in range(4):
        assert message.send_state == "due"
        assert webhooks_delivery.MESSAGES.send_due() == 0  # not before its time
        assert message.send_at
        waited.append((message.send_at - hands.now).total_seconds())
        hands.on(message.send_at - hands.now)
        webhooks_delivery.MESSAGES.send_due()
        message.refresh_from_db()
    assert waited == [5, 60, 300, 1800]
    receiver.status = 200
    hands.on(timedelta(hours=2))
    assert webhooks_delivery.MESSAGES.send_due() == 1
    message.refresh_from_db()
    assert (message.send_state, message.tries, set(receiver.ids)) == ("sent", 6, {message.message_id})
    assert [each["status"] for each in message.log] == [500] * 5 + [200]
    hook.refresh_from_db()
    assert (hook.failures, hook.failing_since, hook.taken_at) == (0, None, hands.now)


@pytest.mark.parametrize(
    ("wished", "seconds"),
    [
        ("120", 120),
        ("0", 5),
        ("999999999999", 24 * 3600),
        ("Fri, 20 Nov 2026 19:30:00 GMT", None),  # half an hour after the clock's time
        ("soon", 5),
    ],
)
def test_a_receiver_that_says_when_to_come_again_is_asked_then(
    hook: Webhook, receiver: Receiver, hands: Hands, wished: str, seconds: int | None
) -> None:
    """RFC 9110, 10.2.3, between five seconds and a day."""
    at = datetime(2026, 11, 20, 19, 30, tzinfo=UTC)
    if seconds is None:
        hands.now = at - timedelta(minutes=30)
    receiver.status, receiver.headers = 503, {"Retry-After": wished}
    message = pinged(hook)
    hook.refresh_from_db()
    due = at if seconds is None else hands.now + timedelta(seconds=seconds)
    assert (message.send_at, hook.retry_at) == (due, due)
    receiver.status = 204
    hands.now = due - timedelta(seconds=1)
    assert webhooks_delivery.MESSAGES.send_due() == 0
    hands.now = due
    assert webhooks_delivery.MESSAGES.send_due() == 1


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (b"Unknown club", "answered 422: “Unknown club”"),
        (b"", "answered 422"),
        (b"<h1>Bad\r\n gateway</h1>\x00\xff", "answered 422: “Bad gateway \ufffd”"),
        (b"x" * 100_000, "answered 422: “" + "x" * 199 + "…”"),
    ],
)
def test_the_words_of_a_refusal_are_shown(
    hook: Webhook, receiver: Receiver, hands: Hands, sentence: bytes, shown: str
) -> None:
    receiver.status, receiver.words = 422, sentence
    last = pinged(hook).last
    assert last
    assert last["words"] == shown


def test_a_receiver_that_hangs_costs_a_bounded_time_and_holds_up_nobody(
    receivers: Receivers, club: Club, hands: Hands, short: None
) -> None:
    hanging, trickling, well = receivers(), receivers(), receivers()
    hanging.hangs, trickling.trickles = True, True
    hooks = [
        webhooks.create_webhook(user=club.owner, club=club, url=each.url, events=["game.over"])[0]
        for each in (hanging, trickling, well)
    ]
    messages = [[webhooks_discovery.create_ping(hook) for _ in range(3)] for hook in hooks]
    assert webhooks_delivery.MESSAGES.send_due() == 3
    assert (len(well.came), len(hanging.came), len(trickling.came)) == (3, 3, 3)  # all at once: two seconds
    for row in messages[:2]:
        for each in row:
            each.refresh_from_db()
            assert (each.send_state, each.last and each.last["words"]) == ("due", "no answer within 2 s")
            assert each.last
            assert 2000 <= each.last["ms"] < 7000

    hands.on(timedelta(hours=1))
    webhooks_discovery.create_ping(hooks[2])
    assert webhooks_delivery.MESSAGES.send_due() == 1
    assert (len(hanging.came), len(trickling.came)) == (4, 4)  # a failed one gets one at a time, after the others


def test_who_takes_one_again_gets_the_others_too(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    receiver.status = 503
    first = [webhooks_discovery.create_ping(hook) for _ in range(7)]
    webhooks_delivery.MESSAGES.send_due()
    receiver.status = 200
    hands.on(timedelta(hours=1))
    assert webhooks_delivery.MESSAGES.send_due() == 7
    assert {each.message_id for each in first} == set(receiver.ids)


def test_after_five_days_it_is_switched_off_and_its_owner_told(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    receiver.status = 500
    message = pinged(hook)
    for _ in range(12):
        hook.refresh_from_db()
        if hook.off:
            break
        hands.on(timedelta(hours=24))
        webhooks_delivery.MESSAGES.send_due()
    message.refresh_from_db()
    assert (hook.off, message.send_state) == ("silent", "failed")
    assert timedelta(days=5) < hands.now - BEGIN <= timedelta(days=7)
    assert hook.club
    notice = Notice.objects.get(user=hook.club.owner, subject="webhook_off")
    assert notice.url == f"/clubs/lantern/webhooks/{hook.pk}/"
    assert webhooks_delivery.MESSAGES.send_due() == 0
    with pytest.raises(DomainError, match="switched off"):
        webhooks.send_ping(hook)

    receiver.status = 200
    webhooks.update_webhook(hook, on=True)
    assert pinged(hook).send_state == "sent"


def test_gone_is_gone_at_once(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    receiver.status = 410
    assert pinged(hook).send_state == "failed"
    hook.refresh_from_db()
    assert hook.off == "gone"


def test_a_redirect_is_not_followed(hook: Webhook, receivers: Receivers, receiver: Receiver, hands: Hands) -> None:
    elsewhere = receivers()
    receiver.status, receiver.headers = 307, {"Location": elsewhere.url}
    message = pinged(hook)
    assert (message.send_state, message.last and message.last["words"]) == ("due", "answered 307")
    assert elsewhere.came == []


def test_who_is_not_there_is_told_so_in_words(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    receiver.stop()
    message = pinged(hook)
    assert message.last
    assert message.last["words"] == "the connection was refused or broken"


# workers that die, and several of them


def test_a_message_whose_worker_died_is_sent_again_under_the_same_id(
    hook: Webhook, receiver: Receiver, hands: Hands
) -> None:
    message = webhooks_discovery.create_ping(hook)
    assert [each.pk for each in webhooks_delivery.claim_messages()] == [message.pk]  # and here the worker dies
    assert webhooks_delivery.MESSAGES.send_due() == 0
    hands.on(webhooks_delivery.CLAIM_LOST_AFTER + timedelta(seconds=1))
    assert webhooks_delivery.MESSAGES.send_due() == 1
    assert receiver.ids == [message.message_id]


def test_a_worker_that_was_taken_for_dead_changes_nothing_any_more(
    hook: Webhook, receiver: Receiver, hands: Hands
) -> None:
    webhooks_discovery.create_ping(hook)
    [slow] = webhooks_delivery.claim_messages()
    hands.on(webhooks_delivery.CLAIM_LOST_AFTER + timedelta(seconds=1))
    assert webhooks_delivery.MESSAGES.send_due() == 1
    assert not webhooks_delivery.record_attempt(
        slow, outgoing_http.AttemptResult(0, outgoing_http.hook_silent(10), 1), hands.now
    )
    slow.refresh_from_db()
    hook.refresh_from_db()
    assert (slow.send_state, hook.failures) == ("sent", 0)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_workers_that_look_at_once_send_each_message_once(hook: Webhook, receiver: Receiver) -> None:
    for _ in range(30):
        webhooks_discovery.create_ping(hook)

    def work(_each: int) -> int:
        try:
            return webhooks_delivery.MESSAGES.send_due()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(work, range(4))) == 30
    assert len(receiver.ids) == len(set(receiver.ids)) == 30


def test_a_forked_process_sends_after_its_parent_has_sent(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outgoing_http, "TIMEOUT_SECONDS", 3.0)
    assert status_of_message_to(receiver.url) == 204
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(status_of_message_to, [receiver.url]) == 204


def test_a_status_is_kept_although_the_words_after_it_come_late(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """A receiver that answered 410 after nine seconds was asked again: the words had no time left."""
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True
    monkeypatch.setattr(outgoing_http, "TIMEOUT_SECONDS", 1.0)
    monkeypatch.setattr(outgoing_http, "WORDS_SECONDS", 1.5)

    async def gone(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 410 Gone\r\ncontent-length: 5\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(5)

    async def post() -> int:
        async with await asyncio.start_server(gone, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return (await outgoing_http.post_message(f"http://127.0.0.1:{port}/", {}, b"{}")).status

    assert asyncio.run(post()) == 410


def test_an_old_message_is_forgotten(hook: Webhook, receiver: Receiver, hands: Hands) -> None:
    pinged(hook)
    hands.on(timedelta(days=31))
    waits = webhooks_discovery.create_ping(hook)
    assert webhooks_delivery.delete_old_messages() == 1
    assert hook.deliveries.get() == waits


# where messages may go


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://10.1.2.3/hook",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://localhost/",
        "https://LOCALHOST.:9000/hook",
        "https://hook.localhost/",
        "https://ip6-localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://router.home.arpa/",
        "https://database/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://127.0.0.1./",
        "https://192.168.257/",
        "https://8.8.8.8.8/",
        "https://0x08080808/",
        "https://[::ffff:7f00:1]/",
        "https://[::127.0.0.1]/",
        "https://[fe80::1%25eth0]/",
        "https://%6cocalhost/",
        "https://example..org/",
        "https://exam_ple.org\\@localhost/",
        "https://me:secret@example.org/",
        "https://example.org/#part",
        "https://example.org:99999/",
        "https://example.org:0/",
        "https:///path",
        "https://[::1",
        "https://exa mple.org/",
        "https://example.org/\r\nHost: other",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://example.org/" + "a" * 500,
        "",
    ],
)
def test_an_address_to_which_nothing_may_go_is_refused(url: str) -> None:
    with pytest.raises(DomainError) as refused:
        outgoing_http.clean_url(url)
    assert (refused.value.status, refused.value.code, refused.value.field) == (400, "bad_url", "url")


def test_a_name_that_leads_into_the_platform_is_not_followed(
    club: Club, hands: Hands, receiver: Receiver, settings: Any
) -> None:
    """`localhost` stands for any name: what counts is where it leads at the moment of sending."""
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = True  # otherwise the name would be refused at once
    port = receiver.server.server_port
    hook, _secret = webhooks.create_webhook(
        user=club.owner, club=club, url=f"https://localhost:{port}/", events=["game.over"]
    )
    settings.SCOREBOOK_WEBHOOK_ALLOW_PRIVATE_HOSTS = False
    message = pinged(hook)
    assert message.last
    assert message.last["words"] == "it is not on the public internet"
    assert receiver.came == []


def test_one_bad_address_among_the_answers_for_a_name_is_enough(
    club: Club, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing_http, "_look_up", lambda _host, _port: ["192.0.43.8", "10.0.0.1"])
    hook, _secret = webhooks.create_webhook(
        user=club.owner, club=club, url="https://example.org/", events=["game.over"]
    )
    message = pinged(hook)
    assert message.last
    assert message.last["words"] == "it is not on the public internet"


# creating webhooks


def test_it_needs_an_event_and_one_that_there_is_for_it(club: Club, martha: User) -> None:
    for user, of, events in ((club.owner, club, []), (club.owner, club, ["ping"]), (martha, None, ["round.opened"])):
        with pytest.raises(DomainError) as refused:
            webhooks.create_webhook(user=user, club=of, url="https://example.org/", events=events)
        assert refused.value.code == "bad_events"


def test_there_are_ten_at_the_most_and_no_address_twice(club: Club) -> None:
    for number in range(10):
        webhooks.create_webhook(user=club.owner, club=club, url=f"https://example.org/{number}", events=["game.over"])
    with pytest.raises(DomainError) as refused:
        webhooks.create_webhook(user=club.owner, club=club, url="https://example.org/10", events=["game.over"])
    assert refused.value.code == "too_many_webhooks"
    Webhook.objects.last().delete()  # type: ignore[union-attr]
    with pytest.raises(DomainError) as twice:
        webhooks.create_webhook(user=club.owner, club=club, url="https://example.org/0", events=["game.over"])
    assert twice.value.code == "same_url"
    last = Webhook.objects.order_by("pk").last()
    assert last
    with pytest.raises(DomainError) as changed:
        webhooks.update_webhook(last, url="https://example.org/0")
    assert changed.value.code == "same_url"
    assert webhooks.update_webhook(last, url=last.url, events=["round.opened"]).events == ["round.opened"]


def test_a_season_of_another_club_is_none_of_its(running: Start, club: Club, martha: User) -> None:
    other = new_club(name="Kettle", slug="kettle", owner=martha)
    with pytest.raises(DomainError) as refused:
        webhooks.create_webhook(
            user=martha, club=other, url="https://example.org/", events=["game.over"], season=running(2)
        )
    assert refused.value.code == "bad_season"


def test_what_happens_while_it_is_off_is_not_told(running: Start, hook: Webhook, hands: Hands) -> None:
    season = running(2)
    webhooks.update_webhook(hook, on=False)
    Season.objects.filter(pk=season.pk).update(finished_at=hands.on(timedelta(minutes=1)), status="finished")
    hands.on(timedelta(minutes=1))
    webhooks_discovery.create_messages()
    webhooks.update_webhook(hook, on=True)
    webhooks_discovery.create_messages()
    assert not hook.deliveries.exists()


def test_attempts_of_before_there_were_codes_stay_readable() -> None:
    migration = import_module("tournaments.webhooks.migrations.0002_outbox")
    old = [{"at": "2026-11-24", "ms": 3, "status": 500, "words": "answered 500"}, {"at": "2026-11-25", "words": "gone"}]
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE webhooks_delivery (log jsonb, send_state text, send_at int, claimed_at int DEFAULT 7)"
        )
        rows = [(json.dumps(old), "taken", 1), ("[]", "sending", 2), ("[]", "due", 3)]
        cursor.executemany("INSERT INTO webhooks_delivery VALUES (%s, %s, %s)", rows)
        cursor.execute(migration.FORWARDS)
        cursor.execute("SELECT log, send_state, send_at FROM webhooks_delivery ORDER BY send_at")
        new = [(json.loads(log), *others) for log, *others in cursor.fetchall()]
        cursor.execute("DROP TABLE pg_temp.webhooks_delivery")
    assert new[1:] == [([], "due", 3), ([], "sending", 7)]
    log, state, at = new[0]
    assert (state, at) == ("sent", 1)
    assert [each["words"] for each in Delivery(log=log).attempts] == ["answered 500", "gone"]
    assert log[0].keys() == {"at", "ms", "status", "sentences"}
