"""Worlds that tests of several files begin with: each is made once a process, and from then on put in by its rows
(`remembered`). The fixtures of the folders hand them on.

    season = worlds.season(worlds.league(), worlds.bots())

A world is asked for before the test has written anything, or right after a world that it begins with. Its value holds
rows of its own for each test. A new one is a function marked `@world` that writes the rows, at a clock of its own: a
season begins on `BEGIN`. How a season goes on from there, remembered too: `tests.tournaments.club`, `let_play` and
`play_season`.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User

from games.accounts import people
from games.common import clock
from games.models import Game, Player
from tests.factories.people import confirmed
from tests.fixtures.saved_rows import restored, world
from tests.replays.conftest import open_game, play_on
from tests.tournaments.club import BEGIN, NAMES, SEED, builtin_bots, new_club, play_all, rules
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club, Membership
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import demo
from tournaments.seasons.models import League, Season

LONG_AGO = BEGIN - timedelta(days=365)
People = dict[str, User]


# -- leagues


@world
def league() -> League:
    """Return Lantern Street's league. Niamh owns the club; nobody else is there."""
    niamh = get_user_model().objects.create_user("niamh")
    club = new_club(name="Lantern Street Card Club", slug="lantern", zone="Europe/Dublin", owner=niamh)
    return League.objects.create(club=club, name="Chinese Ten League", slug="chinese-ten")


@world
def bots() -> list[Player]:
    """Return nine built-in bots."""
    return builtin_bots(NAMES)


@world
def members() -> list[Player]:
    """Return six people who play in leagues."""
    names = ("Martha", "Laura", "Otto", "Jonas", "Ewa", "Tove")
    return [people.create_profile_and_player(User.objects.create_user(name.lower()), name) for name in names]


def season(of: League, players: list[Player], entrants: int = 4, **settings: Any) -> Season:
    """Return a started season of the first `entrants` players. Its first round can be opened at `BEGIN`."""
    usual = {"name": "Autumn 2026", "kind": "chinese_ten", "options": {"packs": 1}, "calendar": {"seconds": 60}}
    wanted: dict[str, Any] = usual | settings
    if wanted.get("format") == "ladder":  # built-in bots challenge nobody, so people must be able to enter later
        wanted.setdefault("entry", {"late_rounds": 1})

    def make() -> Season:
        with clock.frozen_at(BEGIN):
            made = seasons.create_season(league=of, **wanted)
            entries.enter_players(season=made, players=players[:entrants])
            return seasons.start_season(season=made, seed=SEED)

    return restored(("season", entrants, rules(), repr(sorted(wanted.items()))), make, seldom=bool(settings))


# -- a club and who may what in it


@world
def street() -> People:
    """Return the people of Lantern Street. Each has a confirmed address. Ada is the admin."""
    with clock.frozen_at(LONG_AGO):
        names = ("Niamh", "Otto", "Martha", "Laura")
        return {**{name: confirmed(name) for name in names}, "Ada": confirmed("Ada", is_staff=True)}


@world
def club(club_people: People) -> Club:
    """Return Niamh's public club. Otto is an organiser and Martha a member. People ask to join."""
    with clock.frozen_at(LONG_AGO):
        asked = {"name": "Lantern Street", "about": "Cards on Thursdays.", "zone": "Europe/Dublin"}
        made = club_lifecycle.found_club(user=club_people["Niamh"], **asked)
        made.memberships.create(user=club_people["Otto"], role=Membership.Role.ORGANISER)
        made.memberships.create(user=club_people["Martha"])
        return made


@world
def private(of: Club) -> Club:
    """Return the same club, visible to its members only."""
    with clock.frozen_at(LONG_AGO):
        return club_lifecycle.change_club(club=of, user=of.owner, visibility="private")


# -- for a browser


@world
def finished_game() -> Game:
    """Return a game that Martha and Laura finished."""
    names = ("Martha", "Laura")
    return play_on(open_game([Player.objects.create(name=n, user=User.objects.create_user(n.lower())) for n in names]))


@world
def demo_league() -> Season:
    """Return the demo's season of Chinese Ten with one round behind it and running games, with all demo data."""
    for _ in demo.build_demo(watchable=False):
        pass
    director.advance()
    play_all(kind="chinese_ten")
    director.advance()
    return Season.objects.get(kind="chinese_ten")
