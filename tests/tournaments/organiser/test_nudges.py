"""Organisers remind those for whom a match waits, once a day at most."""

from __future__ import annotations

import pytest

from games.accounts.models import Notice
from games.common import clock
from games.common.errors import DomainError
from games.models import Game, Player
from games.play import services as play
from games.play.departures import FORFEITED
from tests.tournaments.club import BEGIN
from tests.tournaments.director.test_director import at_once
from tests.tournaments.entries.test_entries import events_of_type, faults, happenings, refused, season_of
from tests.tournaments.organiser.conftest import A_DAY, LATE, nudge, on
from tournaments.clubs.models import Club
from tournaments.director import director
from tournaments.seasons.models import League, Match, Season

pytestmark = pytest.mark.django_db


def test_a_nudge_tells_those_for_whom_the_match_waits_and_stays_on_record(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")
    with clock.frozen_at(LATE):
        [asked] = nudge(match, club.owner, "The round ends tonight.")
        [item] = [item for item in on(club) if item.match == match]
    notice = Notice.objects.get(subject="nudge")
    assert notice.user_id == asked.user_id
    assert notice.url == f"/matches/{match.pk}/"
    assert item.nudged
    assert events_of_type(played, "match_nudged")[0][1] == match.pk
    assert "an organiser reminds them to play. “The round ends tonight.”" in happenings(played)
    assert faults() == []


def test_a_match_is_nudged_once_a_day_at_most(played: Season, club: Club) -> None:
    first, second = Match.objects.order_by("pk")
    with clock.frozen_at(LATE):
        nudge(first, club.owner)
        with refused("nudged_lately"):
            nudge(first, club.owner)
        nudge(second, club.owner)
    with clock.frozen_at(LATE + A_DAY):
        nudge(first, club.owner)
    assert Notice.objects.filter(subject="nudge").count() == len(events_of_type(played, "match_nudged")) == 3


@pytest.mark.django_db(transaction=True)
def test_however_many_press_the_button_at_once_people_are_asked_once(played: Season, club: Club) -> None:
    match = Match.objects.earliest("pk")

    def press() -> str:
        try:
            nudge(match, club.owner)
        except DomainError as error:
            return error.code
        return ""

    assert sorted(at_once(press)) == ["", *["nudged_lately"] * 5]
    assert Notice.objects.filter(subject="nudge").count() == 1


def test_nobody_is_asked_to_play_what_is_over_or_what_waits_for_bots(
    played: Season, club: Club, league: League, club_people: list[Player], bots: list[Player]
) -> None:
    match = Match.objects.earliest("pk")
    mixed = season_of(league, [club_people[0], bots[0]], name="Mixed", terms={"move_days": 1, "rated": False})
    with clock.frozen_at(BEGIN):
        director.advance()
    with_bot = Match.objects.get(round__division__season=mixed)
    seat = with_bot.games.get().game.seats.get(player=bots[0]).seat
    Game.objects.filter(match_game__match=with_bot).update(to_act=[seat])
    with clock.frozen_at(LATE):
        with refused("nobody_to_nudge"):
            nudge(with_bot, club.owner)
        play.leave_game(game=match.games.get().game, seat=0, how=FORFEITED)
        director.advance()
        with refused("match_over"):
            nudge(match, club.owner)
