"""What the tools of an agent answer and send, asked without a host: each request goes straight to the API."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.accounts.tokens import newest_player
from games.bots.remote import services as remote_bots
from games.common import clock
from games.models import Bot, Deal, Game, Player
from games.play import beats
from games.play import services as play
from scorebook_games.agents import tools
from scorebook_games.agents.server import answering
from scorebook_games.agents.tools import Agent
from scorebook_games.bots.sdk import remote
from scorebook_games.bots.sdk.remote import Server, ServerRefusal
from scorebook_games.gamelog import visibility
from tests.browser.playing_by_touch import bring_to
from tests.games.bots.remote.conftest import Token, api

pytestmark = pytest.mark.django_db


class ApiServer(Server):
    """A server whose API is called in this process. `posted` are the paths of all posts, and `lose` makes the answer to
    a post get lost after it has counted."""

    def __init__(self, secret: str) -> None:
        super().__init__("http://testserver", secret)
        self.api = api(secret)
        self.posted: list[str] = []
        self.lose: Callable[[str], bool] = lambda _path: False

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        response = self.api.get(path) if body is None else self.api.post(path, body)
        if body is not None:
            self.posted.append(path)
            if self.lose(path):
                raise TimeoutError("timed out")
        if response.status_code >= 400:
            raise ServerRefusal(response.status_code, response.json()["error"])
        return response.json()


class Waiting:
    """The time of the tools. Each pause passes at once, and `meanwhile` happens in it."""

    def __init__(self) -> None:
        self.now = 0.0
        self.meanwhile: Callable[[], object] = lambda: None

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> Waiting:
    made = Waiting()
    monkeypatch.setattr(tools, "time", made)
    monkeypatch.setattr(remote, "time", made)
    return made


def opened(puffin: Bot, martha: Player, kind: str, **terms: Any) -> Game:
    """Return a game of Puffin, who has the first seat, and Martha, whose deal is always the same."""
    return play.open_game(
        kind=kind,
        players=[newest_player(puffin), martha],
        terms={"move_seconds": 600, "rated": False, **terms},
        deal=Deal.objects.create(seed=bytes(range(32))),
    )


def plays(game: Game, seat: int) -> None:
    """Play the first legal move of `seat`."""
    fold = play.load_game(game)
    play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)


def first_move(told: str) -> str:
    """Return the first move that a tool has listed, and that ends a bundle."""
    listed = [line for line in told.splitlines() if "  – " in line and "(goes on)" not in line]
    return listed[0].strip().partition("  – ")[0]


def test_who_has_given_a_bundle_is_told_so_and_waits_for_the_next_beat(
    puffin: Bot, puffins: str, martha: Player, waiting: Waiting
) -> None:
    game = opened(puffin, martha, "plate_spinner", pace="beats")
    agent = Agent(ApiServer(puffins))
    roll = first_move(agent.observe(game.public_id))
    told = agent.play(game.public_id, [roll], wait=3)
    assert waiting.now == 2
    assert "You have given your bundle: " in told
    assert "The game waits for Martha." in told
    assert "It is your turn" not in told
    assert "You have given your bundle: " in agent.legal_moves(game.public_id)
    assert "You have given your bundle: " in agent.find_game()

    hers = next(move for move in visibility.legal_moves(play.load_game(game), 1) if move.startswith("roll"))
    waiting.meanwhile = lambda: beats.give_bundle(game=game, seat=1, beat=1, moves=[hers])
    told = agent.observe(game.public_id, wait=30)
    assert "It is your turn" in told
    assert play.load_game(game).beat == 1
    # A move after which the bundle goes on is marked, and one can ask what may follow.
    assign = next(line for line in told.splitlines() if line.startswith("  assign"))
    assert assign.endswith(" (goes on)")
    assert "Your bundle goes on after such a move" in told
    following = agent.legal_moves(game.public_id, after=[assign.strip().partition("  – ")[0]])
    assert assign not in following
    assert "It is your turn" in following


def test_a_chance_that_was_passed_up_is_not_offered_again_until_something_happens(
    dora: User, puffin: Bot, token: Token, waiting: Waiting
) -> None:
    """PA-16. A pass makes no event, so nobody can tell who had the chance, and it stays open."""
    bots = [puffin, remote_bots.create_bot(owner=dora, name="Owl")]
    game = play.open_game(
        kind="palace",
        players=[newest_player(bot) for bot in bots],
        options={"packs": 1, "jokers": False},
        terms={"move_seconds": 600, "rated": False},
        deal=Deal.objects.create(seed=bytes(range(32))),
    )
    seat = bring_to(game, lambda move: move.startswith("throw"), random.Random(1).choice)
    agent = Agent(ApiServer(token("read", "play", bot=bots[seat])))
    told = agent.observe(game.public_id, wait=30)
    assert waiting.now == 0
    assert "You may act, but the game does not wait for you." in told
    assert "  pass  – " in told
    agent.play(game.public_id, ["pass"], wait=3)
    assert waiting.now == 2
    before = waiting.now
    agent.observe(game.public_id, wait=3)
    assert waiting.now == before + 2
    waiting.meanwhile = lambda: plays(game, 1 - seat)
    assert "What happened:" in agent.observe(game.public_id, wait=30)


def test_a_move_that_was_chosen_at_an_old_position_is_refused(puffin: Bot, puffins: str, martha: Player) -> None:
    """Two hosts have one token. The second one's move was chosen two events ago."""
    game = opened(puffin, martha, "chinese_ten")
    one, other = Agent(ApiServer(puffins)), Agent(ApiServer(puffins))
    move = first_move(one.observe(game.public_id))
    assert first_move(other.legal_moves(game.public_id)) == move
    one.play(game.public_id, [move], wait=0)
    while play.load_game(game).to_act() == [0]:
        plays(game, 0)
    while play.load_game(game).to_act() == [1]:
        plays(game, 1)
    with pytest.raises(ServerRefusal) as refused:
        other.play(game.public_id, [move])
    assert refused.value.code == "stale_version"


def test_a_game_that_was_not_seen_is_not_played(puffin: Bot, puffins: str, martha: Player) -> None:
    game = opened(puffin, martha, "chinese_ten")
    move = visibility.legal_moves(play.load_game(game), 0)[0]
    agent = Agent(ApiServer(puffins))
    with pytest.raises(ServerRefusal, match="Observe the game first"):
        agent.play(game.public_id, [move])
    agent.observe(game.public_id)
    agent.play(game.public_id, [move], wait=0)
    assert play.load_game(game).version > game.version


def test_a_move_whose_answer_got_lost_is_not_played_twice(
    puffin: Bot, puffins: str, martha: Player, waiting: Waiting
) -> None:
    """The model sends it again, as it would after a host that gave up. It counts once, though it is its turn again."""
    game = opened(puffin, martha, "chinese_ten")
    server = ApiServer(puffins)
    agent = Agent(server)
    move = first_move(agent.observe(game.public_id))
    server.lose = lambda path: path.endswith("/moves/")
    with pytest.raises(ServerRefusal, match="cannot be reached"):
        agent.play(game.public_id, [move])
    assert waiting.now == sum(tools.RETRIES)
    server.lose = lambda _path: False
    known = play.load_game(game).version
    with pytest.raises(ServerRefusal) as refused:
        agent.play(game.public_id, [move])
    assert refused.value.code == "stale_version"
    assert play.load_game(game).version == known


def test_who_looks_again_sees_the_position_again_and_old_events_no_more(
    puffin: Bot, puffins: str, martha: Player
) -> None:
    game = opened(puffin, martha, "chinese_ten")
    agent = Agent(ApiServer(puffins))
    first, again = agent.observe(game.public_id), agent.observe(game.public_id)
    seen = first.partition("What you see after event")[2]
    assert seen
    assert again.partition("What you see after event")[2] == seen
    assert "What happened:" in first
    assert "What happened:" not in again


def appointed(puffin: Bot, martha: Player) -> Game:
    return play.open_game(
        kind="chinese_ten",
        players=[newest_player(puffin), martha],
        terms={"move_seconds": 30, "check_in_minutes": 30, "rated": False},
        begins=clock.now() + timedelta(minutes=30),
    )


def test_a_look_at_a_game_that_begins_later_checks_in_once(puffin: Bot, puffins: str, martha: Player) -> None:
    game = appointed(puffin, martha)
    server = ApiServer(puffins)
    agent = Agent(server)
    for _look in range(2):
        told = agent.observe(game.public_id)
        assert "You have checked in. The game begins 20" in told
    assert server.posted == [f"games/{game.public_id}/ready/"]
    assert "You have checked in." in agent.find_game()


def test_a_game_that_begins_at_the_moment_of_the_look_is_seen(
    puffin: Bot, puffins: str, martha: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = appointed(puffin, martha)
    agent = Agent(ApiServer(puffins))

    def begun(_path: str, _body: Any, _pauses: Any) -> None:
        play.mark_ready(game=game, seat=0)
        raise ServerRefusal(409, {"code": "started"})

    monkeypatch.setattr(agent.server, "insist", begun)
    assert "You have checked in." in agent.observe(game.public_id)


@pytest.mark.parametrize("wanted", [{}, {"kind": "chinese_ten"}, {"season": 1}], ids=str)
def test_the_token_of_a_person_is_refused(wanted: dict[str, Any], puffin: Bot, token: Token) -> None:
    """Also that of a person with one remote bot, whose own games and entries it would be."""
    server = ApiServer(token("read", "play"))
    with pytest.raises(ServerRefusal) as refused:
        Agent(server).find_game(**wanted)
    assert (refused.value.code, server.posted) == ("not_a_bot", [])


def test_a_fault_of_the_tools_is_not_taken_for_a_server_that_is_away() -> None:
    def faulty() -> str:
        raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        answering(faulty)()
