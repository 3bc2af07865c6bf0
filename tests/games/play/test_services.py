"""The services of play: opening games, moves, leaving and clocks, and the errors for bad input."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction

from games.clocks.reckoning import NETWORK_GRACE
from games.common import clock
from games.common.errors import DomainError
from games.common.models import Incident
from games.eventlog import store as eventlog
from games.eventlog.models import Batch, Stream
from games.models import Deal, Game, Player, Seat
from games.play import services as play
from games.play import unit_of_work
from games.play.signals import game_over
from replays.export.verification import check_game
from scorebook_games.chance import SeedDealer
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog import visibility
from scorebook_games.registry import KINDS
from tests.games.conftest import BuiltInBot, Person, at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(person: Person, deal: Deal) -> Game:
    """Return a game of Chinese Ten between Martha in seat 0 and Laura in seat 1. The deal is always the same."""
    return play.open_game(kind="chinese_ten", players=[person("Martha"), person("Laura")], deal=deal)


def three(person: Person, **terms: Any) -> Game:
    """Return a game of Chinese Ten between Martha, Laura and Otto. The deal is always the same."""
    players = [person(name) for name in ("Martha", "Laura", "Otto")]
    return play.open_game(kind="chinese_ten", players=players, terms=terms, deal=Deal.objects.create(seed=bytes(32)))


def events_of(game: Game) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)]


def first_legal(game: Game, seat: int) -> str:
    return visibility.legal_moves(play.load_game(game), seat)[0]


def play_next(game: Game) -> int:
    """Play the first legal move of the player whose turn it is, and return the seat."""
    fold = play.load_game(game)
    seat = fold.to_act()[0]
    play.play_move(game=game, seat=seat, text=visibility.legal_moves(fold, seat)[0], expected_version=fold.version)
    return seat


def refusal(call: Callable[..., object], **arguments: Any) -> DomainError:
    """Return the error of a call, after a check that it stored nothing."""
    before = [model.objects.count() for model in (Stream, Batch, Deal, Game, Seat)]
    with pytest.raises(DomainError) as caught:
        call(**arguments)
    assert [model.objects.count() for model in (Stream, Batch, Deal, Game, Seat)] == before
    assert caught.value.sentence.endswith(".")
    return caught.value


def test_a_game_opens_with_its_terms_a_commitment_and_the_deal(two: Game) -> None:
    opened, dealt, *_ = events_of(two)

    assert opened[0] == ev.OPENED
    assert opened[1]["options"] == two.options == {"packs": 2, "turn_limit": 400}
    assert opened[1]["terms"] == two.terms
    assert opened[1]["rules_hash"] == KINDS[two.kind].rules_hash
    assert opened[1]["commitment"] == hashlib.sha256(bytes(two.salt) + bytes(two.deal.seed)).hexdigest()
    assert dealt[0] == "dealt"
    assert two.version == len(events_of(two))
    assert two.to_act == [0]
    assert not two.played_by_workers
    assert [seat.player.name for seat in two.seats.all()] == ["Martha", "Laura"]


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"kind": "canasta"}, "kind"),
        ({"options": {"jokers": 2}}, "jokers"),
        ({"options": {"packs": 3}}, "packs"),
        ({"terms": {"leaver": "nobody"}}, "leaver"),
        ({"terms": {"speed": 3}}, "speed"),
        ({"terms": {"move_seconds": 0}}, "move_seconds"),
        ({"terms": {"pace": "haste"}}, "pace"),
    ],
)
def test_an_unknown_or_impossible_option_is_named_and_nothing_is_written(
    person: Person, change: dict[str, Any], option: str
) -> None:
    players = [person("Martha"), person("Laura")]
    error = refusal(play.open_game, **{"kind": "chinese_ten", "players": players, **change})

    assert (error.status, error.code, error.extra["option"]) == (400, "bad_option", option)


def test_a_game_needs_as_many_players_as_its_rules_say(person: Person) -> None:
    error = refusal(play.open_game, kind="plates", players=[person("Martha")])

    assert (error.code, error.extra["option"]) == ("bad_option", "seats")


def test_nobody_sits_in_two_seats_of_a_game(person: Person) -> None:
    martha = person("Martha")

    assert refusal(play.open_game, kind="chinese_ten", players=[martha, martha]).code == "bad_option"


def test_of_several_games_all_are_opened_or_none(person: Person) -> None:
    players = [person("Martha"), person("Laura")]
    openings = [play.Opening("chinese_ten", players), play.Opening("plates", players[:1])]

    assert refusal(play.open_many, openings=openings).code == "bad_option"


def test_a_move_appends_its_events_and_brings_the_rows_up_to_date(two: Game) -> None:
    before = two.version
    text = first_legal(two, 0)
    moved = play.play_move(game=two, seat=0, text=text, expected_version=before)

    stored = Game.objects.get(pk=two.pk)
    assert moved.version == stored.version == two.version == len(events_of(two)) > before
    assert stored.to_act == play.load_game(two).to_act()
    assert [entry.version for entry in moved.events] == list(range(before + 1, moved.version + 1))
    assert moved.events[0].event == events_of(two)[before]


def test_the_times_of_events_count_from_the_opening(two: Game) -> None:
    with clock.frozen_at(two.opened_at + timedelta(seconds=90)):
        moved = play.play_move(game=two, seat=0, text=first_legal(two, 0), expected_version=two.version)

    assert {entry.ms for entry in moved.events} == {90_000}


def test_a_text_that_is_no_move_is_malformed_and_the_notation_is_told(two: Game) -> None:
    error = refusal(play.play_move, game=two, seat=0, text="castle", expected_version=two.version)

    assert (error.status, error.code) == (400, "malformed_move")
    assert "capture" in error.sentence


def test_an_illegal_move_is_told_its_clause_and_the_legal_moves_of_its_own_seat(two: Game) -> None:
    legal = visibility.legal_moves(play.load_game(two), 0)
    error = refusal(play.play_move, game=two, seat=0, text="flip 1", expected_version=two.version)

    assert (error.status, error.code) == (409, "illegal_move")
    assert error.extra["clause"].startswith("CT-")
    assert error.extra["legal_moves"] == legal


def test_who_is_not_to_act_is_told_so_and_no_legal_moves(two: Game) -> None:
    error = refusal(play.play_move, game=two, seat=1, text="lay K", expected_version=two.version)

    assert error.code == "illegal_move"
    assert error.extra["legal_moves"] == []


@pytest.mark.parametrize("off", [-1, 1])
def test_a_move_for_another_version_is_stale_and_told_the_version(two: Game, off: int) -> None:
    text = first_legal(two, 0)
    error = refusal(play.play_move, game=two, seat=0, text=text, expected_version=two.version + off)

    assert (error.status, error.code, error.extra["version"]) == (409, "stale_version", two.version)


@pytest.mark.parametrize("seat", [-1, 2])
def test_a_seat_that_is_not_there_is_not_yours(two: Game, seat: int) -> None:
    error = refusal(play.play_move, game=two, seat=seat, text="lay K", expected_version=two.version)

    assert (error.status, error.code) == (403, "not_your_seat")


def test_a_game_that_is_not_there_is_not_found() -> None:
    error = refusal(play.find_game, public_id="NOSUCH00")

    assert (error.status, error.code) == (404, "game_not_found")


def test_a_finished_game_has_its_result_in_the_rows_and_takes_no_more_moves(two: Game) -> None:
    while two.status == Game.Status.PLAYING:
        play_next(two)

    outcome = play.load_game(two).outcome()
    stored = Game.objects.get(pk=two.pk)
    assert outcome is not None
    assert stored.outcome == visibility.outcome_data(outcome)
    assert stored.finished_at == stored.moved_at
    assert (stored.to_act, stored.awaits_worker, stored.deadline) == ([], False, None)
    assert tuple(two.seats.values_list("score", flat=True)) == outcome.scores
    assert tuple(two.seats.values_list("placing", flat=True)) == outcome.placings
    assert refusal(play.play_move, game=two, seat=0, text="lay K", expected_version=two.version).code == "game_over"
    assert refusal(play.leave_game, game=two, seat=0, how="resigned").code == "game_over"
    assert refusal(play.abort_game, game=two, reason="late").code == "game_over"


def test_where_several_may_act_a_move_of_an_older_version_counts_while_it_is_legal(grab: str, person: Person) -> None:
    game = play.open_game(kind=grab, players=[person("Martha"), person("Laura")])
    seen = game.version
    play.play_move(game=game, seat=0, text="grab 9", expected_version=seen)

    assert play.play_move(game=game, seat=1, text="grab 8", expected_version=seen).version == seen + 2
    error = refusal(play.play_move, game=game, seat=1, text="grab 9", expected_version=seen)
    assert (error.code, error.extra["version"]) == ("stale_version", seen + 2)
    assert refusal(play.play_move, game=game, seat=1, text="grab 9", expected_version=seen + 2).code == "illegal_move"


@pytest.mark.django_db(transaction=True)
def test_of_moves_that_race_each_is_played_once_and_none_is_lost(grab: str, person: Person) -> None:
    game = play.open_game(kind=grab, players=[person("Martha"), person("Laura"), person("Otto")])
    seen = game.version

    def grabbing(seat: int, number: int) -> Callable[[], play.MoveResult]:
        own = Game.objects.get(pk=game.pk)
        return lambda: play.play_move(game=own, seat=seat, text=f"grab {number}", expected_version=seen)

    wanted = [(0, 1), (1, 1), (2, 1), (0, 2), (1, 3), (2, 4), (0, 5), (1, 5)]
    answers = at_once(*[grabbing(*wish) for wish in wanted])

    stale = [answer.code for answer in answers if isinstance(answer, DomainError)]
    assert stale == ["stale_version"] * 3
    grabbed = [event[2] for event in events_of(game) if event[0] == "grabbed"]
    assert sorted(grabbed) == [1, 2, 3, 4, 5]
    assert Game.objects.get(pk=game.pk).version == seen + 5


@pytest.mark.django_db(transaction=True)
def test_of_two_different_moves_for_one_version_one_is_played(two: Game) -> None:
    seen = two.version
    texts = visibility.legal_moves(play.load_game(two), 0)[:2]
    assert len(texts) == 2

    def moving(text: str) -> Callable[[], play.MoveResult]:
        own = Game.objects.get(pk=two.pk)
        return lambda: play.play_move(game=own, seat=0, text=text, expected_version=seen)

    answers = at_once(*[moving(text) for text in texts])

    errors = [answer for answer in answers if isinstance(answer, DomainError)]
    assert [error.code for error in errors] in (["stale_version"], ["illegal_move"])
    assert len(eventlog.stored_batches(two.stream_id)) == 2


def test_with_two_seats_leaving_ends_the_game_and_the_other_is_first(two: Game) -> None:
    """The rule is in docs/reference/common-rules.md, Leaving."""
    play.leave_game(game=two, seat=0, how="resigned")

    assert two.status == Game.Status.FINISHED
    assert two.outcome == {"termination": "resigned", "scores": [0, 0], "placings": [2, 1]}
    assert list(two.seats.values_list("left", flat=True)) == ["resigned", ""]
    assert [event[0] for event in events_of(two)[-2:]] == [ev.LEFT, ev.ENDED]


@pytest.mark.parametrize(("leaver", "program"), [("built_in_bot", "sensible"), ("random", "random")])
def test_with_more_seats_a_program_plays_on_for_a_leaver(person: Person, leaver: str, program: str) -> None:
    """The rule is in docs/reference/common-rules.md, Leaving."""
    game = three(person, leaver=leaver)
    play.leave_game(game=game, seat=0, how="resigned")

    assert game.status == Game.Status.PLAYING
    assert events_of(game)[-1] == [ev.TAKEN_OVER, 0, program]
    assert game.awaits_worker
    assert not game.played_by_workers
    error = refusal(play.play_move, game=game, seat=0, text="lay K", expected_version=game.version)
    assert error.code == "not_your_seat"


def test_the_terms_may_end_a_game_of_three_with_its_first_leaver(person: Person) -> None:
    """The other players are placed by their present scores (docs/reference/common-rules.md, Leaving)."""
    game = three(person, leaver="end")
    play_next(game)
    play.leave_game(game=game, seat=1, how="forfeited")

    assert game.outcome is not None
    assert (game.outcome["termination"], game.outcome["placings"][1]) == ("forfeited", 3)
    assert events_of(game)[-1][0] == ev.ENDED


def test_two_leavers_are_placed_in_reverse_order_of_leaving_and_bots_play_on_when_all_people_are_gone(
    person: Person, built_in: BuiltInBot
) -> None:
    """The rule is in docs/reference/common-rules.md, Leaving."""
    game = play.open_game(kind="chinese_ten", players=[person("Martha"), built_in("random"), person("Laura")])
    for seat, by_workers in ((2, False), (0, True)):
        play.leave_game(game=game, seat=seat, how="resigned")
        assert game.played_by_workers == by_workers

    while game.status == Game.Status.PLAYING:
        play_on_as_program(game)
    assert list(game.seats.values_list("placing", flat=True)) == [2, 1, 3]


def play_on_as_program(game: Game) -> None:
    """Play the first legal move in a seat for which a program plays."""
    unit = play.begin_unit(game)
    seat = unit.fold.to_act()[0]
    assert seat in unit.programs
    action = unit.fold.rules.legal_actions(unit.fold.state, seat)[0]
    unit.take(unit.fold.rules.decide(unit.fold.state, seat, action, SeedDealer(bytes(game.deal.seed))), clock.now())
    unit_of_work.commit([unit], clock.now())


def test_when_everybody_has_left_the_game_is_over(person: Person) -> None:
    game = three(person)
    for seat in (1, 0, 2):
        play.leave_game(game=game, seat=seat, how="resigned")

    assert game.outcome == {"termination": "resigned", "scores": [0, 0, 0], "placings": [2, 3, 1]}


def test_nobody_leaves_twice(person: Person) -> None:
    game = three(person)
    play.leave_game(game=game, seat=1, how="resigned")

    assert refusal(play.leave_game, game=game, seat=1, how="resigned").code == "not_your_seat"


def test_a_clock_runs_for_who_is_to_act_and_starts_anew_with_each_move(person: Person) -> None:
    game = three(person, move_seconds=60)
    assert game.deadline == game.opened_at + timedelta(seconds=60)
    later = game.opened_at + timedelta(seconds=40)
    with clock.frozen_at(later):
        play_next(game)
    assert game.deadline == later + timedelta(seconds=60)


def test_what_somebody_else_does_at_the_table_restarts_no_clock(person: Person) -> None:
    game = three(person, move_seconds=60)
    with clock.frozen_at(game.opened_at + timedelta(seconds=40)):
        play.leave_game(game=game, seat=2, how="resigned")

    assert game.deadline == game.opened_at + timedelta(seconds=60)


def test_programs_have_no_clock(person: Person, built_in: BuiltInBot) -> None:
    players = [built_in("random"), person("Martha")]
    game = play.open_game(kind="chinese_ten", players=players, terms={"move_seconds": 60})

    assert game.awaits_worker
    assert game.deadline is None


def test_a_game_of_two_that_ends_by_a_clock_says_so(person: Person) -> None:
    players = [person("Martha"), person("Laura")]
    two = play.open_game(kind="chinese_ten", players=players, terms={"move_seconds": 60})
    with clock.frozen_at(two.opened_at + timedelta(seconds=60) + NETWORK_GRACE):
        assert play.expire_due_games() == 1
    two.refresh_from_db()
    assert two.outcome
    assert (two.outcome["termination"], two.outcome["placings"]) == ("out_of_time", [2, 1])
    assert check_game(two.pk) == []


def test_a_clock_that_ran_out_forfeits_the_seat_and_one_that_did_not_costs_nothing(person: Person) -> None:
    game = three(person, move_seconds=60)
    with clock.frozen_at(game.opened_at + timedelta(seconds=59)):
        assert play.expire_due_games() == 0
        assert not play.expire_clocks(game=game)
    with clock.frozen_at(game.opened_at + timedelta(seconds=60) + NETWORK_GRACE):
        assert play.expire_due_games() == 1

    game.refresh_from_db()
    assert events_of(game)[-3:] == [[ev.EXPIRED, 0], [ev.LEFT, 0, "forfeited"], [ev.TAKEN_OVER, 0, "sensible"]]
    assert game.seats.get(seat=0).left == "forfeited"
    assert game.deadline is None
    with clock.frozen_at(game.opened_at + timedelta(days=1)):
        assert play.expire_due_games() == 0


def test_an_expired_clock_ends_a_game_of_two(person: Person) -> None:
    players = [person("Martha"), person("Laura")]
    game = play.open_game(kind="plates", players=players, terms={"move_seconds": 5})
    loser = game.to_act[0]
    with clock.frozen_at(game.opened_at + timedelta(hours=1)):
        assert play.expire_clocks(game=game)
        assert not play.expire_clocks(game=game)

    assert game.status == Game.Status.FINISHED
    assert game.seats.get(seat=loser).placing == 2
    assert game.seats.get(seat=1 - loser).placing == 1


def test_all_whose_clock_ran_out_at_once_forfeit_together_as_long_as_the_game_lasts(grab: str, person: Person) -> None:
    players = [person("Martha"), person("Laura"), person("Otto")]
    game = play.open_game(kind=grab, players=players, terms={"move_seconds": 5})
    with clock.frozen_at(game.opened_at + timedelta(seconds=5) + NETWORK_GRACE):
        play.expire_clocks(game=game)

    assert game.status == Game.Status.FINISHED
    assert [event[1] for event in events_of(game) if event[0] == ev.EXPIRED] == [0, 1, 2]
    assert len(eventlog.stored_batches(game.stream_id)) == 2


def test_an_aborted_game_has_no_placings_and_tells_admins_why(two: Game) -> None:
    """The rule is in docs/reference/common-rules.md, Leaving."""
    play.abort_game(game=two, reason="The club platform lost its power.")

    assert two.status == Game.Status.ABORTED
    assert two.outcome == {"termination": "aborted", "scores": [], "placings": []}
    assert set(two.seats.values_list("placing", flat=True)) == {None}
    assert Incident.objects.get().sentence == f"Game {two.public_id} was aborted: The club platform lost its power."
    assert "power" not in str(events_of(two))


def test_a_deal_is_revealed_with_the_last_of_its_games(person: Person, deal: Deal) -> None:
    players = [person("Martha"), person("Laura")]
    first, second = play.open_many([play.Opening("chinese_ten", players, deal=deal) for _ in range(2)])
    assert events_of(first)[1:] == events_of(second)[1:]
    assert events_of(first)[0][1]["commitment"] != events_of(second)[0][1]["commitment"]

    play.leave_game(game=first, seat=0, how="resigned")
    deal.refresh_from_db()
    assert deal.revealed_at is None
    play.abort_game(game=second, reason="late")
    deal.refresh_from_db()
    assert deal.revealed_at == second.finished_at
    error = refusal(play.open_game, kind="chinese_ten", players=players, deal=deal)
    assert (error.code, error.extra["option"]) == ("bad_option", "deal")


@pytest.mark.django_db(transaction=True)
def test_of_two_last_games_that_end_at_once_one_reveals_the_deal(person: Person, deal: Deal) -> None:
    players = [person("Martha"), person("Laura")]
    games = play.open_many([play.Opening("chinese_ten", players, deal=deal) for _ in range(6)])

    def leaving(game: Game) -> Callable[[], None]:
        return lambda: play.leave_game(game=game, seat=0, how="resigned")

    assert at_once(*[leaving(game) for game in games]) == [None] * 6
    deal.refresh_from_db()
    assert deal.revealed_at


@pytest.mark.django_db(transaction=True)
def test_the_end_of_a_game_is_told_after_the_commit(two: Game) -> None:
    found: list[tuple[list[int], bool]] = []

    def hear(game_ids: list[int], **_signal: Any) -> None:
        found.append((game_ids, connection.in_atomic_block))

    game_over.connect(hear)
    try:
        with transaction.atomic():
            play.leave_game(game=two, seat=0, how="resigned")
            assert found == []
    finally:
        game_over.disconnect(hear)
    assert found == [([two.pk], False)]


def test_workers_are_woken_once_for_many_games(built_in: BuiltInBot, django_capture_on_commit_callbacks: Any) -> None:
    players = [built_in("random"), built_in("random")]
    with django_capture_on_commit_callbacks() as callbacks:
        play.open_many([play.Opening("chinese_ten", players)] * 5)
        play.open_game(kind="plates", players=players)

    assert [getattr(callback, "__name__", "") for callback in callbacks].count("send_play") == 1


def test_workers_are_woken_when_a_program_is_to_act_after_a_person(
    person: Person, built_in: BuiltInBot, django_capture_on_commit_callbacks: Any
) -> None:
    game = play.open_game(kind="chinese_ten", players=[person("Martha"), built_in("random")])
    with django_capture_on_commit_callbacks() as callbacks:
        while not game.awaits_worker:
            assert game.to_act == [0]
            play_next(game)

    assert "send_play" in [getattr(callback, "__name__", "") for callback in callbacks]


def test_a_person_finds_their_seat_and_a_stranger_none(two: Game, person: Person) -> None:
    martha = Player.objects.get(name="Martha")
    assert martha.user
    assert play.seat_of(two, martha.user) == 0
    stranger = person("Ines").user
    assert stranger
    assert refusal(play.seat_of, game=two, user=stranger).code == "not_your_seat"
