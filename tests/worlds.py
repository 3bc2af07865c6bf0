"""Worlds that many tests begin with: each is made once a process, and from then on put in by its rows (`remembered`).

    season = worlds.after_a_round()

A world is asked for before the test has written anything, or right after a world that it begins with. Its value holds
rows of its own for each test. Of a new one: a frozen dataclass, and a function marked `@world` that writes the rows.
All happens at a clock of their own: a season begins on `BEGIN`, everything else was there on the day before.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import Permission, User

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.bots import uploads
from games.bots.remote import services as remote_bots
from games.common import clock
from games.models import Bot, BotVersion, Deal, Game, Player
from games.moderation import reports, sanctions
from games.moderation.models import Report
from games.play import services as play
from tests.people import joined
from tests.remembered import world
from tests.tournaments.club import BEGIN, NAMES, SEED, house_bots, play_all, play_season
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.director import director
from tournaments.models import Club, League, Membership, Season
from tournaments.seasons import services as seasons

EARLIER = BEGIN - timedelta(days=1)
FIRST_BOT = """
class Bot:
    kinds = ("chinese_ten",)

    def move(self, view, legal):
        return legal[0]
"""


@dataclass(frozen=True)
class House:
    """Nothing is played yet. Everybody has a confirmed address; Ada is an admin who may change what admins change."""

    niamh: Player
    otto: Player
    martha: Player
    laura: Player
    ada: Player


@world
def house() -> House:
    with clock.at(EARLIER):
        names = ("niamh", "otto", "martha", "laura")
        people = {name: joined(name.title(), email=f"{name}@example.org") for name in names}
        ada = joined("Ada", email="ada@example.org", flags={"is_staff": True})
        user_of(ada).user_permissions.set(Permission.objects.filter(codename__startswith="change_"))
        return House(ada=ada, **people)


@dataclass(frozen=True)
class TwoAtATable(House):
    """Martha and Laura play Chinese Ten, always from the same deal, and Martha is to move."""

    game: Game


@world
def two_at_a_table() -> TwoAtATable:
    people = house()
    with clock.at(BEGIN):
        deal = Deal.objects.create(seed=bytes(range(32)))
        game = play.open(kind="chinese_ten", players=[people.martha, people.laura], deal=deal, terms={})
    return TwoAtATable(**vars(people), game=game)


@dataclass(frozen=True)
class ClubWithPeople(House):
    """Lantern Street is Niamh's, Otto organises it, Martha is a member, and Laura is none."""

    club: Club
    league: League


@world
def club() -> ClubWithPeople:
    people = house()
    with clock.at(EARLIER):
        made = club_lifecycle.found(user=user_of(people.niamh), name="Lantern Street Card Club", zone="Europe/Dublin")
        made.memberships.create(user=user_of(people.otto), role=Membership.Role.ORGANISER)
        made.memberships.create(user=user_of(people.martha))
        league = League.objects.create(club=made, name="Chinese Ten League", slug="chinese-ten")
    return ClubWithPeople(**vars(people), club=made, league=league)


@dataclass(frozen=True)
class SeasonOfBots(ClubWithPeople):
    """Four of the nine house bots have joined a season of Chinese Ten, all against all."""

    bots: list[Player]
    season: Season


@world
def open_season() -> SeasonOfBots:
    """It takes entries."""
    people = club()
    with clock.at(BEGIN):
        bots = house_bots(NAMES)
        season = seasons.create_season(
            league=people.league,
            name="Autumn 2026",
            kind="chinese_ten",
            options={"packs": 1},
            calendar={"seconds": 60},
        )
        for bot in bots[:4]:
            seasons.join(season=season, player=bot)
    return SeasonOfBots(**vars(people), bots=bots, season=season)


@world
def after_a_round() -> SeasonOfBots:
    """The first round has been played and is closed; the second is to be opened a minute after BEGIN."""
    made = open_season()
    with clock.at(BEGIN):
        seasons.start(season=made.season, seed=SEED)
        director.advance()
        play_all()
        director.advance()
    made.season.refresh_from_db()
    return made


@world
def finished() -> SeasonOfBots:
    """It has been played to its end."""
    made = after_a_round()
    play_season(made.season)
    return made


@dataclass(frozen=True)
class BotAtTheGate(House):
    """Laura has uploaded a bot that waits for its gate, and has a bot of her own machine with its token."""

    uploaded: BotVersion
    remote: Bot
    token: AccessToken
    secret: str


@world
def bot_at_the_gate() -> BotAtTheGate:
    people = house()
    with clock.at(BEGIN):
        laura = user_of(people.laura)
        uploaded = uploads.upload(bot=uploads.new_bot(owner=laura, name="Gannet"), data=FIRST_BOT.encode())
        remote = remote_bots.make(owner=laura, name="Puffin")
        token, secret = tokens.make(user=laura, name="Puffin", wanted=["read", "play"], bot=remote)
    return BotAtTheGate(**vars(people), uploaded=uploaded, remote=remote, token=token, secret=secret)


@dataclass(frozen=True)
class Moderation(TwoAtATable):
    """Laura has reported Martha, with whom she is at a table; Otto is banned."""

    report: Report


@world
def moderation() -> Moderation:
    made = two_at_a_table()
    with clock.at(BEGIN):
        report = reports.make(
            by=user_of(made.laura), target="person", pk=made.martha.pk, cause="harassment", words="She calls me names."
        )
        sanctions.ban(user=user_of(made.otto), by=user_of(made.ada), reason="Sold results.")
    return Moderation(**vars(made), report=report)


def user_of(player: Player) -> User:
    assert player.user
    return player.user


EVERY = (house, two_at_a_table, club, open_season, after_a_round, finished, bot_at_the_gate, moderation)
