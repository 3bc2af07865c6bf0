"""The lines between a table and a bot: docs/reference/bot-protocol.md. Pure, standard library only.

One JSON object a line, each way. What goes to a bot is made here as a dict and becomes bytes in `encode_line`. What
comes from one is parsed strictly: it may have been written by anybody, so whatever could be read in two ways, or could
break who stores it, is refused with a reason that its author understands.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

PROTOCOL: Final = 1
MAX_LINE_BYTES: Final = 64 * 1024  # of a bot's line, its end not counted
MAX_DEPTH: Final = 8  # objects and lists within one another, the line itself being the first
MOVE_MAX_LENGTH: Final = 200  # characters
MAX_BUNDLE_MOVES: Final = 100  # in a bundle
NUMBER_MAX_DIGITS: Final = 18  # digits
WANTS: Final = ("observation", "events")

# For one answer a bot has `move_ms` and what is left of `bank_ms`, which pays for what goes beyond it; `cpu_ms` is the
# processor's time for a whole game.
DEFAULT_CLOCK: Final = {"move_ms": 1000, "bank_ms": 10_000, "cpu_ms": 60_000}
START_TIMEOUT_MS: Final = 5000  # to load, and to answer hello

ProtocolLine = dict[str, Any]
_BACKSLASH_U: Final = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


class BadReply(Exception):
    """A bot's line is not what it was asked for; `reason` says why, to its author."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Ready:
    """What a bot said to hello: the parts of an ask that it `want`s, and the `kinds` it plays ((): it didn't say)."""

    want: tuple[str, ...] = WANTS
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stale:
    """An answer to something else than what was asked: to another version or beat, `given`. It is passed over."""

    given: int


@dataclass(frozen=True, slots=True)
class PartialBundle:
    """A bundle that is not complete: these moves, and then the bot wants to be asked again for what follows."""

    moves: list[str]


# -- to a bot


def hello_line(
    kind: str,
    seat: int,
    seats: int,
    options: Mapping[str, Any],
    clock: Mapping[str, int],
    seed: int,
    rules_version: int,
) -> ProtocolLine:
    """A game begins. `clock` has `move_ms`, `bank_ms` and `cpu_ms`; `seed` is the bot's own for this game."""
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
    """A move is wanted within `clock_ms`: one of `legal`, or where there are very many, one that they stand for."""
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
    """The bundle for `beat` is wanted. `after` are the moves of it that the bot has given already (`PartialBundle`)."""
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
    """The game has ended. No answer is wanted."""
    return {"type": "over", "outcome": dict(outcome)}


def encode_line(line: Mapping[str, Any]) -> bytes:
    """The line as bytes, its end included."""
    return json.dumps(line, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii") + b"\n"


# -- from a bot


def parse_ready(line: bytes) -> Ready:
    """The answer to hello: ``{"type":"ready","want":["observation"],"kinds":["palace"]}``. Raises `BadReply`."""
    said = _reply(line, {"type"}, {"want", "kinds", "protocol"})
    if said["type"] != "ready":
        raise BadReply(f'The answer to hello must have "type":"ready", not {_shown(said["type"])}.')
    spoken = said.get("protocol", PROTOCOL)
    if spoken != PROTOCOL or isinstance(spoken, bool):
        raise BadReply(f"The bot speaks protocol {_shown(spoken)}, but the server speaks protocol {PROTOCOL}.")
    want = _texts(said.get("want", list(WANTS)), "want")
    for each in want:
        if each not in WANTS:
            raise BadReply(f'"want" may name {" and ".join(WANTS)}, not {_shown(each)}.')
    kinds = _texts(said.get("kinds", []), "kinds")
    return Ready(tuple(dict.fromkeys(want)), tuple(dict.fromkeys(kinds)))


def parse_move(line: bytes, version: int) -> str | Stale:
    """The answer to a move that was asked for at `version`: ``{"move":"play 8","version":41}``. Raises `BadReply`."""
    said = _reply(line, {"move", "version"})
    given = _whole(said["version"], "version")
    move = _text(said["move"], '"move"')
    return move if given == version else Stale(given)


def parse_bundle(line: bytes, beat: int) -> list[str] | PartialBundle | Stale:
    """The answer to a bundle that was asked for `beat`: ``{"moves":["assign 5 P17 0","roll 13"],"beat":4}``.

    With ``"more":true`` the bundle goes on, and the bot is asked again. Raises `BadReply`.
    """
    said = _reply(line, {"moves", "beat"}, {"more"})
    given = _whole(said["beat"], "beat")
    moves = _texts(said["moves"], "moves")
    if not 0 < len(moves) <= MAX_BUNDLE_MOVES:
        raise BadReply(f'"moves" must be a list of 1 to {MAX_BUNDLE_MOVES} moves, not of {len(moves)}.')
    more = said.get("more", False)
    if not isinstance(more, bool):
        raise BadReply(f'"more" must be true or false, not {_shown(more)}.')
    if given != beat:
        return Stale(given)
    return PartialBundle(moves) if more else moves


def _reply(line: bytes, needed: set[str], allowed: set[str] | frozenset[str] = frozenset()) -> ProtocolLine:
    """The object of a line with the `needed` keys and no others than those and the `allowed`. Raises `BadReply`."""
    said = strict(line)
    if not isinstance(said, dict):
        raise BadReply(f"A line is a JSON object like {{…}}, not {_shown(said)}.")
    for key in sorted(needed - said.keys()):
        raise BadReply(f'The line has no "{key}".')
    for key in sorted(said.keys() - needed - allowed):
        known = ", ".join(sorted(needed | allowed))
        raise BadReply(f"The line has the unknown key {_shown(key)}. Its keys may be {known}.")
    return said


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
    """`value` as a reason quotes it: short, in ASCII."""
    return shortened(json.dumps(value, ensure_ascii=True))


def shortened(text: str) -> str:
    """At most 60 characters of what a bot wrote, as a sentence quotes it."""
    return text if len(text) <= 60 else f"{text[:57]}…"


# -- strict JSON


def strict(line: bytes) -> Any:
    """The JSON value of one line, with or without its end. Raises `BadReply` for whatever could be read in two ways."""
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
    """Raise `BadReply` where it is nested too deeply, before any parser recurses; brackets in texts don't count."""
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
    """Raise `BadReply` for a NUL or half a character (a lone surrogate) in a text, a key included."""
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
