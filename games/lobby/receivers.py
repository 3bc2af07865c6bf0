"""The lobby's receivers of signals."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from games.lobby import seekers
from games.lobby import services as lobby
from games.lobby.models import Chair, Seeker
from games.models import Player

TABLE_FIELDS = ("table__kind", "table__created", "table__status", "table__access", "taken_at")


def withdraw(sender: type[Player], player: Player, **_signal: Any) -> None:  # noqa: ARG001
    """Withdraw from all tables a player who has stopped playing."""
    lobby.withdraw_from_all(player)
    seekers.cancel(player=player)


def stop_seeking(sender: Any, user: User | None, **_signal: Any) -> None:  # noqa: ARG001
    """Let nobody be paired with a person who has logged out."""
    if user is not None and (player := Player.objects.filter(user=user.pk).first()) is not None:
        seekers.cancel(player=player)


def data_of(sender: type[User], player: Player | None, **_signal: Any) -> dict[str, Any]:  # noqa: ARG001
    """Return every table at which `player` has a seat, for a data export."""
    chairs = Chair.objects.filter(player=player).order_by("table") if player else Chair.objects.none()
    waits = Seeker.objects.filter(player=player) if player else Seeker.objects.none()
    return {
        "seeks": list(waits.values("kind", "pace", "rated", "created")),
        "tables": [dict(zip(TABLE_FIELDS, row, strict=True)) for row in chairs.values_list(*TABLE_FIELDS)],
    }
