"""What a move costs: how often its request asks the database, reads the log, folds it and parses its body."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.common import rate_limits
from games.models import Deal, Game
from games.play import services as play
from scorebook_games.contract import Event
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold
from tests.games.conftest import Person

pytestmark = pytest.mark.django_db

QUERIES_OF_A_MOVE = 12
TRANSACTION = ("SAVEPOINT", "RELEASE")


@pytest.fixture
def game(person: Person, deal: Deal) -> Game:
    """Return a game by a clock, in which two moves were made."""
    players = [person("Martha"), person("Laura")]
    terms = {"bank_seconds": 600, "move_seconds": 30}
    opened = play.open_game(kind="palace", players=players, deal=deal, terms=terms)
    for _move in range(2):
        move_of(opened)()
    return opened


def move_of(game: Game, **fields: Any) -> Callable[[], Any]:
    """Return a function that sends the next move as the browser of its player does."""
    fold = play.load_game(game)
    seat = fold.to_act()[0]
    player = game.seats.get(seat=seat).player
    assert player.user
    client = Client()
    client.force_login(player.user)
    body = {"move": visibility.legal_moves(fold, seat)[0], "expected_version": fold.version}
    body |= {"idempotency_key": f"move {fold.version}", **fields}

    def send() -> Any:
        answer = client.post(f"/api/v1/games/{game.public_id}/moves/", body, "application/json")
        assert answer.status_code == 201, answer.content
        return answer

    return send


def test_a_move_asks_the_database_few_questions(game: Game, settings: Any) -> None:
    """The first one of a person counts requests in advance, so the next ones write no row about that."""
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 1
    rate_limits.forget_advances()
    for _move in range(2):
        move_of(game)()
    send = move_of(game)
    with CaptureQueriesContext(connection) as asked:
        send()
    queries = [query["sql"] for query in asked if not query["sql"].startswith(TRANSACTION)]
    assert len(queries) <= QUERIES_OF_A_MOVE, "\n".join(queries)
    assert [sql for sql in queries if "ratebucket" in sql] == []
    assert sum(" FROM batch" in sql for sql in queries) == 1


def test_a_move_folds_the_log_once(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its own events are applied twice, to the game and to the clocks."""
    send, applied, apply = move_of(game), list[int](), Fold.apply

    def counted(fold: Fold, event: Event) -> None:
        apply(fold, event)
        applied.append(fold.version)

    before = play.load_game(game).version
    monkeypatch.setattr(Fold, "apply", counted)
    send()
    game.refresh_from_db()
    assert [version for version in applied if version <= before] == list(range(2, before + 1))
    assert sorted(version for version in applied if version > before) == sorted(
        2 * list(range(before + 1, game.version + 1))
    )


def test_the_body_of_a_move_is_parsed_once(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    send, parsed, loads = move_of(game), list[str](), json.loads

    def counted(text: str | bytes, **options: Any) -> Any:
        if b"idempotency_key" in (text.encode() if isinstance(text, str) else text):
            parsed.append("loads")
        return loads(text, **options)

    monkeypatch.setattr(json, "loads", counted)
    send()
    assert parsed == ["loads"]


def test_a_move_passes_by_what_only_pages_need(game: Game) -> None:
    request = move_of(game)().wsgi_request
    assert [name for name in ("_messages", "htmx") if hasattr(request, name)] == []


def test_a_process_counts_a_hundredth_of_a_limit_in_advance_and_never_more_than_the_limit(settings: Any) -> None:
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 1
    rate_limits.forget_advances()
    limit = rate_limits.Limit("read", 300, 3600, None, "")
    with CaptureQueriesContext(connection) as asked:
        found = [rate_limits.count_request(limit, "token 1") for _ in range(6)]
    assert [each.left for each in found] == [299, 298, 297, 296, 295, 294]
    assert len(asked) == 2
    rate_limits.forget_advances()  # another process: what the first one has counted in advance is taken
    more = [rate_limits.count_request(limit, "token 1") for _ in range(310)]
    assert sum(each.wait == 0 for each in more) == 294


def test_two_threads_that_count_in_advance_at_the_same_time_lose_nothing(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each finds that nothing is left, and counts three."""
    settings.SCOREBOOK_RATE_LIMIT_FACTOR = 1
    rate_limits.forget_advances()
    limit = rate_limits.Limit("read", 300, 3600, None, "")
    with monkeypatch.context() as both, CaptureQueriesContext(connection) as asked:
        both.setattr(rate_limits, "_counted_in_advance", lambda *_asked: None)
        for _thread in range(2):
            rate_limits.count_request(limit, "token 2")
    assert len(asked) == 2
    with CaptureQueriesContext(connection) as asked:
        found = [rate_limits.count_request(limit, "token 2") for _ in range(4)]
    assert (len(asked), [each.left for each in found]) == (0, [297, 296, 295, 294])
