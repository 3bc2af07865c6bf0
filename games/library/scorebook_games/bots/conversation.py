"""What passes between a table and one bot in one game, whichever way the lines travel. Pure.

A `Conversation` knows what its bot has been told. `choose_moves` asks until there is a whole answer, and checks it by
the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.engines.base import IllegalMove, RulesError
from games.engines.chance import draw
from games.gamelog.events import RecordedEvent
from games.gamelog.fold import Fold
from games.gamelog.pacing import BlankDealer, FaultyBundle, check_bundle, ends_bundle
from games.gamelog.terms import BEATS
from games.gamelog.visibility import legal_moves
from games.programs import requests
from games.programs.protocol import (
    MAX_BUNDLE_MOVES,
    WANTS,
    BadReply,
    PartialBundle,
    ProtocolLine,
    Ready,
    Stale,
    encode_line,
    hello_line,
    parse_bundle,
    parse_move,
    parse_ready,
    shortened,
)

MAX_STALE_ANSWERS: Final = 8  # so many are passed over after an ask; with the next one the bot is out of step for good

# Sends a line and brings the answer to it; given b"" it sends nothing and brings the next line.
Exchange = Callable[[bytes], bytes]


class IllegalAnswer(Exception):
    """A bot wants what the rules do not allow; everything that its author needs to see why."""

    def __init__(self, moves: Sequence[str], index: int, error: RulesError, legal: Sequence[str]) -> None:
        super().__init__(error.sentence)
        self.move = moves[index]
        self.index = index
        self.code = error.code
        self.clause = error.clause if isinstance(error, IllegalMove) else ""
        self.sentence = error.sentence
        self.legal = list(legal)


@dataclass(slots=True)
class Conversation:
    """The bot of `seat` in one game: what it wants to be told, and up to which version it has been."""

    seat: int
    want: tuple[str, ...] = WANTS
    told: int = 1  # the opening is told by hello

    def news(self, entries: Sequence[RecordedEvent]) -> list[RecordedEvent]:
        """Those of the game's events that the bot has not been told; from now on it has."""
        fresh = [entry for entry in entries if entry.version > self.told]
        if fresh:
            self.told = fresh[-1].version
        return fresh


def seed_for(deal: bytes, salt: bytes, seat: int) -> int:
    """The seed of the bot of `seat`, for hello and its `random`: the same when the game is looked at again.

    From the deal's seed and the game's salt (docs/explanation/fairness.md), so no other seat and no other game has it,
    one of the same deal neither: a bot can't tell by it that it has met the deal before.
    """
    return int.from_bytes(draw(deal, f"upload/{seat}/{salt.hex()}", 0)[:6], "big")


def hello_to_seat(fold: Fold, seat: int, seed: int, clock: dict[str, int]) -> ProtocolLine:
    """The hello to the bot of `seat`."""
    opened = fold.opened
    return hello_line(opened["kind"], seat, fold.seats, opened["options"], clock, seed, opened["rules_version"])


def begin_conversation(
    fold: Fold, seat: int, seed: int, clock: dict[str, int], exchange: Exchange
) -> tuple[Conversation, Ready]:
    """Say hello. Raises `BadReply`, also where the bot says that it does not play this kind."""
    ready = parse_ready(exchange(encode_line(hello_to_seat(fold, seat, seed, clock))))
    kind = fold.opened["kind"]
    if ready.kinds and kind not in ready.kinds:
        raise BadReply(f"The bot says that it plays {shortened(', '.join(ready.kinds))}, but this is a game of {kind}.")
    return Conversation(seat, ready.want), ready


def choose_moves(
    talk: Conversation, fold: Fold, entries: Sequence[RecordedEvent], clock_ms: Callable[[], int], exchange: Exchange
) -> list[str]:
    """The bot's move where the game stands at `fold`, or in beats its bundle, checked by the rules.

    `entries` are the game's events, or those since the bot was asked last; `clock_ms` says what time is left.
    Raises `BadReply`, `IllegalAnswer`, and whatever `exchange` does.
    """
    if fold.pace == BEATS:
        return _bundle(talk, fold, entries, clock_ms, exchange)
    if only := requests.forced(fold, talk.seat):
        return [only]
    line = requests.ask_for_seat(fold, talk.seat, talk.news(entries), clock_ms(), talk.want)
    move: str = _fresh(exchange, line, lambda said: parse_move(said, fold.version))
    check_move(fold, talk.seat, move)
    return [move]


def check_move(fold: Fold, seat: int, move: str) -> None:
    """Raise `IllegalAnswer` unless `seat` may make that move now."""
    try:
        fold.rules.decide(fold.state, seat, fold.rules.parse_move(fold.state, move), BlankDealer())
    except RulesError as error:
        raise IllegalAnswer([move], 0, error, legal_moves(fold, seat)) from error


def check_whole(fold: Fold, seat: int, moves: Sequence[str]) -> None:
    """Raise `IllegalAnswer` unless `seat` may give that bundle for the next beat."""
    try:
        check_bundle(fold.rules, fold.state, seat, moves)
    except FaultyBundle as faulty:
        raise _refused(fold, seat, moves, faulty) from faulty


def _refused(fold: Fold, seat: int, moves: Sequence[str], faulty: FaultyBundle) -> IllegalAnswer:
    legal = legal_moves(requests.after_moves(fold, seat, moves[: faulty.index]), seat)
    return IllegalAnswer(moves, faulty.index, faulty.error, legal)


def _bundle(
    talk: Conversation, fold: Fold, entries: Sequence[RecordedEvent], clock_ms: Callable[[], int], exchange: Exchange
) -> list[str]:
    moves: list[str] = []
    trial = fold
    while True:
        if only := requests.forced(trial, talk.seat):
            moves.append(only)
            whole = _ends(trial, only)
        else:
            line = requests.ask_for_seat(fold, talk.seat, talk.news(entries), clock_ms(), talk.want, moves)
            said = _fresh(exchange, line, lambda reply: parse_bundle(reply, fold.beat + 1))
            moves += said.moves if isinstance(said, PartialBundle) else said
            whole = not isinstance(said, PartialBundle)
        if len(moves) > MAX_BUNDLE_MOVES:
            raise BadReply(f"The bundle has more than {MAX_BUNDLE_MOVES} moves.")
        if whole:
            check_whole(fold, talk.seat, moves)
            return moves
        trial = _goes_on(fold, talk.seat, moves)


def _ends(fold: Fold, text: str) -> bool:
    return ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, text))


def _goes_on(fold: Fold, seat: int, moves: list[str]) -> Fold:
    """`fold` after the first moves of a bundle. Raises `IllegalAnswer` where one is not legal, or ends it."""
    trial = fold
    for index, text in enumerate(moves):
        try:
            following = requests.after_moves(trial, seat, [text])
        except RulesError as error:
            raise IllegalAnswer(moves, index, error, legal_moves(trial, seat)) from error
        if _ends(trial, text):
            raise BadReply(f'"{text}" ends the bundle, so "more" can\'t be true.')
        trial = following
    return trial


def _fresh(exchange: Exchange, line: ProtocolLine, parse: Callable[[bytes], Any]) -> Any:
    """The answer to `line`; those to earlier ones are passed over. Raises `BadReply`."""
    said = parse(exchange(encode_line(line)))
    for _ in range(MAX_STALE_ANSWERS):
        if not isinstance(said, Stale):
            break
        said = parse(exchange(b""))
    if isinstance(said, Stale):
        raise BadReply(f"More than {MAX_STALE_ANSWERS} answers in a row did not belong to the current request.")
    return said
