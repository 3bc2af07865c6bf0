"""Live league games of people: they are notified, check in, and play the games of a match one after the other."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils.html import escape

from games.accounts import mail as mails
from games.accounts import notices, people
from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Game, Player
from games.play import services as play_services
from scorebook_games.gamelog.pacing import COUNTDOWN_SECONDS
from tests.assertions.page import Page
from tests.fixtures.saved_rows import world
from tests.tournaments.club import BEGIN, builtin_bot, play
from tests.tournaments.director.test_director import assert_whole_or_not_at_all
from tournaments.director import director, record_results
from tournaments.entries import services as entries
from tournaments.lifecycle import services as seasons
from tournaments.maintenance import rebuild
from tournaments.seasons import settings as season_settings
from tournaments.seasons.models import League, MatchGame, Season

pytestmark = pytest.mark.django_db

committed = pytest.mark.django_db(transaction=True)  # for tests that need commits

MINUTE = timedelta(minutes=1)
Begin = Callable[..., Season]


def person(name: str) -> Player:
    return people.create_profile_and_player(User.objects.create_user(name.lower()), name, zone="Europe/Dublin")


@pytest.fixture
@world
def martha(db: None) -> Player:
    return person("Martha")


@pytest.fixture
@world
def laura(db: None) -> Player:
    return person("Laura")


@pytest.fixture
def begin(league: League) -> Begin:
    """Return a function that starts a live season of these players an hour before its first round. Check-in begins half
    an hour before a game."""

    def start(*players: Player, **terms: Any) -> Season:
        with clock.frozen_at(BEGIN - 60 * MINUTE):
            season = seasons.create_season(
                league=league,
                name="Autumn",
                kind="chinese_ten",
                format="round_robin",
                terms={"move_seconds": 30, "bank_seconds": 60, **terms},
                starts_at=BEGIN,
            )
            entries.enter_players(season=season, players=players)
            return seasons.start_season(season=season)

    return start


def advance(at: Any) -> None:
    with clock.frozen_at(at):
        director.advance()


def games() -> list[Game]:
    return list(Game.objects.order_by("pk"))


def come(game: Game, at: Any) -> None:
    """Let both check in, and give GO at that moment."""
    with clock.frozen_at(at):
        for seat in (0, 1):
            play_services.mark_ready(game=game, seat=seat)
    for moment in (at, at + timedelta(seconds=COUNTDOWN_SECONDS)):
        game.refresh_from_db()
        with clock.frozen_at(moment):
            play_services.expire_clocks(game=game)


def events(season: Season, kind: str) -> list[Any]:
    return [entry.event for entry in eventlog.read_events(season.stream_id) if entry.event[0] == kind]


def test_the_round_is_paired_half_an_hour_before_and_its_game_begins_at_its_time(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    assert season.terms["check_in_minutes"] == season_settings.DEFAULT_CHECK_IN_MINUTES
    advance(BEGIN - 31 * MINUTE)
    assert games() == []
    advance(BEGIN - 30 * MINUTE)
    (first,) = games()  # of the match's two games: nobody plays two live games together
    assert first.begins_at == BEGIN
    assert first.to_act == []


def test_both_are_told_once_on_the_site_and_by_mail_when_it_begins_in_their_own_time(
    begin: Begin, martha: Player, laura: Player
) -> None:
    assert martha.user
    EmailAddress.objects.create(user=martha.user, email="martha@example.org", primary=True, verified=True)
    begin(martha, laura)
    advance(BEGIN - 30 * MINUTE)
    with clock.frozen_at(BEGIN - 29 * MINUTE):
        assert notices.notify_check_in() == 2
        assert notices.notify_check_in() == 0
        assert mails.NOTICE_MAILS.send_due() == 1
        client = Client()
        client.force_login(martha.user)
        page = Page.of(client.get("/me/notices/"))
        inbox = Page.of(client.get("/me/games/"))
        listed = client.get("/api/v1/me/games/").json()["results"]
    words = "Your league game begins at 20:00 on 7 September: Chinese Ten with Laura. Check in."
    assert words in page.text
    assert words.rstrip(".") in mail.outbox[0].subject
    assert "Check in" in inbox.text
    assert [(each["state"], each["begins_at"]) for each in listed] == [("mine", "2026-09-07T20:00:00+01:00")]
    assert Notice.objects.filter(subject="appointed").count() == 2


@pytest.mark.slow
def test_who_has_two_games_at_the_same_time_is_warned_once_and_at_check_in(
    begin: Begin, league: League, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    league.seasons.update(name="Summer", slug="summer")
    begin(martha, builtin_bot("Gannet"))
    advance(BEGIN - 30 * MINUTE)
    with clock.frozen_at(BEGIN - 29 * MINUTE):
        notices.notify_check_in()
        assert notices.notify_check_in() == 0
        (warned,) = Notice.objects.filter(subject="clash")
        assert " or " not in notices.notice_row(warned).words.split(",")[1]
        assert (warned.user, notices.notice_row(warned).words[:58]) == (
            martha.user,
            "Two of your league games begin at nearly the same time, at",
        )
        client = Client()
        assert martha.user
        client.force_login(martha.user)
        for game in games():
            page = Page.of(client.get(f"/games/{game.public_id}/"))
            assert "Another of your games begins at nearly the same time" in page.text


def test_one_checks_in_on_the_games_page_or_by_the_api_and_sees_who_is_there(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    advance(BEGIN - 30 * MINUTE)
    (game,) = games()
    clients = {}
    for player in (martha, laura):
        assert player.user
        clients[player.name] = Client()
        clients[player.name].force_login(player.user)
    address = f"/games/{game.public_id}/"
    with clock.frozen_at(BEGIN - 20 * MINUTE):
        before = clients["Martha"].get(address).content.decode()
        assert f'action="{address}check-in/"' in before
        assert "you forfeit the game" in before
        assert Client().post(f"{address}check-in/").status_code == 302  # a stranger is sent back with a message
        done = clients["Martha"].post(f"{address}check-in/", follow=True).content.decode()
        assert "You have checked in" in done
        assert f'action="{address}check-in/"' not in done
        shown = Client().get(f"{address}?part=check-in").content.decode()
        assert "is here" in shown
        assert "not checked in yet" in shown
        answer = clients["Laura"].post(f"/api/v1/games/{game.public_id}/ready/", content_type="application/json")
        assert answer.status_code == 200, answer.content
        assert answer.json()["begins_at"] == "2026-09-07T20:00:00+01:00"
        assert sorted(answer.json()["turn"]["before_go"]["ready"]) == [0, 1]
    come(game, BEGIN)
    assert 'id="check-in"' not in Client().get(f"{address}?part=check-in").content.decode()
    assert Client().get("/games/ZZZZZZZZ/check-in/").status_code == 405
    assert clients["Martha"].post("/games/ZZZZZZZZ/check-in/").status_code == 404


def test_pages_that_show_games_show_one_that_waits(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    advance(BEGIN - 30 * MINUTE)
    (game,) = games()
    match = MatchGame.objects.get(game=game).match
    league = season.league
    season_page = f"/clubs/{league.club.slug}/{league.slug}/{season.slug}/"
    for path in ("/", "/watch/", season_page, f"/matches/{match.pk}/", f"/players/{martha.pk}/"):
        assert Client().get(path).status_code == 200, path
    for path in ("/watch/", season_page, f"/matches/{match.pk}/"):
        assert "Begins at 19:00, Mon 7 Sep" in Page.of(Client().get(path)).text, path
    settings = Client().get(f"{season_page}settings/").content.decode()
    assert escape("from 30 minutes before a game") in settings


@committed
def test_the_games_of_a_match_follow_one_another_and_the_league_adds_up(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    advance(BEGIN - 30 * MINUTE)
    (first,) = games()
    come(first, BEGIN)
    with clock.frozen_at(BEGIN + 5 * MINUTE):
        play(first, random.Random(1))
        assert_whole_or_not_at_all(lambda: record_results.record_results(season=season))
    _, second = games()
    assert second.begins_at == BEGIN + 5 * MINUTE  # immediately, when both have checked in
    seats = [[seat.player for seat in game.seats.order_by("seat")] for game in (first, second)]
    assert seats[1] == seats[0][::-1]
    match = MatchGame.objects.get(game=first).match
    assert events(season, "game_opened") == [["game_opened", match.pk, 2, second.pk]]
    come(second, BEGIN + 6 * MINUTE)
    with clock.frozen_at(BEGIN + 9 * MINUTE):
        play(second, random.Random(2))
    advance(BEGIN + 10 * MINUTE)
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    assert len(games()) == 2
    assert list(rebuild.find_differences()) == []
    assert "of round 1 begins" in timeline_text(season)
    assert not any(name in json.dumps(events(season, "game_opened")) for name in ("Martha", "Laura"))


def timeline_text(season: Season) -> str:
    league = season.league
    return Page.of(Client().get(f"/clubs/{league.club.slug}/{league.slug}/{season.slug}/activity/")).text


@pytest.mark.slow
@committed
def test_a_game_for_which_one_did_not_come_counts_for_the_other(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura, grace_minutes=5)
    advance(BEGIN - 30 * MINUTE)
    at = BEGIN
    for number in (1, 2):
        game = games()[-1]
        assert MatchGame.objects.get(game=game).number == number
        with clock.frozen_at(at):
            play_services.mark_ready(game=game, seat=game.seats.get(player=martha).seat)
        at += 5 * MINUTE
        with clock.frozen_at(at):
            assert play_services.expire_due_games() == 1
        advance(at)
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    first = season.divisions.get().entrants.get(standing__place=1)
    assert first.player == martha
    assert [len(record[3]["left"]) for record in events(season, "game_recorded")] == [1, 1]
    assert "Laura did not come." in timeline_text(season)
    assert list(rebuild.find_differences()) == []


def test_a_game_that_was_aborted_is_appointed_anew(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    advance(BEGIN - 30 * MINUTE)
    (first,) = games()
    come(first, BEGIN)
    with clock.frozen_at(BEGIN + MINUTE):
        play_services.abort_game(game=first, reason="the cellar was flooded")
        director.advance()
    assert games()[-1].begins_at == BEGIN + 31 * MINUTE


def test_who_is_paired_late_has_the_whole_time_to_check_in(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    advance(BEGIN + 60 * MINUTE)
    assert games()[0].begins_at == BEGIN + 90 * MINUTE


@pytest.mark.parametrize("terms", [{"check_in_minutes": 0}, {"move_seconds": None, "bank_seconds": 0, "move_days": 2}])
def test_nobody_checks_in_where_the_season_says_so_or_by_correspondence(
    begin: Begin, martha: Player, laura: Player, terms: dict[str, Any]
) -> None:
    begin(martha, laura, **terms)
    advance(BEGIN - MINUTE)
    assert games() == []
    advance(BEGIN)
    assert [game.begins_at for game in games()] == [None, None]


def test_bots_play_at_once_and_all_their_games(begin: Begin, martha: Player) -> None:
    begin(builtin_bot("Gannet"), builtin_bot("Wren"))
    advance(BEGIN - MINUTE)
    assert games() == []
    advance(BEGIN)
    assert [game.awaits_worker for game in games()] == [True, True]


def test_who_plays_a_bot_checks_in_and_the_bots_do_not_wait(begin: Begin, martha: Player) -> None:
    begin(martha, builtin_bot("Gannet"), builtin_bot("Wren"), builtin_bot("Dipper"))
    advance(BEGIN - 30 * MINUTE)
    assert sorted((game.begins_at is None, game.played_by_workers) for game in games()) == [
        (False, False),
        (True, True),
        (True, True),
    ]


def test_who_has_deleted_the_account_is_withdrawn_and_nobody_waits(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    assert martha.user
    people.delete_account(martha.user)
    for _ in range(3):
        advance(BEGIN)
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED
    assert season.entries.get(player=martha).status == "withdrawn"
    assert not games()


@pytest.mark.slow
def test_a_season_whose_people_have_all_gone_comes_to_its_end(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura, move_seconds=None, bank_seconds=0, move_days=2)
    for player in (martha, laura):
        assert player.user
        people.delete_account(player.user)
    for _ in range(3):
        advance(BEGIN)
    season.refresh_from_db()
    assert season.status == Season.Status.FINISHED


def test_checking_in_belongs_to_live_games(league: League) -> None:
    with pytest.raises(DomainError) as refused:
        seasons.create_season(
            league=league, name="Slow", kind="chinese_ten", terms={"move_days": 2, "check_in_minutes": 30}
        )
    assert (refused.value.code, refused.value.field) == ("bad_option", "terms.check_in_minutes")
