"""Reminders: a word so long before a moment as a person has said, each at most once.

What there is to remind of is found by a query, here for clocks and in the leagues for their dates. Each word is a
notice under a key of its own, so that any number of workers may look at once; its e-mail is claimed before it is sent,
and is not sent any more when the moment is past.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q

from games.accounts import notices
from games.accounts.models import Profile
from games.accounts.subjects import CLOCK_LOW, SUBJECTS
from games.common import clock
from games.gamelog.terms import LIVE
from games.models import Game, PendingBundle, Seat

MINUTES_PER_DAY: Final = 24 * 60  # in minutes offsets are kept
MIN_OFFSET: Final = 5
MAX_OFFSET: Final = 14 * MINUTES_PER_DAY
MAX_OFFSETS: Final = 5  # reminders of one moment


@dataclass(frozen=True, slots=True)
class Moment:
    """What `user` may want to be reminded of: it comes `at`, and they know of it since `known_at`. `key` is its name
    for ever; one that moves is another one."""

    user: int
    subject: str
    key: str
    at: datetime
    known_at: datetime
    game: Game | None = None
    note: str = ""
    url: str = ""


class BadOffsets(ValueError):
    """No offsets; the text says what they are like."""


def default_offsets() -> dict[str, tuple[int, ...]]:
    """What is reminded of, and how many minutes before where a person has chosen nothing."""
    return {name: subject.reminders for name, subject in SUBJECTS.items() if subject.reminders}


def offsets_of(profile: Profile | None) -> dict[str, list[int]]:
    """Subject → how many minutes before a person is reminded, the longest first."""
    own = profile.reminders if profile else {}
    return {subject: list(own.get(subject, usual)) for subject, usual in default_offsets().items()}


def set_offsets(profile: Profile, wanted: Mapping[str, Sequence[int]]) -> None:
    """Remind from now on so many minutes before; subjects that are not named stay. Raises `BadOffsets`."""
    kept = {subject: checked_offsets(minutes) for subject, minutes in wanted.items() if subject in default_offsets()}
    profile.reminders = {**profile.reminders, **kept}
    profile.save(update_fields=["reminders"])


def checked_offsets(minutes: Sequence[int]) -> list[int]:
    """The offsets, the longest first. Raises `BadOffsets`."""
    if len(minutes) > MAX_OFFSETS or not all(MIN_OFFSET <= each <= MAX_OFFSET for each in minutes):
        raise BadOffsets(
            f"Up to {MAX_OFFSETS} reminders, each from {MIN_OFFSET} minutes to {MAX_OFFSET // MINUTES_PER_DAY} days "
            "before."
        )
    return sorted(set(minutes), reverse=True)


def due_offset(moment: Moment, offsets: Sequence[int], now: datetime) -> int | None:
    """Which reminder is due: the last whose time has come. None before the first, when the moment is past, and where
    they have known of it for less long than the reminder is early: then it tells them nothing."""
    come = [each for each in offsets if moment.at - timedelta(minutes=each) <= now < moment.at]
    if not come or moment.at - timedelta(minutes=min(come)) < moment.known_at:
        return None
    return min(come)


def notify_due_reminders(moments: Iterable[Moment]) -> int:
    """Remind of whatever is due among `moments`; how many words were new."""
    now, count = clock.now(), 0
    for moment, offsets in _with_offsets(moments):
        offset = due_offset(moment, offsets, now)
        if offset is not None:
            count += notices.notify_users(
                [moment.user],
                moment.subject,
                key=f"{moment.key}:{offset}",
                game=moment.game,
                note=moment.note,
                url=moment.url,
                about_at=moment.at,
            )
    return count


def upcoming_reminders(moments: Iterable[Moment]) -> list[tuple[datetime, Moment]]:
    """When the next reminder of each of `moments` is due, of those that have one to come."""
    now, found = clock.now(), []
    for moment, offsets in _with_offsets(moments):
        times = [(moment.at - timedelta(minutes=each), each) for each in offsets]
        ahead = [time for time, each in times if time > now and due_offset(moment, offsets, time) == each]
        if ahead:
            found.append((min(ahead), moment))
    return found


def _with_offsets(moments: Iterable[Moment]) -> Iterator[tuple[Moment, list[int]]]:
    """Each moment with the offsets of whom it is for. One query."""
    listed = list(moments)
    profiles = Profile.objects.in_bulk({moment.user for moment in listed}, field_name="user_id")
    offsets = {user: offsets_of(profile) for user, profile in profiles.items()}
    usual = offsets_of(None)
    for moment in listed:
        yield moment, offsets.get(moment.user, usual)[moment.subject]


def notify_low_clocks() -> int:
    """Remind of clocks that run out. Live games have nobody to remind: who plays them sits there."""
    return notify_due_reminders(_clocks())


def _clocks() -> list[Moment]:
    now = clock.now()
    usually, at_most = (timedelta(minutes=most) for most in (max(SUBJECTS[CLOCK_LOW].reminders), MAX_OFFSET))
    chosen = Q(player__user__profile__reminders__has_key=CLOCK_LOW)
    near = Q(~chosen, game__deadline__lte=now + usually) | Q(chosen, game__deadline__lte=now + at_most)
    seats = (
        Seat.objects.filter(near, left="", game__status=Game.Status.PLAYING, game__played_by_workers=False)
        .filter(game__deadline__gt=now, game__to_act__contains=[F("seat")], player__user__isnull=False)
        .exclude(game__terms__pace=LIVE)
        .select_related("game", "player")
    )
    given = set(PendingBundle.objects.filter(game__in={seat.game_id for seat in seats}).values_list("game", "seat"))
    return [_clock(seat) for seat in seats if (seat.game_id, seat.seat) not in given]


def _clock(seat: Seat) -> Moment:
    game = seat.game
    assert game.deadline is not None
    assert seat.player.user_id is not None
    since = dict(zip(game.to_act, game.awaited_since, strict=True))[seat.seat]
    return Moment(
        user=seat.player.user_id,
        subject=CLOCK_LOW,
        key=f"clock:{game.pk}:{since}",
        at=game.deadline,
        known_at=game.moved_at,
        game=game,
    )
