"""Which players have their game's stream open. It decides nothing, and its loss does no harm.

Each web process stores the seats that watch through it, confirms them every few seconds, and deletes them when they
leave. A process that died confirms nothing, and its seats count as away after a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from games.common import clock
from games.eventlog import store as eventlog
from games.models import Game
from games.visibility.models import Presence

AWAY_AFTER_SECONDS: Final = 45
FORGOTTEN_SECONDS: Final = 3600
_PRESENT: Final = "SELECT game_id, seat FROM visibility_presence WHERE game_id = ANY(%s) AND seen_at >= %s"


def record_arrival(game_id: int, seat: int, process: UUID) -> None:
    """Store that the player of `seat` watches through `process`."""
    row = Presence(game_id=game_id, seat=seat, process=process, seen_at=clock.now())
    unique = ["game", "seat", "process"]
    Presence.objects.bulk_create([row], update_conflicts=True, unique_fields=unique, update_fields=["seen_at"])
    eventlog.announce_state(game_id)


def record_departure(game_id: int, seat: int, process: UUID) -> None:
    """Store that the player of `seat` no longer watches through `process`."""
    Presence.objects.filter(game=game_id, seat=seat, process=process).delete()
    eventlog.announce_state(game_id)


def still_here(process: UUID) -> None:
    """Confirm all players who watch through `process`."""
    now = clock.now()
    Presence.objects.filter(process=process).update(seen_at=now)
    Presence.objects.filter(seen_at__lt=now - timedelta(seconds=FORGOTTEN_SECONDS)).delete()


def present_since() -> datetime:
    """Return since when a seat must have been confirmed to count as present."""
    return clock.now() - timedelta(seconds=AWAY_AFTER_SECONDS)


def present_seats(game: Game) -> list[int]:
    """Return the seats whose players look at the game now."""
    return present_in([game.pk])[game.pk]


def present_in(game_ids: Sequence[int]) -> dict[int, list[int]]:
    """Return for each of these games the seats whose players look at it now. One query."""
    seats: dict[int, set[int]] = {game_id: set() for game_id in game_ids}
    with connection.cursor() as cursor:
        cursor.execute(_PRESENT, [list(game_ids), present_since()])
        for game_id, seat in cursor.fetchall():
            seats[game_id].add(seat)
    return {game_id: sorted(seat) for game_id, seat in seats.items()}
