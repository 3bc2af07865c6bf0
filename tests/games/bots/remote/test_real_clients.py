"""Remote bots play whole games over real sockets, with the kit's client and with one in JavaScript. Other tests break
the connection."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import connection

from games.accounts import people, tokens
from games.bots.remote import services as remote_bots
from games.bots.remote.services import ChallengeRequest
from games.eventlog import store as eventlog
from games.models import Bot, Game, Player
from games.play import beats
from games.play import services as play
from games.workers import runner
from replays.dataset.decisions import replay_game
from scorebook_games.bots.sdk import remote, scorebook_bot
from scorebook_games.gamelog import visibility
from tests.games.bots.remote.conftest import row_of
from tests.parameters import mostly_slow
from tests.servers.web import Web, forked_web, free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]  # the bots wait for their opponents
LINES = "application/x-ndjson"
ANSWER_TIMEOUT = 240  # seconds; less than a test's time limit, so that the test's own message is shown
SDK = Path(remote.__file__).parent
EXAMPLES = SDK / "examples"
FEW_TURNS = 10  # the turn limit of games, so that they are short


@pytest.fixture
def dora() -> User:
    user = User.objects.create_user("dora")
    people.create_profile_and_player(user, "Dora")
    return user


@pytest.fixture
def puffin(dora: User) -> Bot:
    return remote_bots.create_bot(owner=dora, name="Puffin")


@pytest.fixture
def secret(dora: User, puffin: Bot) -> str:
    return tokens.create_token(user=dora, name="desk", wanted=["read", "play"], bot=puffin)[1]


@contextmanager
def builtin_bots_play() -> Iterator[None]:
    """Let a worker play, and clocks and countdowns run out, within the block."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.1):
            play.expire_due_games()
            runner.play_due_games("worker", budget_seconds=5, stop=stop.is_set)
        connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


@contextmanager
def stream(web: Web, path: str, secret: str | None) -> Iterator[Iterator[dict[str, Any]]]:
    """Open a stream within the block, and yield its lines as they arrive."""
    headers = {"Accept": LINES} | ({"Authorization": f"Bearer {secret}"} if secret else {})
    with httpx.stream("GET", f"{web.address}/api/v1/{path}", headers=headers, timeout=ANSWER_TIMEOUT) as response:
        if response.status_code != 200:
            response.read()
            raise AssertionError(response.text)
        yield (json.loads(text) for text in response.iter_lines() if text)


def post(web: Web, path: str, secret: str, **body: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx.post(f"{web.address}/api/v1/{path}", headers=headers, json=body, timeout=ANSWER_TIMEOUT)


def against_builtin_bot(puffin: Bot, kind: str = "chinese_ten", turn_limit: int | None = None, **terms: Any) -> Game:
    options = {"turn_limit": turn_limit} if turn_limit else {}
    wish = ChallengeRequest(kind, built_in=["random"], options=options, terms={"bot_pace_ms": 0, **terms})
    return remote_bots.open_challenge(bot=puffin, wish=wish)


def faults_of(game: Game) -> list[Any]:
    """Return the events of expired clocks and of players who left, from the log."""
    return [entry.event for entry in eventlog.read_events(game.stream_id) if entry.event[0] in ("@expired", "@left")]


def moves_of(game: Game) -> list[str]:
    """Return the moves of seat 0 in the log of a finished game."""
    made = replay_game(eventlog.read_events(game.stream_id), bytes(game.deal.seed), {0: "Puffin"})
    return [each.choice for each in made.decisions]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "bot", "terms"),
    [
        ("chinese_ten", "search_chinese_ten.py", {}),
        pytest.param("plate_spinner", "random_bot.py", {"pace": "beats"}, marks=pytest.mark.slow),
    ],
)
def test_a_bot_in_python_plays_a_whole_game(
    web: Web, puffin: Bot, secret: str, kind: str, bot: str, terms: dict[str, Any]
) -> None:
    game = against_builtin_bot(puffin, kind, FEW_TURNS, **terms)
    command = [sys.executable, "-S", str(SDK / "remote.py"), str(EXAMPLES / bot), "--server", web.address]

    with builtin_bots_play():
        done = subprocess.run(
            [*command, "--games", "1"],
            env={"SCOREBOOK_TOKEN": secret, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=ANSWER_TIMEOUT,
            check=False,
        )

    game.refresh_from_db()
    assert (done.returncode, game.status) == (0, "finished"), done.stderr
    assert faults_of(game) == []


@pytest.mark.slow
def test_a_bot_in_javascript_challenges_a_built_in_bot_and_plays_to_the_end(web: Web, puffin: Bot, secret: str) -> None:
    node = shutil.which("node")
    assert node, "The examples in JavaScript need Node."

    with builtin_bots_play():
        done = subprocess.run(
            [node, str(EXAMPLES / "remote_bot.mjs"), web.address, "chinese_ten", "random"],
            env={"SCOREBOOK_TOKEN": secret, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            timeout=ANSWER_TIMEOUT,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    game = Game.objects.get(public_id=data["game"])
    assert game.status == "finished"
    assert data["outcome"] == game.outcome
    assert faults_of(game) == []


# -- the streams


def until(lines: Iterator[dict[str, Any]], is_it: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return the next line of a stream that matches."""
    return next(line for line in lines if is_it(line))


def test_a_player_is_told_of_each_game_that_begins_waits_and_is_over(web: Web, puffin: Bot, secret: str) -> None:
    with stream(web, "me/games/events/", secret) as lines:
        first = next(lines)
        assert (first["type"], first["name"], first["bot"], first["games"]) == ("player", "Puffin", True, [])

        game = against_builtin_bot(puffin, move_seconds=600)
        begun, turn = next(lines), next(lines)
        assert (begun["type"], begun["game"], begun["seat"], begun["kind"]) == (
            "game",
            game.public_id,
            0,
            "chinese_ten",
        )
        assert (turn["type"], turn["game"], turn["version"]) == ("turn", game.public_id, game.version)

        play.leave_game(game=game, seat=0, how="resigned")
        over = next(lines)
        assert (over["type"], over["game"], over["left"]) == ("over", game.public_id, "resigned")


@pytest.mark.slow
def test_who_comes_back_is_told_all_that_is_on_and_what_has_ended(web: Web, puffin: Bot, secret: str) -> None:
    going, ended = against_builtin_bot(puffin, move_seconds=600), against_builtin_bot(puffin, move_seconds=600)
    with stream(web, "me/games/events/", secret) as lines:
        assert set(next(lines)["games"]) == {going.public_id, ended.public_id}
        last = until(lines, lambda line: line["type"] == "turn" and line["game"] == ended.public_id)["id"]
    play.leave_game(game=ended, seat=0, how="resigned")

    with stream(web, f"me/games/events/?since={last}", secret) as lines:
        assert next(lines)["games"] == [going.public_id]
        found = [next(lines) for _each in range(3)]

    assert [(line["type"], line["game"]) for line in found] == [
        ("over", ended.public_id),
        ("game", going.public_id),
        ("turn", going.public_id),
    ]


def test_a_bot_whose_connection_drops_is_told_everything_again(web: Web, puffin: Bot, secret: str) -> None:
    game = against_builtin_bot(puffin, move_seconds=600)
    path = f"games/{game.public_id}/asks/"
    with stream(web, path, secret) as lines:
        hello, ask = next(lines), next(lines)
    assert (hello["type"], hello["protocol"], hello["seat"], hello["kind"]) == ("hello", 1, 0, "chinese_ten")
    assert hello["clock"] == {"move_ms": 600_000, "bank_ms": 0}
    assert (ask["type"], ask["version"]) == ("move", game.version)
    assert 0 < ask["clock_ms"] <= 600_000
    assert ask["observation"] == visibility.observation(play.load_game(game), 0)

    posted = post(web, f"games/{game.public_id}/moves/", secret, move=ask["legal"][0], expected_version=ask["version"])
    assert posted.status_code == 201
    with builtin_bots_play(), stream(web, path, secret) as lines:
        assert next(lines) == hello
        again = next(lines)

    versions = [event["version"] for event in again["events"]]
    assert versions == list(range(2, again["version"] + 1))
    assert again["legal"] == visibility.legal_moves(play.load_game(game), 0)


def test_two_clients_with_one_token_are_asked_the_same_and_the_first_answer_counts(
    web: Web, puffin: Bot, secret: str
) -> None:
    game = against_builtin_bot(puffin, move_seconds=600)
    path, moves = f"games/{game.public_id}/asks/", f"games/{game.public_id}/moves/"
    with stream(web, path, secret) as one, stream(web, path, secret) as other:
        asks = [[next(lines), next(lines)][1] for lines in (one, other)]
    assert asks[0]["legal"] == asks[1]["legal"]
    answer = {"move": asks[0]["legal"][0], "expected_version": asks[0]["version"]}

    first = post(web, moves, secret, **answer, idempotency_key="one")
    repeated = post(web, moves, secret, **answer, idempotency_key="one")
    second = post(web, moves, secret, **answer, idempotency_key="other")
    mixed = post(web, moves, secret, **{**answer, "move": "pass"}, idempotency_key="one")

    assert (first.status_code, repeated.status_code) == (201, 201)
    assert repeated.json()["version"] == first.json()["version"]
    assert (second.status_code, second.json()["error"]["code"]) == (409, "stale_version")
    assert (mixed.status_code, mixed.json()["error"]["code"]) == (409, "key_reused")


def test_a_revoked_token_ends_its_streams(web: Web, puffin: Bot, secret: str) -> None:
    game = against_builtin_bot(puffin, move_seconds=600)
    with stream(web, "me/games/events/", secret) as mine, stream(web, f"games/{game.public_id}/asks/", secret) as asked:
        assert [next(mine)["type"] for _each in range(3)] == ["player", "game", "turn"]
        assert [next(asked)["type"] for _each in range(2)] == ["hello", "move"]
        tokens.revoke(row_of(secret))
        assert [*mine, *asked] == [{"type": "end", "why": "access"}] * 2
    refused = post(web, f"games/{game.public_id}/moves/", secret, move="x", expected_version=1)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "token_revoked")


def test_a_client_whose_token_is_revoked_stops_and_says_why(web: Web, puffin: Bot, secret: str) -> None:
    against_builtin_bot(puffin, move_seconds=600)
    tokens.revoke(row_of(secret))
    with pytest.raises(remote.ServerRefusal, match="has been revoked"):
        remote.Remote(remote.Server(web.address, secret), remote.bot_in(str(EXAMPLES / "random_bot.py"))).run(1)


@pytest.mark.some(1)
@pytest.mark.parametrize("path", ["me/games/events/", "games/{}/asks/", "games/{}/events/"])
def test_a_stream_is_refused_in_the_one_shape(web: Web, puffin: Bot, path: str) -> None:
    game = against_builtin_bot(puffin)
    headers = {"Accept": LINES, "Authorization": "Bearer sb_nothing"}
    refused = httpx.get(f"{web.address}/api/v1/{path.format(game.public_id)}", headers=headers, timeout=ANSWER_TIMEOUT)

    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "bad_token")
    assert refused.headers["www-authenticate"].startswith("Bearer")


def test_nobody_is_asked_in_the_seat_of_another(web: Web, dora: User, puffin: Bot) -> None:
    game = against_builtin_bot(puffin)
    hers = tokens.create_token(user=dora, name="phone", wanted=["read"])[1]  # Dora's own token, not her bot's
    headers = {"Accept": LINES, "Authorization": f"Bearer {hers}"}
    refused = httpx.get(f"{web.address}/api/v1/games/{game.public_id}/asks/", headers=headers, timeout=ANSWER_TIMEOUT)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_your_seat")


def test_a_person_with_a_token_is_asked_as_a_bot_is(web: Web, dora: User) -> None:
    laura = Player.objects.create(name="Laura", user=User.objects.create_user("laura"))
    dorothea = people.player_of_user(dora)
    assert dorothea
    game = play.open_game(kind="chinese_ten", players=[dorothea, laura], terms={"move_days": 1})
    hers = tokens.create_token(user=dora, name="phone", wanted=["read", "play"])[1]
    with stream(web, f"games/{game.public_id}/asks/?want=observation", hers) as lines:
        assert next(lines)["type"] == "hello"
        asked = next(lines)
    assert (asked["type"], asked["events"]) == ("move", [])
    assert asked["observation"]["version"] == game.version


@pytest.mark.slow
def test_the_seat_in_beats_is_asked_once_a_beat_until_it_has_given(web: Web, puffin: Bot, secret: str) -> None:
    game = against_builtin_bot(puffin, "plate_spinner", pace="beats", move_seconds=600)
    path = f"games/{game.public_id}/asks/"
    with stream(web, path, secret) as lines:
        assert next(lines)["pace"] == "beats"
        ask = next(lines)
        assert (ask["type"], ask["beat"], ask["after"]) == ("bundle", 1, [])
        given = beats.give_bundle(game=game, seat=0, beat=1, moves=[f"roll {ask['legal']['dice']}"])
        assert given.waiting_for == []
        with builtin_bots_play():
            following = next(lines)
    assert (following["type"], following["beat"]) == ("bundle", 2)


# -- the kit's client, when something fails


class Keeping(scorebook_bot.Bot):
    """A bot that plays the first legal move and records its answers by version."""

    answers: dict[int, str]

    def move(self, view: Any, legal: list[str]) -> str:
        self.answers[view.version] = legal[0]
        return legal[0]


def keeping(**more: Any) -> type:
    """Return a new bot's class with an empty record."""
    return type("Bot", (Keeping,), {"answers": {}, **more})


def play_with(address: str, secret: str, bot: type) -> None:
    """Let the client play one game to its end, while a worker plays the built-in bots."""
    client = remote.Remote(remote.Server(address, secret), bot)
    playing = threading.Thread(target=client.run, args=[1], daemon=True)
    with builtin_bots_play():
        playing.start()
        playing.join(timeout=ANSWER_TIMEOUT)
    assert not playing.is_alive()


@pytest.mark.parametrize("answer", mostly_slow(["lay K 9", "\x00", None], ["lay K 9"]))
def test_a_bot_whose_answer_is_not_taken_does_not_wait_for_its_clock(
    answer: Any, web: Web, puffin: Bot, secret: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The bot is asked once more, and then a random move is played. The game ends long before its clock of ten
    minutes."""
    asked: list[int] = []

    def move(self: Any, view: Any, legal: list[str]) -> Any:
        asked.append(view.version)
        return answer

    game = against_builtin_bot(puffin, "palace", turn_limit=FEW_TURNS, pace="turns", move_seconds=600)
    play_with(web.address, secret, keeping(move=move))
    game.refresh_from_db()
    assert (game.status, faults_of(game)) == ("finished", [])
    assert asked
    assert all(asked.count(version) == 2 for version in asked)
    assert "a random legal move is played instead." in capfd.readouterr().err


@pytest.mark.slow
def test_a_bot_that_thinks_better_of_it_plays_its_second_answer(web: Web, puffin: Bot, secret: str) -> None:
    tried: set[int] = set()

    def move(self: Any, view: Any, legal: list[str]) -> str:
        if view.version not in tried:
            tried.add(view.version)
            return "lay K 9"
        self.answers[view.version] = legal[-1]
        return legal[-1]

    bot = keeping(move=move)
    game = against_builtin_bot(puffin, turn_limit=FEW_TURNS, move_seconds=600)
    play_with(web.address, secret, bot)
    assert moves_of(game) == [bot.answers[version] for version in sorted(bot.answers)]  # type: ignore[attr-defined]


def test_a_bot_that_raises_plays_on_with_moves_by_lot_and_its_author_reads_why(
    web: Web, puffin: Bot, secret: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def move(self: Any, view: Any, legal: list[str]) -> str:
        raise ZeroDivisionError("no plan")

    game = against_builtin_bot(puffin, "plate_spinner", turn_limit=FEW_TURNS, pace="beats", move_seconds=600)
    play_with(web.address, secret, keeping(move=move))
    game.refresh_from_db()
    assert (game.status, faults_of(game)) == ("finished", [])
    assert "ZeroDivisionError: no plan" in capfd.readouterr().err


def test_the_client_plays_a_live_game_to_its_end(
    web: Web, puffin: Bot, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "REACTION_SECONDS", 0.02)
    # Two random players may take thousands of moves, longer than this test may wait.
    game = against_builtin_bot(puffin, "palace", turn_limit=2 * FEW_TURNS, pace="live", move_seconds=600)
    play_with(web.address, secret, remote.bot_in(str(EXAMPLES / "random_bot.py")))
    game.refresh_from_db()
    assert (game.status, faults_of(game)) == ("finished", [])
    assert len(moves_of(game)) > 5


@pytest.mark.slow
def test_a_web_process_that_dies_and_comes_back_costs_a_connected_bot_nothing(puffin: Bot, secret: str) -> None:
    """The process is killed while the bot thinks, and later ended in order. The client opens its streams again and
    repeats its answers, and none counts twice."""
    deaths = {2: "kill", 5: "terminate"}
    dying: queue.Queue[str] = queue.Queue()

    def move(self: Any, view: Any, legal: list[str]) -> str:
        if how := deaths.pop(len(self.answers), ""):
            dying.put(how)
            dying.join()  # until the process does not listen any more
        return str(Keeping.move(self, view, legal))

    bot, port = keeping(move=move), free_port()
    game = against_builtin_bot(puffin, move_seconds=600)
    playing = threading.Thread(target=play_with, args=[f"http://127.0.0.1:{port}", secret, bot], daemon=True)
    for count in range(3):
        with forked_web(port) as started:
            if not count:
                playing.start()
            if count < 2:
                getattr(started.process, dying.get(timeout=ANSWER_TIMEOUT))()
                started.process.join()
                dying.task_done()
            else:
                playing.join(timeout=ANSWER_TIMEOUT)

    game.refresh_from_db()
    answers = bot.answers  # type: ignore[attr-defined]
    assert (game.status, faults_of(game), deaths) == ("finished", [], {})
    assert moves_of(game) == [answers[version] for version in sorted(answers)]
    assert len(answers) > 5
