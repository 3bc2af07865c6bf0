"""Plate Spinner in beats (PS-17, PS-18): a bundle is secret until its beat is taken, and then only its effects are
seen. No message to another viewer depends on a bundle or on the order of the packs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, PendingBundle, Player
from games.play import beats
from games.play import services as play
from games.visibility import observe
from replays.frames.payload import replay_data
from scorebook_games.conformance.play import by_lot
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.pacing import BlankDealer, ends_bundle
from tests.games.conftest import Person, at_once
from tests.scorebook_games.kinds.permute import GENERATORS

pytestmark = pytest.mark.django_db
NAMES = ("Martha", "Laura", "Otto", "Ines")


@pytest.fixture
def people(person: Person) -> list[Player]:
    return [person(name) for name in NAMES]


def opened(players: list[Player], seed: bytes = bytes(32)) -> Game:
    return play.open_game(kind="plate_spinner", players=players, deal=Deal.objects.create(seed=seed))


def bundle(game: Game, seat: int, number: int) -> list[str]:
    """Return a random bundle of `seat`."""
    fold, rng = play.load_game(game), random.Random(f"{seat} {number}")
    state, texts = fold.state.copy(), list[str]()
    while True:
        action = by_lot(fold.rules, state, seat, rng)
        texts.append(fold.rules.move_text(state, action))
        if ends_bundle(fold.rules, state, action):
            return texts
        fold.rules.apply(state, fold.rules.decide(state, seat, action, BlankDealer())[0])


def sent(game: Game, players: list[Player], viewer: visibility.Viewpoint, client: Client) -> list[Any]:
    """Return everything that a viewer is sent about the game's position, without the game's id: the API's answers with
    status and size, and the data of stream and replay."""
    if isinstance(viewer, int):
        user = players[viewer].user
        assert user is not None
        client.force_login(user)
    else:
        client.logout()
    game.refresh_from_db()
    fold = play.load_game(game)
    address = f"/api/v1/games/{game.public_id}/"
    answers = [client.get(address + part) for part in ("", "events/")]
    replay = client.get(f"{address}replay/").json()
    turn = replay.pop("turn", None) or {}
    turn.pop("waiting_for", None)  # players may know whose bundles are missing
    refused = client.post(address + "bundles/", {"beat": 99, "moves": ["grab"]}, content_type="application/json")
    data: list[Any] = [
        *[(answer.status_code, len(answer.content)) for answer in (*answers, refused)],
        refused.json(),
        len(json.dumps(replay)),
        turn,
        visibility.observation(fold, viewer),
        [visibility.readable_event(fold.rules, entry.event) for entry in observe.known_events(game, viewer)][1:],
        visibility.legal_moves(fold, viewer) if isinstance(viewer, int) else [],
        [game.version, game.to_act, game.deadline is None, game.awaits_worker],
    ]
    if isinstance(viewer, int):
        user = players[viewer].user
        assert user is not None
        data.append(json.loads(json.dumps(replay_data(game, user)["frames"], default=str)))
    return data


@pytest.mark.parametrize("viewers", [(3, visibility.PUBLIC), pytest.param((1, 2), marks=pytest.mark.slow)])
def test_nothing_that_others_are_sent_changes_while_a_bundle_waits(
    people: list[Player], client: Client, viewers: Sequence[visibility.Viewpoint]
) -> None:
    """Nobody else learns whether a bundle was given or replaced, how long it is, or what it contains."""
    game = opened(people)
    with clock.frozen_at(clock.now()):  # answers contain the time
        for viewer in viewers:
            before = sent(game, people, viewer, client)
            for number in range(3):
                beats.give_bundle(game=game, seat=0, beat=1, moves=bundle(game, 0, number))
                assert sent(game, people, viewer, client) == before
    assert PendingBundle.objects.count() == 1


def test_who_gives_a_bundle_is_told_whom_the_beat_waits_for_and_nothing_of_theirs(people: list[Player]) -> None:
    """The answer does not depend on the bundles of others (PS-17)."""
    answers = []
    for number in range(3):
        game = opened(people)
        for seat in (0, 1):
            beats.give_bundle(game=game, seat=seat, beat=1, moves=bundle(game, seat, number))
        answers.append(beats.give_bundle(game=game, seat=2, beat=1, moves=bundle(game, 2, 0)))
    assert answers == [(1, [3])] * 3


def test_a_refused_bundle_tells_its_own_seat_nothing_of_the_others(people: list[Player]) -> None:
    """A bundle is checked only against its own seat (PS-17). Two bundles for the same meeple are both accepted."""
    game = opened(people)

    def refused() -> list[Any]:
        sentence = []
        for moves in (["grab"], ["finish"], ["roll 111111"], ["assign 1 A1 0.0"], ["castle"], []):
            with pytest.raises(DomainError) as caught:
                beats.give_bundle(game=game, seat=3, beat=1, moves=moves)
            sentence.append((caught.value.status, caught.value.code, caught.value.sentence, caught.value.extra))
        return sentence

    before = refused()
    for seat in range(3):
        beats.give_bundle(game=game, seat=seat, beat=1, moves=bundle(game, seat, seat))
        assert refused() == before


@pytest.mark.parametrize("count", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_the_bundles_of_a_beat_arrive_in_any_order_and_the_log_is_the_same_to_the_byte(
    people: list[Player], count: int
) -> None:
    """All orders of two, three and four seats are tried, over two beats (PS-17)."""
    bodies = set()
    for arrival in permutations(range(count)):
        game = opened(people[:count])
        for beat in (1, 2):
            for seat in arrival:
                beats.give_bundle(game=game, seat=seat, beat=beat, moves=bundle(game, seat, beat))
        bodies.add(b"".join(batch.body for batch in eventlog.stored_batches(game.stream_id)[1:]))
    assert len(bodies) == 1


def test_the_order_of_the_packs_shows_in_nothing(people: list[Player]) -> None:
    """If the hidden parts of both packs are in another order, all messages are the same, also in beats (PS-18)."""
    game = opened(people[:2])
    for beat in range(1, 6):
        for seat in play.load_game(game).to_act():
            beats.give_bundle(game=game, seat=seat, beat=beat, moves=bundle(game, seat, beat))
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    fold = play.load_game(game)
    rule_events = [event for event in events if not event[0].startswith("@")]
    other = GENERATORS["plate_spinner"](2, fold.opened["options"], rule_events, 0, random.Random(1))
    assert other is not None
    assert other != rule_events

    world = fold_game([events[0]])
    rest = iter(other)
    for event in events[1:]:
        world.apply(event if event[0].startswith("@") else next(rest))
    for viewer in (0, 1, visibility.PUBLIC):
        assert visibility.observation(world, viewer) == visibility.observation(fold, viewer)
        assert [visibility.event_as_seen(fold, event, viewer) for event in other] == [
            visibility.event_as_seen(fold, event, viewer) for event in rule_events
        ]


@pytest.mark.django_db(transaction=True)
def test_all_who_move_at_the_same_instant_in_a_live_game_get_their_move(people: list[Player]) -> None:
    """Four connections move at the same version. Every assign and roll is legal, so each is accepted once (PS-17)."""
    terms = {"pace": "live", "rated": False}
    with clock.frozen_at(clock.now() - timedelta(minutes=5)):
        game = play.open_game(
            kind="plate_spinner", players=people, terms=terms, deal=Deal.objects.create(seed=bytes(32))
        )
    while not play.load_game(game).go:
        assert game.deadline
        with clock.frozen_at(game.deadline):
            play.expire_clocks(game=game)
    seen, fold = game.version, play.load_game(game)
    wanted = [(seat, visibility.legal_moves(fold, seat)[0]) for seat in range(4)]

    def moving(seat: int, text: str) -> Callable[[], play.MoveResult]:
        own = Game.objects.get(pk=game.pk)
        return lambda: play.play_move(game=own, seat=seat, text=text, expected_version=seen)

    answers = at_once(*[moving(seat, text) for seat, text in wanted])
    moved = [answer for answer in answers if isinstance(answer, play.MoveResult)]
    assert sorted(each.version for each in moved) == [seen + number for number in range(1, 5)]
    late = [entry.event for entry in eventlog.read_events(game.stream_id)][seen:]
    assert sorted(event[1] for event in late) == [0, 1, 2, 3]
