"""Each record is one line of the log, as text or JSON, with the ids that it is about and without secrets."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from celery.signals import beat_init, worker_init
from celery.utils.dispatch import Signal
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, transaction
from django.test import Client

from config import asgi, logs
from config.http import health
from games.accounts import tokens
from games.common import log_context
from games.models import Game, Player
from games.play import services as play
from games.play.turn import moves_of
from games.tasks import sweep
from games.workers import runner
from scorebook_games import build
from scorebook_games.bots import requests
from tests.factories.builtin_bots import ensure_builtin_bots
from tests.factories.settings import settings_of
from tests.fixtures.asgi import messages_from
from tournaments.clubs import invitations
from tournaments.clubs import lifecycle as club_lifecycle

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Return the platform's log lines, as JSON, while the test runs."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(logs.JsonFormatter())
    handler.addFilter(logs.ContextFilter())
    logging.getLogger().addHandler(handler)
    yield written
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def lines(stream: io.StringIO) -> Lines:
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def accesses(lines: Lines) -> list[dict[str, Any]]:
    return [line for line in lines() if line["logger"] == "scorebook.access"]


def breaks(_request: Any) -> Any:
    raise RuntimeError("the plumbing is gone; ask martha@example.org")


# requests


@pytest.mark.django_db
def test_each_request_has_one_line_with_its_id_which_is_sent_back(client: Client, lines: Lines) -> None:
    answer = client.get("/clubs/?q=Martha")
    (line,) = accesses(lines)
    assert (line["method"], line["path"], line["status"], line["level"]) == ("GET", "/clubs/", 200, "INFO")
    assert line["request"] == answer["X-Request-ID"]
    assert line["ms"] >= 0
    assert line["queries"] >= 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert "user" not in line
    assert client.get("/clubs/")["X-Request-ID"] != answer["X-Request-ID"]


@pytest.mark.django_db
def test_an_id_that_a_proxy_gave_is_kept(client: Client, lines: Lines) -> None:
    answer = client.get("/health/live/", headers={"X-Request-ID": "edge-7f3a.0001"})
    assert answer["X-Request-ID"] == accesses(lines)[0]["request"] == "edge-7f3a.0001"


@pytest.mark.django_db
@pytest.mark.parametrize("given", ["short", "x" * 65, "two words", "martha@example.org", "-dashed-", "sb_" + "a" * 20])
def test_one_that_is_none_is_not(client: Client, given: str) -> None:
    assert re.fullmatch("[0-9a-f]{32}", client.get("/health/live/", headers={"X-Request-ID": given})["X-Request-ID"])


@pytest.mark.django_db
def test_a_line_says_who_asked_and_for_which_game(
    game: Game, martha: Player, sign_in: Callable[[Player], Client], lines: Lines
) -> None:
    sign_in(martha).get(f"/api/v1/games/{game.public_id}/")
    (line,) = accesses(lines)
    assert (line["user"], line["game"]) == (martha.user_id, game.public_id)


@pytest.mark.django_db
def test_a_program_is_somebody_too(game: Game, martha: Player, lines: Lines) -> None:
    assert martha.user
    _token, secret = tokens.create_token(user=martha.user, name="script", wanted=["read"])
    Client().get("/api/v1/games/", headers={"Authorization": f"Bearer {secret}"})
    assert accesses(lines)[0]["user"] == martha.user_id


@pytest.mark.django_db
def test_a_season_is_named_by_its_address(client: Client, lines: Lines) -> None:
    client.get("/clubs/lantern-street/friday/autumn/calendar.ics")
    line = accesses(lines)[0]
    assert (line["status"], line["season"]) == (404, "lantern-street/friday/autumn")


# faults


@pytest.mark.django_db
def test_a_fault_of_ours_is_found_again_by_the_id_that_the_page_names(
    client: Client, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr(build, "current_build", lambda: breaks(None))
    answer = client.get("/health/ready/")
    name = answer["X-Request-ID"]
    assert answer.status_code == 500
    assert f"<code>{name}</code>" in answer.content.decode()
    fault = next(line for line in lines() if "exception" in line)
    assert (fault["request"], fault["level"], fault["logger"]) == (name, "ERROR", "django.request")
    assert "RuntimeError: the plumbing is gone; ask ***" in fault["exception"]
    assert accesses(lines)[0]["status"] == 500


@pytest.mark.django_db
def test_and_by_the_one_in_the_apis_answer(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr("games.visibility.observe.result_is_public", lambda *_: breaks(None))
    answer = client.get("/api/v1/games/?status=playing")
    error = answer.json()["error"]
    assert (error["status"], error["code"], error["request"]) == (500, "internal", answer["X-Request-ID"])


@pytest.mark.django_db
def test_that_it_is_not_ready_is_told_once_with_the_id(
    client: Client, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "MigrationExecutor", lambda _: breaks(None))
    monkeypatch.setattr(health, "Error", RuntimeError)
    answer = client.get("/health/ready/")
    found = [line for line in lines() if line["level"] == "ERROR"]
    assert [line["request"] for line in found] == [answer["X-Request-ID"]]
    assert found[0]["message"] == "Service Unavailable: /health/ready/"


# secrets


SECRET = "Ab3" * 16


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        (f"/invitations/{SECRET}/", "/invitations/***/"),
        (f"Not Found: /calendar/{SECRET}/me.ics", "Not Found: /calendar/***/me.ics"),
        (f"/accounts/password/reset/key/1-{SECRET}/", "/accounts/password/reset/key/***/"),
        (f"/accounts/confirm-email/MQ:{SECRET}/", "/accounts/confirm-email/***/"),
        (f"/play/{SECRET}/sit/", "/play/***/sit/"),
        (f"/api/v1/tables/{SECRET}/", "/api/v1/tables/***/"),
        (f"/banned/{SECRET}/ and /me/notices/stop/{SECRET}/", "/banned/***/ and /me/notices/stop/***/"),
        ("/admin/do/ban/martha/", "/admin/do/ban/***/"),
        (f"Authorization: Bearer sb_{SECRET}", "Authorization: Bearer ***"),
        ("signed by whsec_aGVsbG8gd29ybGQ+/w== today", "signed by *** today"),
        ("550 <martha.b@mail.example.org> unknown", "550 <***> unknown"),
        (f"seed {'0f' * 32}", "seed ***"),
        ("taken\nDETAIL:  Key (name)=(Martha) already exists.", "taken\nDETAIL:  ***"),
        ("/clubs/lantern-street/ 200", "/clubs/lantern-street/ 200"),
    ],
)
def test_what_can_be_told_for_a_secret_by_its_form_is_masked(sentence: str, kept: str) -> None:
    assert logs.mask_secrets(sentence) == kept


@pytest.mark.parametrize("signal", [worker_init, beat_init], ids=["worker", "beat"])
def test_a_worker_loads_the_addresses_with_secrets_at_its_start(
    signal: Signal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What loads them masks them, as it did in this process."""
    loaded: list[str] = []
    monkeypatch.setattr(logs, "import_module", loaded.append)
    signal.send(sender=None)
    assert loaded == [settings.ROOT_URLCONF]
    assert logs.mask_secrets(f"/invitations/{SECRET}/") == "/invitations/***/"


WORK = f"""
from celery import signals
from config import logs
from config.celery import app
app.loader.init_worker()
print(logs.mask_secrets("/invitations/{SECRET}/"))
signals.SIGNAL.send(sender=app.WorkController)
print(logs.mask_secrets("/invitations/{SECRET}/"))
"""


@pytest.mark.slow
@pytest.mark.parametrize("signal", ["worker_init", "beat_init"])
def test_a_worker_masks_secrets_in_addresses_from_its_start(signal: str) -> None:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "CELERY_SKIP_CHECKS": "1"}
    begun = subprocess.run(
        [sys.executable, "-c", WORK.replace("SIGNAL", signal)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert begun.stdout.split() == [f"/invitations/{SECRET}/", "/invitations/***/"]


def test_a_path_stays_on_its_line(stream: io.StringIO, lines: Lines) -> None:
    logs.write_access_line("GET", "/x\n2026 ERROR forged", 404, 0.0)
    assert stream.getvalue().count("\n") == 1
    assert accesses(lines)[0]["path"] == "/x%0A2026%20ERROR%20forged"


@pytest.mark.django_db
def test_an_evening_leaves_none_of_its_secrets_in_the_log(
    game: Game, martha: Player, laura: Player, sign_in: Callable[[Player], Client], stream: io.StringIO, lines: Lines
) -> None:
    """Niamh signs up, forgets her password and is invited; Martha and Laura play a game by API; something breaks."""
    cache.clear()
    guest = Client()
    guest.post(
        "/accounts/signup/",
        {"username": "Niamh", "email": "niamh@example.org", "password1": "pale-Heron-41", "password2": "pale-Heron-41"},
    )
    guest.post("/accounts/logout/")
    mail.outbox.clear()
    EmailAddress.objects.update(verified=True)
    guest.post("/accounts/password/reset/", {"email": "niamh@example.org"})
    links = re.findall(r"/accounts/password/reset/key/([^/\s]+)/", str(mail.outbox[-1].body))
    for link in links:
        guest.get(f"/accounts/password/reset/key/{link}/?next=/me/")

    assert martha.user
    club = club_lifecycle.found_club(user=martha.user, name="Lantern Street", about="", zone="UTC")
    invited = invitations.invite_by_link(club=club, user=martha.user)[1]
    for path in (f"/invitations/{invited}/", f"/invitations/{invited}x/", f"/calendar/{SECRET}/me.ics"):
        guest.get(path)

    token = tokens.create_token(user=martha.user, name="script", wanted=["read"])[1]
    guest.get(f"/api/v1/games/?token={token}", headers={"Authorization": f"Bearer {token}"})
    players, moves = [martha, laura], []
    for _turn in range(8):
        fold = play.load_game(game)
        seat = fold.to_act()[0]
        move = moves_of(["Martha", "Laura"], fold, seat)[0]["move"]
        browser = sign_in(players[seat])
        browser.get(f"/api/v1/games/{game.public_id}/")
        asked_for = {"move": move, "expected_version": fold.version}
        done = browser.post(f"/api/v1/games/{game.public_id}/moves/", asked_for, content_type="application/json")
        assert done.status_code == 201, done.content
        moves.append(move)
        game.refresh_from_db()
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Player.objects.create(name=players[0].name, user=players[0].user)
    logging.getLogger("tournaments.director.director").error("It broke.", exc_info=refused.value)

    text = stream.getvalue()
    assert len(accesses(lines)) > 20
    seed = bytes(game.deal.seed)
    for secret in (
        *["niamh@", "pale-Heron", "Niamh", "Martha", "martha", "Laura", "Lantern"],
        *[seed.hex(), str(seed), invited, SECRET, token, *links, *[move for move in moves if len(move) > 3]],
    ):
        assert secret not in text, secret
    assert links
    assert '"exception"' in text


@pytest.mark.django_db
def test_a_bots_fault_is_told_without_what_it_held(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: Any) -> int:
        raise KeyError("the ten of hearts")

    bots = ensure_builtin_bots()
    game = play.open_game(kind="chinese_ten", players=[bots["random"], bots["sensible"]])
    monkeypatch.setattr(requests, "action", crash)
    runner.play_due_games("anvil:1", 5)
    first = next(line for line in lines() if line["logger"] == "games.workers.runner")
    assert (first["game"], first["level"]) == (game.public_id, "ERROR")
    assert "crashed" in first["message"]
    assert not [line for line in lines() if "hearts" in json.dumps(line)]
    assert "the ten of hearts" in game.incidents.get().detail


# tasks


@pytest.mark.django_db
def test_each_task_has_one_line_and_what_is_written_within_is_about_it(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "games.tasks.SentRequest.delete_old",
        lambda: logging.getLogger("games.common.models").warning("Swept."),
    )
    sweep.apply(task_id="7c1d")
    within, done = lines()
    assert (within["message"], within["task"], within["task_id"]) == ("Swept.", "games.sweep", "7c1d")
    assert (done["logger"], done["task"], done["task_id"]) == ("scorebook.tasks", "games.sweep", "7c1d")
    assert (done["state"], done["ms"] >= 0) == ("SUCCESS", True)
    assert log_context.current() == {}


# loggers and handlers


def test_people_read_one_line_with_the_ids_in_brackets() -> None:
    record = logging.LogRecord(
        "games.workers.leases", logging.WARNING, "", 0, "Lease of %s lost.", ("martha@x.example",), None
    )
    record.created = 0.0
    with log_context.bound_log_context(game="k7w2", user=lambda: 5, season=""):
        logs.ContextFilter().filter(record)
    assert (
        logs.TextFormatter().format(record)
        == "1970-01-01T00:00:00.000+00:00 WARNING games.workers.leases [user=5 game=k7w2]: Lease of *** lost."
    )


SAY = """
import logging
from django.conf import settings
from django.utils.log import configure_logging  # what django.setup begins with
configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
logging.getLogger("uvicorn.error").info("Started.")
"""


def test_a_process_writes_in_the_form_that_the_environment_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**os.environ, "SCOREBOOK_LOG_FORMAT": "json", "DJANGO_SETTINGS_MODULE": "config.settings"}
    sentence = subprocess.run([sys.executable, "-c", SAY], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(sentence.stderr)["message"] == "Started."
    logging_settings = settings_of(monkeypatch, SCOREBOOK_LOG_FORMAT="lines")["LOGGING"]
    assert logging_settings["handlers"]["stderr"]["formatter"] == "lines"
    with pytest.raises(ImproperlyConfigured, match="SCOREBOOK_LOG_FORMAT must be lines or json"):
        settings_of(monkeypatch, SCOREBOOK_LOG_FORMAT="yaml")


def test_what_django_never_sees_has_its_line_and_its_id_too(lines: Lines) -> None:
    """A body that is too long is refused before it reaches Django; streams do not go through Django's views."""
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    headers = [(b"content-length", b"99999999"), (b"x-request-id", b"edge-0002")]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/tables/", "headers": headers, "query_string": b""}
    asyncio.run(asgi.application(scope, receive, send))
    assert (b"x-request-id", b"edge-0002") in sent[0]["headers"]
    (line,) = accesses(lines)
    assert (line["status"], line["request"], "queries" in line) == (413, "edge-0002", False)


@pytest.mark.django_db(transaction=True)
def test_what_django_sees_has_one_line_and_one_header(lines: Lines) -> None:
    sent = messages_from(asgi.application, "/health/live/")
    (line,) = accesses(lines)
    ids = [value for name, value in sent[0]["headers"] if name.lower() == b"x-request-id"]
    assert ids == [line["request"].encode()]
    assert line["status"] == 200
