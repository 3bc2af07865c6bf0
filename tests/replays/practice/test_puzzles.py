"""Puzzles are chosen by workers from games of people who consent, can be answered once, and are the same for all."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.accounts import dataset_consent
from games.admin_actions.registry import perform
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.workers import runner
from replays import claims
from replays.practice import choosing, puzzles, tasks
from replays.practice.models import Puzzle, PuzzleAnswer
from replays.practice.views import picture_of
from replays.review import reviews
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.practice import NO_WORLD, MoveValue
from scorebook_games.registry import KINDS
from scorebook_games.review import NoReview, Reviewer
from scorebook_games.review.sight import sight_of
from tests.factories.builtin_bots import ensure_builtin_bots
from tournaments.clubs.models import Club

pytestmark = pytest.mark.django_db


@pytest.fixture
def martha() -> Player:
    return Player.objects.create(name="Martha", user=User.objects.create_user("martha"))


@pytest.fixture
def laura() -> Player:
    return Player.objects.create(name="Laura", user=User.objects.create_user("laura"))


def game_of(players: list[Player], letter: bytes = b"1") -> Game:
    """Return a game of Palace that ends after a few moves."""
    game = play.open_game(kind="palace", players=players, deal=Deal.objects.create(seed=letter * 32))
    for _ in range(8):
        fold = play.load_game(game)
        seat = fold.to_act()[0]
        move = visibility.legal_moves(fold, seat)[0]
        play.play_move(game=game, seat=seat, text=move, expected_version=fold.version)
        game.refresh_from_db()
    play.leave_game(game=game, seat=1, how="resigned")
    return Game.objects.get(pk=game.pk)


@pytest.fixture
def puzzle(martha: Player, laura: Player) -> Puzzle:
    """Return today's puzzle, from a game of two people who consent."""
    for player in (martha, laura):
        assert player.user
        dataset_consent.set_consent(user=player.user, given=True)
    game = game_of([martha, laura])
    at = next(at for at in Reviewer(events_of(game), 0).decisions if len(at.legal) > 2)
    moves = [
        {"move": move, "chance": 0.6, "error": 0.01, "cost": 0.1 * place, "cost_error": 0.02, "worlds": 100}
        for place, move in enumerate(at.legal)
    ]
    return Puzzle.objects.create(
        kind="palace",
        date=puzzles.today(),
        game=game,
        seat=0,
        event=at.event,
        moves=moves,
        agreed=100,
        state=Puzzle.State.DONE,
        due_at=clock.now(),
    )


def events_of(game: Game) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(game.stream_id)]


def browser_of(player: Player) -> Client:
    browser = Client()
    browser.force_login(player.user)  # type: ignore[arg-type]
    return browser


def address_of(puzzle: Puzzle) -> str:
    return f"/puzzles/{puzzle.kind}/{puzzle.date}/"


# -- choosing


def test_each_kind_gets_one_row_for_today_and_one_for_tomorrow() -> None:
    assert choosing.add_days() == 2 * len(KINDS)
    assert choosing.add_days() == 0


def test_a_day_on_which_nothing_qualifies_has_no_puzzle_and_the_page_says_so() -> None:
    Puzzle.objects.create(kind="palace", date=puzzles.today(), due_at=clock.now())
    assert choosing.choose_due(time.monotonic() + 60)
    assert Puzzle.objects.get().state == Puzzle.State.NONE
    assert not choosing.choose_due(time.monotonic() + 60)
    page = Client().get("/puzzles/").content.decode()
    assert page.count("No puzzle today.") == len(KINDS)
    assert "looks again every hour" in page
    Puzzle.objects.update(state=Puzzle.State.COMPUTING)
    assert Client().get("/puzzles/").content.decode().count("puzzle is being chosen.") == 1


def test_a_day_without_a_puzzle_is_tried_again_until_it_is_over() -> None:
    for days in (-1, 0):
        day = puzzles.today() + timedelta(days=days)
        Puzzle.objects.create(kind="palace", date=day, state=Puzzle.State.NONE, due_at=clock.now())
    choosing.add_days()
    assert Puzzle.objects.get(date=puzzles.today(), kind="palace").state == Puzzle.State.WAITING
    assert Puzzle.objects.filter(date__lt=puzzles.today(), state=Puzzle.State.NONE).exists()


def test_only_games_whose_people_all_consent_are_used_and_games_of_bots(martha: Player, laura: Player) -> None:
    assert martha.user
    assert laura.user
    game = game_of([martha, laura])
    bots = [ensure_builtin_bots()["random"]] * 2
    of_bots = play.open_game(kind="palace", players=bots, deal=Deal.objects.create(seed=b"7" * 32))
    runner.play_due_games("test")

    def used() -> set[int]:
        return set(choosing.unused_games("palace").values_list("pk", flat=True))

    assert used() == {of_bots.pk}
    dataset_consent.set_consent(user=martha.user, given=True)
    assert used() == {of_bots.pk}
    dataset_consent.set_consent(user=laura.user, given=True)
    assert used() == {of_bots.pk, game.pk}
    dataset_consent.set_consent(user=martha.user, given=False)
    assert used() == {of_bots.pk}
    Player.objects.filter(pk__in=[martha.pk, laura.pk]).update(user=None)
    assert used() == {of_bots.pk}, "Who has deleted the account does not consent."


@pytest.fixture
def clear_position(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace measurements by a table in which the first legal move is the best. Return the list of the requested
    seeds; if a test adds `no <seed>`, the last legal move is the best for that seed."""
    asked: list[str] = []

    def values(_setting: Any, at: Any, seed: str, _positions: int, *, best: str = "") -> list[Any]:
        asked.append(seed)
        moves = list(at.legal)
        if f"no {seed}" in asked:
            moves.reverse()
        return [MoveValue(move, 0.6, 0.01, 0.1 * place, 0.02 if place else 0.0, 50) for place, move in enumerate(moves)]

    monkeypatch.setattr(choosing, "_values", values)
    monkeypatch.setattr(choosing, "DECISIONS", 1)
    return asked


@pytest.fixture
def game_of_bots() -> Game:
    bots = [ensure_builtin_bots()["sensible"]] * 2
    game = play.open_game(kind="palace", players=bots, deal=Deal.objects.create(seed=b"5" * 32))
    runner.play_due_games("test")
    return Game.objects.get(pk=game.pk)


def waiting() -> Puzzle:
    return Puzzle.objects.create(kind="palace", date=puzzles.today(), due_at=clock.now())


def test_a_position_that_five_of_a_hundred_seeds_see_otherwise_is_chosen(
    clear_position: list[str], game_of_bots: Game
) -> None:
    clear_position += [f"no seed {number}" for number in range(5)]
    row = waiting()
    assert choosing.choose_due(time.monotonic() + 60)
    row.refresh_from_db()
    assert (row.state, row.game, row.agreed, row.work) == (Puzzle.State.DONE, game_of_bots, 95, None)
    assert len([seed for seed in clear_position if seed.startswith("seed ")]) == 100


def test_a_sixth_seed_that_disagrees_ends_the_check_early(clear_position: list[str], game_of_bots: Game) -> None:
    assert game_of_bots
    clear_position += [f"no seed {number}" for number in range(6)]
    row = waiting()
    assert choosing.choose_due(time.monotonic() + 60)
    row.refresh_from_db()
    assert (row.state, row.game) == (Puzzle.State.NONE, None)
    assert clear_position[-1] == "seed 5"


def test_a_search_that_a_worker_leaves_finds_the_same_when_others_go_on(
    clear_position: list[str], game_of_bots: Game
) -> None:
    assert game_of_bots
    row = waiting()
    assert choosing.choose_due(time.monotonic() + 60)
    whole = Puzzle.objects.values("game", "seat", "event", "moves").get()
    row.delete()
    row, calls, seeds = waiting(), 0, len(clear_position)
    while Puzzle.objects.get().state == Puzzle.State.WAITING:
        assert choosing.choose_due(time.monotonic())  # its time is up after the first step
        calls += 1
    assert calls > 10
    assert Puzzle.objects.values("game", "seat", "event", "moves").get() == whole
    assert clear_position[seeds:] == clear_position[:seeds], "Nothing is measured twice."


def test_positions_with_fewer_than_three_moves_are_not_looked_at(
    clear_position: list[str], game_of_bots: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert game_of_bots
    moves: list[int] = []
    table = choosing._values

    def values(setting: Any, at: Any, seed: str, positions: int, *, best: str = "") -> list[Any]:
        moves.append(len(at.legal))
        return table(setting, at, seed, positions, best=best)

    monkeypatch.setattr(choosing, "_values", values)
    monkeypatch.setattr(choosing, "DECISIONS", 100)
    waiting()
    assert choosing.choose_due(time.monotonic() + 60)
    assert clear_position
    assert min(moves) == 3
    decisions = [at for seat in (0, 1) for at in Reviewer(events_of(game_of_bots), seat).decisions]
    assert [at for at in decisions if len(at.legal) == 2], "The game has such positions."


@pytest.mark.parametrize("stage", ["look", "chosen"])
def test_a_game_at_which_the_rules_fail_is_left_out_and_the_search_goes_on(
    stage: str, clear_position: list[str], game_of_bots: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = play.open_game(
        kind="palace", players=[ensure_builtin_bots()["sensible"]] * 2, deal=Deal.objects.create(seed=b"6" * 32)
    )
    runner.play_due_games("test")
    row, table = waiting(), choosing._values
    game_seen_in = {
        sight_of(events_of(game), seat).hash(): game.pk for game in (game_of_bots, another) for seat in (0, 1)
    }
    asked: list[int] = []

    def values(setting: Any, at: Any, seed: str, positions: int, *, best: str = "") -> list[Any]:
        if seed == stage:
            asked.append(game_seen_in[setting.sight.hash()])
            if asked[-1] == asked[0]:
                raise ZeroDivisionError
        return table(setting, at, seed, positions, best=best)

    monkeypatch.setattr(choosing, "_values", values)
    due_at = row.due_at
    assert choosing.choose_due(time.monotonic() + 60)
    row.refresh_from_db()
    assert (row.state, row.attempts) == (Puzzle.State.WAITING, 1)
    Puzzle.objects.update(due_at=due_at)
    assert choosing.choose_due(time.monotonic() + 60)
    row.refresh_from_db()
    assert row.state == Puzzle.State.DONE
    assert {asked[0], row.game_id} == {game_of_bots.pk, another.pk}


def test_if_no_kept_position_qualifies_the_search_looks_at_another_game(
    clear_position: list[str], game_of_bots: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = [ensure_builtin_bots()["sensible"]] * 2
    play.open_game(kind="palace", players=bots, deal=Deal.objects.create(seed=b"6" * 32))
    runner.play_due_games("test")
    monkeypatch.setattr(choosing, "ENOUGH_HARD", 1)
    monkeypatch.setattr(choosing, "usual_move", lambda _setting, _at: "")
    row, table = waiting(), choosing._values
    checked: list[str] = []

    def values(setting: Any, at: Any, seed: str, positions: int, *, best: str = "") -> list[Any]:
        found = table(setting, at, seed, positions, best=best)
        if seed == "chosen":
            checked.append(setting.sight.hash())
            if len(checked) == 1:
                return [replace(value, cost=0.0) for value in found]
        return found

    monkeypatch.setattr(choosing, "_values", values)
    assert choosing.choose_due(math.inf)
    row.refresh_from_db()
    assert row.state == Puzzle.State.DONE
    assert len(set(checked)) == 2
    assert clear_position.count("look") == 2


def test_two_workers_choose_one_puzzle(clear_position: list[str], game_of_bots: Game) -> None:
    assert game_of_bots
    row = waiting()
    first = claims.claim(claims.due(Puzzle).order_by("pk"), 1, choosing.LEASE)
    assert not choosing.choose_due(time.monotonic() + 60), "Another worker has it."
    assert clear_position == []
    Puzzle.objects.update(state=Puzzle.State.WAITING, due_at=row.due_at)  # as after the end of the lease
    assert choosing.choose_due(time.monotonic() + 60)
    assert claims.held(first[0]).update(moves=[]) == 0, "Who lost the claim stores nothing."
    assert Puzzle.objects.get().moves


def test_a_game_that_another_day_took_meanwhile_makes_no_second_puzzle(
    clear_position: list[str], game_of_bots: Game
) -> None:
    row = waiting()
    while "found" not in ((row.work or {}).get("kept") or [{}])[0]:
        assert choosing.choose_due(time.monotonic())  # its time is up after the first step
        row.refresh_from_db()
    Puzzle.objects.create(
        kind="palace",
        date=puzzles.today() - timedelta(days=1),
        game=game_of_bots,
        state=Puzzle.State.DONE,
        due_at=row.due_at,
    )
    while Puzzle.objects.get(pk=row.pk).state == Puzzle.State.WAITING:
        assert choosing.choose_due(time.monotonic() + 60)
    assert Puzzle.objects.get(pk=row.pk).state == Puzzle.State.NONE
    assert clear_position


def test_puzzles_wait_for_reviews(clear_position: list[str], game_of_bots: Game, martha: Player) -> None:
    reviews.request_review(game=game_of_bots, seat=0, player=martha)
    assert not choosing.is_idle()
    tasks.practice()
    assert clear_position == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_puzzle_is_found_in_real_games_and_a_hundred_other_seeds_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "DECISIONS", 20)
    bots = [ensure_builtin_bots()[name] for name in ("random", "sensible")]
    for letter in range(choosing.MAX_GAMES):
        play.open_game(kind="palace", players=bots, deal=Deal.objects.create(seed=bytes([letter]) * 32))
    while runner.play_due_games("test"):
        pass
    row = waiting()
    assert choosing.choose_due(math.inf)
    row.refresh_from_db()
    assert row.state == Puzzle.State.DONE
    assert row.agreed >= choosing.SEEDS - choosing.MAX_DISAGREEING
    assert all(move["cost"] >= choosing.AHEAD * move["cost_error"] for move in row.moves[1:])


# -- showing and answering


def test_a_puzzle_shows_what_the_seat_saw_then_without_names_and_is_the_same_for_all(
    puzzle: Puzzle, martha: Player, laura: Player
) -> None:
    pages = [client.get(address_of(puzzle)).content.decode() for client in (Client(), browser_of(laura))]
    found = [page.split('<script id="replay-data" type="application/json">')[1].split("</script>")[0] for page in pages]
    assert found[0] == found[1]
    data = json.loads(found[0])
    assert puzzle.game
    entries = eventlog.read_events(puzzle.game.stream_id, until=puzzle.event - 1)
    seen = visibility.observation(fold_game(entry.event for entry in entries), 0)
    assert data["frames"][-1]["observation"] == KINDS["palace"].presentation.slim({**seen, "to_act": [0]})
    assert data["game"]["outcome"] is None
    for secret in (martha.name, laura.name, puzzle.game.public_id):
        assert secret not in pages[0]


def test_the_picture_of_a_puzzle_says_who_is_to_move_and_names_nobody(puzzle: Puzzle) -> None:
    picture = picture_of(puzzle)
    assert [(seat.name, seat.figure) for seat in picture.seats] == [("Player 1", "to move"), ("Player 2", "")]
    assert any(row.things for seat in picture.seats for row in seat.rows)
    assert picture.note.startswith("What would you play? ")
    assert len(picture.note.split(" · ")) == len(puzzle.moves)
    assert Client().get(f"{address_of(puzzle)}picture.png")["Content-Type"] == "image/png"


def test_an_unanswered_puzzle_has_no_time_by_which_its_game_could_be_found(puzzle: Puzzle) -> None:
    page = Client().get(address_of(puzzle)).content.decode()
    data = json.loads(page.split('<script id="replay-data" type="application/json">')[1].split("</script>")[0])
    assert {name for name, value in data["game"].items() if value} == {"kind", "title", "options", "status", "seats"}
    assert {frame["ms"] for frame in data["frames"]} == {0}


def test_a_puzzle_is_not_shown_any_more_once_the_club_of_its_game_is_private(puzzle: Puzzle) -> None:
    """Those who answered it already are not shown it again, either."""
    owner = User.objects.create_user("niamh")
    club = Club.objects.create(name="Lantern Street", slug="lantern", owner=owner)
    Game.objects.filter(puzzles=puzzle).update(audience_club_id=club.pk)
    assert puzzles.shown_puzzles().count() == 1
    Club.objects.update(visibility="private")
    assert not puzzles.shown_puzzles().exists()
    for address in (address_of(puzzle), f"/api/v1{address_of(puzzle)}"):
        assert Client().get(address).status_code == 404
        assert Client().post(address, {"move": puzzle.moves[0]["move"]}).status_code == 404


def test_somebody_without_an_account_sees_the_solution_and_nothing_is_stored(puzzle: Puzzle) -> None:
    page = Client().post(address_of(puzzle), {"move": puzzle.moves[1]["move"]}).content.decode()
    assert "costs 10 % (± 2) beside the best move." in page
    assert "Win chance after each move" in page
    assert not PuzzleAnswer.objects.exists()


def test_the_first_answer_of_a_player_counts(puzzle: Puzzle, laura: Player) -> None:
    browser, right = browser_of(laura), puzzle.moves[0]["move"]
    assert browser.post(address_of(puzzle), {"move": right}).headers["Location"] == address_of(puzzle)
    assert "1 person solved it" in browser.get(address_of(puzzle)).content.decode()
    again = browser.post(address_of(puzzle), {"move": puzzle.moves[1]["move"]})
    assert again.status_code == 409
    assert PuzzleAnswer.objects.get().move == right
    assert "1 person solved it" in Client().get("/puzzles/").content.decode()


def test_bad_answers_and_unknown_days_are_refused_with_a_code(puzzle: Puzzle, laura: Player) -> None:
    with pytest.raises(DomainError) as refused:
        puzzles.answer_puzzle(puzzle=puzzle, player=laura, move="fly away")
    assert (refused.value.status, refused.value.code) == (409, "illegal_move")
    for kind, day in (("palace", "2020-01-01"), ("palace", "yesterday"), ("whist", str(puzzle.date))):
        answer = Client().get(f"/api/v1/puzzles/{kind}/{day}/")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "puzzle_not_found")
        assert Client().get(f"/puzzles/{kind}/{day}/").status_code == 404


def test_a_puzzle_of_tomorrow_is_not_shown(puzzle: Puzzle) -> None:
    Puzzle.objects.update(date=puzzles.today() + timedelta(days=1))
    assert not puzzles.shown_puzzles().exists()


def test_a_puzzle_is_not_shown_any_more_if_somebody_withdraws_the_consent(puzzle: Puzzle, martha: Player) -> None:
    assert Client().get(address_of(puzzle)).status_code == 200
    assert martha.user
    dataset_consent.set_consent(user=martha.user, given=False)
    assert Client().get(address_of(puzzle)).status_code == 404


def test_an_admin_withdraws_a_puzzle(puzzle: Puzzle) -> None:
    ada = User.objects.create_superuser("ada")
    perform("withdraw_puzzle", puzzle, reason="It gives a person away.", by=ada)
    assert Client().get(address_of(puzzle)).status_code == 404
    with pytest.raises(DomainError) as refused:
        puzzles.withdraw_puzzle(puzzle)
    assert refused.value.code == "nothing_to_withdraw"


def test_the_api_lists_shows_and_answers(puzzle: Puzzle, laura: Player) -> None:
    listed = {"kind": "palace", "date": str(puzzle.date), "solved": 0}
    assert Client().get("/api/v1/puzzles/").json()["results"] == [listed]
    address, right = f"/api/v1/puzzles/palace/{puzzle.date}/", puzzle.moves[0]["move"]
    browser = browser_of(laura)
    shown = browser.get(address).json()
    assert (shown["answer"], shown["game"]) == (None, None)
    body = browser.post(address, {"move": right}, "application/json").json()
    assert (body["answer"]["right"], body["solved"], body["answer"]["solution"][0]["move"]) == (True, 1, right)
    assert browser.get(address).json() == body
    again = browser.post(address, {"move": right}, "application/json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "already_answered")


def test_a_position_for_which_another_seed_finds_no_world_is_no_puzzle(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> bool:
        raise NoReview(NO_WORLD)

    monkeypatch.setattr(choosing, "_qualifies", nothing)
    work = {"games": [], "kept": [{"hard": True, "lead": 2.0}]}
    assert list(choosing.steps(Puzzle(kind="palace"), work)) == [None]
    assert work["kept"] == []
