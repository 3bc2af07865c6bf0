"""Palace on the platform: several seats may act, one of them in secret (PA-16), and nobody waits for them (PA-24)."""

from __future__ import annotations

import hashlib
import random
from datetime import timedelta
from typing import Any

import pytest

from games.clocks.reckoning import NETWORK_GRACE
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from scorebook_games.bots import requests
from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import Fold
from scorebook_games.registry import rules_for
from tests.games.conftest import BuiltInBot, Person

pytestmark = pytest.mark.django_db
RULES = rules_for("palace")


def first_turn(seed: bytes, seats: int, *, possible: bool) -> tuple[int, list[tuple[int, str]]] | None:
    """Return (owner, moves) up to a first play after which its owner may throw or, with `possible=False`, may not.
    Return None if this seed has no such play."""
    dealer = SeedDealer(seed)
    state = RULES.initial(seats, RULES.resolve(seats, {}))
    moves: list[tuple[int, str]] = []

    def after(world: Any, seat: int, action: int) -> Any:
        for event in RULES.decide(world, seat, action, dealer):
            RULES.apply(world, event)
        return world

    for event in RULES.start(state, dealer):
        RULES.apply(state, event)
    for seat in range(seats):
        action = RULES.legal_actions(state, seat)[0]
        moves.append((seat, RULES.move_text(state, action)))
        after(state, seat, action)
    owner = state.turn
    for action in RULES.legal_actions(state, owner):
        world = after(state.copy(), owner, action)
        if len(RULES.to_act_seen(world, None)) == 2 and (owner in RULES.to_act(world)) == possible:
            return owner, [*moves, (owner, RULES.move_text(state, action))]
    return None


def opened(players: list[Player], *, possible: bool = True, **terms: Any) -> tuple[Game, int]:
    """Return a game after such a first turn, and the owner, who may throw or, with `possible=False`, only seems to be
    able to."""
    for number in range(1000):
        seed = hashlib.sha256(str(number).encode()).digest()
        if found := first_turn(seed, len(players), possible=possible):
            owner, moves = found
            game = play.open_game(kind="palace", players=players, terms=terms, deal=Deal.objects.create(seed=seed))
            for seat, text in moves:
                play.play_move(game=game, seat=seat, text=text, expected_version=game.version)
            return game, owner
    raise AssertionError("No seed has such a first turn.")


@pytest.fixture
def people(person: Person) -> list[Player]:
    return [person(name) for name in ("Martha", "Laura", "Otto")]


def refusal(game: Game, seat: int, text: str, version: int) -> DomainError:
    with pytest.raises(DomainError) as caught:
        play.play_move(game=game, seat=seat, text=text, expected_version=version)
    return caught.value


def test_choices_that_were_made_at_once_all_count(people: list[Player]) -> None:
    """Nobody has to wait for another player's choice (PA-2)."""
    game = play.open_game(kind="palace", players=people)
    fold = play.load_game(game)
    seen = game.version
    for seat in range(3):
        play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=seen)
    assert play.load_game(game).state.turn in (0, 1, 2)


def test_a_pass_takes_no_version_and_stores_nothing(people: list[Player]) -> None:
    """PA-16 says so."""
    game, owner = opened(people)
    before = (game.version, len(eventlog.stored_batches(game.stream_id)), game.moved_at)
    for _again in range(3):
        moved = play.play_move(game=game, seat=owner, text="pass", expected_version=game.version)
        assert (moved.version, moved.events) == (before[0], [])
    game.refresh_from_db()
    assert (game.version, len(eventlog.stored_batches(game.stream_id)), game.moved_at) == before


def test_nothing_tells_the_others_whether_a_throw_is_possible(people: list[Player]) -> None:
    """The seats that may act, the clock and the answer to an old version do not depend on it (PA-16)."""
    for possible in (True, False):
        game, owner = opened(people, possible=possible, move_seconds=60)
        fold = play.load_game(game)
        turn = fold.state.turn
        for viewer in [visibility.PUBLIC, *[seat for seat in range(3) if seat != owner]]:
            assert visibility.observation(fold, viewer)["to_act"] == [owner, turn]
        assert visibility.observation(fold, owner)["to_act"] == ([owner, turn] if possible else [turn])
        assert visibility.observation(fold, visibility.ALL)["to_act"] == fold.to_act()
        last = eventlog.read_events(game.stream_id)[-1].ms
        assert game.deadline == game.opened_at + timedelta(seconds=60, milliseconds=last)
        assert refusal(game, turn, "throw 3", game.version).extra["reason"] == "nothing_to_throw"


def test_a_move_decided_before_a_throw_counts_after_it(people: list[Player]) -> None:
    """The first action wins the race (PA-16). The other player's move is stale only if it is no longer legal."""
    game, owner = opened(people)
    seen, turn = game.version, play.load_game(game).state.turn
    throw = visibility.legal_moves(play.load_game(game), owner)[0]
    assert throw.startswith("throw")
    play.play_move(game=game, seat=owner, text=throw, expected_version=seen)
    assert play.load_game(game).state.turn == turn
    play.play_move(game=game, seat=turn, text="take", expected_version=seen)
    assert refusal(game, owner, throw, seen).code == "stale_version"


def test_a_move_of_an_older_version_is_stale_where_one_seat_alone_acts(people: list[Player]) -> None:
    game, _ = opened(people)
    turn = play.load_game(game).state.turn
    play.play_move(game=game, seat=turn, text="take", expected_version=game.version)
    old, second = game.version, play.load_game(game).state.turn
    play.play_move(game=game, seat=second, text="chance", expected_version=old)
    assert refusal(game, second, "keep", old).code == "stale_version"


def test_only_who_is_awaited_forfeits_when_the_clock_runs_out(people: list[Player]) -> None:
    """The clock of the next player runs, not that of the player who may throw (PA-16)."""
    game, owner = opened(people, move_seconds=5)
    turn = play.load_game(game).state.turn
    assert game.deadline is not None
    with clock.frozen_at(game.deadline + NETWORK_GRACE):
        assert play.expire_clocks(game=game)
    expired = [entry.event[1] for entry in eventlog.read_events(game.stream_id) if entry.event[0] == ev.EXPIRED]
    assert expired == [turn] != [owner]


def test_a_built_in_bot_throws_before_a_person_is_waited_for(built_in: BuiltInBot, person: Person) -> None:
    """The owner of the throw is asked first, and then the game waits for the person (PA-16)."""
    laura = person("Laura")
    for number in (106, *range(200)):  # 106 was the first such deal when this was written
        deal = Deal.objects.create(seed=hashlib.sha256(str(number).encode()).digest())
        game = play.open_game(kind="palace", players=[built_in("sensible"), laura], deal=deal)
        choice = visibility.legal_moves(play.load_game(game), 1)[0]
        play.play_move(game=game, seat=1, text=choice, expected_version=game.version)
        runner.play_due_games("one")
        game.refresh_from_db()
        if "threw" in [entry.event[0] for entry in eventlog.read_events(game.stream_id)]:
            assert (play.load_game(game).awaited(), game.awaits_worker) == ([1], False)
            assert runner.play_due_games("one") == 0
            return
    raise AssertionError("No bot ever threw.")


def test_built_in_bots_that_pass_do_not_hold_a_game_up(
    built_in: BuiltInBot, deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next seat moves. A seat that always passes is not asked again at the same version."""
    questions: list[tuple[int, int]] = []

    def passing(fold: Fold, seat: int, _program: str, actions: list[int], _chance: random.Random) -> int:
        questions.append((fold.version, seat))
        return actions[-1] if RULES.move_text(fold.state, actions[-1]) == "pass" else actions[0]

    monkeypatch.setattr(requests, "ask_builtin", passing)
    players = [built_in("sensible"), built_in("random"), built_in("random")]
    game = play.open_game(kind="palace", players=players, options={"turn_limit": 200}, deal=deal)
    assert runner.play_due_games("one") == 1
    assert play.load_game(game).outcome()
    assert len(questions) == len(set(questions))
    assert len({version for version, _ in questions}) < len(questions), "somebody passed and another was asked"
