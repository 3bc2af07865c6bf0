"""A table as pages and the API show it to one viewer."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from games.common.labels import option_rows, time_control_text
from games.kinds import KINDS
from games.lobby.models import Chair, OpenTable
from games.models import Player

CHAIR_FREE, CHAIR_RESERVED, CHAIR_TAKEN = "free", "kept", "sits"
# How a page says in which order moves are taken.
PACE_LABELS: Final = {
    "turns": _("one at a time"),
    "beats": _("in beats: all players choose in secret, and the order is random"),
    "live": _("live, after a countdown: the fastest player goes first"),
}


@dataclass(frozen=True, slots=True)
class ChairRow:
    """Chair `number`: free, kept for `player`, who is invited, or `player` sits there."""

    number: int
    state: str
    player: Player | None
    ready: bool
    own: bool


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table, with what the viewer may do there: sit, leave, decline, ready, close, fill, invite."""

    table: OpenTable
    title: str
    clock: str
    pace: str | Promise
    options: list[tuple[str, str]]
    chairs: list[ChairRow]
    own: ChairRow | None
    may: dict[str, bool]
    on: bool

    @property
    def free(self) -> int:
        """How many chairs are free."""
        return sum(chair.state == CHAIR_FREE for chair in self.chairs)

    @property
    def others(self) -> list[Player]:
        """Who sits there or is asked, the viewer left out."""
        return [chair.player for chair in self.chairs if chair.player and not chair.own]

    @property
    def is_challenge(self) -> bool:
        """Whether the host has asked one person to a game for two."""
        return self.table.access == OpenTable.Access.INVITED and self.table.chairs_wanted == 2

    @property
    def stamp(self) -> str:
        """What changes whenever the page would: for who asks again and again."""
        chairs = [(chair.number, chair.state, chair.player and chair.player.pk, chair.ready) for chair in self.chairs]
        text = repr((self.table.status, self.table.check_until, self.on, chairs, self.own))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def table_row(table: OpenTable, viewer: Player | None, at: datetime) -> TableRow:
    """`table`, its chairs and their players loaded, as `viewer` sees it at that time."""
    taken = {chair.number: chair for chair in table.chairs.all()}
    chairs = [_chair(number, taken.get(number), viewer) for number in range(table.chairs_wanted)]
    own = next((chair for chair in chairs if chair.own), None)
    on = table.is_on and table.expires > at
    return TableRow(
        table=table,
        title=KINDS[table.kind].spec.title,
        clock=time_control_text(table.terms),
        pace=PACE_LABELS[table.terms["pace"]],
        options=option_rows(table.options),
        chairs=chairs,
        own=own,
        may=_may(table, own, viewer, on, any(chair.state == CHAIR_FREE for chair in chairs)),
        on=on,
    )


def _chair(number: int, chair: Chair | None, viewer: Player | None) -> ChairRow:
    if chair is None:
        return ChairRow(number, CHAIR_FREE, None, ready=False, own=False)
    own = viewer is not None and chair.player_id == viewer.pk
    return ChairRow(number, CHAIR_TAKEN if chair.taken_at else CHAIR_RESERVED, chair.player, chair.ready, own)


def _may(table: OpenTable, own: ChairRow | None, viewer: Player | None, on: bool, free: bool) -> dict[str, bool]:
    state = own.state if own else None
    sits, asked = state == CHAIR_TAKEN, state == CHAIR_RESERVED
    hosts = viewer is not None and table.host_id == viewer.pk
    checking = table.status == OpenTable.Status.CHECKING
    may = {
        "sit": asked or (own is None and free and table.access != OpenTable.Access.INVITED),
        "decline": asked,
        "leave": sits and not hosts,
        "ready": sits and checking and not (own and own.ready),
        "close": hosts,
        "fill": hosts and free,
        "invite": hosts and free,
    }
    return {what: on and allowed for what, allowed in may.items()}


def table_data(shown: TableRow) -> dict[str, Any]:
    """The line as JSON data."""
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
        "yours": shown.own.number if shown.own else None,
        "may": shown.may,
        "created": table.created,
        "expires": table.expires,
        "check_until": table.check_until,
        "game": table.game.public_id if table.game else None,
    }


def _player(player: Player | None) -> dict[str, Any] | None:
    if player is None:
        return None
    version = player.bot_version.number if player.bot_version else None
    return {"id": player.pk, "name": player.name, "bot": player.is_bot, "bot_version": version}
