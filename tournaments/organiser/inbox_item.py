"""An item of the inbox, and the rows in which items are looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext_lazy

from games.accounts.mygames import time_left_label
from games.common import clock
from games.models import Game, Player
from tournaments.clubs.models import Club, JoinRequest
from tournaments.organiser import nudges
from tournaments.rulings.models import Dispute
from tournaments.rulings.result_entry import takes_outcomes
from tournaments.seasons.models import GOING_ON, Division, Entrant, Match, OrganiserAction, Round, Season

SOON_WITHIN: Final = timedelta(days=2)  # a round that ends within this time is in the inbox
MAX_ITEMS_PER_TYPE: Final = 500
PLAYERS_SHOWN: Final = 6  # players named in an item's heading
ITEM_TITLES: Final = {
    "dispute": gettext_lazy("Dispute"),
    "untimed": gettext_lazy("No time agreed"),
    "late": gettext_lazy("Late"),
    "deadline": gettext_lazy("Not played"),
    "joins": gettext_lazy("Asks to join"),
    "asks": gettext_lazy("Asks to enter"),
    "waiting": gettext_lazy("Waiting list"),
    "short": gettext_lazy("Incomplete table"),
    "paused": gettext_lazy("Paused"),
    "unstarted": gettext_lazy("Not started"),
    "undone": gettext_lazy("Round undone"),
    "idle": gettext_lazy("Idle"),
    "stuck": gettext_lazy("Stuck game"),
    "quarantine": gettext_lazy("In quarantine"),
    "missing": gettext_lazy("Package missing"),
}


@dataclass(frozen=True, slots=True)
class InboxItem:
    """An item: its type `what`, the time since when it waits, whom it is about, and `why` it is here, as a sentence.

    `due` is the deadline, or None. `nudged`: the last reminder of the match. `alternate` takes the place of whoever is
    withdrawn.
    """

    what: str
    season: Season | None
    club: Club
    why: str
    since: datetime
    due: datetime | None = None
    players: Sequence[Player] = ()
    match: Match | None = None
    entrant: Entrant | None = None
    division: Division | None = None
    game: Game | None = None
    request: JoinRequest | None = None
    dispute: Dispute | None = None
    awaited: Sequence[Player] = ()
    nudged: OrganiserAction | None = None
    startable: bool = False
    alternate: Player | None = None

    @property
    def key(self) -> str:
        """A key that no other item has and that stays the same."""
        about = self.dispute or self.match or self.game or self.entrant or self.request or self.division or self.season
        return f"{self.what}-{about.pk if about else 0}"

    @property
    def is_late(self) -> bool:
        return self.due is not None and self.due <= clock.now()

    @property
    def is_soon(self) -> bool:
        return self.due is not None and self.due <= clock.now() + SOON_WITHIN

    @property
    def title(self) -> str:
        """The title of its type."""
        return str(ITEM_TITLES[self.what])

    @property
    def left_words(self) -> str:
        """The time left, as “in 2 days”; "" without a deadline."""
        return time_left_label(self.due - clock.now()) if self.due else ""

    @property
    def shown(self) -> list[Player]:
        return list(self.players[:PLAYERS_SHOWN])

    @property
    def more(self) -> int:
        """The number of players who are not named."""
        return max(0, len(self.players) - PLAYERS_SHOWN)

    @property
    def names(self) -> str:
        return nudges.player_names(self.players)

    @property
    def awaited_names(self) -> str:
        return nudges.player_names(self.awaited)

    @property
    def entrants(self) -> list[Entrant]:
        """The entrants who could be withdrawn."""
        if self.match is not None and self.dispute is None:
            return [side.entrant for side in self.match.entrants.all() if side.entrant.status == Entrant.Status.IN]
        return [self.entrant] if self.what == "quarantine" and self.entrant else []

    @property
    def may_withdraw(self) -> bool:
        """Whether an entrant can be withdrawn here."""
        return self.season is not None and self.season.status in GOING_ON and bool(self.entrants)

    @property
    def takes_outcomes(self) -> bool:
        """Whether its match can be decided here, as *A won*, *draw* or *B won*."""
        if self.season is None or self.match is None or self.dispute is not None:
            return False
        return takes_outcomes(self.season, len(self.players))

    @property
    def may_extend(self) -> bool:
        """Whether its round has an end that can be extended."""
        return self.match is not None and self.match.round.closes_at is not None


@dataclass(frozen=True, slots=True)
class InboxScope:
    """The seasons that are looked at, by id, and their open rounds. `places` is known only for seasons open for entries
    or with tables of more than two; `alternates` is the first alternate of each season that has one."""

    seasons: Mapping[int, Season]
    rounds: Mapping[int, Round]
    divisions: Sequence[Division]
    now: datetime
    clubs: Sequence[Club]
    # division → (first round, rounds away) of each entrant
    places: Mapping[int, Sequence[tuple[int, list[int]]]] = field(default_factory=dict)
    alternates: Mapping[int, Player] = field(default_factory=dict)
