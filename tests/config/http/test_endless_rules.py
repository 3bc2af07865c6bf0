"""Rules that never end in a web process are stopped, and the games of other kinds continue."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from django.urls import path

from games.common import endless_rules
from games.common.endless_rules import rules_limit, watch
from games.common.errors import DomainError
from games.common.models import Incident
from games.models import Game
from games.play import services as play
from scorebook_games.registry import KINDS
from tests.games.conftest import Person, grab, person
from tests.games.racing_kind import kind_of
from tests.games.workers.test_hanging_kind import Endless

__all__ = ["grab", "person"]


@pytest.fixture(autouse=True)
def short_limit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(endless_rules, "LIMIT_SECONDS", 0.2)
    monkeypatch.setattr(endless_rules, "LOOK_SECONDS", 0.05)
    yield
    for kind in watch.left_out:
        KINDS.broken.pop(kind)
    watch.left_out.clear()


@pytest.mark.django_db
def test_a_move_that_never_ends_is_answered_503_and_its_kind_is_left_out(
    grab: str, person: Person, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    client.raise_request_exception = False
    monkeypatch.setitem(KINDS, grab, kind_of(Endless("apply")))
    players = [person("Martha"), person("Laura")]
    hangs, other = (play.open_game(kind=kind, players=players) for kind in (grab, "chinese_ten"))
    assert players[0].user
    client.force_login(players[0].user)
    body = {"move": "grab 4", "expected_version": hangs.version}

    def move() -> Any:
        return client.post(f"/api/v1/games/{hangs.public_id}/moves/", body, content_type="application/json")

    first, again = move(), move()
    assert (first.status_code, first.json()["error"]["code"]) == (503, "kind_hangs")
    assert (again.status_code, again.json()["error"]["code"]) == (503, "kind_missing")
    for game, status in ((hangs, 503), (other, 200)):
        assert client.get(f"/api/v1/games/{game.public_id}/turn/").status_code == status
    assert "did not come to an end within 0.2 s of the processor" in KINDS.broken[grab]
    [incident] = Incident.objects.all()
    assert "The rules of grab did not come to an end within 0.2 s in a web process." in incident.sentence
    assert "test_hanging_kind.py" in incident.detail
    assert Game.objects.get(pk=hangs.pk).version == hangs.version


def hang(_request: HttpRequest) -> HttpResponse:
    rules = Endless("decide")
    rules.decided = True
    rules.hang("decide")
    return HttpResponse()


urlpatterns = [path("api/v1/hang/", hang)]


@pytest.mark.urls(__name__)
def test_a_view_is_stopped_below_the_event_loop_of_a_server(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(endless_rules, "record", lambda *_: None)
    monkeypatch.setitem(KINDS, "grab", kind_of(Endless("decide")))
    settings.MIDDLEWARE = ["config.http.errors.EndlessRulesMiddleware"]
    answer = async_to_sync(AsyncClient().get)("/api/v1/hang/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "kind_hangs")


def test_all_threads_in_the_same_rules_are_stopped_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    recorded: list[str] = []
    monkeypatch.setattr(endless_rules, "record", lambda kind, _detail: recorded.append(kind))
    rules = Endless("decide")
    rules.decided = True
    monkeypatch.setitem(KINDS, "grab", kind_of(rules))
    answers: list[object] = []
    done = threading.Event()

    def ask(hangs: bool) -> None:
        try:
            with rules_limit():
                rules.hang("decide") if hangs else done.wait()
        except DomainError as error:
            answers.append(error.code)
        else:
            answers.append("went on")

    threads = [threading.Thread(target=ask, args=[hangs]) for hangs in (True, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads[:2]:
        thread.join()
    done.set()
    threads[2].join()
    assert answers == ["kind_hangs", "kind_hangs", "went on"]
    assert recorded == ["grab", "grab"]
    with pytest.raises(DomainError), rules_limit("grab"):
        pass

    # A profiled call ends too, and leaves no profile function behind.
    profiled = threading.Thread(target=profile_a_call, daemon=True)
    profiled.start()
    profiled.join(timeout=5)
    assert not profiled.is_alive()


def profile_a_call() -> None:
    sys.setprofile(lambda *_: None)
    kind_of(Endless("decide"))
    sys.setprofile(None)
