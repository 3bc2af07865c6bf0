"""The pace "beats" (PS-17): secret bundles, a drawn order, and one append for each beat."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import permutations
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from games.clocks import services as clocks
from games.clocks.reckoning import NETWORK_GRACE
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, PendingBundle, Player
from games.play import beats, unit_of_work
from games.play import services as play
from games.visibility import observe
from games.workers import runner
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import pacing, visibility
from scorebook_games.gamelog.events import encode_batch
from scorebook_games.gamelog.fold import Fold
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot, Person, at_once, wait_for_waiter
from tests.games.racing_kind import Grab, Wink, kind_of

pytestmark = pytest.mark.django_db

SEED = bytes(range(32))
ORDER = [2, 0, 1]  # the order in which the seed takes the first beat of three seats


def open_game(players: list[Player], kind: str = "grab", **terms: Any) -> Game:
    deal = Deal.objects.create(seed=SEED)
    return play.open_game(kind=kind, players=players, terms={"pace": "beats", **terms}, deal=deal)


@pytest.fixture
def three(grab: str, person: Person) -> Game:
    """Return a game of Grab in beats between Martha, Laura and Otto. The deal is always the same."""
    return open_game([person(name) for name in ("Martha", "Laura", "Otto")])


def events_after_opening(game: Game) -> list[Event]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)][2:]


def refusal(call: Callable[..., object], **arguments: Any) -> DomainError:
    before = list(PendingBundle.objects.values_list("seat", "moves"))
    with pytest.raises(DomainError) as caught:
        call(**arguments)
    assert list(PendingBundle.objects.values_list("seat", "moves")) == before
    return caught.value


def test_the_seed_draws_the_order_of_the_first_beat() -> None:
    assert SeedDealer(SEED).shuffle("beat/1", range(3)) == ORDER


def test_a_beat_waits_for_everybody_and_is_then_one_append_in_the_drawn_order(three: Game) -> None:
    assert beats.give_bundle(game=three, seat=0, beat=1, moves=["grab 1"]) == (1, [1, 2])
    assert beats.give_bundle(game=three, seat=1, beat=1, moves=["point 3", "point 2", "grab 2"]) == (1, [2])
    assert events_after_opening(three) == []
    assert beats.give_bundle(game=three, seat=2, beat=1, moves=["grab 3"]) == (1, [])

    assert events_after_opening(three) == [
        [ev.BEAT, 1, ORDER],
        ["grabbed", 2, 3],
        ["grabbed", 0, 1],
        ["pointed", 1, 3],
        ["pointed", 1, 2],
        ["grabbed", 1, 2],
    ]
    assert len(eventlog.stored_batches(three.stream_id)) == 2
    assert not PendingBundle.objects.exists()
    assert visibility.observation(play.load_game(three), None)["beat"] == 2


def test_a_move_that_is_legal_no_more_is_not_taken_what_came_before_it_stands_and_its_seat_is_asked_again(
    three: Game,
) -> None:
    for seat in range(3):
        beats.give_bundle(game=three, seat=seat, beat=1, moves=[f"point {seat + 1}", "grab 9"])

    assert events_after_opening(three) == [
        [ev.BEAT, 1, ORDER],
        ["pointed", 2, 3],
        ["grabbed", 2, 9],
        ["pointed", 0, 1],
        [ev.NOT_TAKEN, 0, "grab 9"],
        ["pointed", 1, 2],
        [ev.NOT_TAKEN, 1, "grab 9"],
    ]
    assert beats.give_bundle(game=three, seat=0, beat=2, moves=["grab 8"]) == (2, [1, 2])


def test_what_somebody_wanted_and_did_not_get_is_told_to_nobody_else(three: Game) -> None:
    for seat in range(3):
        beats.give_bundle(game=three, seat=seat, beat=1, moves=["grab 9"])
    known = {
        viewpoint: [e.event for e in observe.known_events(three, viewpoint) if e.event[0] == ev.NOT_TAKEN]
        for viewpoint in (None, 1)
    }

    assert known == {
        None: [[ev.NOT_TAKEN, 0, None], [ev.NOT_TAKEN, 1, None]],
        1: [[ev.NOT_TAKEN, 0, None], [ev.NOT_TAKEN, 1, "grab 9"]],
    }


WISHES = [["point 4", "grab 9"], ["grab 9"], ["point 9", "point 1", "grab 8"]]


@pytest.mark.some(3)
@pytest.mark.parametrize("arrival", list(permutations(range(3))))
def test_the_log_is_the_same_to_the_byte_in_whatever_order_the_bundles_of_a_beat_arrive(
    grab: str, person: Person, arrival: tuple[int, ...]
) -> None:
    players = [person(name) for name in ("Martha", "Laura", "Otto")]
    expected, game = open_game(players), open_game(players)
    for seat in range(3):
        beats.give_bundle(game=expected, seat=seat, beat=1, moves=WISHES[seat])
    for seat in arrival:
        beats.give_bundle(game=game, seat=seat, beat=1, moves=WISHES[seat])

    assert eventlog.stored_batches(game.stream_id)[1].body == eventlog.stored_batches(expected.stream_id)[1].body


@st.composite
def bundle(draw: st.DrawFn) -> list[str]:
    pointing = draw(st.lists(st.integers(1, 9), max_size=4))
    return [*(f"point {number}" for number in pointing), f"grab {draw(st.integers(1, 9))}"]


@given(data=st.data(), seats=st.integers(2, 4), seed=st.binary(min_size=32, max_size=32))
def test_a_beat_depends_on_what_is_given_alone_not_on_its_order(data: st.DataObject, seats: int, seed: bytes) -> None:
    """The events of whole games of beats are equal byte for byte, in whatever order the bundles come (PS-17)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, "grab", kind_of(Grab()))
        terms = {"leaver": "end", "pace": "beats"}
        opened = [
            ev.OPENED,
            {"kind": "grab", "rules_version": 1, "seats": seats, "options": {"grab_ms": 0}, "terms": terms},
        ]
        fold, dealer = Fold(opened), SeedDealer(seed)
        for event in fold.rules.start(fold.state, dealer):
            fold.apply(event)
        while fold.outcome() is None:
            given = {seat: data.draw(bundle()) for seat in range(seats)}
            shuffled = data.draw(st.permutations(list(given.items())))
            events = pacing.beat_events(fold, given, dealer)
            assert encode_batch(pacing.beat_events(fold, dict(shuffled), SeedDealer(seed))) == encode_batch(events)
            if not any(event[0] == "grabbed" for event in events):
                return
            for event in events:
                fold.apply(event)


def test_a_bundle_may_be_replaced_until_the_beat_is_taken_and_nobody_sees_it(three: Game) -> None:
    unseen = [visibility.observation(play.load_game(three), viewer) for viewer in (0, 1, None)]
    beats.give_bundle(game=three, seat=0, beat=1, moves=["grab 9"])
    assert beats.give_bundle(game=three, seat=0, beat=1, moves=["grab 4"]).waiting_for == [1, 2]
    assert [visibility.observation(play.load_game(three), viewer) for viewer in (0, 1, None)] == unseen
    assert three.version == len(eventlog.read_events(three.stream_id)) == 2

    beats.give_bundle(game=three, seat=1, beat=1, moves=["grab 1"])
    beats.give_bundle(game=three, seat=2, beat=1, moves=["grab 2"])
    assert ["grabbed", 0, 4] in events_after_opening(three)


@pytest.mark.parametrize(
    ("moves", "status", "code", "index"),
    [
        ([], 400, "malformed_move", 0),
        (["point 1"] * 101, 400, "malformed_move", 0),
        (["castle"], 400, "malformed_move", 0),
        (["point 1", "castle"], 400, "malformed_move", 1),
        (["point 1"], 400, "malformed_move", 0),
        (["grab 1", "grab 2"], 400, "malformed_move", 0),
        (["point 1", "point 1", "grab 1"], 409, "illegal_move", 1),
    ],
)
def test_a_bundle_is_checked_when_it_is_given_and_the_faulty_move_is_named(
    three: Game, moves: list[str], status: int, code: str, index: int
) -> None:
    error = refusal(beats.give_bundle, game=three, seat=0, beat=1, moves=moves)

    assert (error.status, error.code, error.extra["index"]) == (status, code, index)
    assert ("legal_moves" in error.extra) == (code == "illegal_move")


def test_a_bundle_is_for_the_next_beat_of_a_game_in_beats_and_from_one_of_its_seats(
    three: Game, grab: str, person: Person
) -> None:
    turns = play.open_game(kind=grab, players=[person("Ines"), person("Hugo")])

    assert refusal(beats.give_bundle, game=three, seat=0, beat=2, moves=["grab 1"]).extra == {"beat": 1}
    assert refusal(beats.give_bundle, game=turns, seat=0, beat=1, moves=["grab 1"]).code == "wrong_pace"
    assert refusal(beats.give_bundle, game=three, seat=3, beat=1, moves=["grab 1"]).code == "not_your_seat"
    assert refusal(play.play_move, game=three, seat=0, text="grab 1", expected_version=2).code == "wrong_pace"
    play.abort_game(game=three, reason="rain")
    assert refusal(beats.give_bundle, game=three, seat=0, beat=1, moves=["grab 1"]).code == "game_over"


@pytest.mark.django_db(transaction=True)
def test_of_bundles_that_come_at_once_each_is_in_the_beat_and_it_is_taken_once(three: Game) -> None:
    def giving(seat: int) -> Callable[[], beats.BundleReceipt]:
        own = Game.objects.get(pk=three.pk)
        return lambda: beats.give_bundle(game=own, seat=seat, beat=1, moves=[f"grab {seat + 1}"])

    answers = at_once(*[giving(seat) for seat in range(3)])

    assert all(isinstance(answer, beats.BundleReceipt) for answer in answers)
    assert events_after_opening(three) == [[ev.BEAT, 1, ORDER], *(["grabbed", seat, seat + 1] for seat in ORDER)]


@pytest.mark.django_db(transaction=True)
def test_a_bundle_that_is_replaced_while_the_beat_is_taken_is_in_it_or_refused(three: Game) -> None:
    for beat in range(1, 4):
        beats.give_bundle(game=three, seat=0, beat=beat, moves=[f"point {beat}", f"grab {beat}"])
        beats.give_bundle(game=three, seat=1, beat=beat, moves=[f"grab {beat + 3}"])
        games = [Game.objects.get(pk=three.pk) for _ in range(2)]
        late, _ = at_once(
            lambda: beats.give_bundle(game=games[0], seat=0, beat=beat, moves=[f"grab {beat}"]),  # noqa: B023  called at once
            lambda: beats.give_bundle(game=games[1], seat=2, beat=beat, moves=[f"grab {beat + 6}"]),  # noqa: B023
        )
        pointed = [event for event in eventlog.read_events(three.stream_id)[-5:] if event.event[0] == "pointed"]
        if isinstance(late, DomainError):
            assert late.code in ("stale_beat", "game_over")
            assert pointed
        else:
            assert not pointed
        assert not PendingBundle.objects.exists()


def test_the_clock_forfeits_whose_bundle_is_missing_and_a_bot_plays_on(grab: str, person: Person) -> None:
    game = open_game([person(name) for name in ("Martha", "Laura", "Otto")], move_seconds=60)
    beats.give_bundle(game=game, seat=1, beat=1, moves=["grab 1"])
    beats.give_bundle(game=game, seat=2, beat=1, moves=["grab 2"])
    assert game.deadline
    with clock.frozen_at(game.deadline + NETWORK_GRACE):
        assert play.expire_clocks(game=game)

    assert events_after_opening(game) == [[ev.EXPIRED, 0], [ev.LEFT, 0, "forfeited"], [ev.TAKEN_OVER, 0, "random"]]
    assert game.awaits_worker


def test_bots_give_their_bundles_last_and_a_worker_takes_the_beat(
    grab: str, person: Person, built_in: BuiltInBot
) -> None:
    game = open_game([person("Martha"), built_in("random"), built_in("random")])
    assert not game.awaits_worker
    assert runner.play_due_games("one") == 0
    assert events_after_opening(game) == []

    assert beats.give_bundle(game=game, seat=0, beat=1, moves=["grab 5"]) == (1, [])
    runner.play_due_games("one")
    beat, *moves = events_after_opening(game)
    assert beat == [ev.BEAT, 1, ORDER]
    assert {move[1] for move in moves} == {0, 1, 2}
    game.refresh_from_db()
    assert not game.awaits_worker
    assert not PendingBundle.objects.exists()


def play_out(players: list[Player]) -> list[Event]:
    """Let a worker play a game between bots. Return its rule events and beats."""
    game = open_game(players)
    assert runner.play_due_games("one") == 1
    return [event for event in events_after_opening(game) if event[0] != ev.ATTEMPT]


def test_bots_play_whole_games_in_beats_and_the_same_again_however_they_are_cut_up(
    grab: str, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = [built_in("random") for _ in range(4)]
    whole = play_out(players)
    monkeypatch.setattr(runner, "CHUNK_SECONDS", 0.0005)

    assert play_out(players) == whole
    numbers = [event[1] for event in whole if event[0] == ev.BEAT]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 3


def test_the_api_takes_a_bundle_and_says_who_is_waited_for(three: Game, client: Client) -> None:
    client.force_login(User.objects.get(username="laura"))
    address = f"/api/v1/games/{three.public_id}/bundles/"
    answer = client.post(address, {"beat": 1, "moves": ["point 1", "grab 1"]}, content_type="application/json")
    assert (answer.status_code, answer.json()["beat"], answer.json()["waiting_for"]) == (202, 1, [0, 2])

    answer = client.post(address, {"beat": 1, "moves": ["point 1", "point 1"]}, content_type="application/json")
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["index"], error["clause"]) == (409, "illegal_move", 1, "G-1")


# -- secrets: a seat that may act without anybody knowing


def seen(game: Game) -> list[Any]:
    """Return everything that all except the owner of the secret, seat 1, may know."""
    game.refresh_from_db()
    fold = play.load_game(game)
    views = [visibility.observation(fold, viewer) for viewer in (0, 2, None)]
    known = [[entry.event for entry in observe.known_events(game, viewer)][1:] for viewer in (0, 2, None)]
    return [views, known, game.version, game.to_act, game.deadline is None]


@pytest.mark.parametrize("wanted", [[], ["grab 2"], ["pass"]])
def test_a_secret_chance_that_is_lost_or_let_go_shows_nowhere(wink: Wink, person: Person, wanted: list[str]) -> None:
    """Nobody waits for the owner of a secret chance, such as that of PA-16, and the log does not show a wish that
    failed."""
    players = [person(name) for name in ("Martha", "Laura", "Otto")]
    found: list[list[Any]] = []
    for wink.owner in (-1, 1):
        game = open_game(players, kind="wink")
        if wink.owner == 1 and wanted:
            assert beats.give_bundle(game=game, seat=1, beat=1, moves=wanted).waiting_for == [0]
        before = seen(game)
        error = refusal(beats.give_bundle, game=game, seat=2, beat=1, moves=["grab 1"]).extra
        given = beats.give_bundle(game=game, seat=0, beat=1, moves=["grab 2"])
        found.append([before, error, given, seen(game)])

    assert found[0] == found[1]
    assert found[0][2] == (1, [])


def test_a_secret_chance_that_is_taken_is_in_the_beat_in_its_turn(wink: Wink, person: Person) -> None:
    wink.owner = 2
    game = open_game([person(name) for name in ("Martha", "Laura", "Otto")], kind="wink")
    beats.give_bundle(game=game, seat=2, beat=1, moves=["grab 1"])
    beats.give_bundle(game=game, seat=0, beat=1, moves=["grab 2"])

    assert events_after_opening(game)[1:] == [
        [ev.BEAT, 1, ORDER],
        ["grabbed", 2, 1],
        [ev.NOT_TAKEN, 0, "grab 2"],
    ]


# -- a bundle and something else at one instant


def giving(game: Game, seat: int, moves: list[str]) -> Callable[[], beats.BundleReceipt]:
    own = Game.objects.get(pk=game.pk)
    return lambda: beats.give_bundle(game=own, seat=seat, beat=1, moves=moves)


@pytest.mark.django_db(transaction=True)
def test_a_beat_is_taken_whose_last_bundle_came_while_the_other_player_was_leaving(
    grab: str, person: Person, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player decided to leave before the bundle came, so a worker must still be woken."""
    game = open_game([person("Martha"), person("Laura"), built_in("random")], leaver="random")
    given = before_storing(monkeypatch, giving(game, 0, ["grab 9"]))
    play.leave_game(game=game, seat=1, how="resigned")

    assert given == [(1, [1])]
    assert runner.play_due_games("one") == 0
    assert ["grabbed", 0, 9] in events_after_opening(game) or [ev.NOT_TAKEN, 0, "grab 9"] in events_after_opening(game)


def before_storing(monkeypatch: pytest.MonkeyPatch, call: Callable[[], object]) -> list[object]:
    """Call `call` directly before the next step is stored. The returned list gets its result."""
    store, answers = unit_of_work.commit, list[object]()

    def called_and_stored(units: list[unit_of_work.GameUnit], at: datetime) -> None:
        monkeypatch.setattr(unit_of_work, "commit", store)
        answers.extend(at_once(call))
        store(units, at)

    monkeypatch.setattr(unit_of_work, "commit", called_and_stored)
    return answers


@pytest.mark.django_db(transaction=True)
def test_a_beat_is_taken_whose_last_bundle_came_while_the_clock_gave_one_for_somebody_else(
    grab: str, monkeypatch: pytest.MonkeyPatch, person: Person
) -> None:
    """No worker plays at a table without bots. To each of the last two bundles the beat seemed incomplete."""
    game = open_game([person(name) for name in ("Ines", "Ada", "Emma")], move_seconds=60, expiry="random")
    beats.give_bundle(game=game, seat=1, beat=1, moves=["grab 1"])
    assert game.deadline
    deadline = game.deadline
    given: list[object] = []
    expiry = play._expiry

    def decided(unit: unit_of_work.GameUnit) -> list[Event]:
        """Let the clock of seat 0 run out, and give the bundle of seat 2 before that is stored."""
        monkeypatch.setattr(clocks, "expired_seats", lambda *_known: [0])
        events = expiry(unit)
        with clock.frozen_at(deadline - NETWORK_GRACE):
            given.append(giving(game, 2, ["grab 2"])())
        return events

    monkeypatch.setattr(play, "_expiry", decided)
    with clock.frozen_at(deadline + NETWORK_GRACE):
        assert play.expire_clocks(game=game)

    assert given == [(1, [0])]
    assert [ev.BEAT, 1, ORDER] in events_after_opening(game)


@pytest.mark.django_db(transaction=True)
def test_of_two_last_bundles_with_keys_of_which_neither_is_committed_yet_the_second_takes_the_beat(
    grab: str, person: Person
) -> None:
    """A request with a key is one transaction, which does not see the other's bundle."""
    game = open_game([person("Martha"), person("Laura")])
    last = giving(game, 1, ["grab 2"])
    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            assert beats.give_bundle(game=game, seat=0, beat=1, moves=["grab 1"]) == (1, [1])
            answer = thread.submit(at_once, last)
            wait_for_waiter()
        assert answer.result() == [(1, [])]

    assert events_after_opening(game)[0][:2] == [ev.BEAT, 1]


@pytest.mark.django_db(transaction=True)
def test_a_worker_is_called_for_the_beat_though_the_game_moved_on_while_the_last_bundle_was_given(
    grab: str, person: Person, built_in: BuiltInBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An event of the table may change the game's version between the bundle and the call of a worker."""
    game = open_game([person("Martha"), person("Laura"), built_in("random")], leaver="random")
    beats.give_bundle(game=game, seat=1, beat=1, moves=["grab 1"])
    due, moved_on = play.programs_due, list[bool]()

    def due_and_then_somebody_leaves(unit: unit_of_work.GameUnit) -> bool:
        if not moved_on:
            moved_on.append(True)
            before = PendingBundle.objects.filter(seat=0)
            kept = list(before)
            before.delete()  # the leaving player's transaction began before the bundle and does not see it
            play.leave_game(game=Game.objects.get(pk=game.pk), seat=1, how="resigned")
            for bundle in kept:
                bundle.save(force_insert=True)
        return due(unit)

    monkeypatch.setattr(play, "programs_due", due_and_then_somebody_leaves)
    assert giving(game, 0, ["grab 9"])() == (1, [])

    runner.play_due_games("one")
    assert [ev.BEAT, 1, ORDER] in events_after_opening(game)


def test_a_bundle_sent_with_a_key_is_announced_after_its_commit(
    three: Game, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer is made before the commit. So a turn that others read in between is newer, but lacks the bundle: the
    announcement lets the player's stream bring another one."""
    announced: list[str] = []
    monkeypatch.setattr(eventlog, "_notify", announced.extend)
    client = Client()
    client.force_login(User.objects.get(username="martha"))
    body = {"beat": 1, "moves": ["grab 1"], "idempotency_key": "k1"}
    with django_capture_on_commit_callbacks(execute=True):
        answer = client.post(f"/api/v1/games/{three.public_id}/bundles/", body, "application/json")
        assert (answer.status_code, announced) == (202, [])
    assert announced == [f"{three.pk}:state"]
