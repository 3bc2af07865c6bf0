"""How events are written down: the codec of a batch, the chain of heads, and the table's own kinds of event.

Standard library only, so that an exported log can be verified without a database.

Two families share a log. *Rule events* come from an engine and depend on seed and moves alone; *table events* tell
what happened around the game, and no engine sees them: their type begins with ``@``. When an event happened stands
in the batch's `times` (ms since the stream was opened), never in the event.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from games.engines.base import Event

GENESIS: Final = bytes(32)  # the head of an empty stream
COMPRESS_ABOVE_BYTES: Final = 512  # bytes of JSON
MAX_INFLATED_BYTES: Final = 1 << 26  # bytes of JSON: no batch is as long, but a forged one may claim to be
PLAIN_CODEC: Final = b"j"
DEFLATED_CODEC: Final = b"z"

# ["@opened", {"game", "kind", "rules_version", "seats", "players", "options", "terms", "commitment"}], always the first
# event; "game" is its public id, "players" the id of the player in each seat. Logs that are older, and those of games
# outside of the platform, are without these two.
OPENED: Final = "@opened"
# ["@continued", game, version]: the events that follow are those of another game, which this one goes on from
CONTINUED: Final = "@continued"
# ["@attempt", attempt, reason]: another worker goes on with the game
ATTEMPT: Final = "@attempt"
# ["@left", seat, how], how: "resigned" | "forfeited"
LEFT: Final = "@left"
RESIGNED: Final = "resigned"
FORFEITED: Final = "forfeited"
# ["@taken_over", seat, built-in bot's name]: who plays on for a leaver
TAKEN_OVER: Final = "@taken_over"
# ["@expired", seat]: a clock ran out
EXPIRED: Final = "@expired"
# ["@appointed", ms]: the game begins so many ms after its opening, once everybody has checked in
APPOINTED: Final = "@appointed"
# ["@ready", seat]: a person is ready for GO (pace "live", as the two that follow), or has checked in
READY: Final = "@ready"
# ["@countdown", seconds]: so long until GO
COUNTDOWN: Final = "@countdown"
# ["@go"]: what the rules begin with follows
GO: Final = "@go"
# ["@beat", beat, seats]: beat 1, 2, … is taken, and in this drawn order (pace "beats")
BEAT: Final = "@beat"
# ["@not_taken", seat, move]: a move that was given for this beat is not legal any more
NOT_TAKEN: Final = "@not_taken"
# ["@charged", seat, ms]: so much of its bank a seat used for what follows: a person for a beat, a bot for its answer
CHARGED: Final = "@charged"
# ["@sandboxed", tier, policy hash]: uploaded bots are held from here on by a sandbox of that tier, by that policy
SANDBOXED: Final = "@sandboxed"
# ["@fault", seat, kind]: a bot failed; what it cost by the terms follows: a move or bundle drawn by lot, or "@left"
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
# ["@abort_offered", seat]: a person would rather abort the game; ["@abort_accepted", seat]: another one agrees
ABORT_OFFERED: Final = "@abort_offered"
ABORT_ACCEPTED: Final = "@abort_accepted"
# ["@abort_declined", seat]: somebody plays on, in word or by a move, and the offer is off
ABORT_DECLINED: Final = "@abort_declined"
# ["@ended", {"termination", "scores", "placings"}]: the table ended the game, not the rules; the termination is how who
# left last did so, or one of these ("left" for each of them in logs of earlier versions), or "aborted"
OUT_OF_TIME: Final = "out_of_time"
NO_SHOW: Final = "no_show"
LEAVING_TERMINATIONS: Final = (RESIGNED, OUT_OF_TIME, NO_SHOW, FORFEITED)
ENDED: Final = "@ended"


class RecordedEvent(NamedTuple):
    """One event of a stream: `version` is its place in the stream, from 1; `ms` since the stream was opened."""

    version: int
    ms: int
    event: Event


Batch = Sequence[RecordedEvent]  # what was appended together
Log = list[Batch]  # a stream, or the end of one, as it was appended


def events_of(log: Iterable[Batch]) -> list[RecordedEvent]:
    """The events of a log, in order."""
    return [entry for batch in log for entry in batch]


def is_table_event(event: Event) -> bool:
    """Whether `event` is the table's; everything else is the engine's."""
    return bool(event[0][0] == "@")


def encode_batch(events: Sequence[Event]) -> bytes:
    """The bytes of a batch: a codec byte, then a JSON array without spaces, deflated where it is long."""
    text = json.dumps(events, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    return PLAIN_CODEC + text if len(text) <= COMPRESS_ABOVE_BYTES else DEFLATED_CODEC + zlib.compress(text, 6)


def decode_batch(body: bytes) -> list[Event]:
    """The events of a batch. Raises ValueError when the bytes are not what `encode_batch` makes."""
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
    """Events of an exported game with the types that they have now: in files of before `@sandboxed` is `@caged`."""
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
    """The head after a batch, as PostgreSQL computes it in `games.eventlog.store.append`.

    SHA-256 of the old head, the length of the body as 4 bytes big-endian, the body, and the times in decimal with
    commas between. The length keeps body and times apart: without it, bytes could move from the one to the other.
    """
    listed = ",".join(map(str, times)).encode("ascii")
    return hashlib.sha256(head + len(body).to_bytes(4, "big") + body + listed).digest()
