"""The time at which a match begins, if its time fell into a pause or if its round opens late."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games.accounts.models import Notice
from games.common import clock
from games.models import Game, Player
from tests.tournaments.calendar.conftest import DAY, HOUR, MONDAY, SUNDAY, Begin, match_of, user_of
from tournaments.calendar import reminders, scheduling
from tournaments.calendar.timetable import closes_at
from tournaments.director import director
from tournaments.lifecycle import running
from tournaments.maintenance.rebuild import find_differences
from tournaments.season_pages.overview import timeline_page
from tournaments.seasons.models import Season

pytestmark = pytest.mark.django_db

THURSDAY = MONDAY + 3 * DAY + 10 * HOUR


def pause(season: Season, begins: int, ends: int) -> None:
    """Pause the season between two mornings, counted from Monday."""
    owner = season.league.club.owner
    with clock.frozen_at(MONDAY + begins * DAY):
        running.pause_season(season=season, by=owner)
    with clock.frozen_at(MONDAY + ends * DAY):
        running.resume_season(season=season, by=owner)
        director.advance()


def test_a_match_whose_time_fell_into_a_pause_is_later_by_as_much_and_does_not_begin_at_once(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    pause(season, 5, 8)
    match = match_of(martha)
    assert Game.objects.count() == 0
    assert (match.begins_at, match.timing) == (SUNDAY + 3 * DAY, "fallback")
    with clock.frozen_at(SUNDAY + 3 * DAY - timedelta(minutes=30)):
        director.advance()
    assert Game.objects.get().begins_at == SUNDAY + 3 * DAY
    season.refresh_from_db()
    text = ["".join(map(str, line.text)) for _day, lines in timeline_page(season, "").days for line in lines]
    assert text[0] == "The match at table 1 of round 1 is open; its players can check in."
    assert list(find_differences(write=True)) == []


def test_to_the_time_after_a_pause_nobody_has_agreed_and_people_are_reminded_of_it_alone(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura)
    with clock.frozen_at(MONDAY + HOUR):
        made = scheduling.propose(match=match_of(martha), user=user_of(martha), times=[THURSDAY])
    with clock.frozen_at(MONDAY + 2 * HOUR):
        scheduling.accept_proposal(proposal=made, user=user_of(laura))
    pause(season, 2, 9)
    match = match_of(martha)
    assert (match.begins_at, match.timing) == (THURSDAY + 7 * DAY, "fallback")
    assert scheduling.can_agree(match)
    assert match.begins_at is not None
    with clock.frozen_at(THURSDAY + 7 * DAY - HOUR):
        reminders.notify_due()
    notices = Notice.objects.filter(subject="match_soon")
    assert {notice.user.username for notice in notices} == {"martha", "laura"}
    assert all(f":{int(match.begins_at.timestamp())}:" in notice.key for notice in notices)
    assert list(find_differences(write=True)) == []


def test_a_match_whose_time_is_still_to_come_keeps_it(begin: Begin, martha: Player, laura: Player) -> None:
    season = begin(martha, laura)
    pause(season, 1, 2)
    assert match_of(martha).begins_at == SUNDAY


def test_a_round_that_opens_late_ends_by_the_calendar_with_the_time_of_the_season_before_its_end(
    begin: Begin, martha: Player, laura: Player
) -> None:
    """An example is a play-off, whose first round opens on a Sunday, when the last other game ends."""
    begin(martha, laura, pair=False)
    with clock.frozen_at(SUNDAY + timedelta(seconds=3)):
        director.advance()
    match = match_of(martha)
    assert match.round.closes_at == MONDAY + 14 * DAY + HOUR  # in winter
    assert match.begins_at == SUNDAY + 7 * DAY
    with clock.frozen_at(SUNDAY + 7 * DAY + HOUR):
        director.advance()
    assert Game.objects.get().status == Game.Status.PLAYING


def test_a_round_that_opens_in_the_first_half_of_its_time_ends_when_it_should(
    begin: Begin, martha: Player, laura: Player
) -> None:
    season = begin(martha, laura, pair=False)
    season = Season.objects.select_related("league__club").get(pk=season.pk)
    with clock.frozen_at(MONDAY + 3 * DAY):
        assert closes_at(season, 1) == MONDAY + 7 * DAY + HOUR
