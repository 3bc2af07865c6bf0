"""Opens the game of a table whose seats are all taken. The caller has locked the table's row."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from games.common import clock
from games.lobby import notifications as lobby_notifications
from games.lobby.models import Chair, OpenTable
from games.models import Deal, Player
from games.play import services as play
from scorebook_games.chance import SeedDealer

READY_CHECK_SECONDS: Final = 30
RECENTLY_SEEN: Final = timedelta(minutes=1)  # people who sat down this recently are taken to be present
SEATS_LABEL: Final = "seats"  # the label of the draw that decides who sits where


def open_when_complete(held: OpenTable, by: Player | None = None) -> None:
    """Open the game of a complete table; `by` was seen just now.

    If a clock runs in seconds, nobody may be seated who has gone away: people who have waited for longer than a minute
    must first say “I am here”, and lose their seat after 30 seconds.
    """
    chairs = list(held.chairs.select_related("player__bot_version"))
    if len(chairs) < held.chairs_wanted or any(chair.taken_at is None for chair in chairs):
        return
    if absent := [chair for chair in chairs if not _is_here(held, chair, by)]:
        _start_ready_check(held, [chair.player for chair in absent])
    else:
        _open(held, chairs, by)


def _is_here(held: OpenTable, chair: Chair, by: Player | None) -> bool:
    if chair.player.is_bot or chair.ready or (by is not None and chair.player_id == by.pk):
        return True
    assert chair.taken_at
    by_post = held.terms["move_days"] is not None
    return by_post or (held.status == OpenTable.Status.WAITING and clock.now() - chair.taken_at <= RECENTLY_SEEN)


def _start_ready_check(held: OpenTable, absent: Sequence[Player]) -> None:
    if held.status == OpenTable.Status.CHECKING:
        return
    present = held.chairs.exclude(player__in=absent)
    present.update(ready=True)
    held.status = OpenTable.Status.CHECKING
    held.check_until = clock.now() + timedelta(seconds=READY_CHECK_SECONDS)
    held.save(update_fields=["status", "check_until"])
    lobby_notifications.notify_ready_check(held, absent)


def _open(held: OpenTable, chairs: Sequence[Chair], by: Player | None) -> None:
    """Draw the seats and open the game.

    This is the only chance involved. The draw is made from the deal's own seed, so everybody can repeat it when the
    seed is published (docs/explanation/fairness.md).
    """
    deal = Deal.objects.create()
    order = list(range(len(chairs)))
    if held.order == OpenTable.Order.LOT:
        order = SeedDealer(bytes(deal.seed)).shuffle(SEATS_LABEL, order)
    players = [chairs[number].player for number in order]
    game = play.open_game(kind=held.kind, players=players, options=held.options, terms=held.terms, deal=deal)
    held.status, held.game, held.check_until = OpenTable.Status.OPENED, game, None
    held.save(update_fields=["status", "game", "check_until"])
    lobby_notifications.settle_invitation(held, players)
    lobby_notifications.withdraw_ready_check(held, players)
    lobby_notifications.notify_game_begun(
        held, game, [chair.player for chair in chairs if not chair.ready and chair.player != by]
    )
