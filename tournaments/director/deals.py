"""Which deal each game of a round is played with, and who fills a table that is short of entrants.

Duplicate deals: the games that have the same number in their matches share a deal, so that different entrants play the
same cards in the same seat. Nobody who could remember sits at a deal twice: a person, counted together with the remote
bots that are theirs. An uploaded bot or one of the platform can't, for each of its games is a process of its own or a
function; where only such meet, in seasons of bots, one deal is played from every seat before the next one comes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import count, islice
from typing import Any, NamedTuple

from games.engines.base import OptionError
from games.kinds import rules_for
from games.models import Deal, Game, Player
from games.play.roster import ensure_builtin_bot
from games.programs.builtin import BUILTIN_BOTS
from tournaments.core.results import seating_of_game
from tournaments.seasons.models import Season
from tournaments.seasons.settings import BOTS_ONLY, DUPLICATE_DEALS, SHORT_TABLE_BOT

DealKey = tuple[int, int]  # seats, and the number of the deal among the round's for so many


def shares_deals(season: Season) -> bool:
    """Whether the games of a round share their deals."""
    return bool(season.settings["deals"] == DUPLICATE_DEALS)


class GameSetup(NamedTuple):
    """Where a game is to be opened: the players by seat, whether the platform fills it up, and the shared deal if
    any."""

    players: tuple[Player, ...]
    filled: bool = False
    deal: Deal | None = None

    def turned(self, number: int) -> GameSetup:
        """As it is seated in game `number`, if this is how it was in the first one."""
        return self._replace(players=seating_of_game(self.players, number))

    def terms(self, season: Season) -> dict[str, Any]:
        """The terms of its game: the season's. One that the platform fills up is not rated."""
        return {**season.terms, "rated": False} if self.filled else season.terms


def setup_of_game(game: Game) -> GameSetup:
    """Who sits at a game of a season, for another one with the same players."""
    players = tuple(seat.player for seat in game.seats.select_related("player__bot_version__bot"))
    return GameSetup(players, filled=game.match_game.match.entrants.count() < len(players))


def assign_deals(season: Season, tables: Sequence[tuple[int, GameSetup]]) -> list[GameSetup]:
    """The `tables` of a round, each with the number of its game in the match, with the deals that they share.

    They are all of the round that have one of these numbers: nobody can be given one of the deals later."""
    if not shares_deals(season):
        return [each for _, each in tables]
    keys = _keys(season, tables)
    shared = {key: Deal() for key in keys if key is not None and keys.count(key) > 1}
    Deal.objects.bulk_create(shared.values())
    return [
        each._replace(deal=shared.get(key)) if key is not None else each
        for (_, each), key in zip(tables, keys, strict=True)
    ]


def _keys(season: Season, tables: Sequence[tuple[int, GameSetup]]) -> list[DealKey | None]:
    """Which games go together; None for one in which somebody sits who has that deal already."""
    sat: dict[DealKey, set[Hashable]] = defaultdict(set)
    keys: list[DealKey | None] = []
    for number, (players, _, _) in tables:
        remembers = [who for player in players if (who := who_remembers(player)) is not None]
        legs = len(players) if season.pool == BOTS_ONLY and not remembers else 1
        key = (len(players), (number - 1) // legs)
        if sat[key].isdisjoint(remembers):
            sat[key].update(remembers)
            keys.append(key)
        else:
            keys.append(None)
    return keys


def who_remembers(player: Player) -> Hashable | None:
    """Who may remember a deal at which `player` sat; None for a program that is begun anew for each game."""
    version = player.bot_version
    if version is None:
        return ("user", player.user_id) if player.user_id else ("player", player.pk)
    if not version.is_remote:
        return None
    return ("user", version.bot.owner_id) if version.bot.owner_id else ("bot", version.bot_id)


def fill_with_bots(season: Season, players: Sequence[Player]) -> GameSetup:
    """The table of these entrants and, where it is short, built-in bots behind them: as many as the season says, and as
    many at least as the kind needs to be played with these options. They are none that have entered themselves."""
    missing = seat_count(season, len(players)) - len(players)
    if not missing:
        return GameSetup(tuple(players))
    entered = set(season.entries.values_list("player", flat=True))
    bots = (ensure_builtin_bot(filler(season.kind), number) for number in count(1))
    behind = islice((bot for bot in bots if bot.pk not in entered), missing)
    return GameSetup((*players, *behind), filled=True)


def seat_count(season: Season, entrants: int) -> int:
    """How many seats a table has at which so many entrants sit."""
    if season.settings["short_tables"] == SHORT_TABLE_BOT:
        return max(entrants, season.table_size)
    return next(seats for seats in range(entrants, entrants + season.table_size) if _can_be_played(season, seats))


def _can_be_played(season: Season, seats: int) -> bool:
    if seats >= season.table_size:
        return True
    try:
        rules_for(season.kind, season.settings["rules_version"]).resolve(seats, season.options)
    except OptionError:
        return False
    return True


def filler(kind: str) -> str:
    """The built-in bot that fills tables of that kind: the one that plays by a plan and takes no time."""
    return "sensible" if kind in BUILTIN_BOTS["sensible"].kinds else "random"
