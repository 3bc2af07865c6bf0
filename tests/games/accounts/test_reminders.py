"""Reminders are sent once at the chosen times, however often and by however many processes the task runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from multiprocessing.context import ForkServerProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from queue import Empty
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from hypothesis import given
from hypothesis import strategies as st

from games import tasks
from games.accounts import mail as letters
from games.accounts import notices, people, reminders
from games.accounts.models import Notice
from games.accounts.reminders import BadOffsets, Moment, due_offset
from games.accounts.subjects import CLOCK_LOW
from games.common import clock
from games.models import Player
from games.play import beats
from games.play import services as play
from scorebook_games.gamelog import pacing
from tests.assertions.page import Page
from tests.games.accounts.conftest import NOON, Opened, Played, signed_in, user_of
from tests.games.accounts.test_notices import beats_moves
from tests.servers.web import FORKS, WAIT_TIMEOUT, forked
from tournaments.calendar.subjects import MATCH_SOON, ROUND_CLOSES
from tournaments.entries.subjects import ROUND_AHEAD

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
ENDS = NOON + 24 * HOUR  # the end of the clock of a game that was opened at noon


def look(at: Any) -> int:
    """Run the task that beat starts every half minute. Return how many reminders it made."""
    with clock.frozen_at(at):
        before = Notice.objects.filter(subject=CLOCK_LOW).count()
        tasks.notify_people()
        return Notice.objects.filter(subject=CLOCK_LOW).count() - before


def remind_me(player: Player, **minutes: list[int]) -> None:
    reminders.set_offsets(people.profile_of(user_of(player)), minutes)


def test_who_is_to_move_is_reminded_twelve_and_two_hours_before_the_clock_runs_out(
    martha: Player, laura: Player, opened: Opened
) -> None:
    game = opened(martha, laura)
    assert [look(ENDS - hours * HOUR) for hours in (13, 12, 11.9, 3, 2, 1, 0)] == [0, 1, 0, 0, 1, 0, 0]
    subjects = Notice.objects.filter(subject=CLOCK_LOW).order_by("pk")
    assert {notice.user_id for notice in subjects} == {martha.user_id}
    assert [notice.key.rpartition(":")[2] for notice in subjects] == ["720", "120"]
    assert notices.notice_row(subjects[0]).words == "Your clock is running out: Chinese Ten with Laura."
    assert notices.notice_row(subjects[0]).address == f"/games/{game.public_id}/"


def test_the_mail_says_until_when_there_is_time(martha: Player, laura: Player, opened: Opened) -> None:
    opened(martha, laura)
    notices.mark_seen(user_of(martha))  # the notice of the turn itself
    look(ENDS - 2 * HOUR)
    (letter,) = mail.outbox
    assert letter.subject == "Your clock is running out: Chinese Ten with Laura"
    assert "Your time runs out on Saturday 21 November, 12:00 (Europe/Dublin)." in letter.body


def test_one_is_reminded_when_one_has_said_so_and_not_at_all_if_one_likes(
    martha: Player, laura: Player, opened: Opened
) -> None:
    opened(martha, laura)
    opened(laura, martha)
    remind_me(martha, clock_low=[23 * 60, 30])
    remind_me(laura, clock_low=[])
    assert [look(ENDS - timedelta(minutes=minutes)) for minutes in (1380, 720, 120, 30, 1)] == [1, 0, 0, 1, 0]
    assert not Notice.objects.filter(user=laura.user, subject=CLOCK_LOW).exists()


def test_who_was_down_reminds_once_of_what_is_left(martha: Player, laura: Player, opened: Opened) -> None:
    """No worker has run for a day. Of two reminders that are due, only the later one is still useful."""
    opened(martha, laura)
    assert look(ENDS - HOUR) == 1
    assert Notice.objects.get(subject=CLOCK_LOW).key.endswith(":120")


def test_the_word_goes_when_the_move_is_made_and_its_mail_with_it(
    martha: Player, laura: Player, opened: Opened, play: Played
) -> None:
    game = opened(martha, laura)
    with clock.frozen_at(ENDS - HOUR):
        reminders.notify_low_clocks()
        play(game, at=ENDS - HOUR)
        letters.NOTICE_MAILS.send_due()
    assert not Notice.objects.filter(user=martha.user, subject=CLOCK_LOW).exists()
    assert all("running out" not in letter.subject for letter in mail.outbox)


def test_a_mail_that_comes_too_late_is_not_sent(martha: Player, laura: Player, opened: Opened) -> None:
    opened(martha, laura)
    with clock.frozen_at(ENDS - HOUR):
        assert reminders.notify_low_clocks() == 1
    with clock.frozen_at(ENDS + HOUR):
        letters.NOTICE_MAILS.send_due()
    assert Notice.objects.get(subject=CLOCK_LOW).send_state == "none"


@pytest.mark.some(1)
@pytest.mark.parametrize(
    "terms",
    [{"move_seconds": 1800}, {"move_seconds": None}, {"kind": "plate_spinner", "pace": "live", "move_seconds": None}],
)
def test_nobody_is_reminded_of_a_clock_that_was_never_so_long(
    martha: Player, laura: Player, opened: Opened, terms: dict[str, Any]
) -> None:
    opened(martha, laura, **terms)
    assert [look(NOON + timedelta(minutes=minutes)) for minutes in (1, 20, 29)] == [0, 0, 0]


def test_who_has_given_a_bundle_is_not_reminded(martha: Player, laura: Player, opened: Opened) -> None:
    game = opened(martha, laura, pace="beats", kind="plate_spinner", rated=False)
    fold = play.load_game(game)
    text = next(
        move
        for move in beats_moves(fold, 0)
        if pacing.ends_bundle(fold.rules, fold.state, fold.rules.parse_move(fold.state, move))
    )
    with clock.frozen_at(NOON):
        beats.give_bundle(game=game, seat=0, beat=1, moves=[text])
    look(ENDS - HOUR)
    assert set(Notice.objects.filter(subject=CLOCK_LOW).values_list("user", flat=True)) == {laura.user_id}


def test_at_most_five_offsets_from_five_minutes_to_two_weeks(martha: Player) -> None:
    profile = people.profile_of(user_of(martha))
    for wrong in ([1], [14 * 24 * 60 + 1], [10, 20, 30, 40, 50, 60]):
        with pytest.raises(BadOffsets):
            reminders.set_offsets(profile, {MATCH_SOON: wrong})
    reminders.set_offsets(profile, {MATCH_SOON: [60, 60, 4320], "weather": [5]})
    assert reminders.offsets_of(profile) == {
        MATCH_SOON: [4320, 60],
        ROUND_AHEAD: [4320],
        ROUND_CLOSES: [4320, 1440],
        CLOCK_LOW: [720, 120],
    }


@given(
    offsets=st.lists(st.integers(5, 2000), max_size=5),
    known=st.integers(0, 3000),
    looks=st.lists(st.integers(0, 3000), max_size=30),
)
def test_however_often_one_looks_each_offset_is_due_only_after_its_time_and_before_the_moment(
    offsets: list[int], known: int, looks: list[int]
) -> None:
    """`known` and `looks` are minutes before the moment: when it became known, and when the task runs."""
    moment = Moment(1, CLOCK_LOW, "k", ENDS, ENDS - timedelta(minutes=known))
    for before in sorted(looks, reverse=True):
        found = due_offset(moment, offsets, ENDS - timedelta(minutes=before))
        assert found is None or (before <= found <= known and before > 0)
        if found is None and before > 0:
            assert not [each for each in offsets if before <= each] or min(e for e in offsets if before <= e) > known


def look_again_and_again(at: datetime, both: Barrier, subjects: Queue[list[str]]) -> None:
    """Send reminders and emails five times, and put the subjects into the queue. It runs in a separate process."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    both.wait(WAIT_TIMEOUT)
    with clock.frozen_at(at):
        for _ in range(5):
            reminders.notify_low_clocks()
            letters.NOTICE_MAILS.send_due()
    subjects.put([each.subject for each in getattr(mail, "outbox", [])])


def collected_from(running: Sequence[ForkServerProcess], expected: Queue[list[str]]) -> list[str]:
    """Return the results of all processes. It fails at once if one has died."""
    every: list[list[str]] = []
    ends = time.monotonic() + WAIT_TIMEOUT
    while len(every) < len(running):
        died = [process.exitcode for process in running if process.exitcode]
        assert not died, f"a process ended with {died}"
        assert time.monotonic() < ends, f"only {len(every)} of {len(running)} processes told anything"
        with suppress(Empty):
            every.append(expected.get(timeout=0.2))
    return [each for one in every for each in one]


@committed
def test_two_processes_that_look_at_once_send_each_reminder_once(
    join: Callable[..., Player], martha: Player, opened: Opened
) -> None:
    for number in range(10):
        opened(martha, join(f"Guest {number}"))
    Notice.objects.all().delete()
    both, subjects = FORKS.Barrier(2), FORKS.Queue()
    running = [forked(look_again_and_again, ENDS - HOUR, both, subjects) for _ in range(2)]
    assert sorted(collected_from(running, subjects)) == [
        f"Your clock is running out: Chinese Ten with Guest {number}" for number in range(10)
    ]
    for process in running:
        process.join(WAIT_TIMEOUT)
    assert [process.exitcode for process in running] == [0, 0]
    assert list(Notice.objects.filter(subject=CLOCK_LOW).values_list("send_state", flat=True)) == ["sent"] * 10


def test_a_worker_that_dies_after_the_claim_leaves_unsure_and_nobody_sends_it_again(
    martha: Player, laura: Player, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(martha, laura)
    Notice.objects.all().delete()

    def killed(mails: letters.NoticeMails, notice: Notice) -> str:
        raise KeyboardInterrupt

    with clock.frozen_at(ENDS - 2 * HOUR):
        assert reminders.notify_low_clocks() == 1
        monkeypatch.setattr(letters.NoticeMails, "deliver", killed)
        with pytest.raises(KeyboardInterrupt):
            letters.NOTICE_MAILS.send_due()
        monkeypatch.undo()
    for minutes in (5, 11, 20):
        with clock.frozen_at(ENDS - 2 * HOUR + timedelta(minutes=minutes)):
            reminders.notify_low_clocks()
            assert letters.NOTICE_MAILS.send_due() == 0
    assert mail.outbox == []
    assert Notice.objects.get(subject=CLOCK_LOW).send_state == "unsure"


def test_one_says_on_ones_page_or_by_the_api_when_one_is_reminded(martha: Player) -> None:
    client = signed_in(martha)
    shown = Page.of(client.get("/me/"))
    assert "Before my clock runs out" in shown.text
    assert 'value="1 day, 1 hour"' in client.get("/me/").content.decode()
    sent = {"form": "reminders", MATCH_SOON: "2 days, 90 min", ROUND_CLOSES: "", CLOCK_LOW: "6 hours"}
    assert client.post("/me/", sent).status_code == 302
    wanted = {MATCH_SOON: [2880, 90], ROUND_AHEAD: [], ROUND_CLOSES: [], CLOCK_LOW: [360]}
    assert client.get("/api/v1/me/").json()["reminders"] == wanted
    changed = client.patch("/api/v1/me/", {"reminders": {CLOCK_LOW: [30, 600]}}, content_type="application/json")
    assert changed.json()["reminders"] == {**wanted, CLOCK_LOW: [600, 30]}


@pytest.mark.parametrize("text", ["soon", "1 minute", "15 days", "1 h, 2 h, 3 h, 4 h, 5 h, 6 h"])
def test_offsets_that_make_no_sense_are_refused_beside_their_field(martha: Player, text: str) -> None:
    answer = signed_in(martha).post("/me/", {"form": "reminders", CLOCK_LOW: text})
    assert answer.status_code == 400
    assert 'aria-invalid="true"' in answer.content.decode()
    assert people.profile_of(user_of(martha)).reminders == {}


@pytest.mark.parametrize("wanted", [{"weather": [60]}, {CLOCK_LOW: [1]}, {CLOCK_LOW: "soon"}, {CLOCK_LOW: [60] * 6}])
def test_the_api_refuses_what_the_page_refuses(martha: Player, wanted: dict[str, Any]) -> None:
    answer = signed_in(martha).patch("/api/v1/me/", {"reminders": wanted}, content_type="application/json")
    assert answer.status_code == 400
