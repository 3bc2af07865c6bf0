"""Commentators see all hands of a season's games at a secret address, as late as spectators see them."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import services as play
from games.play import unit_of_work
from scorebook_games.chance import SeedDealer
from scorebook_games.frames.replay import frames
from scorebook_games.gamelog.events import events_of
from scorebook_games.gamelog.visibility import COMMENTATOR
from scorebook_games.registry import KINDS
from tests.assertions.page import Page
from tests.factories import worlds
from tests.tournaments.club import BEGIN, Start
from tournaments.commentary import services
from tournaments.director import director
from tournaments.seasons.models import League, Season

pytestmark = pytest.mark.django_db

DELAY = 60


@pytest.fixture
def organiser(league: League) -> User:
    assert isinstance(league.club.owner, User)
    return league.club.owner


@pytest.fixture
def season(running: Start) -> Season:
    """Return a season whose spectators see its games a minute late, with its first round open."""
    made = running(terms={"watch_delay": DELAY})
    with clock.frozen_at(BEGIN):
        director.advance()
    return made


@pytest.fixture
def secret(season: Season, organiser: User) -> str:
    return services.create_address(season=season, user=organiser)


def game_of(season: Season) -> Game:
    found = services.running_games(season).first()
    assert found
    return found


def asked(game: Game, secret: str, since: int = 0, client: Client | None = None) -> tuple[int, dict[str, Any]]:
    """Return the status and the data of the API's answer to a commentator."""
    address = f"/api/v1/games/{game.public_id}/commentary/{secret}/"
    answer = (client or Client()).get(address, {"since": since} if since else {})
    return answer.status_code, answer.json()


def code_of(answer: tuple[int, dict[str, Any]]) -> tuple[int, str]:
    return answer[0], answer[1]["error"]["code"]


def played(kind: str, players: list[Player], rng: random.Random) -> Game:
    """Return a finished game of random moves at random moments."""
    game = play.open_game(kind=kind, players=players, terms={"watch_delay": DELAY})
    unit = play.load_unit(game)
    dealer, at = SeedDealer(bytes(game.deal.seed)), game.opened_at
    while not unit.fold.outcome():
        seat = rng.choice(unit.fold.to_act())
        action = rng.choice(unit.fold.rules.legal_actions(unit.fold.state, seat))
        at += timedelta(milliseconds=rng.choice((1, 400, 9_000, 70_000)))
        unit.take(unit.fold.rules.decide(unit.fold.state, seat, action, dealer), at)
    with clock.frozen_at(at):
        unit_of_work.commit([unit], at)
    game.refresh_from_db()
    return game


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind != "chinese_ten" else []) for kind in sorted(KINDS)]
)
def test_at_no_moment_of_a_random_game_does_a_commentator_see_an_event_younger_than_the_delay(
    kind: str, bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.visibility.commentary._checks", [lambda _game, secret: secret == "s" * 20])
    rng = random.Random(f"commentary {kind}")
    game = played(kind, bots[:2], rng)
    entries = events_of(eventlog.read_log(game.stream_id))
    moments = [entry.ms + more for entry in entries for more in (-1, 0, DELAY * 1000 - 1, DELAY * 1000)]
    for ms in rng.sample(moments, 8):
        since = rng.choice((0, 0, rng.randrange(len(entries))))
        with clock.frozen_at(game.opened_at + timedelta(milliseconds=ms)):
            status, data = asked(game, "s" * 20, since)
        known = [entry for entry in entries if entry.ms <= ms - DELAY * 1000]
        assert (status, data["version"]) == (200, len(known)) or data["viewpoint"] == "all"
        if data["viewpoint"] == "all":  # over for spectators, too
            assert ms - DELAY * 1000 >= entries[-1].ms
            continue
        assert data["game"]["status"] == "playing"
        wanted = [frame for frame in frames(known, COMMENTATOR) if frame.version > since]
        assert [frame["version"] for frame in data["frames"]] == [frame.version for frame in wanted]
        assert all(frame["ms"] <= ms - DELAY * 1000 for frame in data["frames"])


def test_organisers_create_replace_and_withdraw_the_address(season: Season, organiser: User) -> None:
    game = game_of(season)
    first = services.create_address(season=season, user=organiser)
    assert asked(game, first)[0] == 200
    second = services.create_address(season=season, user=organiser)
    assert code_of(asked(game, first)) == (404, "no_commentary")
    assert asked(game, second)[0] == 200
    assert services.withdraw_address(season=season, user=organiser)
    assert code_of(asked(game, second)) == (404, "no_commentary")


def test_only_organisers_create_and_withdraw_it(season: Season) -> None:
    stranger = User.objects.create_user("stranger")
    for service in (services.create_address, services.withdraw_address):
        with pytest.raises(DomainError, match="Only the organisers"):
            service(season=season, user=stranger)


@pytest.mark.parametrize("terms", [{}, {"watch_delay": DELAY, "sealed": True}])
def test_a_season_without_delay_or_with_sealed_games_has_no_commentators(
    running: Start, organiser: User, terms: dict[str, Any]
) -> None:
    with pytest.raises(DomainError) as refused:
        services.create_address(season=running(terms=terms), user=organiser)
    assert (refused.value.status, refused.value.code) == (409, "no_watch_delay")


def test_the_secret_of_a_season_opens_no_game_of_another(season: Season, secret: str, bots: list[Player]) -> None:
    other = play.open_game(kind="chinese_ten", players=bots[:2], terms={"watch_delay": DELAY})
    assert code_of(asked(other, secret)) == (404, "no_commentary")


@pytest.mark.parametrize(
    ("terms", "code"), [({}, "no_watch_delay"), ({"watch_delay": DELAY, "sealed": True}, "sealed")]
)
def test_a_game_without_delay_and_a_sealed_one_are_refused_until_they_are_over(
    terms: dict[str, Any], code: str, bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.visibility.commentary._checks", [lambda _game, _secret: True])
    game = play.open_game(kind="chinese_ten", players=bots[:2], terms=terms)
    assert code_of(asked(game, "x")) == (403, code)
    play.leave_game(game=game, seat=0, how="resigned")
    with clock.frozen_at(clock.now() + timedelta(seconds=2 * DELAY)):
        assert asked(game, "x")[1]["viewpoint"] == "all"


def test_a_game_is_refused_while_another_with_its_deal_is_on(
    bots: list[Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.visibility.commentary._checks", [lambda _game, _secret: True])
    first = play.open_game(kind="chinese_ten", players=bots[:2], terms={"watch_delay": DELAY})
    play.open_game(kind="chinese_ten", players=bots[:2], deal=first.deal)
    assert code_of(asked(first, "x")) == (403, "sealed")


def test_a_player_who_is_logged_in_does_not_see_the_others_hands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("games.visibility.commentary._checks", [lambda _game, _secret: True])
    members = worlds.members()
    game = play.open_game(kind="chinese_ten", players=members[:2], terms={"watch_delay": DELAY})
    browser = Client()
    browser.force_login(members[0].user)  # type: ignore[arg-type]
    assert code_of(asked(game, "x", client=browser)) == (403, "your_game")
    assert browser.get(f"/games/{game.public_id}/commentary/x/").status_code == 403
    assert asked(game, "x")[0] == 200


def test_the_page_shows_the_board_and_asks_at_the_same_secret_address(season: Season, secret: str) -> None:
    game = game_of(season)
    page = Client().get(f"/games/{game.public_id}/commentary/{secret}/")
    assert (page.status_code, page["Cache-Control"]) == (200, "private, no-store")
    assert f"/api/v1/games/{game.public_id}/commentary/{secret}/" in page.content.decode()
    assert "All hands · Shown 1 minute late" in Page.of(page).text
    assert Client().get(f"/games/{game.public_id}/commentary/{secret[:-1]}/").status_code == 404


def test_commentators_find_the_games_in_progress_by_their_matches(season: Season, secret: str) -> None:
    data = Client().get(f"/api/v1/commentary/{secret}/").json()
    assert [each["id"] for each in data["games"]] == [game.public_id for game in services.running_games(season)]
    page = Client().get(f"/commentary/{secret}/").content.decode()
    assert all(each["address"] in page for each in data["games"])
    assert page.count("Round 1, table ") == len(data["games"]) > 0
    assert Client().get("/commentary/wrong/").status_code == 404


def test_the_page_of_a_match_leads_to_the_table_for_broadcasters_and_organisers_to_commentators(
    season: Season, organiser: User
) -> None:
    game = game_of(season)
    Game.objects.filter(pk=game.pk).update(leased_by="a worker")
    address = f"/matches/{game.match_game.match_id}/"
    to_broadcast, to_commentators = f'href="/games/{game.public_id}/broadcast/"', '/commentary/"'
    with clock.frozen_at(BEGIN):
        shown = Client().get(address).content.decode()
        client = Client()
        client.force_login(organiser)
        to_organiser = client.get(address).content.decode()
    assert to_broadcast in shown
    assert to_commentators not in shown
    assert to_commentators in to_organiser


def test_an_organiser_gives_the_address_on_a_page_which_shows_it_once(season: Season, organiser: User) -> None:
    browser = Client()
    browser.force_login(organiser)
    where = f"/clubs/{season.league.club.slug}/{season.league.slug}/{season.slug}/commentary/"
    made = browser.post(where, {"do": "create"})
    (address,) = [attrs["value"] for tag, attrs in Page.of(made).tags if attrs.get("id") == "secret"]
    assert Client().get(str(address).partition("//")[2].partition("/")[2].join(["/", ""])).status_code == 200
    assert str(address) not in browser.get(where).content.decode()
