"""The lines between a table and a bot (docs/reference/bot-protocol.md). Pure; needs only the standard library.

Each line is one JSON object. A line to a bot is built here as a dict, and `encode_line` makes it bytes. A line from a
bot is parsed strictly, because anybody may have written it. What could be read in two ways or could break the storage
is refused, with a reason that the bot's author understands.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

PROTOCOL: Final = 1
MAX_LINE_BYTES: Final = 64 * 1024  # of a bot's line, without its line end
MAX_DEPTH: Final = 8  # nested objects and lists, counting the line itself
MOVE_MAX_LENGTH: Final = 200  # characters
MAX_BUNDLE_MOVES: Final = 100
NUMBER_MAX_DIGITS: Final = 18
WANTS: Final = ("observation", "events")

# The default time of a bot. For each answer it has `move_ms` and, beyond this, what is left of `bank_ms`. `cpu_ms` is
# its processor time for a whole game.
DEFAULT_CLOCK: Final = {"move_ms": 1000, "bank_ms": 10_000, "cpu_ms": 60_000}
START_TIMEOUT_MS: Final = 5000  # to load and to answer hello

ProtocolLine = dict[str, Any]
_BACKSLASH_U: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class BadReply(Exception):
    """A bot's line is not a valid answer to its request. `reason` says why, for the bot's author."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Ready:
    """A bot's answer to hello: what it `want`s in a request, and the `kinds` it plays (() if it names none)."""

    want: tuple[str, ...] = WANTS
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stale:
    """An answer to an earlier request, for the version or beat `given`. It is skipped."""

    given: int


@dataclass(frozen=True, slots=True)
class PartialBundle:
    """The first moves of a bundle. The bot wants to be asked again for the moves after them."""

    moves: list[str]


# -- lines to a bot


def hello_line(
    kind: str,
    seat: int,
    seats: int,
    options: Mapping[str, Any],
    clock: Mapping[str, int],
    seed: int,
    rules_version: int,
) -> ProtocolLine:
    """Return the line that begins a game.

    `clock` has `move_ms`, `bank_ms` and `cpu_ms`; `seed` is the bot's own seed.
    """
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "kind": kind,
        "rules_version": rules_version,
        "seat": seat,
        "seats": seats,
        "options": dict(options),
        "clock": dict(clock),
        "seed": seed,
    }


def ask_line(
    version: int,
    events: Sequence[Mapping[str, Any]],
    observation: Mapping[str, Any] | None,
    legal: Sequence[str],
    clock_ms: int,
) -> ProtocolLine:
    """Return the request for a move within `clock_ms`.

    The move must be one of `legal` or, if there are very many moves, one that these stand for.
    """
    return {
        "type": "move",
        "version": version,
        "events": list(events),
        "observation": observation,
        "legal": list(legal),
        "clock_ms": clock_ms,
    }


def ask_bundle_line(
    beat: int,
    events: Sequence[Mapping[str, Any]],
    observation: Mapping[str, Any] | None,
    legal: Mapping[str, Any],
    clock_ms: int,
    after: Sequence[str] = (),
) -> ProtocolLine:
    """Return the request for the bundle of `beat`.

    `after` are its moves that the bot has already given (`PartialBundle`).
    """
    return {
        "type": "bundle",
        "beat": beat,
        "after": list(after),
        "events": list(events),
        "observation": observation,
        "legal": dict(legal),
        "clock_ms": clock_ms,
    }


def over_line(outcome: Mapping[str, Any]) -> ProtocolLine:
    """Return the line that tells a bot that the game has ended. It has no answer."""
    return {"type": "over", "outcome": dict(outcome)}


def encode_line(line: Mapping[str, Any]) -> bytes:
    """Return the line as bytes with its line end."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


# -- lines from a bot


def parse_ready(line: bytes) -> Ready:
    """Return the answer to hello, such as ``{"type":"ready","want":["observation"],"kinds":["palace"]}``.

    Raises `BadReply`.
    """
    reply = _reply(line, {"type"}, {"want", "kinds", "protocol"})
    if reply["type"] != "ready":
        raise BadReply(f'The answer to hello must have "type":"ready", not {_shown(reply["type"])}.')
    spoken = reply.get("protocol", PROTOCOL)
    if spoken != PROTOCOL or isinstance(spoken, bool):
        raise BadReply(f"The bot speaks protocol {_shown(spoken)}, but the server speaks protocol {PROTOCOL}.")
    want = _texts(reply.get("want", list(WANTS)), "want")
    for each in want:
        if each not in WANTS:
            raise BadReply(f'"want" may name {" and ".join(WANTS)}, not {_shown(each)}.')
    kinds = _texts(reply.get("kinds", []), "kinds")
    return Ready(tuple(dict.fromkeys(want)), tuple(dict.fromkeys(kinds)))


def parse_move(line: bytes, version: int) -> str | Stale:
    """Return the answer to the request for a move at `version`, such as ``{"move":"play 8","version":41}``.

    Raises `BadReply`.
    """
    reply = _reply(line, {"move", "version"})
    given = _whole(reply["version"], "version")
    move = _text(reply["move"], '"move"')
    return move if given == version else Stale(given)


def parse_bundle(line: bytes, beat: int) -> list[str] | PartialBundle | Stale:
    """Return the answer to the request for a bundle, such as ``{"moves":["assign 5 P17 0","roll 13"],"beat":4}``.

    With ``"more":true`` the bundle is not complete, and the bot is asked again. Raises `BadReply`.
    """
    reply = _reply(line, {"moves", "beat"}, {"more"})
    given = _whole(reply["beat"], "beat")
    moves = _texts(reply["moves"], "moves")
    if not 0 < len(moves) <= MAX_BUNDLE_MOVES:
        raise BadReply(f'"moves" must be a list of 1 to {MAX_BUNDLE_MOVES} moves, not of {len(moves)}.')
    more = reply.get("more", False)
    if not isinstance(more, bool):
        raise BadReply(f'"more" must be true or false, not {_shown(more)}.')
    if given != beat:
        return Stale(given)
    return PartialBundle(moves) if more else moves


def _reply(line: bytes, needed: set[str], allowed: set[str] | frozenset[str] = frozenset()) -> ProtocolLine:
    """Return the object on a line. Raises `BadReply` unless it has the keys `needed` and no others except `allowed`."""
    reply = strict(line)
    if not isinstance(reply, dict):
        raise BadReply(f"A line is a JSON object like {{…}}, not {_shown(reply)}.")
    for key in sorted(needed - reply.keys()):
        raise BadReply(f'The line has no "{key}".')
    for key in sorted(reply.keys() - needed - allowed):
        known = ", ".join(sorted(needed | allowed))
        raise BadReply(f"The line has the unknown key {_shown(key)}. Its keys may be {known}.")
    return reply


def _whole(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadReply(f'"{name}" must be the whole number of the request, not {_shown(value)}.')
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise BadReply(f"{what} must be a text, not {_shown(value)}.")
    if len(value) > MOVE_MAX_LENGTH:
        raise BadReply(f"{what} has {len(value)} characters. The maximum is {MOVE_MAX_LENGTH}.")
    return value


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        raise BadReply(f'"{name}" must be a list of texts, not {_shown(value)}.')
    return [_text(each, f'each of "{name}"') for each in value]


def _shown(value: Any) -> str:
    """Return `value` as a reason quotes it: short and in ASCII."""
    return shortened(json.dumps(value, ensure_ascii=True))


def shortened(text: str) -> str:
    """Return at most 60 characters of a bot's text, for a sentence that quotes it."""
    return text if len(text) <= 60 else f"{text[:57]}…"


# -- strict JSON


def strict(line: bytes) -> Any:
    """Return the JSON value of one line, with or without its line end.

    Raises `BadReply` for everything that could be read in two ways.
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) > MAX_LINE_BYTES:
        raise BadReply(f"The line has {len(line)} bytes. The maximum is {MAX_LINE_BYTES}.")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadReply(f"The line is not UTF-8: byte {error.start} can't be read.") from error
    if not text.strip(" \t"):
        raise BadReply("The line is empty.")
    if "\x00" in text:
        raise BadReply("The line has a NUL character.")
    if text.startswith("\ufeff"):
        raise BadReply("The line begins with a byte order mark. Leave it out.")
    _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except BadReply:
        raise
    except (ValueError, RecursionError) as error:
        raise BadReply(f"The line is not JSON: {error}.") from error
    if _BACKSLASH_U.search(text):
        _check_characters(value)
    return value


def _check_depth(text: str) -> None:
    """Raise `BadReply` if `text` is nested too deeply, before a recursive parser sees it.

    Brackets inside strings don't count.
    """
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    in_text = escaped = False
    for character in text:
        if in_text:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_text = False
        elif character == '"':
            in_text = True
        elif character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise BadReply(f"The line is nested more than {MAX_DEPTH} levels deep.")
        elif character in "]}":
            depth -= 1


def _check_characters(value: Any) -> None:
    """Raise `BadReply` for a NUL or a lone surrogate in any text of `value`, including keys."""
    if isinstance(value, str):
        if "\x00" in value:
            raise BadReply("The line has a NUL character, written \\u0000.")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadReply("The line has half a surrogate pair, a \\ud8… without its other half.") from error
    elif isinstance(value, list):
        for each in value:
            _check_characters(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            _check_characters(key)
            _check_characters(each)


def _constant(name: str) -> Any:
    raise BadReply(f"{name} is not a number in JSON.")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise BadReply(f"The number {text[:20]} is too large.")
    return number


def _int(text: str) -> int:
    if len(text.lstrip("-")) > NUMBER_MAX_DIGITS:
        raise BadReply(f"The number {text[:20]}… is too long.")
    return int(text)


def _pairs(pairs: list[tuple[str, Any]]) -> ProtocolLine:
    made: ProtocolLine = {}
    for key, value in pairs:
        if key in made:
            raise BadReply(f"The key {_shown(key)} occurs twice in one object.")
        made[key] = value
    return made


_DECODER: Final = json.JSONDecoder(
    parse_constant=_constant, parse_float=_float, parse_int=_int, object_pairs_hook=_pairs
)
