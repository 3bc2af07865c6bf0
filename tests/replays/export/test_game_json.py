"""The export of a finished game, and `verify` of the platform's own games."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.eventlog.models import Stream
from games.models import Deal, Game, Player, Seat
from games.play import services as play_services
from games.play import unit_of_work
from replays.export import game_json
from replays.verify import main, read_export, verify
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog.events import decode_batch

AT = datetime(2026, 3, 14, 18, 30, tzinfo=UTC)
NAMES = ["Martha", "Laura", "Otto"]


def opened(seats: int = 2, kind: str = "chinese_ten", **options: Any) -> Game:
    players = [
        Player.objects.get_or_create(name=name, user=User.objects.get_or_create(username=name)[0])[0]
        for name in NAMES[:seats]
    ]
    with clock.frozen_at(AT):
        return play_services.open_game(
            kind=kind, players=players, options=options, deal=Deal.objects.create(seed=bytes(32))
        )


def play(game: Game, moves: int = 10_000) -> Game:
    """Play first legal moves, a minute each, at most so many or to the end of the game. It also plays for players who
    left."""
    for _ in range(moves):
        unit = play_services.begin_unit(game)
        fold, seat = unit.fold, unit.fold.to_act()[0]
        action = fold.rules.legal_actions(fold.state, seat)[0]
        with clock.frozen_at(game.moved_at + timedelta(minutes=1)):
            unit.take(fold.rules.decide(fold.state, seat, action, SeedDealer(bytes(game.deal.seed))), clock.now())
            unit_of_work.commit([unit], clock.now())
        if fold.outcome():
            break
    return Game.objects.select_related("deal", "stream").get(pk=game.pk)


@pytest.fixture(scope="module")
def played(kept: None) -> int:
    return play(opened()).pk


@pytest.fixture
def finished(db: None, played: int) -> Game:
    """Return a finished game of Chinese Ten between Martha and Laura."""
    return Game.objects.select_related("deal", "stream").get(pk=played)


# -- the export


def test_an_export_verifies_and_holds_every_batch_as_stored(finished: Game) -> None:
    record = read_export(json.dumps(game_json.export_json(finished)))
    assert verify(record).faults == []
    assert [batch.body for batch in record.batches] == [
        batch.body for batch in eventlog.stored_batches(finished.stream_id)
    ]
    assert (record.version, record.outcome) == (finished.version, finished.outcome)


def test_an_export_tells_the_facts_of_the_game(finished: Game) -> None:
    data = game_json.export_json(finished)
    assert (data["format"], data["schema"]) == ("scorebook-game", 2)
    assert [player["name"] for player in data["game"]["players"]] == ["Martha", "Laura"]
    assert [player["id"] for player in data["game"]["players"]] == list(finished.seats.values_list("player", flat=True))
    assert data["game"]["opened_at"] == AT.isoformat()
    assert data["game"]["status"] == "finished"


def test_a_forged_die_or_card_in_an_export_file_is_named(finished: Game, tmp_path: Path, capsys: Any) -> None:
    data = game_json.export_json(finished)
    path = tmp_path / "game.json"
    path.write_text(json.dumps({**data, "seed": "11" * 32}))
    assert main([str(path)]) == 1
    assert capsys.readouterr().out.startswith("event 1: The commitment ")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda game: game["players"].reverse(), "event 1: The game was opened with players ["),
        (lambda game: game.update(players=["Laura", "Martha"]), "can't be read"),
        (lambda game: game.update(id="ZZZZZZZZ"), "event 1: The game was opened with game "),
    ],
    ids=["exchanged players", "names alone", "another game"],
)
def test_a_file_that_names_other_players_or_another_game_than_its_log_is_refused(
    finished: Game, tmp_path: Path, change: Any, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = game_json.export_json(finished)
    change(data["game"])
    path = tmp_path / "game.json"
    path.write_text(json.dumps(data))
    assert main([str(path)]) > 0
    assert sentence in "".join(capsys.readouterr())


def test_a_file_of_the_first_schema_cannot_hide_who_the_log_names(finished: Game) -> None:
    data = game_json.export_json(finished)
    data["schema"], data["game"]["players"] = 1, ["Laura", "Martha"]
    assert "not null" in str(verify(read_export(json.dumps(data))).faults[0])


@pytest.mark.django_db
def test_nothing_is_exported_while_a_game_is_on() -> None:
    game = play(opened(), 3)
    for export in (game_json.export_json, game_json.export_text):
        with pytest.raises(DomainError) as caught:
            export(game)
        assert (caught.value.status, caught.value.code) == (409, "not_open_yet")


def test_nothing_is_exported_while_another_game_of_the_deal_is_on(finished: Game) -> None:
    Deal.objects.filter(pk=finished.deal_id).update(revealed_at=None)
    with pytest.raises(DomainError):
        game_json.export_json(Game.objects.get(pk=finished.pk))


def test_the_text_tells_who_played_what_came_of_it_and_how_to_check_it(finished: Game) -> None:
    text = game_json.export_text(finished)
    assert text.startswith(f"Chinese Ten, game {finished.public_id}, opened 2026-03-14 18:30 UTC\nSeat 0: Martha\n")
    assert "Options: packs 2, turn_limit 400" in text
    assert "Result (rules):\n   1. " in text
    assert f"Head {bytes(finished.stream.head).hex()} after {finished.version} events" in text


def test_the_moves_in_the_text_played_again_give_the_same_log(finished: Game) -> None:
    lines = game_json.export_text(finished).split("\n\n")[1].splitlines()
    Deal.objects.update(revealed_at=None)
    players = list(Player.objects.order_by("pk"))
    again = play_services.open_game(kind=finished.kind, players=players, deal=Deal.objects.create(seed=bytes(32)))
    for number, line in enumerate(lines, 1):
        written, sentence = line.split(". ", 1)
        name, move = sentence.split(": ", 1)
        assert int(written) == number
        version = Game.objects.get(pk=again.pk).version
        play_services.play_move(game=again, seat=NAMES.index(name), text=move, expected_version=version)
    first, second = (
        [entry.event for entry in eventlog.read_events(game.stream_id)][1:]
        for game in (finished, Game.objects.get(pk=again.pk))
    )
    assert first == second


@pytest.mark.django_db
def test_the_text_says_who_left_and_who_plays_on() -> None:
    game = play(opened(3), 4)
    with clock.frozen_at(game.moved_at):
        play_services.leave_game(game=game, seat=1, how="resigned")
    text = game_json.export_text(play(game))
    assert "(Laura left the game: resigned)" in text
    assert "(the built-in bot sensible plays on for Laura)" in text
    assert "   3. Laura: " in text


@pytest.mark.django_db
def test_the_text_of_an_aborted_game_has_no_result() -> None:
    game = play(opened(), 2)
    play_services.abort_game(game=game, reason="The hall caught fire.")
    text = game_json.export_text(Game.objects.select_related("deal", "stream").get(pk=game.pk))
    assert "(the game was ended)" in text
    assert "Without a result." in text


# -- the command


def output_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command("verify", *arguments)
    return capsys.readouterr().out


def faults(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run `verify`, which must fail, and return what it prints before."""
    with pytest.raises(CommandError) as caught:
        call_command("verify", *arguments)
    assert caught.value.returncode == 1
    return capsys.readouterr().out


@pytest.mark.django_db
def test_a_game_whose_clock_ran_back_verifies(capsys: pytest.CaptureFixture[str]) -> None:
    game = play(opened(), 2)
    with clock.frozen_at(AT - timedelta(hours=1)):
        fold = play_services.load_game(game)
        seat = fold.to_act()[0]
        text = fold.rules.move_text(fold.state, fold.rules.legal_actions(fold.state, seat)[0])
        play_services.play_move(game=game, seat=seat, text=text, expected_version=fold.version)
    play(game, 1)
    assert [entry.ms for entry in eventlog.read_events(game.stream_id)][-1] == 3 * 60_000
    assert output_of(capsys, game.public_id) == "No faults.\n"


@pytest.mark.some(1)
@pytest.mark.parametrize(("kind", "options"), [("chinese_ten", {}), ("plates", {"rounds": 1, "turn_limit": 60})])
@pytest.mark.django_db
def test_every_state_of_a_game_verifies(kind: str, options: dict[str, int], capsys: pytest.CaptureFixture[str]) -> None:
    game = opened(3, kind, **options)
    assert output_of(capsys, game.public_id) == "No faults.\n"
    play(game, 5)
    assert output_of(capsys, game.public_id.lower()) == "No faults.\n"
    with clock.frozen_at(game.moved_at):
        play_services.leave_game(game=game, seat=2, how="forfeited")
    play(game)
    assert output_of(capsys, game.public_id) == "No faults.\n"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 3}, "its row says version 3"),
        ({"status": "playing"}, "its row says status playing"),
        ({"to_act": [1]}, "its row says to_act [1]"),
        ({"finished_at": None}, "its row says finished_at None"),
        ({"finished_at": AT}, "its row says finished_at 2026-03-14 18:30:00+00:00, its log"),
        ({"opened_at": AT + timedelta(hours=1)}, "its row says opened_at 2026-03-14 19:30:00+00:00, its log"),
        ({"public_id": "ZZZZZZZZ"}, "its row says public_id ZZZZZZZZ, its log"),
        ({"outcome": None}, "null is said of it"),
        ({"rules_version": 7}, "not 7"),
        ({"options": {}}, "The game was opened with options"),
        ({"salt": bytes(16)}, "the seed is another one"),
    ],
)
def test_a_games_row_that_says_something_else_than_its_log_is_a_fault(
    finished: Game, change: dict[str, Any], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Game.objects.filter(pk=finished.pk).update(**change)
    assert sentence in faults(capsys, change.get("public_id", finished.public_id))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"score": -1}, "seat 1 says score -1"), ({"placing": 9}, "placing 9"), ({"left": "resigned"}, "left True")],
)
def test_a_seats_row_that_says_something_else_than_the_log_is_a_fault(
    finished: Game, change: dict[str, Any], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Seat.objects.filter(game=finished, seat=1).update(**change)
    assert sentence in faults(capsys, finished.public_id)


def test_exchanged_players_are_named_with_their_seats(finished: Game, capsys: pytest.CaptureFixture[str]) -> None:
    martha, laura = finished.seats.values_list("player", flat=True)
    for seat, player in enumerate([laura, martha]):
        finished.seats.filter(seat=seat).update(player=player)
    out = faults(capsys, finished.public_id)
    assert f"the row of seat 0 says player {laura}, its log {martha}." in out
    assert f"the row of seat 1 says player {martha}, its log {laura}." in out


@pytest.mark.parametrize(
    ("revealed", "sentence"),
    [(AT, "its deal says revealed_at 2026-03-14 18:30:00+00:00"), (None, "its deal says revealed_at None")],
)
def test_a_deals_time_at_which_none_of_its_games_ended_is_a_fault(
    finished: Game, revealed: datetime | None, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Deal.objects.filter(pk=finished.deal_id).update(revealed_at=revealed)
    assert sentence in faults(capsys, finished.public_id)


def test_a_head_that_a_season_recorded_is_that_of_the_game(finished: Game, capsys: pytest.CaptureFixture[str]) -> None:
    season = eventlog.create(subject=Stream.Subject.SEASON, at=AT)
    head = bytes(finished.stream.head).hex()
    recorded: list[Event] = [
        ["game_recorded", 1, 1, {"game": finished.pk, "head": sentence}] for sentence in (head, "00" * 32)
    ]
    eventlog.append(season.pk, recorded[:1], expected=None, times=[0], at=AT)
    assert output_of(capsys, "--all").endswith("No faults.\n")
    eventlog.append(season.pk, recorded[1:], expected=None, times=[0], at=AT)
    assert f"event 2: It recorded game {finished.public_id} with the head {'00' * 32}" in faults(capsys, "--all")


def test_a_game_opened_before_logs_named_players_is_no_fault_and_is_told(
    finished: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older = eventlog.create(subject=Stream.Subject.GAME, at=AT)
    for batch in eventlog.stored_batches(finished.stream_id):
        events = decode_batch(batch.body)
        if events[0][0] == "@opened":
            del events[0][1]["game"], events[0][1]["players"]
        eventlog.append(older.pk, events, expected=batch.seq, times=batch.times, at=batch.at)
    Game.objects.filter(pk=finished.pk).update(stream=older)
    finished.seats.filter(seat=0).update(player=finished.seats.get(seat=1).player)
    out = output_of(capsys, finished.public_id)
    assert "1 game was opened before logs named their players" in out
    assert out.endswith("No faults.\n")
    path = tmp_path / "game.json"
    path.write_text(
        json.dumps(game_json.export_json(Game.objects.select_related("deal", "stream").get(pk=finished.pk)))
    )
    assert main([str(path)]) == 0
    assert "opened before logs named their players" in capsys.readouterr().out


def test_a_batch_that_somebody_with_the_owners_rights_changed_is_a_fault(
    finished: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    seq = eventlog.stored_batches(finished.stream_id)[4].seq
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE batch DISABLE TRIGGER batch_is_append_only")
        cursor.execute(
            "UPDATE batch SET body = set_byte(body, 4, get_byte(body, 4) # 1) WHERE stream_id = %s AND seq = %s",
            [finished.stream_id, seq],
        )
        cursor.execute("ALTER TABLE batch ENABLE TRIGGER batch_is_append_only")
    out = faults(capsys, finished.public_id)
    assert f"game {finished.public_id}, event {seq + 1}: " in out
    assert "some byte was changed" in out


@pytest.mark.django_db
def test_a_games_stream_that_no_game_has_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    orphan = eventlog.create(subject=Stream.Subject.GAME, at=AT)
    assert f"game stream {orphan.pk}, it is a game's, but no game has it." in faults(capsys, "--all")


@pytest.mark.parametrize("arguments", [["NOSUCHID"], [], ["NOSUCHID", "--all"]])
@pytest.mark.django_db
def test_a_game_that_is_not_there_or_no_game_at_all_exits_with_2(arguments: list[str]) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("verify", *arguments)
    assert caught.value.returncode == 2
