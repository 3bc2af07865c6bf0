"""How events are written: the encoding of a batch, the chain of heads, and the types of table events.

Needs only the standard library, so an exported log can be verified without a database.

A log holds two families of events. *Rule events* come from an engine and depend only on the seed and the moves. *Table
events* record what happened around the game; engines do not see them, and their types begin with ``@``. The time of an
event stands in the batch's `times` (ms since the stream was opened), never in the event.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from scorebook_games.contract import Event

GENESIS: Final = bytes(32)  # the head of an empty stream
COMPRESS_ABOVE_BYTES: Final = 512  # bytes of JSON
# Without spaces, and without looking for an event that contains itself, which takes a quarter of the time.
AS_JSON: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
MAX_INFLATED_BYTES: Final = 1 << 26  # bytes of JSON: no batch is as long, but a forged one may claim to be
PLAIN_CODEC: Final = b"j"
DEFLATED_CODEC: Final = b"z"

# ["@opened", {"game", "kind", "rules_version", "rules_hash", "seats", "players", "options", "terms", "commitment"}],
# always the first event. "game" is the game's public id, "players" the id of the player in each seat, "rules_hash" that
# of the sources of the rules (`Kind.rules_hash`). Older logs have none of the three, and logs of games played outside
# the platform have no "game" and "players".
OPENED: Final = "@opened"
# ["@continued", game, version]: the events that follow belong to another game, which this game continues from there
CONTINUED: Final = "@continued"
# ["@attempt", attempt, reason]: another worker goes on with the game
ATTEMPT: Final = "@attempt"
# ["@left", seat, how], how: "resigned" | "forfeited"
LEFT: Final = "@left"
RESIGNED: Final = "resigned"
FORFEITED: Final = "forfeited"
# ["@taken_over", seat, built-in bot's name]: this bot plays on for a player who left
TAKEN_OVER: Final = "@taken_over"
# ["@expired", seat]: the seat's clock ran out
EXPIRED: Final = "@expired"
# ["@appointed", ms]: once everybody has checked in, the game begins this many ms after its opening
APPOINTED: Final = "@appointed"
# ["@ready", seat]: a player is ready for GO (only on the pace "live", like the next two types) or has checked in
READY: Final = "@ready"
# ["@countdown", seconds]: GO follows after this time
COUNTDOWN: Final = "@countdown"
# ["@go"]: the first events of the rules follow
GO: Final = "@go"
# ["@beat", beat, seats]: beat 1, 2, … is taken, with the seats in this drawn order (pace "beats")
BEAT: Final = "@beat"
# ["@not_taken", seat, move]: a move that was given for this beat is no longer legal
NOT_TAKEN: Final = "@not_taken"
# ["@charged", seat, ms]: a seat used this much of its bank for what follows: a person for a beat, a bot for its answer
CHARGED: Final = "@charged"
# ["@sandboxed", tier, policy hash]: from here on, a sandbox of this tier and policy runs the uploaded bots
SANDBOXED: Final = "@sandboxed"
# ["@fault", seat, kind]: a bot failed. The consequence by the game's terms follows: a random move or bundle, or
# "@left".
FAULT: Final = "@fault"
FAULT_KINDS: Final = frozenset(
    {
        "start_timeout",
        "start_crashed",
        "crashed",
        "timeout",
        "cpu_limit",
        "violation",
        "bad_reply",
        "restart_limit",
        "illegal_move",
    }
)
# ["@abort_offered", seat]: a player offers to abort the game; ["@abort_accepted", seat]: another one agrees
ABORT_OFFERED: Final = "@abort_offered"
ABORT_ACCEPTED: Final = "@abort_accepted"
# ["@abort_declined", seat]: a player goes on, by a button or by a move, and the offer ends
ABORT_DECLINED: Final = "@abort_declined"
# ["@ended", {"termination", "scores", "placings"}]: the table ended the game, not the rules. The termination is how the
# last leaver left, or one of these ("left" for each of them in logs of earlier versions), or "aborted".
OUT_OF_TIME: Final = "out_of_time"
NO_SHOW: Final = "no_show"
LEAVING_TERMINATIONS: Final = (RESIGNED, OUT_OF_TIME, NO_SHOW, FORFEITED)
ENDED: Final = "@ended"


class RecordedEvent(NamedTuple):
    """One event of a stream.

    `version` is its place in the stream, from 1; `ms` is its time since the stream was opened.
    """

    version: int
    ms: int
    event: Event


Batch = Sequence[RecordedEvent]  # events that were appended together
Log = list[Batch]  # a stream, or the end of one, as it was appended


_as_recorded: Final = partial(tuple.__new__, RecordedEvent)  # two thirds of the time of `RecordedEvent(…)`


def recorded(seq: int, times: Iterable[int], events: Iterable[Event]) -> Batch:
    """Return events that follow version `seq` as they stand in a log, each with its time."""
    return list(map(_as_recorded, zip(count(seq + 1), times, events, strict=False)))


def events_of(log: Iterable[Batch]) -> list[RecordedEvent]:
    """Return the events of a log, in order."""
    return [entry for batch in log for entry in batch]


def is_table_event(event: Event) -> bool:
    """Return whether `event` is a table event. All others are the engine's."""
    return bool(event[0][0] == "@")


def encode_batch(events: Sequence[Event]) -> bytes:
    """Return a batch as bytes: a codec byte, then a JSON array without spaces, deflated if it is long."""
    text = AS_JSON(events).encode("ascii")
    return PLAIN_CODEC + text if len(text) <= COMPRESS_ABOVE_BYTES else DEFLATED_CODEC + zlib.compress(text, 6)


def decode_batch(body: bytes) -> list[Event]:
    """Return the events of a batch. Raises ValueError if `encode_batch` cannot have made the bytes."""
    codec, text = body[:1], body[1:]
    if codec == DEFLATED_CODEC:
        text = _inflate(text)
    elif codec != PLAIN_CODEC:
        raise ValueError(f"The batch has the unknown codec {codec!r}.")
    try:
        events = json.loads(text)
    except RecursionError as error:
        raise ValueError("The batch is nested too deeply.") from error
    if not isinstance(events, list):
        raise ValueError("The batch is no list of events.")
    return events


def with_current_types(events: Sequence[Event]) -> list[Event]:
    """Return the events of an exported game with today's types: older files have `@caged` for `@sandboxed`."""
    return [[SANDBOXED, *event[1:]] if event[:1] == ["@caged"] else event for event in events]


def _inflate(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(packed, MAX_INFLATED_BYTES)
    except zlib.error as error:
        raise ValueError("The batch's bytes cannot be unpacked.") from error
    if not inflater.eof or inflater.unused_data:
        raise ValueError(
            f"The batch's bytes cannot be unpacked into {MAX_INFLATED_BYTES} bytes, all of them and no more."
        )
    return text


def next_head(head: bytes, body: bytes, times: Sequence[int]) -> bytes:
    """Return the head of a stream after a batch, as PostgreSQL computes it in `games.eventlog.store.append`.

    It is the SHA-256 of the old head, the length of the body as 4 bytes big-endian, the body, and the times in decimal,
    separated by commas. The length keeps body and times apart: without it, bytes could move from one to the other.
    """
    listed = ",".join(map(str, times)).encode("ascii")
    return hashlib.sha256(head + len(body).to_bytes(4, "big") + body + listed).digest()
