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


# Of a reader with an account: whether they play, whether a notice will be marked as seen, and their shortcuts.
_READER: Final = """
    SELECT EXISTS (
        SELECT FROM games_seat seat JOIN games_player player ON player.id = seat.player_id
        WHERE seat.game_id = %(game)s AND player.user_id = %(user)s
    ), EXISTS (
        SELECT FROM accounts_notice WHERE user_id = %(user)s AND game_id = %(game)s AND seen_at IS NULL
    ), (SELECT shortcuts::text FROM accounts_profile WHERE user_id = %(user)s)
"""


def replay_version(request: HttpRequest, public_id: str) -> Hashable:
    """Return the version of the page of a game that is open to all, for a reader who does not play in it; None for any
    other. Three queries, one more for a game of a club, one for a match's game, and one for a reader with an account.

    A player's page shows what waits for them, and whom they could play again.
    """
    game = open_game(public_id, request.user)
    if game is None:
        return None
    reader: Hashable = request.COOKIES.get(COOKIE, "")
    if request.user.pk is not None:
        plays, is_news, reader = _reader(game, request.user.pk)
        if plays or is_news:
            return None
    return rows_version(game), context_version(game), reader


def frames_version(_view: Any, request: Any, public_id: str) -> Hashable:
    """Return the version of the frames of such a game in the same way. Two queries, one more for a game of a club, and
    one for a reader with an account."""
    game = open_game(public_id, request.user)
    if game is None or (request.user.pk is not None and _reader(game, request.user.pk)[0]):
        return None
    return rows_version(game)


def _reader(game: Game, user: int) -> tuple[bool, bool, str | None]:
    with connection.cursor() as cursor:
        cursor.execute(_READER, {"game": game.pk, "user": user})
        plays, is_news, shortcuts = cursor.fetchone()
    return plays, is_news, shortcuts


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
