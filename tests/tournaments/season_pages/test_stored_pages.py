"""Stored pages of clubs, seasons and matches are what a new rendering would be, whatever happens, for each reader.

What a page reads from the database must be covered by its version: by a stream, by the notes of changed tables, or by
one of the exceptions below with its reason.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.contrib.auth.models import User
from django.core.cache import caches
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.accounts import notices
from games.accounts import people as accounts
from games.accounts.models import Notice
from games.common import clock, page_cache
from games.common.errors import DomainError
from games.common.table_source import Projection
from games.models import Game, Player
from tests.factories import worlds
from tests.tournaments.club import BEGIN, let_play, play_all, play_season
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import posts
from tournaments.clubs.models import Membership
from tournaments.director import director
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.organiser import counts
from tournaments.rulings import services as rulings
from tournaments.seasons.models import Match

pytestmark = pytest.mark.django_db
TOKEN = re.compile(r'(?<=csrfmiddlewaretoken" value=")\w+')
SEASON_PAGES = (
    "",
    "standings/",
    "rounds/",
    "hall/",
    "activity/",
    "settings/",
    "?part=round",
    "standings/?part=ratings",
)
OF_STREAMS = ("the season's stream", "the pool's stream")
# Tables of which a page's version says more than that they have changed, or that say who reads.
COVERED = {
    "stream": "its versions are the key",
    "ratings_ratingpool": "the version of its stream is the key",
    "games_game": "the state of games that are being played is looked up; a finished one does not change",
    "games_seat": "of finished games, and of a player’s games, which are looked up",
    "games_deal": "a season with sealed games is not stored",
    "accounts_session": "who reads",
    "accounts_profile": "language and zone are in the key",
    "accounts_notice": "its count is in the key",
    "accounts_sanction": "whether there is a warning is in the key",
    "cache": "the number of items in the inbox is in the key",
}


def noted_tables() -> set[str]:
    """Return the tables whose changes are noted by a trigger."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%\\_is\\_noted'")
        return {name for (name,) in cursor.fetchall()}


def tables_of_streams() -> set[str]:
    sources = {model._meta.db_table: getattr(model, "table_source", None) for model in apps.get_models()}
    return {name for name, source in sources.items() if isinstance(source, Projection) and source.of in OF_STREAMS}


@contextmanager
def nothing_stored() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_cache, "is_switched_on", lambda: False)
        yield


def shown(client: Client, at: str) -> str:
    answer = client.get(at)
    return f"{answer.status_code} {answer.get('HX-Trigger', '')} {TOKEN.sub('', answer.content.decode())}"


class Club:
    """Lantern Street with a season of two bots and two people, and those who read its pages."""

    def __init__(self) -> None:
        league, members, bots = worlds.league(), worlds.members(), worlds.bots()
        self.season = worlds.season(league, [*members[:2], *bots[:2]])
        self.club, self.owner = league.club, league.club.owner
        self.people: list[User] = [player.user for player in members if player.user is not None]
        for user in self.people[:3]:
            Membership.objects.create(club=self.club, user=user)
        self.clients = [Client(), *map(signed_in, (self.owner, self.people[0]))]

    def addresses(self) -> list[str]:
        at, club, api = f"/clubs/{self.season.path}/", f"/clubs/{self.club.slug}/", f"/api/v1/seasons/{self.season.pk}/"
        found = [*(f"{at}{page}" for page in SEASON_PAGES), club, f"{club}members/", f"{club}news/", "/ratings/"]
        found += [f"{api}standings/", f"{api}rounds/", f"{api}entrants/", "/api/v1/ratings/"]
        found += [f"/players/{entrant.player_id}/" for entrant in self.season.entries.all()[:4:3]]
        return found + [f"/matches/{pk}/" for pk in Match.objects.values_list("pk", flat=True)[:2]]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.slow
def test_what_a_stored_page_reads_is_covered_by_its_version(club: Club) -> None:
    noted, covered = noted_tables(), tables_of_streams() | set(COVERED)
    for user in (club.owner, club.people[0]):
        counts.inbox_count(user)  # so that no page counts what waits, which is in its key
    for client in club.clients:
        for at in club.addresses():
            caches[page_cache.CACHE].clear()
            with CaptureQueriesContext(connection) as asked:
                client.get(at)
            read = {name for query in asked for name in re.findall(r'(?:FROM|JOIN) "(\w+)"', query["sql"])}
            versions = " ".join(query["sql"] for query in asked if "common_tablechange" in query["sql"])
            missing = read - covered - {name for name in noted if re.search(rf"\b{name}\b", versions)}
            stored: Any = caches[page_cache.CACHE]
            assert not (missing and stored._cache), f"the version of {at} does not say when {missing} change"


def test_a_stored_page_costs_few_queries(club: Club, django_assert_max_num_queries: Any) -> None:
    at = f"/clubs/{club.season.path}/"
    for client, most in zip(club.clients, (3, 8, 8), strict=True):  # signed in: session, user, zone, head, inbox
        for page, saved in (("", 0), ("activity/", 1), ("settings/", 1)):
            client.get(at + page)
            with django_assert_max_num_queries(most - saved):
                tag = client.get(at + page)["ETag"]
            with django_assert_max_num_queries(most - saved):
                assert client.get(at + page, headers={"If-None-Match": tag}).status_code == 304


def test_a_stored_list_has_the_form_that_is_asked_for(club: Club) -> None:
    at = f"/api/v1/seasons/{club.season.pk}/standings/"
    forms = ["application/json; indent=4", "text/html", "application/json"]
    found = [[Client().get(at, headers={"Accept": form}) for form in forms] for _time in range(2)]
    assert [answer["Content-Type"].split(";")[0] for answer in found[0]] == [form.split(";")[0] for form in forms]
    assert [answer.content for answer in found[0][::2]] == [answer.content for answer in found[1][::2]]
    assert found[0][0].json() == found[0][2].json()
    assert found[0][0].content != found[0][2].content
    assert found[1][1]["Content-Type"].startswith("text/html")


def test_a_page_has_the_controls_of_an_admin_from_their_second_factor_on(club: Club, settings: Any) -> None:
    settings.SCOREBOOK_ADMIN_MFA_REQUIRED = True
    admin = User.objects.create_user("admin", is_staff=True)
    client, at = signed_in(admin), f"/clubs/{club.club.slug}/members/"
    before = shown(client, at)
    Authenticator.objects.create(user=admin, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DP"})
    check_is_fresh(client, at, "a second factor")
    assert shown(client, at) != before


@pytest.mark.parametrize("of", ["/api/v1/clubs/{}/members/", "/clubs/{}/"])
def test_what_an_admin_was_shown_is_not_shown_any_more_once_their_second_factor_is_gone(
    club: Club, settings: Any, of: str
) -> None:
    settings.SCOREBOOK_ADMIN_MFA_REQUIRED = True
    club.club.visibility = club.club.Visibility.PRIVATE
    club.club.save()
    admin = User.objects.create_user("admin", is_staff=True)
    factor = Authenticator.objects.create(user=admin, type=Authenticator.Type.TOTP, data={"secret": "JBSWY3DP"})
    client, at = signed_in(admin), of.format(club.club.slug)
    assert [client.get(at).status_code for _ in range(2)] == [200, 200]
    factor.delete()
    assert client.get(at).status_code == 404


def test_the_matches_of_a_finished_season_are_stored_until_a_player_has_another_name(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    season = play_season(worlds.season(worlds.league(), worlds.bots()))
    at = f"/api/v1/matches/?season={season.pk}"
    first = client.get(at).content
    with django_assert_max_num_queries(1):
        assert client.get(at).content == first
    Player.objects.filter(entries__season=season).update(name="Another")
    assert b"Another" in client.get(at).content


# Each event gets the club, a random choice and the moment. A refusal of a service is an event without effect.


def advance(_club: Club, _chance: random.Random) -> None:
    director.advance()


def play_one(_club: Club, chance: random.Random) -> None:
    games = list(Game.objects.filter(status=Game.Status.PLAYING))
    if games:
        play_all(chance.randrange(99), pk=chance.choice(games).pk)


def lease(_club: Club, chance: random.Random) -> None:
    games = list(Game.objects.filter(status=Game.Status.PLAYING))
    if games:
        game = chance.choice(games)
        game.leased_by, game.failures = chance.choice(["", "worker"]), chance.choice([0, 1])
        game.save(update_fields=["leased_by", "failures"])


def rename(club: Club, chance: random.Random) -> None:
    accounts.rename(chance.choice(club.people), f"Name {chance.randrange(10**6)}")


def withdraw(club: Club, chance: random.Random) -> None:
    entrant = chance.choice(list(club.season.entries.all()))
    entries.leave_season(entrant=entrant, by=club.owner)


def pause(club: Club, _chance: random.Random) -> None:
    running.pause_season(season=club.season, by=club.owner)


def resume(club: Club, _chance: random.Random) -> None:
    running.resume_season(season=club.season, by=club.owner)


def join(club: Club, chance: random.Random) -> None:
    user = chance.choice(club.people)
    if not Membership.objects.filter(club=club.club, user=user).delete()[0]:
        Membership.objects.create(club=club.club, user=user)


def promote(club: Club, chance: random.Random) -> None:
    Membership.objects.filter(club=club.club, user=chance.choice(club.people)).update(role=Membership.Role.ORGANISER)


def rename_club(club: Club, chance: random.Random) -> None:
    club_lifecycle.change_club(club=club.club, user=club.owner, name=f"Club {chance.randrange(10**6)}")


def hide_club(club: Club, chance: random.Random) -> None:
    visible = chance.choice(["private", "public"])
    club.club = club_lifecycle.change_club(club=club.club, user=club.owner, visibility=visible)


def publish(club: Club, chance: random.Random) -> None:
    posts.create_post(club=club.club, user=club.owner, title=f"News {chance.randrange(10**6)}", text="Cards.")


def annul(club: Club, chance: random.Random) -> None:
    matches = list(Match.objects.exclude(finished_at=None))
    if matches:
        rulings.annul_game(match=chance.choice(matches), game=1, by=club.owner, note="A mistake.")


def notice(club: Club, chance: random.Random) -> None:
    user = chance.choice(club.people)
    if not notices.mark_seen(user):
        Notice.objects.create(user=user, subject="club_news", created=clock.now())


Event = Callable[[Club, random.Random], None]
EVENTS: list[Event] = [advance, advance, play_one, play_one, lease, rename, withdraw, pause, resume, join, promote]
EVENTS += [rename_club, hide_club, publish, annul, notice]


@settings(
    max_examples=settings().max_examples // 12,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.sampled_from(EVENTS), min_size=4, max_size=6), st.randoms(use_true_random=False))
def test_a_stored_page_is_what_a_new_one_would_be(club: Club, happens: list[Event], chance: random.Random) -> None:
    moment = BEGIN + timedelta(minutes=2)
    with transaction.atomic():
        caches[page_cache.CACHE].clear()
        for event in happens:
            with clock.frozen_at(moment):
                client, pages = chance.choice(club.clients), chance.sample(club.addresses(), 3)
                for at in pages:
                    client.get(at)  # is stored before the event
                with suppress(DomainError), transaction.atomic():
                    event(club, chance)
                club.season.refresh_from_db()
                for at in pages:
                    check_is_fresh(client, at, event.__name__)
            moment += timedelta(seconds=chance.choice([1, 30, 400]))
        transaction.set_rollback(True)


@pytest.mark.some(1)
@pytest.mark.parametrize("event", [play_one, rename, advance], ids=lambda event: event.__name__)
def test_what_happens_is_seen_at_once(club: Club, event: Event) -> None:
    chance, client = random.Random(1), club.clients[0]
    club.people = club.people[:1]  # an entrant
    at = f"/clubs/{club.season.path}/"
    pages = [f"{at}{page}" for page in ("", "rounds/", "?part=round", "standings/")]
    with clock.frozen_at(BEGIN + timedelta(minutes=3)):
        before = [shown(client, page) for page in pages]
        event(club, chance)
        after = [shown(client, page) for page in pages]
        for page in pages:
            check_is_fresh(client, page, event.__name__)
    assert before != after or event is advance


def check_is_fresh(client: Client, at: str, after: str) -> None:
    """Compare a page as it is stored, or was just stored, with a new one."""
    stored = shown(client, at)
    with nothing_stored():
        assert stored == shown(client, at), f"{at} is old after {after}"


@pytest.fixture
def club() -> Club:
    made = Club()
    let_play(1, open_next=True)
    return made
