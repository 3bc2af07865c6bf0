"""A small club, its bots, and helpers that play its leagues."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from games.common import clock
from games.models import Bot, BotVersion, Game, Player
from scorebook_games.registry import KINDS
from tests.factories.games import play_game, play_games
from tests.fixtures.saved_rows import restored
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.seasons.models import Season

BEGIN = datetime(2026, 9, 7, 19, 0, tzinfo=UTC)
SEED = "5a" * 32
Start = Callable[..., Season]  # starts a season of this many bots; the fixture `running`
NAMES = ("Gannet", "Tin Whistle", "Mother Goose", "Abacus", "Juniper", "Kittiwake", "Old Peat", "Wren", "Dipper")


def new_club(**fields: Any) -> Club:
    """Create a club whose owner is a member."""
    club = Club.objects.create(**fields)
    set_owner_role(club)
    return club


def builtin_bot(name: str) -> Player:
    (bot,) = builtin_bots([name])
    return bot


def builtin_bots(names: Iterable[str]) -> list[Player]:
    bots = Bot.objects.bulk_create(Bot(name=name) for name in names)
    built_in = {"number": 1, "transport": BotVersion.Transport.BUILT_IN, "program": "random"}
    versions = BotVersion.objects.bulk_create(BotVersion(bot=bot, **built_in) for bot in bots)
    return Player.objects.bulk_create(Player(bot_version=version, name=version.bot.name) for version in versions)


def play(game: Game, chooser: random.Random) -> None:
    """Play `game` to its end by random moves."""
    play_game(game, chooser.choice)


def play_all(seed: int = 0, **which: Any) -> int:
    """Play every running game, or `which` of them, in an arbitrary order. Returns their number."""
    chooser = random.Random(seed)
    going = Game.objects.filter(status=Game.Status.PLAYING, **which)
    games = list(going.select_related("deal").order_by("pk"))
    chooser.shuffle(games)
    if games:
        play_games(games, chooser.choice)
    return len(games)


def play_season(season: Season) -> Season:
    """Run the league until the season is finished, on a clock that moves by a minute with each step."""

    def make() -> None:
        moment = BEGIN
        for turn in range(500):
            with clock.frozen_at(moment):
                director.advance()
                play_all(turn)
            season.refresh_from_db()
            if season.status == Season.Status.FINISHED:
                return
            moment += timedelta(minutes=1)
        raise AssertionError("The season does not end.")

    restored(("play_season", season.pk, rules()), make, seldom=True)
    season.refresh_from_db()
    return season


def rules() -> tuple[type, ...]:
    """Return the settings of all kinds, which some tests change."""
    return tuple(type(kind.rules) for kind in KINDS.values())


def let_play(rounds: int, *, open_next: bool = False) -> None:
    """Let every season play this many rounds, a minute apart, and open the next one."""

    def make() -> None:
        for turn in range(rounds):
            with clock.frozen_at(BEGIN + timedelta(minutes=turn)):
                director.advance()
                play_all(turn)
                director.advance()
        if open_next:
            with clock.frozen_at(BEGIN + timedelta(minutes=rounds)):
                director.advance()

    restored(("let_play", rounds, open_next, rules()), make)
