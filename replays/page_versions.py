"""What rendered replays depend on (`games.common.page_cache`).

A finished game that is open to all does not change, but for names, its luck ledger, and a rematch. The key holds a
digest of all its rows, its log's among them: the seal on the page says what its log is now.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from django.db import connection
from django.http import HttpRequest

from games.accounts.shortcuts import COOKIE
from games.common.errors import DomainError
from games.common.table_changes import EVERYTHING, NAME_TABLES
from games.models import Game
from games.play import services as play
from games.play import signals
from games.visibility import observe

_ROWS: Final = """
    SELECT md5(game::text), md5(deal::text),
           (SELECT md5(string_agg(seat::text, '' ORDER BY seat.seat)) FROM games_seat seat
            WHERE seat.game_id = game.id),
           (SELECT md5(string_agg(batch::text, '' ORDER BY batch.seq)) FROM batch
            WHERE batch.stream_id = game.stream_id),
           (SELECT md5(string_agg(ledger::text, '' ORDER BY ledger.id)) FROM review_luckledger ledger
            WHERE ledger.game_id = game.id),
           (SELECT rematch.public_id FROM games_game rematch WHERE rematch.rematch_of_id = game.id),
           notes.count, notes.total
    FROM games_game game JOIN games_deal deal ON deal.id = game.deal_id
    CROSS JOIN (
        SELECT count(*), coalesce(sum(id), 0)::bigint AS total FROM common_tablechange WHERE name = ANY(%s)
    ) notes
    WHERE game.id = %s
"""


def replay_version(request: HttpRequest, public_id: str) -> Hashable:
    """Return the version of the page of a game that is open to all, for a reader without an account; None for any
    other. Three queries, one more for a game of a club, and one for a match's game."""
    if request.user.pk is not None:
        return None
    game = open_game(public_id, request.user)
    return game and (rows_version(game), context_version(game), request.COOKIES.get(COOKIE, ""))


def frames_version(_view: Any, request: Any, public_id: str) -> Hashable:
    """Return the version of the frames of such a game in the same way. Two queries, and one more for a game of a
    club."""
    if request.user.pk is not None:
        return None
    game = open_game(public_id, request.user)
    return game and rows_version(game)


def open_game(public_id: str, user: observe.User) -> Game | None:
    """Return the game if `user` may see all of it; else None."""
    try:
        game = play.find_game(public_id, user)
    except DomainError:
        return None
    return game if observe.is_fully_open(game) else None


def rows_version(game: Game) -> Hashable:
    """Return the version of the rows of a game, and of the names of those who played it."""
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, [[*NAME_TABLES, EVERYTHING], game.pk])
        found: Hashable = cursor.fetchone()
    return found


def context_version(game: Game) -> Hashable:
    """Return the version of what other packages say of the game, and of what it counted for there."""
    return tuple(version for _receiver, version in signals.asking_version.send(sender=Game, game=game))
