"""Verifies a finished game's export: ``python -m replays.verify FILE`` (docs/explanation/fairness.md).

It needs only the standard library and the engines: no server, settings or database, for people who do not trust a
server. Exit codes: 0 the game is correct, 1 a fault was found, 2 the file cannot be read, or not all of it can be
verified because the rules of its kind are not installed.
"""

from __future__ import annotations

import base64
import json
import marshal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from scorebook_games.chance import SeedDealer, commitment
from scorebook_games.contract import Event, IllegalMove, RulesError
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.endings import possible_endings
from scorebook_games.gamelog.events import FAULT_KINDS, GENESIS, decode_batch, next_head
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS, ends_bundle, order_of
from scorebook_games.gamelog.terms import BEATS, with_current_values
from scorebook_games.gamelog.visibility import outcome_data
from scorebook_games.registry import KINDS, UnknownKind, rules_for

EXPORT_FORMAT: Final = "scorebook-game"
EXPORT_SCHEMA: Final = 2
EARLIER_EXPORT_SCHEMA: Final = 1  # schema without the players' ids
FACTS_OF_LATER_LOGS: Final = ("game", "players")  # what the openings of earlier logs do not say


class StoredBatchLike(Protocol):
    """A batch as it is stored, such as `games.eventlog.store.Stored`."""

    @property
    def seq(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def times(self) -> Sequence[int]: ...
    @property
    def body(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ExportedBatch:
    """A batch in an export."""

    seq: int
    count: int
    times: Sequence[int]
    body: bytes


@dataclass(frozen=True, slots=True)
class GameRecord:
    """What is claimed about a game, to be compared with its batches.

    `facts` are those of the first event that also stand elsewhere: kind, rules_version, options, seats, and game and
    players, which earlier logs do not have. `outcome` is None during the game. `seed` is None if it is unknown; then
    chance cannot be checked, which is a fault.
    """

    batches: Sequence[StoredBatchLike]
    version: int
    head: bytes
    seed: bytes | None
    salt: bytes
    facts: Mapping[str, Any]
    outcome: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class VerificationFault:
    """A fault at the event with that version."""

    version: int
    sentence: str

    def __str__(self) -> str:
        return f"event {self.version}: {self.sentence}"


class Verification(NamedTuple):
    """The result: the faults, and the game if it could be replayed to its last event."""

    faults: list[VerificationFault]
    fold: Fold | None


class Unreadable(ValueError):
    """The file is no export that this program reads; the text says why."""


class MissingKind(Unreadable):
    """The rules of the game's kind are not installed here. The chain of the `record` can be checked all the same."""

    def __init__(self, record: GameRecord, kind: str, version: object) -> None:
        super().__init__(
            f"The rules of {kind}, version {version}, are not installed here: install the package with this kind of "
            "game, and name it in SCOREBOOK_KINDS."
        )
        self.record = record


class Broken(Exception):
    """The replay cannot continue; `fault` says where and why."""

    def __init__(self, version: int, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = VerificationFault(version, sentence)


# -- the chain


def chain_faults(
    batches: Sequence[StoredBatchLike], version: int, head: bytes, *, in_order: bool = True
) -> Iterator[VerificationFault]:
    """Return the faults of a stream's batches, against the version and head that it claims.

    With `in_order` false, times may run backwards, as they do in a stream with many writers.
    """
    at, chained, ms = 0, GENESIS, 0
    for batch in batches:
        if batch.seq != at:
            yield VerificationFault(
                at + 1, f"A batch is out of its place: it says that {batch.seq} events came before it, not {at}."
            )
        if batch.count < 1 or len(batch.times) != batch.count:
            yield VerificationFault(
                at + 1, f"The batch says that it has {batch.count} events, and has {len(batch.times)} times."
            )
        if in_order and [ms, *batch.times] != sorted([ms, *batch.times]):
            yield VerificationFault(at + 1, f"The times {list(batch.times)} run back; the one before them is {ms}.")
        at, chained, ms = at + batch.count, next_head(chained, batch.body, batch.times), max([ms, *batch.times])
    if at != version:
        yield VerificationFault(at, f"The log ends with this event, but {version} events are said to be in it.")
    if chained != head:
        yield VerificationFault(
            at, f"The chain of heads ends in {chained.hex()}, not in {head.hex()}: some byte was changed."
        )


# -- the replay


def verify(record: GameRecord) -> Verification:
    """Return all faults of a game. A replay that has failed once is not followed further."""
    faults = list(chain_faults(record.batches, record.version, record.head))
    try:
        fold = replay_record(record)
    except Broken as broken:
        return Verification([*faults, broken.fault, *_changed_rules(record)], None)
    return Verification([*faults, *_outcome_faults(record, fold)], fold)


def _changed_rules(record: GameRecord) -> Iterator[VerificationFault]:
    """Return a fault if the game was opened with other rules than those here: they may be why its replay differs."""
    try:
        opened = _events_of(record.batches[0])[0][1]
        kind, then = opened["kind"], opened["rules_hash"]
    except (Broken, LookupError, TypeError):
        return
    if kind in KINDS and then != KINDS[kind].rules_hash:
        yield VerificationFault(
            1,
            f"The game was opened with other rules: their sources had the hash {then}, and those of {kind} here have "
            f"{KINDS[kind].rules_hash}.",
        )


def replay_record(record: GameRecord) -> Fold:
    """Replay the game from its moves and its seed. Raises `Broken` if the log differs."""
    events = [event for batch in record.batches for event in _events_of(batch)]
    fold = _opened(record, events)
    if record.seed is None:
        raise Broken(1, "The seed is missing, so the deal and the dice can't be made again.")
    dealer = SeedDealer(record.seed)
    beat = Beat(fold, dealer)
    broken = None
    try:
        _repeat(fold, events, dealer, beat)
        beat.close()
    except Broken as error:
        broken = error
    _check_texts(fold, events)  # what it finds comes before what broke the replay
    if broken:
        raise broken
    return fold


def _check_not_over(fold: Fold, event: Event) -> None:
    if fold.outcome() is not None:
        raise Broken(fold.version + 1, f"{_text(event)} comes after the end of the game.")


def _events_of(batch: StoredBatchLike) -> list[Event]:
    try:
        events = decode_batch(batch.body)
    except ValueError as error:
        raise Broken(batch.seq + 1, f"The batch that begins here can't be read: {error}") from error
    if len(events) != batch.count:
        raise Broken(batch.seq + 1, f"The batch that begins here has {len(events)} events, not {batch.count}.")
    for version, event in enumerate(events, batch.seq + 1):
        if type(event) is not list or not event or type(event[0]) is not str or not event[0]:
            raise Broken(version, f"{_text(event)} is no event: an event is a list that begins with its type.")
    return ev.with_current_types(events)


def _opened(record: GameRecord, events: Sequence[Event]) -> Fold:
    """Return the fold of the first event, which must repeat the claimed facts and the commitment to the seed."""
    if not events or events[0][0] != ev.OPENED:
        raise Broken(1, "The log doesn't begin with the opening of a game.")
    try:
        fold = Fold(events[0])
        resolved = fold.rules.resolve(fold.seats, fold.opened["options"])
        promised, _ = fold.opened["commitment"], fold.opened["terms"]["leaver"]
    except Exception as error:  # whatever a forged event may lead to
        raise Broken(1, f"The opening can't be read: {type(error).__name__}, {error}") from error
    terms = record.facts.get("terms")
    claimed = {**record.facts, "terms": with_current_values(terms)} if isinstance(terms, Mapping) else record.facts
    _check_facts(fold.opened, [*claimed.items(), ("options", resolved)])
    if record.seed is not None and promised != (made := commitment(record.salt, record.seed)):
        raise Broken(1, f"The commitment {promised} isn't that of salt and seed, {made}: the seed is another one.")
    return fold


def _check_facts(opened: Mapping[str, Any], claimed: Iterable[tuple[str, Any]]) -> None:
    for name, value in claimed:
        if name in FACTS_OF_LATER_LOGS and name not in opened:
            continue
        if not _same(opened.get(name), value):
            raise Broken(1, f"The game was opened with {name} {_text(opened.get(name))}, not {_text(value)}.")


def faults_without_rules(record: GameRecord) -> list[VerificationFault]:
    """Return the faults that can be found without the rules of the game's kind: in the chain and the claimed facts."""
    faults = list(chain_faults(record.batches, record.version, record.head))
    try:
        match _events_of(record.batches[0]) if record.batches else []:
            case [[ev.OPENED, dict(opened)], *_]:
                _check_facts(opened, record.facts.items())
            case _:
                raise Broken(1, "The log doesn't begin with the opening of a game.")
    except Broken as broken:
        faults.append(broken.fault)
    return faults


class Beat:
    """The beat in progress, in a game played in beats (PS-17): whose bundle is being taken, and whose are done."""

    def __init__(self, fold: Fold, dealer: SeedDealer) -> None:
        self.fold = fold
        self.dealer = dealer
        self.order: list[int] = []  # seats whose bundles may still come; that of the first may have begun
        self.owed: set[int] = set()  # of whom a bundle must come

    def begin(self, number: object, order: object) -> bool:
        """Return whether that beat may begin now, in the order that the seed draws."""
        fold = self.fold
        if fold.pace != BEATS or not fold.started or not _same(number, fold.beat + 1):
            return False
        self.close()
        self.order = order_of(fold, fold.beat + 1, self.dealer)
        self.owed = set(fold.awaited())
        return _same(order, self.order)

    def close(self) -> None:
        """Raise `Broken` if a bundle is missing in a game that went on after the beat."""
        if self.owed and self.fold.outcome() is None:
            seats = ", ".join(map(str, sorted(self.owed)))
            raise Broken(self.fold.version, f"The beat ends here without the bundle of seat {seats}.")

    def move(self, seat: int, action: int) -> None:
        """Raise `Broken` unless it is the turn of that seat's bundle."""
        if not self._turn(seat):
            raise Broken(self.fold.version + 1, f"It is not the turn of the bundle of seat {seat} in this beat.")
        if ends_bundle(self.fold.rules, self.fold.state, action):
            self._done()

    def refuse(self, seat: int, text: str) -> bool:
        """Return whether the move `text` of that seat's bundle is impossible now."""
        if seat not in self.owed or not self._turn(seat):
            return False
        self._done()
        rules, state = self.fold.rules, self.fold.state
        try:
            rules.decide(state, seat, rules.parse_move(state, text), self.dealer)
        except RulesError:
            return True
        return False

    def _turn(self, seat: int) -> bool:
        if seat not in self.order:
            return False
        self.order = self.order[self.order.index(seat) :]
        return True

    def _done(self) -> None:
        self.owed.discard(self.order.pop(0))


def _repeat(fold: Fold, events: Sequence[Event], dealer: SeedDealer, beat: Beat) -> None:
    """Let the rules decide again what each event leads to, and apply it if the log says the same. Raises `Broken` if
    not, or if the table could not have said an event."""
    while (first := fold.version) < len(events):
        event = events[first]
        if event[0][0] == "@":  # `is_table_event` without a call, because a game has hundreds of events
            _check_not_over(fold, event)
            _check_table_event(fold, event, beat)
            fold.apply(event)
            continue
        decided = _decided(fold, event, dealer, beat)
        if decided != events[first : first + len(decided)]:
            _explain(decided, events, first)
        fold.apply_decided(decided)


def _explain(decided: Sequence[Event], events: Sequence[Event], first: int) -> None:
    """Raise `Broken` at the first event that is not as the rules decided."""
    for place, made in enumerate(decided, first):
        if place >= len(events):
            raise Broken(place, f"The log ends within a move; {_text(made)} must follow.")
        _check_text(made, events[place], place)


def _check_text(made: Event, event: Event, place: int) -> None:
    if not _same(made, event):
        sentence = f"The log says {_text(event)}, but by the rules and the seed it is {_text(made)}."
        raise Broken(place + 1, sentence)


def _check_texts(fold: Fold, events: Sequence[Event]) -> None:
    """Raise `Broken` at the first applied event whose JSON text is not that of the log: 1, 1.0 and True are equal in
    Python. Asked once for a game, because asking at each move took up to a fifth of the time."""
    if not _same(fold.story, [event for event in events[: fold.version] if event[0][0] != "@"]):
        decided = [place for place in range(fold.version) if not ev.is_table_event(events[place])]
        for place, made in zip(decided, fold.story, strict=True):
            _check_text(made, events[place], place)


def _decided(fold: Fold, event: Event, dealer: SeedDealer, beat: Beat) -> list[Event]:
    """Return the events of the move behind `event`, or of the start. Raises `Broken` if there is no such move."""
    acting = fold.to_act()
    if not acting:  # as after the end
        _check_not_over(fold, event)
    if not fold.go:
        raise Broken(fold.version + 1, f"{_text(event)} comes before GO.")
    if not fold.started:
        return fold.rules.start(fold.state, dealer)
    try:
        seat, action = fold.rules.action_of(fold.state, event)
    except Exception as error:  # a forged event may cause any error
        raise Broken(fold.version + 1, f"No move leads to {_text(event)}.") from error
    if seat not in acting:
        raise Broken(fold.version + 1, f"{_text(event)} is a move of seat {seat}, who is not to act.")
    if fold.pace == BEATS:
        beat.move(seat, action)
    try:
        return fold.rules.decide(fold.state, seat, action, dealer)
    except IllegalMove as error:
        raise Broken(
            fold.version + 1, f"{_text(event)} is an illegal move ({error.clause}): {error.sentence}"
        ) from error
    except Exception as error:  # an action that no engine knows
        raise Broken(fold.version + 1, f"No move leads to {_text(event)}.") from error


def _check_table_event(fold: Fold, event: Event, beat: Beat) -> None:  # noqa: C901  one event type a case
    """Raise `Broken` if an event around the rules could not happen now."""
    match event:
        case [ev.CONTINUED, str(), int()]:
            sound = fold.version == 1
        case [ev.LEFT, int(seat), "resigned" | "forfeited"]:
            sound = seat in range(fold.seats) and seat not in fold.left
        case [ev.TAKEN_OVER, int(seat), str()]:
            sound = seat in fold.left and seat not in fold.taken_over
        case [ev.ATTEMPT, int(attempt), *_]:
            sound = attempt > fold.attempt
        case [ev.EXPIRED, int(seat)]:
            sound = seat in range(fold.seats)
        case [ev.CHARGED, int(seat), int(ms)]:
            sound = (fold.pace == BEATS or bool(fold.sandboxed)) and seat in range(fold.seats) and ms > 0
        case [ev.SANDBOXED, str(), str()]:
            sound = True
        case [ev.FAULT, int(seat), str(kind)]:
            sound = bool(fold.sandboxed) and seat in range(fold.seats) and seat not in fold.left and kind in FAULT_KINDS
        case [ev.ABORT_OFFERED, int(seat)]:
            sound = _may_say(fold, seat) and not fold.abort_wanted
        case [ev.ABORT_ACCEPTED, int(seat)]:
            sound = _may_say(fold, seat) and bool(fold.abort_wanted) and seat not in fold.abort_wanted
        case [ev.ABORT_DECLINED, int(seat)]:
            sound = _may_say(fold, seat) and bool(fold.abort_wanted)
        case [ev.APPOINTED, int(ms)]:
            sound = not fold.started and fold.appointed is None and ms >= 0
        case [ev.READY, int(seat)]:
            sound = not fold.go and seat in range(fold.seats) and seat not in fold.ready
        case [ev.COUNTDOWN, int(seconds)]:
            sound = not fold.go and not fold.countdown and seconds == COUNTDOWN_SECONDS
        case [ev.GO]:
            sound = not fold.go and fold.countdown
        case [ev.BEAT, number, order]:
            sound = beat.begin(number, order)
        case [ev.NOT_TAKEN, int(seat), str(text)]:
            sound = beat.refuse(seat, text)
        case [ev.ENDED, *_]:
            sound = any(_text(event) == _text(possible) for possible in possible_endings(fold))
        case _:
            sound = False
    if not sound:
        raise Broken(fold.version + 1, f"The table can't have said {_text(event)} here.")


def _may_say(fold: Fold, seat: int) -> bool:
    """Return whether somebody sits there who may make or answer an offer."""
    return seat in range(fold.seats) and seat not in fold.left


def _outcome_faults(record: GameRecord, fold: Fold) -> Iterator[VerificationFault]:
    outcome = fold.outcome()
    made = outcome_data(outcome) if outcome else None
    if not _same(made, record.outcome):
        yield VerificationFault(
            fold.version, f"The game came to {_text(made)}, but {_text(record.outcome)} is said of it."
        )


def _same(one: Any, other: Any) -> bool:
    """Return whether two values have the same JSON text. `marshal` tells 1, 1.0 and True apart, as JSON does, and costs
    a tenth; but it also tells tuples from lists, and orders of fields, and does not write members of an `IntEnum`."""
    with suppress(ValueError):
        if marshal.dumps(one, 0) == marshal.dumps(other, 0):
            return True
    return _text(one) == _text(other)


def _text(value: Any) -> str:
    """Return JSON text. Equal text is equal to the byte, while 1, 1.0 and True are all equal in Python."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


# -- the file


def read_export(text: str | bytes) -> GameRecord:
    """Return the record in an export, as `replays.export.game_json.export_json` makes it. Raises `Unreadable`, and
    `MissingKind` if its moves cannot be read here."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"It is not JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != EXPORT_FORMAT:
        raise Unreadable("It is not the export of a game of Scorebook.")
    if data.get("schema") not in (EARLIER_EXPORT_SCHEMA, EXPORT_SCHEMA):
        raise Unreadable(
            f"It has the schema {_text(data.get('schema'))}; "
            f"this program reads {EARLIER_EXPORT_SCHEMA} and {EXPORT_SCHEMA}."
        )
    try:
        record = _record(data)
        kind, version = data["game"]["kind"], data["game"]["rules_version"]
        rules_for(kind, version)
    except UnknownKind as error:
        raise MissingKind(record, kind, version) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"Something is missing in it or of the wrong type: {error!r}") from error
    return record


def _ids_in(data: Mapping[str, Any]) -> list[int | None] | None:
    """Return the players' ids in an export, by seat; None in a schema without ids."""
    return None if data["schema"] == EARLIER_EXPORT_SCHEMA else [player["id"] for player in data["game"]["players"]]


def _record(data: Mapping[str, Any]) -> GameRecord:
    game, log = data["game"], data["log"]
    seated = {"game": game.get("id"), "players": _ids_in(data)}
    return GameRecord(
        batches=[_batch(batch) for batch in log["batches"]],
        version=_whole(log["version"]),
        head=bytes.fromhex(log["head"]),
        seed=bytes.fromhex(data["seed"]),
        salt=bytes.fromhex(data["salt"]),
        facts=seated | {name: game[name] for name in ("kind", "rules_version", "options", "seats")},
        outcome=game["outcome"],
    )


def _batch(data: Mapping[str, Any]) -> ExportedBatch:
    times = [_whole(ms) for ms in data["times"]]
    body = base64.b64decode(data["body"], validate=True)
    return ExportedBatch(_whole(data["seq"]), _whole(data["count"]), times, body)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError(f"{value!r} is not a whole number")
    return value


def seated_text(fold: Fold) -> str:
    """Return who sat where, as far as the log says. Logs hold ids, because names may change."""
    players = fold.opened.get("players")
    if players is None:
        return "The game was opened before logs named their players: who sat where is the file's word alone."
    seats = ", ".join(f"seat {seat} player {player}" for seat, player in enumerate(players))
    return f"By the log: {seats}. Whose name that is the file says, and the server at api/v1/players/ID/."


def main(arguments: Sequence[str]) -> int:
    """Verify the named file, print the result, and return the exit code."""
    if len(arguments) != 1:
        print("Say which file: python -m replays.verify FILE", file=sys.stderr)
        return 2
    try:
        record = read_export(Path(arguments[0]).read_bytes())
    except MissingKind as error:
        faults = faults_without_rules(error.record)
        for fault in faults:
            print(fault)
        if not faults:
            print(f"The chain of {error.record.version} events is unbroken. Their moves can't be verified.")
        print(error, file=sys.stderr)
        return 1 if faults else 2
    except (OSError, Unreadable) as error:
        print(f"{arguments[0]} can't be read: {error}", file=sys.stderr)
        return 2
    faults, fold = verify(record)
    for fault in faults:
        print(fault)
    if fold and not faults:
        print(seated_text(fold))
        print(f"{record.version} events verified: chain, seed, every move and every card; no faults.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
