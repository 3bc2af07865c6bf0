"""The rows of a game agree with its log: for each decision, what the seat saw, could do and did."""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

import pytest

from replays.dataset.decisions import Measured, UnreadableGame
from replays.dataset.table import SCHEMA, GameSource, game_columns, rows_of
from replays.verify import read_export
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import decode_batch, encode_batch
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.visibility import legal_moves, observation
from scorebook_games.registry import KINDS
from tests.replays.local_games import export as local_game

Row = dict[str, Any]
LIMIT = 12  # the turn limit of a game
UNMEASURED = Measured("", {}, {})


def source(kind: str, names: tuple[str, ...] = ("Martha", "Laura")) -> GameSource:
    """Return a short game of built-in bots. All its seats may be in the dataset."""
    record = read_export(json.dumps(local_game(kind, names, limit=LIMIT)))
    assert record.seed
    batches = [(list(batch.times), batch.body) for batch in record.batches]
    return GameSource("GAME0001", record.seed, dict.fromkeys(range(len(names)), "sensible"), batches, UNMEASURED)


def events_of(game: GameSource) -> list[Event]:
    return [event for _times, body in game.batches for event in decode_batch(body)]


def with_events(game: GameSource, events: list[Event]) -> GameSource:
    """Return a game with the same deal and another log, whose events are a second apart."""
    return game._replace(batches=[([1000 * place for place in range(len(events))], encode_batch(events))])


def rows(game: GameSource) -> list[Row]:
    found = [dict(zip(SCHEMA.names, values, strict=True)) for values in zip(*game_columns(game), strict=True)]
    return [{**row, "observation": json.loads(row["observation"])} for row in found]


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"plate_spinner"}))
def test_a_row_has_the_observation_and_the_moves_that_the_fold_of_its_log_gives_the_seat(kind: str) -> None:
    game = source(kind)
    events, found = events_of(game), rows(game)
    assert {row["seat"] for row in found} == {0, 1}
    for row in found[::4]:
        fold = fold_game(events[: row["version"]])
        assert row["observation"] == json.loads(json.dumps(observation(fold, row["seat"])))
        assert row["legal_moves"] == legal_moves(fold, row["seat"])
        assert row["choice"] in row["legal_moves"]
        seat, action = fold.rules.action_of(fold.state, events[row["version"]])
        assert (seat, fold.rules.move_text(fold.state, action)) == (row["seat"], row["choice"])
    outcome = fold_game(events).outcome()
    assert outcome
    assert {(row["seat"], row["score"], row["place"], row["termination"]) for row in found} == {
        (seat, outcome.scores[seat], outcome.placings[seat], outcome.termination) for seat in (0, 1)
    }


def test_in_beats_a_seat_saw_the_game_before_the_beat_and_its_own_moves_but_nobody_elses() -> None:
    game = source("plate_spinner")
    events, found = events_of(game), rows(game)
    assert [row for row in found if row["choice"] not in row["legal_moves"]] == []
    bundles = [list(each) for _key, each in groupby(found, key=lambda row: (row["observation"]["beat"], row["seat"]))]
    assert max(map(len, bundles)) > 1
    for bundle in bundles:
        before = fold_game(events[: bundle[0]["observation"]["version"]])
        assert bundle[0]["observation"] == json.loads(json.dumps(observation(before, bundle[0]["seat"])))
        assert {row["observation"]["version"] for row in bundle} == {before.version}
        assert events[before.version][0] == ev.BEAT
    assert {row["waited_ms"] for row in found} == {None}


def test_without_a_seat_the_rows_of_the_others_are_the_same() -> None:
    for kind in ("palace", "plate_spinner"):
        game = source(kind)
        alone = rows(game._replace(players={1: "sensible"}))
        assert alone == [row for row in rows(game) if row["seat"] == 1]
        assert alone


def test_who_chose_in_place_of_a_player_is_named() -> None:
    game = source("chinese_ten", ("Martha", "Laura", "Otto"))
    log = events_of(game)
    log[0][1]["terms"] |= {"expiry": "built_in_bot", "leaver": "random"}
    first = [row for row in rows(with_events(game, log)) if row["seat"] == 0]
    at = [row["version"] for row in first]
    log[at[2] : at[2]] = [[ev.LEFT, 0, ev.RESIGNED], [ev.TAKEN_OVER, 0, "random"]]
    log[at[1] : at[1]] = [[ev.EXPIRED, 0]]
    log[at[0] : at[0]] = [[ev.FAULT, 0, "crashed"]]
    players = {0: "person", 1: "upload", 2: "remote"}
    found = rows(with_events(game._replace(players=players), log))
    assert [row["played_by"] for row in found if row["seat"] == 0] == [
        "random",
        "sensible",
        *["random"] * (len(at) - 2),
    ]
    assert {row["played_by"] for row in found if row["seat"] == 1} == {"upload"}
    assert [row["choice"] for row in found if row["seat"] == 0] == [row["choice"] for row in first]
    assert all(row["legal_moves"] for row in found), "also for the seat that has left"


def test_the_clock_of_a_row_is_the_time_since_the_game_came_to_wait_for_the_seat() -> None:
    game = source("chinese_ten")
    log = events_of(game)
    log[0][1]["terms"] |= {"move_seconds": 30, "bank_seconds": 60}
    found = rows(with_events(game, log))
    assert {row["waited_ms"] for row in found} == {1000}, "the game waits from the last event before the choice"
    assert {(row["move_limit_ms"], row["bank_limit_ms"]) for row in found} == {(30_000, 60_000)}


def test_a_log_that_the_rules_do_not_give_is_left_out_with_a_sentence() -> None:
    game = source("chinese_ten")
    log = events_of(game)
    with pytest.raises(UnreadableGame, match="its log has no result"):
        rows(with_events(game, log[: rows(game)[-1]["version"]]))
    assert log[-1] == ["ended", "turn_limit"]
    log[-1] = ["ended", "rules"]
    with pytest.raises(UnreadableGame, match="is not what the rules and the seed make of the move"):
        rows(with_events(game, log))
    with pytest.raises(UnreadableGame, match="its log can't be read"):
        rows(game._replace(batches=[([0], b"?")]))
    with pytest.raises(UnreadableGame, match="can't be read after event"):
        rows(with_events(game, [log[0], log[1], ["laid", "nobody"]]))
    made = rows_of([game, game._replace(game="GAME0002", batches=[])])
    assert (made.games, made.faults) == (1, ["Game GAME0002 is left out: its log is empty."])
