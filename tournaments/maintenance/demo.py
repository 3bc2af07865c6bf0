"""Builds the demo club: a league of each kind, always played by built-in bots, and the seasons of `demo_people`. What
exists already stays as it is."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from games.accounts import people
from games.models import Bot, BotVersion, Player
from tournaments.clubs.members import set_owner_role
from tournaments.clubs.models import Club, Membership
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import demo_people
from tournaments.seasons.models import League

CLUB_NAME = "Lantern Street Card Club"
CLUB_ABOUT = (
    "Cards on Thursdays in the back room of the lamp shop since 1961. Most of us have lost to Gannet. Built-in bots "
    "play all day long: look in at any hour, a round is on."
)
ROUND_SECONDS = 30
# How long the bots of a league take for a move (ms), so that a game lasts about as long as a round and can be watched.
BOT_PACE_MS = {"chinese_ten": 300, "plates": 120, "platinum_fish": 250, "palace": 200, "plate_spinner": 400}
# The club's bots, and the program in scorebook_games.bots.builtin that plays for each.
BOTS = {
    "Gannet": "strong",
    "Tin Whistle": "sensible",
    "Mother Goose": "sensible",
    "Abacus": "sensible",
    "Old Peat": "sensible",
    "Kittiwake": "random",
    "Juniper": "random",
    "Halfpenny": "random",
    "Corncrake": "sensible",
    "Wren": "sensible",
    "Long Tom": "random",
    "Bramble": "random",
}
PALACE_BOTS = ("Old Peat", "Juniper", "Mother Goose", "Long Tom", "Wren", "Tin Whistle", "Halfpenny", "Corncrake")
PLATE_SPINNER_BOTS = ("Abacus", "Tin Whistle", "Kittiwake", "Bramble", "Corncrake", "Wren")
PLATINUM_FISH_BOTS = ("Kittiwake", "Wren", "Gannet", "Corncrake", "Tin Whistle", "Bramble")
CHINESE_TEN_BOTS = ("Gannet", "Tin Whistle", "Mother Goose", "Abacus", "Old Peat", "Kittiwake", "Juniper", "Halfpenny")
# Nine at tables of three: in eight rounds everybody meets everybody exactly twice.
PLATES_BOTS = (
    "Mother Goose",
    "Corncrake",
    "Wren",
    "Abacus",
    "Tin Whistle",
    "Old Peat",
    "Long Tom",
    "Bramble",
    "Halfpenny",
)


def build_demo(*, watchable: bool = True, with_people: bool = False) -> Iterator[str]:
    """Create what is missing of the demo; yield sentences about what was created and how to log in.

    `watchable`: the bots take their time; otherwise they play as fast as they can. `with_people`: create the seasons of
    `demo_people` too.
    """
    with transaction.atomic():
        organiser, sentences = _demo_user("organiser", "Niamh", staff=False)
        yield sentences
        yield _demo_user("admin", "Odhran", staff=True)[1]
        club, made = Club.objects.get_or_create(
            slug="lantern-street",
            defaults={"name": CLUB_NAME, "about": CLUB_ABOUT, "zone": "Europe/Dublin", "owner": organiser},
        )
        if made:
            set_owner_role(club)
        Membership.objects.get_or_create(club=club, user=organiser, defaults={"role": Membership.Role.ORGANISER})
        Club.objects.select_for_update().get(pk=club.pk)  # a second demo at the same time waits here
        yield f"{CLUB_NAME} {'was created' if made else 'already exists'}."
        players = {name: built_in_bot_player(name, program) for name, program in BOTS.items()}
        pace = BOT_PACE_MS if watchable else dict.fromkeys(BOT_PACE_MS, 0)
        yield _demo_league(
            club, "Chinese Ten League", "chinese_ten", 2, [players[name] for name in CHINESE_TEN_BOTS], pace
        )
        yield _demo_league(club, "Plates League", "plates", 3, [players[name] for name in PLATES_BOTS], pace)
        yield _demo_league(
            club, "Platinum Fish League", "platinum_fish", 2, [players[name] for name in PLATINUM_FISH_BOTS], pace
        )
        yield _demo_league(club, "Palace League", "palace", 4, [players[name] for name in PALACE_BOTS], pace)
        yield _demo_league(
            club, "Plate Spinner League", "plate_spinner", 2, [players[name] for name in PLATE_SPINNER_BOTS], pace
        )
        if with_people:
            yield from demo_people.build_people_seasons(club, organiser, [players["Gannet"], players["Abacus"]])


def built_in_bot_player(name: str, program: str) -> Player:
    """Return the player called `name`, a built-in bot played by `program`; create it if there is none."""
    bot, _ = Bot.objects.get_or_create(name=name, defaults={"owner": None})
    version, _ = BotVersion.objects.get_or_create(
        bot=bot, number=1, defaults={"transport": BotVersion.Transport.BUILT_IN, "program": program}
    )
    player, _ = Player.objects.get_or_create(bot_version=version, defaults={"name": name})
    return player


def _demo_user(username: str, first_name: str, *, staff: bool) -> tuple[User, str]:
    """Return the user, created if there is none, and a sentence. A new user's password is from the environment or
    random, and is printed only now."""
    found = get_user_model().objects.filter(username=username).first()
    if found is not None:
        return found, f"Login {username}: already exists; its password was printed when it was created."
    password = os.environ.get(f"SCOREBOOK_{username.upper()}_PASSWORD") or secrets.token_urlsafe(9)
    user = get_user_model().objects.create_user(
        username, password=password, first_name=first_name, is_staff=staff, is_superuser=staff
    )
    people.create_profile_and_player(user, first_name)
    return user, f"Login {username}, password {password}"


def _demo_league(
    club: Club, name: str, kind: str, table_size: int, players: list[Player], bot_pace_ms: dict[str, int]
) -> str:
    """Create a league whose seasons follow one another without end, and start its first season; return a sentence."""
    league, _ = League.objects.get_or_create(club=club, slug=kind.replace("_", "-"), defaults={"name": name})
    if league.seasons.exists():
        return f"{name} is already being played."
    season = seasons.create_season(
        league=league,
        name=seasons.current_name(league),
        kind=kind,
        terms={"bot_pace_ms": bot_pace_ms[kind]},
        table_size=table_size,
        calendar={"seconds": ROUND_SECONDS},
        repeats=True,
    )
    entries.enter_players(season=season, players=players)
    seasons.start_season(season=season)
    return f"{name}: {season.name} has started with {len(players)} entrants and a round every {ROUND_SECONDS} seconds."
