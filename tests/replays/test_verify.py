"""`python -m replays.verify` names each forgery in an export, with its event and a sentence."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replays.verify import (
    ExportedBatch,
    Unreadable,
    VerificationFault,
    chain_faults,
    main,
    read_export,
    verify,
)
from scorebook_games.chance import commitment
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import ended_by_leavers, nobody_came
from scorebook_games.gamelog.events import DEFLATED_CODEC, GENESIS, MAX_INFLATED_BYTES, encode_batch, next_head
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.terms import LIVE
from scorebook_games.registry import KINDS
from tests.games.racing_kind import Grab, kind_of
from tests.replays.forged_exports import (
    SALT,
    SEED,
    Export,
    batches_of,
    export,
    forge,
    opening,
    play,
    play_beats,
    tamper,
)

ROOT = Path(__file__).parents[2]


def faults_of(data: Export) -> list[VerificationFault]:
    return verify(read_export(json.dumps(data))).faults


def only_fault(data: Export) -> VerificationFault:
    [fault] = faults_of(data)
    return fault


@pytest.fixture(scope="module")
def ten() -> Export:
    """Return the export of a game of Chinese Ten for three."""
    return export(play("chinese_ten", 3))


@pytest.fixture(scope="module")
def plates() -> Export:
    """Return the export of a game of Plates for two, with two rounds."""
    return export(play("plates", 2, options={"rounds": 2}))


# -- correct games


@pytest.mark.parametrize("kind", ["chinese_ten", "plate_spinner", "plates"])
@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("seed", [SEED, pytest.param(bytes(32), marks=pytest.mark.slow)])
def test_an_honest_game_has_no_faults(kind: str, seats: int, seed: bytes) -> None:
    assert faults_of(export(play(kind, seats, seed=seed), seed)) == []


def test_it_does_not_matter_how_the_events_were_batched(ten: Export) -> None:
    def as_one(batches: list[list[Event]]) -> None:
        batches[:] = [[event for batch in batches for event in batch]]

    assert faults_of(forge(ten, as_one)) == []


def test_a_built_in_bot_plays_on_for_whoever_left() -> None:
    meanwhile = {5: [[ev.LEFT, 1, "resigned"], [ev.TAKEN_OVER, 1, "sensible"]], 9: [[ev.ATTEMPT, 2, "worker_lost"]]}
    data = export(play("chinese_ten", 3, meanwhile=meanwhile))
    assert faults_of(data) == []
    assert data["game"]["outcome"]["placings"][1] == 3


def test_a_game_of_two_may_end_when_one_left_and_any_game_by_an_abort() -> None:
    begun = play("plates", 2)[:3]
    fold = fold_game(event for batch in begun for event in batch)
    left = [ev.LEFT, 0, "resigned"]
    end = ended_by_leavers(fold, [0], "resigned")[1]
    assert end["placings"] == [2, 1]
    assert faults_of(export([*begun, [left, [ev.ENDED, end]]])) == []
    assert (
        faults_of(export([*begun, [left, [ev.ENDED, {**end, "termination": "left"}]]])) == []
    )  # as older versions wrote it
    timed = {**end, "termination": "out_of_time"}
    assert "The table can't have said" in only_fault(export([*begun, [left, [ev.ENDED, timed]]])).sentence
    forfeited = [ev.LEFT, 0, "forfeited"]
    assert faults_of(export([*begun, [[ev.EXPIRED, 0], forfeited, [ev.ENDED, timed]]])) == []
    assert "The table can't have said" in only_fault(export([*begun, [forfeited, [ev.ENDED, timed]]])).sentence
    abort = {"termination": "aborted", "scores": [], "placings": []}
    assert faults_of(export([*play("plates", 3)[:3], [[ev.ENDED, abort]]])) == []


# -- beats and live (PS-17)


@pytest.fixture
def beats(monkeypatch: pytest.MonkeyPatch) -> Export:
    """Return the export of a game of Grab for three in beats. In the first beat, two seats want the same number."""
    monkeypatch.setitem(KINDS, "grab", kind_of(Grab()))
    bundles = [
        {0: ["point 2", "grab 9"], 1: ["grab 8"], 2: ["grab 9"]},
        {0: ["grab 1"], 1: ["grab 2"], 2: ["point 1", "point 2", "grab 3"]},
        {0: ["grab 4"], 1: ["grab 5"], 2: ["grab 6"]},
        {0: ["grab 7"], 1: ["grab 7"], 2: ["grab 7"]},
    ]
    return export(play_beats("grab", 3, bundles))


def test_an_honest_game_in_beats_has_no_faults(beats: Export) -> None:
    first = [
        [ev.BEAT, 1, [2, 0, 1]],
        ["grabbed", 2, 9],
        ["pointed", 0, 2],
        [ev.NOT_TAKEN, 0, "grab 9"],
        ["grabbed", 1, 8],
    ]
    assert batches_of(beats)[1] == first
    assert faults_of(beats) == []


@pytest.mark.parametrize(
    ("beat", "place", "events", "sentence"),
    [
        (1, 0, [[ev.BEAT, 1, [0, 1, 2]]], "The table can't have said"),  # the order was not drawn
        (2, 0, [[ev.BEAT, 3, [2, 0, 1]]], "The table can't have said"),
        (1, 0, [], "It is not the turn of the bundle of seat 2"),  # the beat has no drawn order
        (1, 3, [], "without the bundle of seat 0"),
        (1, 4, [], "without the bundle of seat 1"),
        (1, 3, [[ev.NOT_TAKEN, 0, "grab 7"]], "The table can't have said"),  # the bundle could have been taken
        (1, 1, [["grabbed", 2, 9], ["grabbed", 2, 7]], "It is not the turn of the bundle of seat 2"),
        (1, 4, [["grabbed", 1, 8], ["pointed", 0, 5]], "It is not the turn of the bundle of seat 0"),
    ],
)
def test_a_beat_is_taken_in_the_order_that_the_seed_draws(
    beats: Export, beat: int, place: int, events: list[Event], sentence: str
) -> None:
    def change(batches: list[list[Event]]) -> None:
        batches[beat][place : place + 1] = events

    assert sentence in only_fault(forge(beats, change)).sentence


def test_a_live_game_begins_with_go_after_its_countdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "grab", kind_of(Grab()))
    opened, *dealt = play("grab", 2)[0]
    opened[1]["terms"]["pace"] = "live"
    countdown: list[Event] = [[ev.READY, 1], [ev.COUNTDOWN, 3]]

    def fault_of(*events: Event) -> str:
        data = export([[opened, *events]])
        return faults_of(data)[0].sentence if faults_of(data) else ""

    assert fault_of(*countdown, [ev.GO], *dealt) == ""
    assert "comes before GO" in fault_of(*countdown, *dealt)
    assert "The table can't have said" in fault_of([ev.GO], *dealt)
    assert "The table can't have said" in fault_of(*countdown, [ev.COUNTDOWN, 3], [ev.GO], *dealt)
    assert "The table can't have said" in fault_of(*countdown, [ev.GO], [ev.READY, 0], *dealt)


# -- bytes and batches


def test_any_flipped_byte_is_found(ten: Export) -> None:
    for place, row in enumerate(ten["log"]["batches"]):
        body = base64.b64decode(row["body"])
        for at in range(0, len(body), 5):
            flipped = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]

            def flip(data: Export, place: int = place, flipped: bytes = flipped) -> None:
                data["log"]["batches"][place]["body"] = base64.b64encode(flipped).decode()

            faults = faults_of(tamper(ten, flip))
            assert any("some byte was changed" in fault.sentence for fault in faults)


def test_a_byte_flipped_in_a_packed_batch_is_named_with_the_batchs_first_event() -> None:
    data = export([[event for batch in play("chinese_ten", 2) for event in batch]])

    def flip(data: Export) -> None:
        body = bytearray(base64.b64decode(data["log"]["batches"][0]["body"]))
        body[len(body) // 2] ^= 1
        data["log"]["batches"][0]["body"] = base64.b64encode(body).decode()

    faults = faults_of(tamper(data, flip))
    assert faults[-1].version == 1
    assert "can't be read" in faults[-1].sentence


def test_a_flipped_byte_in_a_move_is_named_with_its_event(ten: Export) -> None:
    def flip(data: Export) -> None:
        row = data["log"]["batches"][4]
        row["body"] = base64.b64encode(base64.b64decode(row["body"]).replace(b'["', b'["x', 1)).decode()

    version = ten["log"]["batches"][4]["seq"] + 1
    assert version in [fault.version for fault in faults_of(tamper(ten, flip))]


def test_swapped_batches_are_found_whether_or_not_their_places_are_mended(ten: Export) -> None:
    def swap(data: Export) -> None:
        rows = data["log"]["batches"]
        rows[3], rows[4] = rows[4], rows[3]

    at = ten["log"]["batches"][3]["seq"] + 1
    first, *others = faults_of(tamper(ten, swap))
    assert first.version == at
    assert "out of its place" in first.sentence
    assert any("some byte was changed" in fault.sentence for fault in others)

    def swap_events(batches: list[list[Event]]) -> None:
        batches[3], batches[4] = batches[4], batches[3]

    assert only_fault(forge(ten, swap_events)).version == at


def test_a_cut_tail_is_found_by_version_head_and_outcome(ten: Export) -> None:
    def cut(data: Export) -> None:
        del data["log"]["batches"][-2:]

    sentences = [fault.sentence for fault in faults_of(tamper(ten, cut))]
    assert any("events are said to be in it" in sentence for sentence in sentences)
    assert any("chain of heads" in sentence for sentence in sentences)
    assert any("is said of it" in sentence for sentence in sentences)


def test_a_cut_tail_with_the_chain_made_right_is_found_by_the_outcome(ten: Export) -> None:
    fault = only_fault(forge(ten, lambda batches: batches.pop()))
    assert fault.version == sum(map(len, batches_of(ten)[:-1]))
    assert fault.sentence.startswith("The game came to null, but {")


def test_a_tail_cut_within_a_move_is_found(plates: Export) -> None:
    batches = batches_of(plates)
    longest = max(range(1, len(batches)), key=lambda place: len(batches[place]))

    def cut(batches: list[list[Event]]) -> None:
        del batches[longest + 1 :]
        batches[longest].pop()

    fault = only_fault(forge(plates, cut))
    assert "ends within a move" in fault.sentence
    assert fault.version == sum(map(len, batches[: longest + 1])) - 1


def test_an_event_after_the_end_is_found(ten: Export) -> None:
    fault = only_fault(forge(ten, lambda batches: batches.append([["laid", 0, 1, 2]])))
    assert "after the end of the game" in fault.sentence


def test_a_wrong_count_and_a_missing_time_are_found(ten: Export) -> None:
    def miscount(data: Export) -> None:
        data["log"]["batches"][2]["count"] += 1

    def lose_time(data: Export) -> None:
        data["log"]["batches"][2]["times"].pop()

    at = ten["log"]["batches"][2]["seq"] + 1
    for change in (miscount, lose_time):
        assert faults_of(tamper(ten, change))[0].version == at


def test_times_that_run_back_are_found_in_a_game_and_allowed_where_many_write() -> None:
    rows, head = [], GENESIS
    for seq, times in [(0, [5, 9]), (2, [8, 10])]:
        body = encode_batch([["e", seq], ["e", seq + 1]])
        rows.append(ExportedBatch(seq, 2, times, body))
        head = next_head(head, body, times)
    [fault] = chain_faults(rows, 4, head)
    assert fault == VerificationFault(3, "The times [8, 10] run back; the one before them is 9.")
    assert list(chain_faults(rows, 4, head, in_order=False)) == []


# -- chance


@pytest.mark.parametrize("kind", ["chinese_ten", "plate_spinner", "plates"])
def test_a_card_forged_in_the_deal_is_found_though_the_chain_is_made_right(kind: str) -> None:
    def swap_two_cards(batches: list[list[Event]]) -> None:
        cards = _first_cards(batches[0][1])
        other = next(place for place, card in enumerate(cards) if card != cards[0])
        cards[0], cards[other] = cards[other], cards[0]

    fault = only_fault(forge(export(play(kind, 2)), swap_two_cards))
    assert fault.version == 2
    assert "by the rules and the seed it is" in fault.sentence


def _first_cards(part: list[Any]) -> list[int]:
    """Return the first list of numbers in a deal."""
    if len(part) > 1 and all(isinstance(card, int) for card in part):
        return part
    return next(found for inner in part if isinstance(inner, list) if (found := _first_cards(inner)))


def test_a_later_draw_that_is_forged_is_found(plates: Export) -> None:
    place = [n for n, batch in enumerate(batches_of(plates)) if any(event[0] == "dealt" for event in batch)][1]

    def forge_second_deal(batches: list[list[Event]]) -> None:
        [dealt] = [event for event in batches[place] if event[0] == "dealt"]
        aside = dealt[-1]
        aside[0], aside[-1] = aside[-1], aside[0]

    assert "by the rules and the seed it is" in only_fault(forge(plates, forge_second_deal)).sentence


def test_a_wrong_seed_is_found_by_the_commitment_and_a_mended_commitment_by_the_deal(ten: Export) -> None:
    other = bytes(32)
    wrong = tamper(ten, lambda data: data.update(seed=other.hex()))
    assert only_fault(wrong).version == 1
    assert "the seed is another one" in only_fault(wrong).sentence

    def promise_other(batches: list[list[Event]]) -> None:
        batches[0][0][1]["commitment"] = commitment(SALT, other)

    mended = only_fault(forge(wrong, promise_other))
    assert mended.version == 2
    assert "by the rules and the seed it is" in mended.sentence


def test_other_rules_are_named_where_the_replay_differs(ten: Export) -> None:
    def say_hash(made: str) -> Callable[[list[list[Event]]], None]:
        return lambda batches: batches[0][0][1].update(rules_hash=made)

    assert not faults_of(forge(ten, say_hash("0" * 16)))
    wrong = tamper(ten, lambda data: data.update(seed=bytes(32).hex()))
    known = KINDS["chinese_ten"].rules_hash
    assert len(faults_of(forge(wrong, say_hash(known)))) == 1
    [_, fault] = faults_of(forge(wrong, say_hash("0" * 16)))
    assert fault.sentence == (
        "The game was opened with other rules: their sources had the hash 0000000000000000, and those of chinese_ten "
        f"here have {known}."
    )


def test_a_wrong_salt_is_found(ten: Export) -> None:
    assert "the seed is another one" in only_fault(tamper(ten, lambda data: data.update(salt="00" * 16))).sentence


# -- moves


def test_an_illegal_move_is_named_with_the_clause_it_breaks(ten: Export) -> None:
    """The seat lays a card that it does not have (CT-6)."""
    batches = batches_of(ten)
    place = next(n for n, batch in enumerate(batches) if n > 3 and batch[0][0] == "laid")
    mover = batches[place][0][1]
    other = next(batch[0] for batch in batches[place + 1 :] if batch[0][0] == "laid" and batch[0][1] != mover)

    def lay_anothers_card(batches: list[list[Event]]) -> None:
        batches[place][0][2] = other[2]

    fault = only_fault(forge(ten, lay_anothers_card))
    assert fault.version == sum(map(len, batches[:place])) + 1
    assert "illegal move (CT-" in fault.sentence


def test_a_move_by_a_seat_that_is_not_to_act_is_found(ten: Export) -> None:
    def by_another(batches: list[list[Event]]) -> None:
        batches[2][0][1] = (batches[2][0][1] + 1) % 3

    assert "not to act" in only_fault(forge(ten, by_another)).sentence


OF_NO_MOVE: list[Event] = [
    ["no_such_type", 0],
    ["laid"],
    ["laid", "x", None, []],
    ["laid", 0, 10**30, -5],
    ["placed", {}, []],
]


@pytest.mark.parametrize(
    ("kind", "event"),
    [
        pytest.param(kind, event, marks=() if kind == "chinese_ten" or event == ["laid"] else pytest.mark.slow)
        for kind in ("chinese_ten", "plate_spinner", "plates")
        for event in OF_NO_MOVE
    ],
)
def test_an_event_that_no_move_leads_to_is_found(kind: str, event: Event) -> None:
    def put(batches: list[list[Event]]) -> None:
        batches[1][0] = event

    data = export(play(kind, 2))
    fault = only_fault(forge(data, put))
    assert fault.version == len(batches_of(data)[0]) + 1


@pytest.mark.parametrize("event", [7, [], [7], [""], None, {"type": "laid"}])
def test_what_is_no_event_at_all_is_found(ten: Export, event: Any) -> None:
    def put(batches: list[list[Event]]) -> None:
        batches[1][0] = event

    assert "is no event" in only_fault(forge(ten, put)).sentence


def test_a_consequence_that_equals_only_in_python_is_found(ten: Export) -> None:
    def as_truth(batches: list[list[Event]]) -> None:
        batches[0][1] = json.loads(json.dumps(batches[0][1]).replace("[1,", "[true,").replace(", 1,", ", true,"))

    assert only_fault(forge(ten, as_truth)).version == 2

    def and_an_end(batches: list[list[Event]]) -> None:
        as_truth(batches)
        batches.append([["ended", "rules"]])

    assert only_fault(forge(ten, and_an_end)).version == 2, "and it comes before what breaks the replay later"


# -- the table


@pytest.mark.parametrize("name", [ev.SANDBOXED, "@caged"])
def test_games_exported_before_the_sandbox_had_its_name_are_sound(ten: Export, name: str) -> None:
    """Time is charged only if a sandbox holds uploaded bots."""
    sentence: list[Event] = [[name, "A", "ab"], [ev.CHARGED, 0, 500]]
    assert faults_of(forge(ten, lambda batches: batches.insert(2, sentence))) == []


@pytest.mark.parametrize(
    "event",
    [
        [ev.LEFT, 3, "resigned"],
        [ev.LEFT, 0, "bored"],
        [ev.TAKEN_OVER, 0, "sensible"],
        [ev.ATTEMPT, 1, "again"],
        [ev.EXPIRED, 9],
        [ev.FAULT, 0, "timeout"],
        [ev.FAULT, 0, "sneezed"],
        [ev.CHARGED, 0, 500],
        [ev.ABORT_OFFERED, 3],
        [ev.ABORT_ACCEPTED, 0],
        [ev.ABORT_DECLINED, 0],
        [ev.ENDED, {"termination": "left", "scores": [0, 0, 0], "placings": [1, 1, 1]}],
        [ev.ENDED, {"termination": "aborted", "scores": [9], "placings": [1]}],
        [ev.ENDED, "now"],
        [ev.OPENED, {}],
        ["@bribed", 1],
    ],
)
def test_what_the_table_cannot_have_said_is_found(ten: Export, event: Event) -> None:
    fault = only_fault(forge(ten, lambda batches: batches.insert(2, [event])))
    assert fault.version == sum(map(len, batches_of(ten)[:2])) + 1
    assert "The table can't have said" in fault.sentence


def test_an_offer_to_abort_is_made_once_and_answered_while_it_stands(ten: Export) -> None:
    def with_inserted_batch(*events: Event) -> Export:
        return forge(ten, lambda batches: batches.insert(2, list(events)))

    honest = with_inserted_batch(
        [ev.ABORT_OFFERED, 0], [ev.ABORT_ACCEPTED, 1], [ev.ABORT_DECLINED, 0], [ev.ABORT_OFFERED, 1]
    )
    assert faults_of(honest) == []
    for again in ([ev.ABORT_OFFERED, 1], [ev.ABORT_ACCEPTED, 0]):
        assert "The table can't have said" in only_fault(with_inserted_batch([ev.ABORT_OFFERED, 0], again)).sentence


def test_a_table_of_three_may_not_end_while_a_built_in_bot_would_play_on() -> None:
    batches = play("chinese_ten", 3)[:3]
    ended = {"termination": "left", "scores": [0, 0, 0], "placings": [1, 1, 3]}
    data = export([*batches, [[ev.LEFT, 2, "resigned"], [ev.ENDED, ended]]])
    assert "The table can't have said" in only_fault(data).sentence


def test_a_table_of_three_may_end_for_whoever_did_not_come_but_not_once_a_bot_has_the_seat() -> None:
    """A season ends games that still wait for somebody when their round is over, whatever the terms say."""
    batches = play("chinese_ten", 3)[:3]
    left = [ev.LEFT, 2, "forfeited"]
    fold = fold_game([event for batch in batches for event in batch])
    for end in (ended_by_leavers(fold, [2], "forfeited"), ended_by_leavers(fold, [2], "no_show")):
        assert faults_of(export([*batches, [left, end]])) == []
        late = export([*batches, [left, [ev.TAKEN_OVER, 2, "random"], end]])
        assert "The table can't have said" in only_fault(late).sentence


def test_nobody_can_have_failed_to_come_to_a_live_game_that_has_begun() -> None:
    [[opened, *dealt], *moves] = play("chinese_ten", 2)[:3]
    opened[1]["terms"]["pace"] = LIVE
    starting: list[Event] = [[ev.READY, 0], [ev.READY, 1], [ev.COUNTDOWN, 3], [ev.GO]]
    batches = [[opened], [*starting, *dealt], *moves]
    fold = fold_game([event for batch in batches for event in batch])
    left = [[ev.LEFT, seat, "forfeited"] for seat in (0, 1)]
    late = export([*batches, [*left, nobody_came(fold, [0, 1])]])
    assert "The table can't have said" in only_fault(late).sentence


@pytest.mark.parametrize("missing", ["terms", "options", "seats", "kind", "commitment"])
def test_an_opening_that_lacks_something_is_found(ten: Export, missing: str) -> None:
    assert only_fault(forge(ten, lambda batches: batches[0][0][1].pop(missing))).version == 1


def test_an_opening_with_other_facts_than_the_games_is_found(plates: Export) -> None:
    fault = only_fault(tamper(plates, lambda data: data["game"]["options"].update(rounds=5)))
    assert (fault.version, "options" in fault.sentence) == (1, True)


def test_a_log_without_an_opening_is_found(ten: Export) -> None:
    assert "begin with the opening" in only_fault(forge(ten, lambda batches: batches[0].pop(0))).sentence
    assert "begin with the opening" in only_fault(forge(ten, lambda batches: batches.clear())).sentence


@pytest.mark.parametrize("name", ["termination", "scores", "placings"])
def test_an_outcome_that_the_game_did_not_come_to_is_found(ten: Export, name: str) -> None:
    def boast(data: Export) -> None:
        outcome = data["game"]["outcome"]
        outcome[name] = "left" if name == "termination" else [value + 1 for value in outcome[name]]

    assert "is said of it" in only_fault(tamper(ten, boast)).sentence


# -- the program


def run(path: Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a separate process that cannot import Django or the database's driver."""
    code = (
        "import runpy, sys\n"
        "class Guard:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('django', 'psycopg', 'rest_framework', 'celery', 'config'):\n"
        "            raise ImportError('refused by the guard: ' + name)\n"
        "sys.meta_path.insert(0, Guard())\n"
        f"sys.argv = ['verify', {str(path)!r}]\n"
        "runpy.run_module('replays.verify', run_name='__main__')\n"
    )
    bare = {"PATH": os.environ.get("PATH", "")}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True, check=False)


def test_the_program_needs_neither_django_nor_settings(ten: Export, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(ten))
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "no faults" in done.stdout


def test_the_program_names_a_fault_and_exits_with_1(ten: Export, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text(json.dumps(tamper(ten, lambda data: data["log"]["batches"].pop())))
    done = run(path)
    assert done.returncode == 1
    assert done.stdout.startswith(f"event {sum(map(len, batches_of(ten)[:-1]))}: ")
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not the export of a game"),
        (b'{"format": "scorebook-game"}', "schema null"),
        (b'{"format": "scorebook-game", "schema": 99}', "schema 99"),
        (b'{"format": "scorebook-game", "schema": 1}', "missing"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_a_sentence_and_2(
    text: bytes, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.json"
    path.write_bytes(text)
    assert main([str(path)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "can't be read" in output.err
    assert why in output.err


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("seed"),
        lambda data: data.update(seed="xyz"),
        lambda data: data.update(seed=None),
        lambda data: data["log"].update(version="12"),
        lambda data: data["log"].update(version=True),
        lambda data: data["log"].update(batches=7),
        lambda data: data["log"]["batches"][0].update(body="***"),
        lambda data: data["log"]["batches"][0].update(times=[-1]),
        lambda data: data["log"]["batches"][0].update(seq=1.5),
        lambda data: data["game"].update(kind="snap"),
        lambda data: data["game"].update(rules_version=99),
        lambda data: data.update(game=[]),
    ],
)
def test_an_export_with_a_part_missing_or_wrong_is_refused(ten: Export, change: Any) -> None:
    with pytest.raises(Unreadable):
        read_export(json.dumps(tamper(ten, change)))


def test_the_chain_of_a_game_whose_kind_is_missing_is_verified_all_the_same(
    ten: Export, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, label = tmp_path / "game.json", {"kind": "snap"}
    opened_so = forge(ten, lambda batches: batches[0][0][1].update(label))
    foreign = tamper(opened_so, lambda data: data["game"].update(label))
    path.write_text(json.dumps(foreign))
    assert main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert "events is unbroken" in out
    assert "The rules of snap, version 1, are not installed here" in err
    path.write_text(json.dumps(tamper(foreign, lambda data: data["log"].update(head="00" * 32))))
    assert main([str(path)]) == 1
    assert "some byte was changed" in capsys.readouterr().out
    path.write_text(json.dumps(tamper(ten, lambda data: data["game"].update(label))))
    assert main([str(path)]) == 1
    assert 'The game was opened with kind "chinese_ten", not "snap".' in capsys.readouterr().out


def test_a_missing_file_and_a_missing_argument_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.json")]) == 2
    assert main([]) == 2
    assert "python -m replays.verify FILE" in capsys.readouterr().err


def test_a_batch_that_claims_to_unpack_without_end_is_a_fault_and_no_burden() -> None:
    bomb = DEFLATED_CODEC + zlib.compress(bytes(MAX_INFLATED_BYTES + 1), 1)
    rows = [ExportedBatch(0, 1, [0], bomb)]
    data = export([[opening("plates", 2, {})]])
    row = {"seq": 0, "count": 1, "times": [0], "body": base64.b64encode(bomb).decode()}
    data["log"] = {"version": 1, "head": next_head(GENESIS, bomb, [0]).hex(), "batches": [row]}
    assert list(chain_faults(rows, 1, next_head(GENESIS, bomb, [0]))) == []
    assert "can't be read" in only_fault(data).sentence


class Number(int):
    """A number of a kind's own, as a member of an `IntEnum` is."""


def test_a_kind_whose_events_hold_numbers_of_its_own_is_verified(ten: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = KINDS["chinese_ten"].rules
    decide, decided = rules.decide, list[Event]()

    def deciding(*asked: Any) -> list[Event]:
        events = [
            [name, *(Number(each) if type(each) is int else each for each in rest)] for name, *rest in decide(*asked)
        ]
        decided.extend(events)
        return events

    monkeypatch.setattr(rules, "decide", deciding)
    assert faults_of(ten) == []
    assert any(isinstance(each, Number) for event in decided for each in event)
