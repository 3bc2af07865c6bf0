"""What comes into the inbox of an organiser, and when it goes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from games.common import clock
from games.models import Bot, BotVersion, Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.assertions.page import Page
from tests.tournaments.club import BEGIN
from tests.tournaments.entries.test_entries import entrant, season_of
from tests.tournaments.organiser.conftest import A_DAY, LATE, on, send
from tournaments.calendar import entries as calendar_entries
from tournaments.calendar import scheduling
from tournaments.calendar.club_calendar import month_of
from tournaments.calendar.models import CalendarEntry
from tournaments.clubs import members
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.entries import availability
from tournaments.entries import services as entries
from tournaments.lifecycle import running
from tournaments.organiser import season_progress
from tournaments.rulings import services as rulings
from tournaments.seasons.models import League, Match, Season

pytestmark = pytest.mark.django_db


def test_a_match_comes_into_the_inbox_two_days_before_its_round_ends(played: Season, club: Club) -> None:
    with clock.frozen_at(BEGIN + 4 * A_DAY):
        assert on(club) == []
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        first, second = on(club)
    assert (first.what, first.due) == ("deadline", BEGIN + 7 * A_DAY)
    assert {player.name for item in (first, second) for player in item.players} == {"Martha", "Laura", "Otto", "Jonas"}
    assert first.why.startswith("No game has finished. Waiting for ")


def test_it_names_those_for_whom_the_match_waits_and_goes_when_it_is_played(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    game = match.games.get().game
    waits_for = game.seats.get(seat=game.to_act[0]).player
    with clock.frozen_at(LATE):
        item = next(item for item in on(club) if item.match == match)
        assert [player.name for player in item.awaited] == [waits_for.name]
        play.leave_game(game=game, seat=game.to_act[0], how=FORFEITED)
        director.advance()
        assert match.pk not in {item.match.pk for item in on(club) if item.match}


def test_a_round_that_waits_for_its_games_is_late_when_the_next_one_should_have_begun(
    league: League, club_people: list[Player], club: Club
) -> None:
    season_of(league, club_people[:2], on_round_deadline="wait")
    with clock.frozen_at(BEGIN):
        director.advance()
    with clock.frozen_at(BEGIN + 6 * A_DAY):
        assert [item.what for item in on(club)] == ["deadline"], "A day is left."
    with clock.frozen_at(BEGIN + 8 * A_DAY):
        item = on(club)[0]
    assert (item.what, item.due, item.is_soon, item.may_extend) == ("late", BEGIN + 7 * A_DAY, True, False)


def test_bots_alone_are_nobodys_concern_until_the_platform_fails_at_their_game(running: Any, club: Club) -> None:
    running(4, on_round_deadline="adjudicate")
    with clock.frozen_at(BEGIN):
        director.advance()
        assert on(club) == []
        Game.objects.filter(pk=Game.objects.earliest("pk").pk).update(failures=2)
        item = on(club)[0]
    assert item.what == "stuck"
    assert item.why.startswith("The game failed 2 times at event")


def test_who_asks_to_be_let_in_and_who_waits_for_a_place(league: League, club_people: list[Player], club: Club) -> None:
    closed = season_of(league, [], start=False, starts_at=BEGIN + A_DAY, entry={"invited_only": True})
    full = season_of(
        league, club_people[:2], start=False, name="Full", starts_at=BEGIN + A_DAY, entry={"max_entrants": 2}
    )
    with clock.frozen_at(BEGIN):
        entries.enter_season(season=closed, player=club_people[0], by_organiser=False)
        entries.enter_players(season=full, players=club_people[2:4])
        [asks], [waiting] = on(club, "asks"), on(club, "waiting")
    assert (asks.players, asks.due) == ([club_people[0]], closed.starts_at)
    assert waiting.players == club_people[2:4]
    assert waiting.why.startswith("2 players wait for a place")


def test_a_table_that_will_be_short_says_what_the_season_does_about_it(
    league: League, club_people: list[Player], club: Club
) -> None:
    season = season_of(
        league,
        club_people[:5],
        start=False,
        kind="palace",
        options={},
        format="swiss",
        table_size=4,
        short_tables="short",
    )
    with clock.frozen_at(BEGIN - A_DAY):
        [item] = on(club, "short")
        assert "Round 1 has 5 players at tables of 4. 3 more would fill the last table." in item.why
        assert "the table is played with fewer" in item.why
        availability.set_away_rounds(entrant=entrant(season, club_people[0]), rounds=[1])
        assert on(club, "short") == []


def test_seasons_that_wait_say_why(league: League, club_people: list[Player], club: Club, played: Season) -> None:
    season_of(league, club_people[:1], start=False, name="Winter", starts_at=BEGIN)
    with clock.frozen_at(BEGIN + A_DAY):
        running.pause_season(season=played, by=club.owner)
        [unstarted], [paused] = on(club, "unstarted"), on(club, "paused")
    assert unstarted.why == "The start time has passed, but only 1 of 2 needed players has entered."
    assert not unstarted.startable
    assert paused.since == BEGIN + A_DAY


def test_a_bot_in_quarantine_is_told_of_where_it_plays(league: League, club_people: list[Player], club: Club) -> None:
    version = BotVersion.objects.create(
        bot=Bot.objects.create(name="Heron", owner=club_people[5].user),
        number=1,
        transport="upload",
        kinds=["chinese_ten"],
    )
    heron = Player.objects.create(bot_version=version, name="Heron")
    season_of(league, [club_people[0], heron], terms={"move_seconds": 60, "rated": False})
    BotVersion.objects.filter(pk=version.pk).update(state="quarantined")
    with clock.frozen_at(BEGIN):
        [item] = on(club, "quarantine")
    assert item.players == [heron]
    assert item.may_withdraw


def test_the_most_pressing_comes_first(played: Season, league: League, club_people: list[Player], club: Club) -> None:
    asks = season_of(league, [], start=False, name="Winter", starts_at=BEGIN + 30 * A_DAY, entry={"invited_only": True})
    with clock.frozen_at(LATE):
        entries.enter_season(season=asks, player=club_people[0], by_organiser=False)
        assert [item.what for item in on(club)] == ["deadline", "deadline", "asks"]


@pytest.mark.slow
def test_who_asks_to_join_the_club_is_answered_from_the_inbox(
    niamh: Client, club_people: list[Player], club: Club
) -> None:
    for player, words in ((club_people[0], "Tamsin brought me."), (club_people[1], "")):
        assert player.user
        members.join_club(club=club, user=player.user, words=words)
    page = Page.of(niamh.get("/clubs/lantern/inbox/"))
    assert "Asks to join: Martha" in page.text
    assert "Message: “Tamsin brought me.”" in page.text
    first, second = on(club, "joins")
    assert first.request
    assert second.request
    assert (
        "The person is now a member and has been notified."
        in Page.of(send(niamh, "accept", request=first.request.pk)).text
    )
    assert "The person has been notified." in Page.of(send(niamh, "refuse", request=second.request.pk)).text
    assert [club.memberships.filter(user=player.user).exists() for player in club_people[:2]] == [True, False]
    assert on(club) == []


def live_season(league: League, club_people: list[Player], count: int = 2) -> Match:
    """Start a live season whose players agree on times, and return the first match of its first round."""
    calendar = {"seconds": 7 * 86400, "match_time": "agreed", "fallback_time": "sun 18:00"}
    season = season_of(league, club_people[:count], terms={"move_seconds": 30, "bank_seconds": 60}, calendar=calendar)
    with clock.frozen_at(BEGIN):
        director.advance()
    return Match.objects.filter(round__division__season=season).earliest("pk")


def test_a_match_for_which_nobody_proposed_a_time_says_when_it_begins_otherwise(
    league: League, club_people: list[Player], club: Club
) -> None:
    live_season(league, club_people)
    with clock.frozen_at(BEGIN + 3 * A_DAY):
        assert on(club) == []
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        [item] = on(club)
    assert (item.what, item.may_extend) == ("untimed", True)
    assert item.why == "No time has been proposed. If they do not agree, the match begins Sun 13 Sep, 17:00."
    assert item.awaited == list(item.players)


def test_a_proposal_without_an_answer_is_told_with_its_day(
    league: League, club_people: list[Player], club: Club
) -> None:
    match = live_season(league, club_people)
    first, second = (side.entrant.player for side in match.entrants.order_by("order"))
    assert first.user
    for day in (1, 3):
        with clock.frozen_at(BEGIN + day * A_DAY):
            scheduling.propose(match=match, user=first.user, times=[BEGIN + 5 * A_DAY + timedelta(hours=day)])
    with clock.frozen_at(BEGIN + 5 * A_DAY + timedelta(hours=1)):
        [item] = on(club)
    sentence = f"{first.name} proposed times, most recently on Thu 10 Sep. {second.name} has not accepted any."
    assert item.why.startswith(sentence)


def test_a_match_whose_people_have_agreed_needs_nobody(league: League, club_people: list[Player], club: Club) -> None:
    match = live_season(league, club_people)
    first, second = (side.entrant.player.user for side in match.entrants.order_by("order"))
    assert first
    assert second
    with clock.frozen_at(BEGIN + A_DAY):
        offer = scheduling.propose(match=match, user=first, times=[BEGIN + 6 * A_DAY])
        scheduling.accept_proposal(proposal=offer, user=second)
    with clock.frozen_at(BEGIN + 5 * A_DAY):
        assert on(club) == []


@pytest.mark.slow
def test_an_undone_round_is_in_the_inbox_until_it_is_paired_anew(niamh: Client, played: Season, club: Club) -> None:
    pair = "/clubs/lantern/chinese-ten/autumn/pair-again/?division=1"
    with clock.frozen_at(BEGIN + A_DAY):
        first = played.divisions.get()
        rulings.undo_round(division=first, number=1, by=club.owner, note="The wrong list.")
        (item,) = on(club, "undone")
        assert "Round 1" in item.why
        for address in ("/clubs/lantern/inbox/", "/clubs/lantern/chinese-ten/autumn/"):
            page = Page.of(niamh.get(address))
            assert pair in page.links("/clubs/"), address
            assert page.faults() == []
        assert "First round" not in page.text, "Nothing is planned."
        assert not any(line.planned for day in month_of(club, BEGIN.date().replace(day=1)).days for line in day.lines)
        assert "Round 1" not in niamh.get("/clubs/lantern/calendar.ics").content.decode()
        rulings.pair_again(division=first, by=club.owner, note="The right list.")
        assert on(club, "undone") == []


def test_the_matches_of_an_undone_round_are_counted_no_more(played: Season, club: Club) -> None:
    division = played.divisions.get()
    with clock.frozen_at(BEGIN + A_DAY):
        calendar_entries.update_entries([played])
        assert CalendarEntry.objects.filter(cancelled=False, match__isnull=False).count() == 2
        rulings.undo_round(division=division, number=1, by=club.owner, note="The wrong list.")
        calendar_entries.update_entries([played])
        assert not CalendarEntry.objects.filter(cancelled=False, match__isnull=False).exists()
        rulings.pair_again(division=division, by=club.owner, note="The right list.")
        director.advance()
        (line,) = season_progress.season_progress_rows([club])
    assert (line.round, line.played, line.of) == (1, 0, 2)


def test_a_season_whose_first_round_was_undone_says_so(niamh: Client, played: Season, club: Club) -> None:
    address = "/clubs/lantern/chinese-ten/autumn/"
    with clock.frozen_at(BEGIN + A_DAY):
        rulings.undo_round(division=played.divisions.get(), number=1, by=club.owner, note="The wrong list.")
        assert "Now A round was undone an organiser must pair it again" in Page.of(niamh.get(address)).text
        running.abandon_season(season=played, by=club.owner, how="stands", note="Too few came.")
        text = Page.of(niamh.get(address)).text
    assert "The season has ended without a round that counts." in text
    assert "No round yet" not in text


def test_a_game_that_is_played_again_is_not_counted_as_over(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(BEGIN + A_DAY):
        play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
        director.advance()
        rulings.order_replay(match=match, game=1, by=club.owner, note="The page would not load.")
    with clock.frozen_at(LATE):
        (item,) = [each for each in on(club, "deadline") if each.match == match]
    assert "No game has finished." in item.why
