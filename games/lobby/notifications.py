"""Notices about tables at which people wait, or to which they are invited."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.urls import reverse

from games.accounts import notices
from games.accounts.models import Notice
from games.common import clock
from games.common.outbox import SendState
from games.lobby.models import Chair, OpenTable
from games.models import Game, Player


def table_url(table: OpenTable) -> str:
    """Return the address of the table's page."""
    return reverse("open-table", args=[table.token])


def notify_invited(table: OpenTable, player: Player, by: Player) -> None:
    """Notify `player` of an invitation; for a game of two it is a challenge."""
    subject = "challenge" if table.chairs_wanted == 2 else "invitation"
    _notify([player], subject, table, f"asked:{table.pk}", by)


def settle_invitation(table: OpenTable, players: Iterable[Player]) -> None:
    """Mark invitations to the table as seen that are answered or over. They still count for `invitation_count`."""
    users = [player.user_id for player in players if player.user_id is not None]
    asked = Notice.objects.filter(user__in=users, key=f"asked:{table.pk}")
    asked.filter(seen_at=None).update(seen_at=clock.now())
    asked.filter(send_state=SendState.DUE).update(send_state=SendState.NONE)


def invitation_count(player: Player, by: Player, since: datetime) -> int:
    """Return how often `by` has invited `player` since then."""
    invitations = Notice.objects.filter(user=player.user_id, by=by, subject__in=("challenge", "invitation"))
    return invitations.filter(created__gt=since).count()


def notify_declined(table: OpenTable, by: Player) -> None:
    """Notify the host that `by` declined."""
    settle_invitation(table, [by])
    _notify([table.host], "declined", table, f"declined:{table.pk}:{by.pk}", by)


def notify_closed(table: OpenTable, chairs: Iterable[Chair], by: Player) -> None:
    """Notify people who waited or were invited that the table is closed."""
    players = [chair.player for chair in chairs]
    others = [player for player in players if player != by]
    settle_invitation(table, others)
    withdraw_ready_check(table, players)
    _notify(others, "table_closed", table, f"closed:{table.pk}", by)


def notify_ready_check(table: OpenTable, players: Iterable[Player]) -> None:
    """Ask people who waited whether they are still there."""
    assert table.check_until
    _notify(players, "check_in", table, f"called:{table.pk}:{table.check_until.timestamp():.0f}", table.host)


def withdraw_ready_check(table: OpenTable, players: Iterable[Player]) -> None:
    """Withdraw the question whether people are still there."""
    users = [player.user_id for player in players if player.user_id is not None]
    Notice.objects.filter(user__in=users, subject="check_in", url=table_url(table)).delete()


def notify_game_begun(table: OpenTable, game: Game, players: Iterable[Player]) -> None:
    """Notify people that the game has begun."""
    users = [player.user_id for player in players if player.user_id is not None]
    notices.notify_users(users, "table_filled", game=game, key=f"filled:{table.pk}")


def _notify(players: Iterable[Player], subject: str, table: OpenTable, key: str, by: Player) -> None:
    users = [player.user_id for player in players if player.user_id is not None]
    notices.notify_users(users, subject, key=key, by=by, url=table_url(table))
