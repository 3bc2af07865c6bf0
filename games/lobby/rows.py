"""A table as pages and the API show it to one viewer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.common.labels import option_rows, time_control_text
from games.lobby.models import Chair, OpenTable
from games.models import Player
from games.play.players import player_data
from scorebook_games.registry import KINDS

CHAIR_FREE, CHAIR_RESERVED, CHAIR_TAKEN = "free", "kept", "sits"
# How a page describes the order in which moves are taken.
PACE_LABELS: Final = {
    "turns": _("players move one at a time"),
    "beats": _("all at once (beats): all players choose in secret, then a random order is drawn"),
    "live": _("live: after a countdown, moves count in the order they arrive"),
}


@dataclass(frozen=True, slots=True)
class ChairRow:
    """Seat `number`: free, kept for the invited `player`, or taken by `player`."""

    number: int
    state: str
    player: Player | None
    ready: bool
    is_own: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table, and what the viewer may do there: sit, leave, decline, ready, close, fill, invite."""

    table: OpenTable
    title: str
    clock: str
    pace: str | Promise
    options: list[tuple[str, str]]
    chairs: list[ChairRow]
    own_chair: ChairRow | None
    may: dict[str, bool]
    on: bool

    @property
    def free(self) -> int:
        """Return how many seats are free."""
        return sum(chair.state == CHAIR_FREE for chair in self.chairs)

    @property
    def others(self) -> list[Player]:
        """Return the players who sit there or are invited, without the viewer."""
        return [chair.player for chair in self.chairs if chair.player and not chair.is_own]

    @property
    def is_challenge(self) -> bool:
        """Return whether the host has invited one person to a game for two."""
        return self.table.access == OpenTable.Access.INVITED and self.table.chairs_wanted == 2

    @property
    def stamp(self) -> str:
        """Return a value that changes whenever the page does, for clients that poll."""
        chairs = [(chair.number, chair.state, chair.player and chair.player.pk, chair.ready) for chair in self.chairs]
        text = repr((self.table.status, self.table.check_until, self.on, chairs, self.own_chair))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def table_row(table: OpenTable, viewer: Player | None, at: datetime) -> TableRow:
    """Return `table`, with its seats and their players loaded, as `viewer` sees it at this time."""
    taken = {chair.number: chair for chair in table.chairs.all()}
    chairs = [_chair(number, taken.get(number), viewer) for number in range(table.chairs_wanted)]
    viewers_chair = next((chair for chair in chairs if chair.is_own), None)
    on = table.is_on and table.expires > at
    return TableRow(
        table=table,
        title=KINDS[table.kind].spec.title,
        clock=time_control_text(table.terms),
        pace=PACE_LABELS[table.terms["pace"]],
        options=option_rows(table.kind, table.options),
        chairs=chairs,
        own_chair=viewers_chair,
        may=_may(table, viewers_chair, viewer, on, any(chair.state == CHAIR_FREE for chair in chairs)),
        on=on,
    )


def _chair(number: int, chair: Chair | None, viewer: Player | None) -> ChairRow:
    if chair is None:
        return ChairRow(number, CHAIR_FREE, None, ready=False, is_own=False)
    is_viewers = viewer is not None and chair.player_id == viewer.pk
    return ChairRow(number, CHAIR_TAKEN if chair.taken_at else CHAIR_RESERVED, chair.player, chair.ready, is_viewers)


def _may(
    table: OpenTable, viewers_chair: ChairRow | None, viewer: Player | None, on: bool, free: bool
) -> dict[str, bool]:
    state = viewers_chair.state if viewers_chair else None
    sits, invited = state == CHAIR_TAKEN, state == CHAIR_RESERVED
    hosts = viewer is not None and table.host_id == viewer.pk
    checking = table.status == OpenTable.Status.CHECKING
    may = {
        "sit": invited or (viewers_chair is None and free and table.access != OpenTable.Access.INVITED),
        "decline": invited,
        "leave": sits and not hosts,
        "ready": sits and checking and not (viewers_chair and viewers_chair.ready),
        "close": hosts,
        "fill": hosts and free,
        "invite": hosts and free,
    }
    return {what: on and allowed for what, allowed in may.items()}


def table_data(shown: TableRow) -> dict[str, Any]:
    """Return the row as JSON data."""
    table = shown.table
    return {
        "id": table.token,
        "kind": table.kind,
        "title": shown.title,
        "options": table.options,
        "terms": table.terms,
        "access": table.access,
        "order": table.order,
        "status": table.status if shown.on or not table.is_on else OpenTable.Status.EXPIRED.value,
        "host": _player(table.host),
        "chairs": [
            {"chair": chair.number, "state": chair.state, "player": _player(chair.player), "ready": chair.ready}
            for chair in shown.chairs
        ],
        "yours": shown.own_chair.number if shown.own_chair else None,
        "may": shown.may,
        "created": table.created,
        "expires": table.expires,
        "check_until": table.check_until,
        "game": table.game.public_id if table.game else None,
    }


def _player(player: Player | None) -> dict[str, Any] | None:
    return None if player is None else player_data(player)
