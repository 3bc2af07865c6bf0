"""Reminders: notices before a moment, as early as a person has chosen, each sent at most once.

Queries find what there is to remind of: here for clocks, in the leagues for their dates. Each reminder is a notice with
its own key, so any number of workers may look at once. Its email is claimed before it is sent, and not sent after the
moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Q
from django.utils.translation import gettext as _

from games.accounts import notices
from games.accounts.models import Notice, Profile
from games.accounts.subjects import CLOCK_LOW, SUBJECTS
from games.common import clock
from games.models import Game, PendingBundle, Seat
from scorebook_games.gamelog.terms import LIVE
from scorebook_games.presentation.coded_text import Sentence

MINUTES_PER_DAY: Final = 24 * 60  # offsets are stored in minutes
MIN_OFFSET: Final = 5
MAX_OFFSET: Final = 14 * MINUTES_PER_DAY
MAX_OFFSETS: Final = 5  # reminders of one moment


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of which `user` may want to be reminded.

    It comes `at`, and the user knows of it since `known_at`. `key` never changes; a moment that moves is another one.
    """

    user: int
    subject: str
    key: str
    at: datetime
    known_at: datetime
    game: Game | None = None
    sentences: tuple[Sentence, ...] = ()
    url: str = ""


class BadOffsets(ValueError):
    """Invalid offsets. The text describes valid ones."""


def default_offsets() -> dict[str, tuple[int, ...]]:
    """Return the default offsets in minutes by subject, for people who have chosen nothing."""
    return {name: subject.reminders for name, subject in SUBJECTS.items() if subject.reminders}


def offsets_of(profile: Profile | None) -> dict[str, list[int]]:
    """Return by subject how many minutes before a person is reminded, the longest first."""
    chosen = profile.reminders if profile else {}
    return {subject: list(chosen.get(subject, usual)) for subject, usual in default_offsets().items()}


def set_offsets(profile: Profile, wanted: Mapping[str, Sequence[int]]) -> None:
    """Set how many minutes before a person is reminded. Subjects not named do not change. Raises `BadOffsets`."""
    kept = {subject: checked_offsets(minutes) for subject, minutes in wanted.items() if subject in default_offsets()}
    profile.reminders = {**profile.reminders, **kept}
    profile.save(update_fields=["reminders"])


def checked_offsets(minutes: Sequence[int]) -> list[int]:
    """Return the offsets, the longest first. Raises `BadOffsets`."""
    if len(minutes) > MAX_OFFSETS or not all(MIN_OFFSET <= minute <= MAX_OFFSET for minute in minutes):
        raise BadOffsets(
            _("Up to {most} reminders, each from {least} minutes to {days} days before.").format(
                most=MAX_OFFSETS, least=MIN_OFFSET, days=MAX_OFFSET // MINUTES_PER_DAY
            )
        )
    return sorted(set(minutes), reverse=True)


def due_offset(moment: Moment, offsets: Sequence[int], now: datetime) -> int | None:
    """Return the reminder that is due: the last one whose time has come; None if there is none.

    There is none after the moment, nor if the person learned of the moment only after the reminder's time.
    """
    come = [offset for offset in offsets if moment.at - timedelta(minutes=offset) <= now < moment.at]
    if not come or moment.at - timedelta(minutes=min(come)) < moment.known_at:
        return None
    return min(come)


def notify_due_reminders(moments: Iterable[Moment]) -> int:
    """Send the reminders that are due among `moments`; return how many are new."""
    now, count = clock.now(), 0
    due = [
        (moment, f"{moment.key}:{offset}")
        for moment, offsets in _with_offsets(moments)
        if (offset := due_offset(moment, offsets, now)) is not None
    ]
    users, keys = {moment.user for moment, _key in due}, {key for _moment, key in due}
    sent = set(Notice.objects.filter(user__in=users, key__in=keys).values_list("user", "key")) if due else set()
    for moment, key in due:
        if (moment.user, key) not in sent:
            count += notices.notify_users(
                [moment.user],
                moment.subject,
                key=key,
                game=moment.game,
                sentences=moment.sentences,
                url=moment.url,
                about_at=moment.at,
            )
    return count


def upcoming_reminders(moments: Iterable[Moment]) -> list[tuple[datetime, Moment]]:
    """Return when the next reminder of each of `moments` is due, if there is one."""
    now, found = clock.now(), []
    for moment, offsets in _with_offsets(moments):
        times = [(moment.at - timedelta(minutes=offset), offset) for offset in offsets]
        ahead = [time for time, each in times if time > now and due_offset(moment, offsets, time) == each]
        if ahead:
            found.append((min(ahead), moment))
    return found


def _with_offsets(moments: Iterable[Moment]) -> Iterator[tuple[Moment, list[int]]]:
    """Return each moment with its user's offsets. One query."""
    listed = list(moments)
    profiles = Profile.objects.in_bulk({moment.user for moment in listed}, field_name="user_id")
    offsets = {user: offsets_of(profile) for user, profile in profiles.items()}
    usual = offsets_of(None)
    for moment in listed:
        yield moment, offsets.get(moment.user, usual)[moment.subject]


def notify_low_clocks() -> int:
    """Send reminders of clocks that run out. Live games have none, because their players sit there."""
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
    bundles_given = set(
        PendingBundle.objects.filter(game__in={seat.game_id for seat in seats}).values_list("game", "seat")
    )
    return [_clock(seat) for seat in seats if (seat.game_id, seat.seat) not in bundles_given]


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
