"""The stored page and frames of a finished game are what new ones would be, and nobody else gets what only some may
see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client

from games.accounts import shortcuts
from games.accounts.models import Notice, Profile
from games.accounts.subjects import YOUR_TURN
from games.common import clock, page_cache
from games.common.shortcuts import Choice
from games.eventlog.models import Batch
from games.models import Game, Player
from games.play import offers
from replays.review.models import LuckLedger
from tests.factories import worlds
from tests.fixtures.append_only import triggers_disabled
from tests.parameters import mostly_slow
from tests.replays.conftest import open_game, play_on
from tests.tournaments.club import new_club
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.models import Club

pytestmark = pytest.mark.django_db
FORMS = ("/games/{}/", "/games/{}/?viewpoint=0", "/games/{}/embed/", "/api/v1/games/{}/replay/?since=5&until=20")
QUERIES = 4


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    caches[page_cache.CACHE].clear()
    yield
    caches[page_cache.CACHE].clear()


@pytest.fixture
def game() -> Game:
    return worlds.finished_game()


def shown(client: Client, game: Game) -> list[bytes]:
    """Return the answers in all forms, without the tokens of their forms."""
    answers = [client.get(form.format(game.public_id)) for form in FORMS]
    return [page_cache.CSRF_FIELD.sub("", answer.content.decode()).encode() for answer in answers]


def new_ones(client: Client, game: Game) -> list[bytes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_cache, "is_switched_on", lambda: False)
        return shown(client, game)


def test_a_finished_game_is_rendered_once_for_all_without_an_account(
    game: Game, django_assert_max_num_queries: Any
) -> None:
    first = shown(Client(), game)
    for form in FORMS:
        with django_assert_max_num_queries(QUERIES):
            assert Client().get(form.format(game.public_id)).status_code == 200
    assert shown(Client(), game) == first == new_ones(Client(), game)
    answer = Client().get(FORMS[0].format(game.public_id))
    known = {"If-None-Match": answer["ETag"]}
    assert Client().get(FORMS[0].format(game.public_id), headers=known).status_code == 304


def renamed(game: Game) -> None:
    Player.objects.filter(seats__game=game, name="Martha").update(name="Another")


def has_a_ledger(game: Game) -> None:
    facts = {"kind": game.kind, "finished_at": game.finished_at, "due_at": game.finished_at, "people": True}
    LuckLedger.objects.create(game=game, state=LuckLedger.State.NONE, reason=LuckLedger.Reason.OTHER_RULES, **facts)


def has_a_rematch(game: Game) -> None:
    for seat in (0, 1):
        offers.offer_rematch(game=game, seat=seat)


def is_forged(game: Game) -> None:
    first = Batch.objects.filter(stream=game.stream).earliest("seq")
    with triggers_disabled("batch"):
        Batch.objects.filter(pk=first.pk).update(times=[time + 1 for time in first.times])


@pytest.mark.parametrize("happens", mostly_slow([renamed, has_a_ledger, has_a_rematch, is_forged], [is_forged]))
def test_a_stored_replay_is_what_a_new_one_would_be(game: Game, happens: Callable[[Game], None]) -> None:
    before = shown(Client(), game)
    happens(game)
    assert shown(Client(), game) == new_ones(Client(), game) != before


def test_the_replay_of_a_club_that_turns_private_is_not_shown_to_strangers_any_more() -> None:
    owner = User.objects.create_user("niamh")
    club: Club = new_club(name="Lantern Street", slug="lantern", zone="Europe/Dublin", owner=owner)
    players = [Player.objects.create(name=name, user=User.objects.create_user(name)) for name in ("martha", "laura")]
    game = open_game(players)
    Game.objects.filter(pk=game.pk).update(audience_club_id=club.pk)
    play_on(game)
    assert [Client().get(form.format(game.public_id)).status_code for form in FORMS] == [200] * len(FORMS)
    club_lifecycle.change_club(club=club, user=owner, visibility="private")
    assert [Client().get(form.format(game.public_id)).status_code for form in FORMS] == [404] * len(FORMS)


def test_it_is_stored_for_each_reader_who_does_not_play_in_it(game: Game, django_assert_max_num_queries: Any) -> None:
    nina = User.objects.create_user("nina")
    Profile.objects.create(user=nina)
    client = Client()
    client.force_login(nina)
    first = shown(client, game)
    with django_assert_max_num_queries(QUERIES + 2):
        assert client.get(FORMS[0].format(game.public_id)).status_code == 200
    assert shown(client, game) == first == new_ones(client, game)
    shortcuts.save(nina, Choice(on=False))
    assert shown(client, game) == new_ones(client, game) != first
    Notice.objects.create(user=nina, game=game, subject=YOUR_TURN, key="a", created=clock.now())
    client.get(FORMS[0].format(game.public_id))
    assert not Notice.objects.filter(user=nina, seen_at=None).exists(), "the page marks it as seen"


def test_a_game_that_is_played_and_the_page_of_its_player_are_not_stored(game: Game) -> None:
    martha = Client()
    martha.force_login(User.objects.get(username="martha"))
    shown(martha, game)
    players = list(Player.objects.filter(seats__game=game).order_by("seats__seat"))
    shown(Client(), open_game(players))
    assert caches[page_cache.CACHE]._cache == {}  # type: ignore[attr-defined]
