"""Requests to remote bots: the lines of docs/reference/bot-protocol.md, made for a seat from its game's log.

They are the same lines that a bot inside the platform gets. They travel over HTTP (`replays.stream.bot_feed`), and the
answers come back through the API for moves and bundles.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, PendingBundle
from games.visibility import observe
from scorebook_games.bots import conversation, requests
from scorebook_games.bots.protocol import WANTS, ProtocolLine
from scorebook_games.contract import RulesError
from scorebook_games.gamelog import visibility
from scorebook_games.gamelog.events import Log, events_of
from scorebook_games.gamelog.fold import Fold, fold_game
from scorebook_games.gamelog.terms import BEATS

MS_PER_SECOND: Final = 1000  # ms


def hello_to_seat(game: Game, fold: Fold, seat: int) -> ProtocolLine:
    """Return the hello to the bot in `seat`, with the id of its `game`. It is the same each time the bot comes back."""
    terms = game.terms
    seconds = terms["move_seconds"] or (terms["move_days"] or 0) * 24 * 60 * 60
    times = {"move_ms": seconds * MS_PER_SECOND, "bank_ms": terms["bank_seconds"] * MS_PER_SECOND}
    seed = conversation.seed_for(bytes(game.deal.seed), bytes(game.salt), seat)
    return {**conversation.hello_to_seat(fold, seat, seed, times), "game": game.public_id, "pace": fold.pace}


def ask_for_seat(
    game: Game,
    log: Log,
    seat: int,
    known: int = 1,
    want: Collection[str] = WANTS,
    after: Sequence[str] = (),
) -> ProtocolLine | None:
    """Return the request to `seat` after `log`, of whose events the bot got the first `known`; None if there is nothing
    to ask.

    In beats, `after` are the first moves of its bundle. A bundle that was already given is not asked for again. Raises
    `DomainError` illegal_move (409).
    """
    entries = events_of(log)
    fold = fold_game(entry.event for entry in entries)
    if fold.outcome() is not None or seat in fold.left:
        return over_for_seat(game, fold, seat)
    if not fold.go or seat not in fold.to_act() or _has_given(game, fold, seat):
        return None
    try:
        line = requests.ask_for_seat(fold, seat, entries[known:], 0, want, after)
    except RulesError as error:
        raise DomainError(409, "illegal_move", error.sentence) from error
    return {**line, "clock_ms": clock_ms(game, log, fold, seat)}


def over_for_seat(game: Game, fold: Fold, seat: int) -> ProtocolLine:
    """Return the line `over`: how the game ended.

    It is null while that is sealed, or while the game goes on without the seat.
    """
    outcome = fold.outcome()
    is_public = outcome is not None and not observe.is_sealed(game)
    line: dict[str, Any] = {
        "type": "over",
        "outcome": visibility.outcome_data(outcome) if outcome and is_public else None,
    }
    return {**line, "left": True} if seat in fold.left else line


def clock_ms(game: Game, log: Log, fold: Fold, seat: int) -> int | None:
    """Return how many ms the seat may take for its answer, including the bank; None without a clock."""
    seats = clocks.clock_data(game, log, fold, seat, clock.now())["seats"]
    return seats[seat]["move_ms"] + seats[seat]["bank_ms"] if seats else None


def _has_given(game: Game, fold: Fold, seat: int) -> bool:
    if fold.pace != BEATS:
        return False
    return PendingBundle.objects.filter(game=game, beat=fold.beat + 1, seat=seat).exists()
