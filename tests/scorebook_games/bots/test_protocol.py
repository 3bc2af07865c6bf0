"""The lines between a server and a bot: which are refused, and with which reason (docs/reference/bot-protocol.md)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorebook_games.bots.protocol import (
    MAX_BUNDLE_MOVES,
    MAX_DEPTH,
    MAX_LINE_BYTES,
    BadReply,
    PartialBundle,
    Ready,
    Stale,
    ask_bundle_line,
    ask_line,
    encode_line,
    hello_line,
    over_line,
    parse_bundle,
    parse_move,
    parse_ready,
    strict,
)

MOVE = b'{"move":"play 8","version":41}'


def test_a_line_is_one_object_in_ascii_with_its_end() -> None:
    line = encode_line(hello_line("palace", 1, 3, {"packs": 2}, {"move_ms": 1000}, 7, 1))
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "type": "hello",
        "protocol": 1,
        "kind": "palace",
        "rules_version": 1,
        "seat": 1,
        "seats": 3,
        "options": {"packs": 2},
        "clock": {"move_ms": 1000},
        "seed": 7,
    }
    assert encode_line(over_line({"termination": "♠"})).isascii()


def test_an_ask_has_what_a_seat_may_know_and_how_long_it_has() -> None:
    assert ask_line(41, [], None, ["take"], 4200) == {
        "type": "move",
        "version": 41,
        "events": [],
        "observation": None,
        "legal": ["take"],
        "clock_ms": 4200,
    }
    bundle = ask_bundle_line(4, [], {"dice": "1"}, {"roll": None}, 10, ["assign 5 P17 0"])
    assert (bundle["type"], bundle["beat"], bundle["after"]) == ("bundle", 4, ["assign 5 P17 0"])


def test_a_move_is_taken_for_the_version_that_was_asked_for() -> None:
    assert parse_move(MOVE, 41) == "play 8"
    assert parse_move(b' {"version": 41, "move": "play 8"} \r\n', 41) == "play 8"


@pytest.mark.parametrize("version", [0, 40, 42, 10**9])
def test_an_answer_to_another_ask_is_stale_and_says_to_which(version: int) -> None:
    assert parse_move(MOVE, version) == Stale(41)
    assert parse_bundle(b'{"moves":["finish"],"beat":3}', version) == Stale(3)


def test_a_bundle_is_whole_or_the_beginning_of_one() -> None:
    line = b'{"moves":["assign 5 P17 0","roll 13"],"beat":4}'
    assert parse_bundle(line, 4) == ["assign 5 P17 0", "roll 13"]
    assert parse_bundle(b'{"moves":["assign 5 P17 0"],"beat":4,"more":true}', 4) == PartialBundle(["assign 5 P17 0"])
    assert parse_bundle(b'{"moves":["finish"],"beat":4,"more":false}', 4) == ["finish"]


def test_ready_says_what_a_bot_wants_and_plays() -> None:
    assert parse_ready(b'{"type":"ready"}') == Ready(("observation", "events"), ())
    assert parse_ready(b'{"type":"ready","want":[],"kinds":["palace"],"protocol":1}') == Ready((), ("palace",))


NOT_JSON: list[tuple[bytes, str]] = [
    (b"", "The line is empty."),
    (b"  \n", "The line is empty."),
    (b"play 8", "The line is not JSON"),
    (b'{"move":"play 8","version":41', "The line is not JSON"),
    (b'{"move":"play 8","version":41}{"move":"play 9","version":41}', "Extra data"),
    (b'{"move":"play 8","version":041}', "The line is not JSON"),
    (b"{'move':'play 8','version':41}", "The line is not JSON"),
    (b'{"move":"a\tb","version":41}', "Invalid control character"),
    (b'{"move":"play 8","version":41,"version":41}', 'The key "version" occurs twice'),
    (b'{"move":{"a":1,"a":2},"version":41}', 'The key "a" occurs twice'),
    (b'{"move":NaN,"version":41}', "NaN is not a number"),
    (b'{"move":"play 8","version":Infinity}', "Infinity is not a number"),
    (b'{"move":"play 8","version":-Infinity}', "-Infinity is not a number"),
    (b'{"move":"play 8","version":1e999999}', "The number 1e999999 is too large"),
    (b'{"move":"play 8","version":-1e400}', "too large"),
    (b'{"move":"play 8","version":' + b"9" * 5000 + b"}", "The number 99999999999999999999… is too long"),
    (b'{"move":"play \\ud800","version":41}', "half a surrogate pair"),
    (b'{"move":"\\udc00\\ud800","version":41}', "half a surrogate pair"),
    (b'{"move":"play 8","\\ud812":1,"version":41}', "half a surrogate pair"),
    (b'{"move":"play \\u0000","version":41}', "NUL"),
    (b'{"move":"play \x00","version":41}', "NUL"),
    (b'{"move":"play \xff","version":41}', "not UTF-8: byte 14"),
    (b'{"move":"play \xed\xa0\x80","version":41}', "not UTF-8"),
    (b"\xef\xbb\xbf" + MOVE, "byte order mark"),
    (b"\xff\xfe{\x00}\x00", "not UTF-8"),
    (b"[" * 9 + b"]" * 9, "nested more than 8 levels deep"),
    (b"[" * 30_000, "nested more than 8 levels deep"),
    (b'{"a":' * 10_000, "nested more than 8 levels deep"),
    (b'{"move":"' + b"x" * MAX_LINE_BYTES + b'","version":41}', "bytes. The maximum is 65536"),
]
NO_MOVE: list[tuple[bytes, str]] = [
    (b"null", "A line is a JSON object like {…}, not null."),
    (b"[]", "not []"),
    (b'"play 8"', 'not "play 8"'),
    (b"41", "not 41"),
    (b"{}", 'The line has no "move".'),
    (b'{"move":"play 8"}', 'The line has no "version".'),
    (b'{"move":"play 8","version":41,"why":"it is best"}', 'the unknown key "why". Its keys may be move, version'),
    (b'{"move":null,"version":41}', '"move" must be a text, not null'),
    (b'{"move":["play 8"],"version":41}', '"move" must be a text, not ["play 8"]'),
    (b'{"move":"play 8","version":"41"}', '"version" must be the whole number of the request, not "41".'),
    (b'{"move":"play 8","version":41.0}', "not 41.0"),
    (b'{"move":"play 8","version":true}', "not true"),
    (b'{"move":"' + b"x" * 201 + b'","version":41}', '"move" has 201 characters. The maximum is 200.'),
]


@pytest.mark.parametrize(("line", "reason"), NOT_JSON + NO_MOVE)
def test_a_line_that_is_no_move_is_refused_with_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(BadReply) as refused:
        parse_move(line, 41)
    assert reason in refused.value.reason
    assert refused.value.reason.endswith(".")
    assert len(refused.value.reason) < 200


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"moves":[],"beat":4}', "a list of 1 to 100 moves, not of 0"),
        (b'{"moves":"finish","beat":4}', '"moves" must be a list of texts, not "finish".'),
        (b'{"moves":["finish",1],"beat":4}', 'each of "moves" must be a text, not 1'),
        (b'{"moves":["finish"],"beat":null}', '"beat" must be the whole number'),
        (b'{"moves":["finish"],"beat":4,"more":1}', '"more" must be true or false, not 1.'),
        (b'{"move":"finish","beat":4}', 'The line has no "moves".'),
        (json.dumps({"moves": ["grab"] * (MAX_BUNDLE_MOVES + 1), "beat": 4}).encode(), "not of 101"),
    ],
)
def test_a_line_that_is_no_bundle_is_refused_with_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(BadReply) as refused:
        parse_bundle(line, 4)
    assert reason in refused.value.reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (MOVE, 'The line has no "type".'),
        (b'{"type":"move"}', 'The answer to hello must have "type":"ready", not "move".'),
        (b'{"type":"ready","want":["everything"]}', 'not "everything"'),
        (b'{"type":"ready","want":"events"}', '"want" must be a list of texts'),
        (b'{"type":"ready","protocol":2}', "The bot speaks protocol 2, but the server speaks protocol 1."),
        (b'{"type":"ready","protocol":true}', "The bot speaks protocol true"),
        (b'{"type":"ready","kinds":[1]}', 'each of "kinds" must be a text'),
    ],
)
def test_a_line_that_is_no_ready_is_refused_with_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(BadReply) as refused:
        parse_ready(line)
    assert reason in refused.value.reason


def test_depth_counts_objects_and_lists_and_not_what_stands_in_texts() -> None:
    assert strict(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) == [[[[[[[[]]]]]]]]
    assert strict(b'["' + b"[{" * 100 + b'", "\\"[[[[[[[[["]') == ["[{" * 100, '"[[[[[[[[[']
    assert strict(b"[[],[],[],[],[],[],[],[],[],[]]") == [[]] * 10


def test_a_character_beyond_the_first_plane_may_be_written_as_its_two_halves() -> None:
    assert parse_move(b'{"move":"\\ud83c\\udca1","version":41}', 41) == "🂡"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def reason_of(parse: Callable[[bytes], Any], line: bytes) -> str:
    """Return why `parse` refuses the line, or "". Other exceptions are raised."""
    try:
        parse(line)
    except BadReply as refused:
        return refused.reason
    return ""


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "a key that occurs twice at the end": lambda size: (
        b"{" + b"".join(b'"%07d":1,' % n for n in range(size // 12)) + b'"%07d":1}' % (size // 12 - 1)
    ),
    "unknown keys": lambda size: b"{" + b"".join(b'"%07d":1,' % n for n in range(size // 12)) + b'"z":1}',
    "digits": lambda size: b"[" + b"9" * size + b"]",
    "a long fraction": lambda size: b"[0." + b"9" * size + b"]",
    "an exponent of zeros": lambda size: b"[1" + b"0" * (size // 2) + b"e-%d]" % (size // 2),
    "small objects": lambda size: b"[" + b"{}," * (size // 3) + b"1]",
    "brackets in a text": lambda size: b'{"move":"' + b"[" * size + b'","version":1}',
    "escapes": lambda size: b'{"move":"' + b"\\u0041" * (size // 6) + b'","version":1}',
    "halves of characters": lambda size: b'["' + b"\\ud83d\\ude00" * (size // 12) + b'"]',
    "moves": lambda size: b'{"beat":1,"moves":[' + b'"a",' * (size // 4) + b'"a"]}',
    "kinds": lambda size: b'{"type":"ready","kinds":[' + b'"a",' * (size // 4) + b'"a"]}',
}


@pytest.mark.some(4)
@pytest.mark.parametrize("sort", HOSTILE)
def test_a_line_four_times_as_long_takes_about_four_times_as_long_to_read(sort: str) -> None:
    """The least processor time of several tries is compared. Quadratic work would take sixteen times as long."""

    def least(line: bytes) -> float:
        taken = []
        for _ in range(5):
            began = time.thread_time()
            for parse in (parse_ready, lambda each: parse_move(each, 41), lambda each: parse_bundle(each, 4)):
                assert len(reason_of(parse, line)) < 300
            taken.append(time.thread_time() - began)
        return min(taken)

    short, long = least(HOSTILE[sort](MAX_LINE_BYTES // 4 - 50)), least(HOSTILE[sort](MAX_LINE_BYTES - 50))
    assert long < 12 * short + 0.002


@given(st.binary(max_size=200))
def test_whatever_bytes_come_there_is_an_answer_or_a_reason(line: bytes) -> None:
    for parse in (parse_ready, lambda each: parse_move(each, 41), lambda each: parse_bundle(each, 4)):
        assert reason_of(parse, line).encode("utf-8") is not None


@given(JSON)
def test_what_is_read_is_what_was_written_and_can_be_stored(value: Any) -> None:
    line = json.dumps(value).encode()
    if reason := reason_of(strict, line):
        assert any(word in reason for word in ("NUL", "half a surrogate pair", "deep"))
        return
    read = strict(line)
    assert read == value
    assert b"\\u0000" not in json.dumps(read).encode()
    json.dumps(read, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(st.text(max_size=200), st.integers(0, 10**9), st.integers(0, 10**9))
def test_every_text_is_a_move_unless_it_could_not_be_stored(move: str, version: int, asked_for: int) -> None:
    line = json.dumps({"move": move, "version": version}).encode()
    if "\x00" in move or any("\ud800" <= letter <= "\udfff" for letter in move):
        with pytest.raises(BadReply):
            parse_move(line, asked_for)
    else:
        assert parse_move(line, asked_for) == (move if version == asked_for else Stale(version))
