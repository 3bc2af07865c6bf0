"""Reminders of the leagues: before a match begins, and before the time for an unplayed match runs out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail

from config.celery import app
from games.accounts import mail as letters
from games.accounts import notices, people
from games.accounts import reminders as offsets
from games.accounts.models import Notice
from games.common import clock
from games.models import Player
from tests.tournaments.calendar.conftest import DAY, HOUR, MONDAY, SUNDAY, Begin, match_of, user_of
from tests.tournaments.club import builtin_bot
from tests.tournaments.director.test_director import at_once
from tournaments import tasks as league_tasks
from tournaments.calendar import reminders, scheduling
from tournaments.director import director
from tournaments.seasons.models import Season

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)

THURSDAY = MONDAY + 3 * DAY


def look(at: Any) -> int:
    """Return how many people are reminded if beat looks at that time."""
    with clock.frozen_at(at):
        before = Notice.objects.count()
        league_tasks.remind()
        return Notice.objects.count() - before


def agree(martha: Player, laura: Player, time: Any, at: Any = MONDAY + HOUR) -> None:
    with clock.frozen_at(at):
        made = scheduling.propose(match=match_of(martha, laura), user=user_of(martha), times=[time])
        scheduling.accept_proposal(proposal=made, user=user_of(laura))


def soon() -> list[str]:
    found = Notice.objects.filter(subject="match_soon", user__username="martha").order_by("pk")
    return [notices.notice_row(each).words for each in found]


def test_both_are_reminded_a_day_and_an_hour_before_their_match_begins(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    assert [look(SUNDAY - hours * HOUR) for hours in (25, 24, 23, 1, 0.5, 0)] == [0, 2, 0, 2, 0, 0]
    assert soon() == ["Your match begins at 18:00 on 25 October: Chinese Ten League, Autumn."] * 2
    with clock.frozen_at(SUNDAY - HOUR / 2):
        letters.NOTICE_MAILS.send_due()
    mine = [letter for letter in mail.outbox if letter.to == ["laura@example.org"]]
    assert mine[0].subject == "Your match begins at 14:00 on 25 October: Chinese Ten League, Autumn"
    assert f"/matches/{match_of(martha).pk}/" in mine[0].body


def test_each_is_reminded_as_they_have_said(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    offsets.set_offsets(people.profile_of(user_of(martha)), {"match_soon": [3 * 24 * 60]})
    offsets.set_offsets(people.profile_of(user_of(laura)), {"match_soon": []})
    assert [look(SUNDAY - hours * HOUR) for hours in (73, 72, 24, 1)] == [0, 1, 0, 0]


def test_a_match_that_moves_is_reminded_of_anew_and_the_old_word_is_taken_back(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura)
    agree(martha, laura, THURSDAY)
    assert look(THURSDAY - DAY) == 2
    agree(martha, laura, THURSDAY + DAY, at=THURSDAY - 2 * HOUR)
    assert soon() == []
    assert look(THURSDAY - HOUR) == 0
    assert look(THURSDAY + DAY - HOUR) == 2
    assert soon() == ["Your match begins at 08:00 on 23 October: Chinese Ten League, Autumn."]


def test_who_has_just_agreed_on_a_time_is_not_told_of_it_again(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    agree(martha, laura, MONDAY + 8 * HOUR, at=MONDAY + 4 * HOUR)
    assert look(MONDAY + 5 * HOUR) == 0, "a day before would have been yesterday"
    assert look(MONDAY + 7 * HOUR) == 2


def test_by_correspondence_who_has_to_move_is_reminded_of_the_end_of_the_round(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, laura, terms={"move_days": 9}, games_a_match=1)
    closes = match_of(martha).round.closes_at
    assert closes
    assert [look(closes - days * DAY) for days in (4, 3, 2, 1, 0)] == [0, 1, 0, 1, 0]
    (first, _second) = Notice.objects.filter(subject="round_closes").order_by("pk")
    assert notices.notice_row(first).words.startswith("Play your match by 09:00 on 26 October")


def test_nobody_is_reminded_in_a_season_that_is_paused_and_bots_never(
    begin: Begin, martha: Player, laura: Player
) -> None:
    begin(martha, builtin_bot("Gannet"))
    Season.objects.update(status=Season.Status.PAUSED)
    assert look(SUNDAY - HOUR) == 0
    Season.objects.update(status=Season.Status.RUNNING)
    assert look(SUNDAY - HOUR) == 1


def test_a_mail_about_a_match_that_has_begun_is_not_sent(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)
    look(SUNDAY - HOUR)
    with clock.frozen_at(SUNDAY + timedelta(minutes=1)):
        assert letters.NOTICE_MAILS.send_due() == 0
    assert set(Notice.objects.values_list("send_state", flat=True)) == {"none"}


@committed
def test_six_that_look_at_once_remind_once(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura)

    def call() -> None:
        with clock.frozen_at(SUNDAY - HOUR):
            reminders.notify_due()

    at_once(call)
    assert Notice.objects.filter(subject="match_soon").count() == 2


def test_beat_looks_every_half_minute() -> None:
    beat = {entry["task"]: entry["schedule"] for entry in app.conf.beat_schedule.values()}
    assert beat["tournaments.remind"] == 30.0


def test_a_late_round_reminds_of_the_time_that_it_really_has(begin: Begin, martha: Player, laura: Player) -> None:
    begin(martha, laura, calendar={"rule": "weekdays", "times": ["fri 19:00"]})
    friday = MONDAY + 4 * DAY + 10 * HOUR
    with clock.frozen_at(friday + 2 * HOUR):
        director.advance()
    assert match_of(martha).begins_at == friday + 2.5 * HOUR
    assert look(friday + 2.25 * HOUR) == 0
