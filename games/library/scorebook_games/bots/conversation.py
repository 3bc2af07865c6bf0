"""The conversation between a table and one bot in one game, over any transport. Pure.

A `Conversation` knows what its bot has been told. `choose_moves` asks until it has a whole answer, and checks the
answer by the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scorebook_games.bots import requests
from scorebook_games.bots.protocol import (
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
from scorebook_games.chance import draw
from scorebook_games.contract import IllegalMove, RulesError
from scorebook_games.gamelog.events import RecordedEvent
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.pacing import BlankDealer, FaultyBundle, check_bundle, ends_bundle
from scorebook_games.gamelog.terms import BEATS
from scorebook_games.gamelog.visibility import legal_moves

MAX_STALE_ANSWERS: Final = 8  # skips this many answers to earlier requests; one more is a fault

# Sends a line and returns the answer to it. Given b"", it sends nothing and returns the next line.
Exchange = Callable[[bytes], bytes]


class IllegalAnswer(Exception):
    """A bot's answer breaks the rules. The attributes hold all that its author needs to see why."""

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
    """The conversation with the bot of `seat`: what it wants to get, and up to which version it got events."""

    seat: int
    want: tuple[str, ...] = WANTS
    sent: int = 1  # events; hello has the opening

    def news(self, entries: Sequence[RecordedEvent]) -> list[RecordedEvent]:
        """Return those of the game's events that the bot has not got yet, and count them as told."""
        fresh = [entry for entry in entries if entry.version > self.sent]
        if fresh:
            self.sent = fresh[-1].version
        return fresh


def seed_for(deal: bytes, salt: bytes, seat: int) -> int:
    """Return the seed of the bot at `seat`, for hello and for its `random`. It is the same when the game is repeated.

    It is made from the deal's seed and the game's salt (docs/explanation/fairness.md). No other seat and no other game
    has it, not even a game with the same deal. So a bot cannot learn from it that it has met the deal before.
    """
    return int.from_bytes(draw(deal, f"upload/{seat}/{salt.hex()}", 0)[:6], "big")


def hello_to_seat(fold: Fold, seat: int, seed: int, clock: dict[str, int]) -> ProtocolLine:
    """Return the hello to the bot of `seat`."""
    opened = fold.opened
    return hello_line(opened["kind"], seat, fold.seats, opened["options"], clock, seed, opened["rules_version"])


def begin_conversation(
    fold: Fold, seat: int, seed: int, clock: dict[str, int], exchange: Exchange
) -> tuple[Conversation, Ready]:
    """Say hello to a bot. Raises `BadReply`, also if the bot says that it does not play this kind."""
    ready = parse_ready(exchange(encode_line(hello_to_seat(fold, seat, seed, clock))))
    kind = fold.opened["kind"]
    if ready.kinds and kind not in ready.kinds:
        raise BadReply(f"The bot says that it plays {shortened(', '.join(ready.kinds))}, but this is a game of {kind}.")
    return Conversation(seat, ready.want), ready


def choose_moves(
    talk: Conversation, fold: Fold, entries: Sequence[RecordedEvent], clock_ms: Callable[[], int], exchange: Exchange
) -> list[str]:
    """Return the bot's move at `fold`, or in beats its bundle, checked by the rules.

    `entries` are the game's events, or those since the bot was last asked. `clock_ms` returns the time that is left.
    Raises `BadReply`, `IllegalAnswer`, and whatever `exchange` raises.
    """
    if fold.pace == BEATS:
        return _bundle(talk, fold, entries, clock_ms, exchange)
    if only := requests.forced(fold, talk.seat):
        return [only]
    line = requests.ask_for_seat(fold, talk.seat, talk.news(entries), clock_ms(), talk.want)
    move: str = _fresh(exchange, line, lambda answer: parse_move(answer, fold.version))
    check_move(fold, talk.seat, move)
    return [move]


def check_move(fold: Fold, seat: int, move: str) -> None:
    """Raise `IllegalAnswer` unless `seat` may make this move now."""
    try:
        fold.rules.decide(fold.state, seat, fold.rules.parse_move(fold.state, move), BlankDealer())
    except RulesError as error:
        raise IllegalAnswer([move], 0, error, legal_moves(fold, seat)) from error


def check_whole(fold: Fold, seat: int, moves: Sequence[str]) -> None:
    """Raise `IllegalAnswer` unless `seat` may give this bundle for the next beat."""
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
            complete = _ends(trial, only)
        else:
            line = requests.ask_for_seat(fold, talk.seat, talk.news(entries), clock_ms(), talk.want, moves)
            answer = _fresh(exchange, line, lambda reply: parse_bundle(reply, fold.beat + 1))
            moves += answer.moves if isinstance(answer, PartialBundle) else answer
            complete = not isinstance(answer, PartialBundle)
        if len(moves) > MAX_BUNDLE_MOVES:
            raise BadReply(f"The bundle has more than {MAX_BUNDLE_MOVES} moves.")
        if complete:
            check_whole(fold, talk.seat, moves)
            return moves
        trial = _goes_on(fold, talk.seat, moves)


def _ends(fold: Fold, text: str) -> bool:
    return ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, text))


def _goes_on(fold: Fold, seat: int, moves: list[str]) -> Fold:
    """Return `fold` after the first moves of a bundle.

    Raises `IllegalAnswer` if a move is not legal, and `BadReply` if one ends the bundle.
    """
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
    """Return the parsed answer to `line`, skipping answers to earlier requests. Raises `BadReply`."""
    answer = parse(exchange(encode_line(line)))
    for _ in range(MAX_STALE_ANSWERS):
        if not isinstance(answer, Stale):
            break
        answer = parse(exchange(b""))
    if isinstance(answer, Stale):
        raise BadReply(f"More than {MAX_STALE_ANSWERS} answers in a row did not belong to the current request.")
    return answer
