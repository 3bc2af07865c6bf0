"""Notices to people. Each is shown once on the site, at once, and sent by email as the person's profile says.

A notice holds ids and no names. Its text is made when it is shown, from the rows as they are then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from celery import current_app
from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Prefetch, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from games.accounts.models import Notice, Profile, PushDevice, PushMessage
from games.accounts.subjects import APPOINTED, CLASH, CLOCK_LOW, GAME_OVER, SUBJECTS, YOUR_TURN
from games.common import clock
from games.common.bidi import isolated
from games.common.outbox import SendState
from games.common.sentences import sentences_data
from games.models import Game, PendingBundle, Player, Seat
from games.play import appointments, endings
from games.play.services import load_game
from games.play.signals import ABORT, FOLLOWING, REMATCH
from games.visibility import presence
from games.visibility.observe import is_result_public
from scorebook_games.gamelog.terms import LIVE
from scorebook_games.presentation.coded_text import Sentence, plain, sentence
from scorebook_games.presentation.text import join_with_and
from scorebook_games.registry import KINDS

TURN_MAIL_DELAY: Final = timedelta(minutes=10)  # an email about a turn is not sent if the person has moved by then
UNHURRIED_MOVE_SECONDS: Final = 60 * 60  # seconds for a move from which on nobody is expected to sit and wait
OF_TURNS: Final = frozenset({YOUR_TURN, CLOCK_LOW})  # subjects of notices that go when their person has moved
OF_STARTS: Final = frozenset({APPOINTED, CLASH})  # subjects of notices that go when the game has begun
OF_OFFERS: Final = {ABORT: "abort_offered", REMATCH: "rematch_offered", FOLLOWING: "table_filled"}  # subjects
GAME_OVER_LOOKBACK: Final = timedelta(days=2)  # how long a lost message that a game is over is looked for


def notify_users(
    user_ids: Iterable[int],
    subject: str,
    *,
    key: str,
    game: Game | None = None,
    by: Player | None = None,
    sentences: Iterable[Sentence] = (),
    url: str = "",
    about_at: datetime | None = None,
) -> int:
    """Notify these users of `subject`, once for each `key`; return how many of them are new.

    `by` is the sender. `sentences` hold no person's name. `url` is where the notice leads; "" means the page of
    `game`. After `about_at`, the moment that it is about, its email is no longer sent.
    """
    at = clock.now()
    wishes = wants_mail_by_user(set(user_ids), subject)
    made = [
        Notice(
            user_id=user_id,
            subject=subject,
            key=key,
            game=game,
            by=by,
            sentences=plain(sentences),
            url=url,
            about_at=about_at,
            created=at,
            send_state=SendState.DUE if mailed else SendState.NONE,
            send_at=mail_time(subject, at) if mailed else None,
        )
        for user_id, mailed in sorted(wishes.items())
    ]
    before = Notice.objects.filter(user__in=wishes, key=key).count()
    Notice.objects.bulk_create(made, ignore_conflicts=True)
    if subject != YOUR_TURN and any(wishes.values()):
        transaction.on_commit(send_mails, robust=True)
    _create_pushes(wishes, subject, key=key, at=at)
    return len(made) - before


def _create_pushes(user_ids: Iterable[int], subject: str, *, key: str, at: datetime) -> None:
    """Create the messages to devices for the notices that were made at this time. One query for people without
    devices."""
    devices = PushDevice.objects.filter(user__in=list(user_ids)).values_list("pk", "user", "user__profile__pushes")
    usual = SUBJECTS[subject].mailed
    wanted = [(device, user) for device, user, pushes in devices if (pushes or {}).get(subject, usual)]
    if not wanted:
        return
    new = Notice.objects.filter(key=key, created=at, user__in={user for _device, user in wanted})
    notice_ids = dict(new.values_list("user", "pk"))
    rows = [
        PushMessage(notice_id=notice_ids[user], device_id=device, send_state=SendState.DUE, send_at=at)
        for device, user in wanted
        if user in notice_ids
    ]
    PushMessage.objects.bulk_create(rows, ignore_conflicts=True)
    transaction.on_commit(send_pushes, robust=True)


def withdraw_notices(user_ids: Iterable[int], key: str) -> None:
    """Withdraw a notice that asks something, because the question is answered or has become pointless."""
    Notice.objects.filter(user__in=set(user_ids), key=key).delete()


def mail_time(subject: str, at: datetime) -> datetime:
    """Return when an email about `subject` is sent."""
    return at + TURN_MAIL_DELAY if subject == YOUR_TURN else at


def send_mails() -> None:
    """Tell the workers that email is due; they find it by a query."""
    current_app.send_task("games.send_mails", queue="short", expires=60, retry=False)


def send_pushes() -> None:
    """Tell the workers that messages to devices are due; they find them by a query."""
    current_app.send_task("games.send_pushes", queue="hooks", expires=30, retry=False)


def wants_mail_by_user(user_ids: Collection[int], subject: str) -> dict[int, bool]:
    """Return for each of these users whether `subject` comes by email, which needs a confirmed address."""
    usual = SUBJECTS[subject].mailed
    people = get_user_model().objects.filter(pk__in=user_ids)
    if not SUBJECTS[subject].to_inactive:
        people = people.filter(is_active=True)
    rows = people.values_list("pk", "profile__mails", "emailaddress__verified", "emailaddress__primary")
    wishes: dict[int, bool] = {}
    for pk, mails, verified, primary in rows:
        wanted = bool(verified and primary and (mails or {}).get(subject, usual))
        wishes[pk] = wishes.get(pk, False) or wanted
    return wishes


# the person whose turn it is


class PendingTurn(NamedTuple):
    """A person's turn, with the version of the game since which it is theirs."""

    user: int
    game: int
    since: int

    @property
    def key(self) -> str:
        return f"turn:{self.game}:{self.since}"


# The seats for which a game waits, as everybody knows, in which nobody is expected to sit and wait (`is_unhurried`) and
# whose people do not look at it now. Seats that may act in secret (Palace's quick throw) are not among them.
_TURNS: Final = """
    SELECT player.user_id, game.id, awaited.since
    FROM games_game AS game
    CROSS JOIN unnest(game.to_act, game.awaited_since) AS awaited (seat, since)
    JOIN games_seat AS seat ON seat.game_id = game.id AND seat.seat = awaited.seat AND seat.left = ''
    JOIN games_player AS player ON player.id = seat.player_id
    WHERE game.status = 'playing' AND NOT game.played_by_workers AND game.terms ->> 'pace' <> %(live)s
      AND coalesce((game.terms ->> 'move_seconds')::float >= %(unhurried)s, true)
      AND player.user_id IS NOT NULL
      AND (%(games)s::bigint[] IS NULL OR game.id = ANY (%(games)s))
      AND NOT EXISTS (
        SELECT FROM visibility_presence AS presence
        WHERE presence.game_id = game.id AND presence.seat = seat.seat AND presence.seen_at >= %(here_since)s)
      AND NOT EXISTS (
        SELECT FROM accounts_notice AS notice
        WHERE notice.user_id = player.user_id AND notice.key = 'turn:' || game.id || ':' || awaited.since)
      AND NOT EXISTS (
        SELECT FROM games_pendingbundle AS bundle
        WHERE bundle.game_id = game.id AND bundle.seat = seat.seat)
"""


def turns_to_notify(game_ids: Sequence[int] | None = None) -> list[PendingTurn]:
    """Return the turns, of these games or of all, of which people are to be notified now.

    Live games and quick ones have none. People who look at their game are notified after they leave.
    """
    values: dict[str, Any] = {
        "live": LIVE,
        "unhurried": UNHURRIED_MOVE_SECONDS,
        "games": list(game_ids) if game_ids is not None else None,
        "here_since": presence.present_since(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_TURNS, values)
        return [PendingTurn(*row) for row in cursor.fetchall()]


def is_unhurried(game: Game) -> bool:
    """Return whether nobody is expected to sit and wait: a game by correspondence, or one without a clock."""
    seconds = game.terms["move_seconds"]
    return game.terms["pace"] != LIVE and (seconds is None or seconds >= UNHURRIED_MOVE_SECONDS)


def is_awaited_elsewhere(user_id: int, game: Game) -> bool:
    """Return whether `game` can wait for `user`, who does not look at it now."""
    if not is_unhurried(game):
        return False
    seats = presence.present_seats(game)
    return not seats or not Seat.objects.filter(game=game, player__user=user_id, seat__in=seats).exists()


def notify_turns(game_ids: Sequence[int] | None = None) -> int:
    """Notify people of new turns, and withdraw notices of turns that are over."""
    withdraw_turn_notices(game_ids)
    return notify_new_turns(game_ids)


def notify_new_turns(game_ids: Sequence[int] | None = None) -> int:
    """Notify people of new turns; return how many were notified."""
    turns = turns_to_notify(game_ids)
    games = Game.objects.in_bulk({turn.game for turn in turns}) if turns else {}
    count = 0
    for turn in turns:
        game = games[turn.game]
        with transaction.atomic():
            Notice.objects.filter(user=turn.user, game=game, subject=YOUR_TURN).delete()
            count += notify_users([turn.user], YOUR_TURN, game=game, key=turn.key)
    return count


def withdraw_turn_notices(game_ids: Sequence[int] | None = None) -> None:
    """Withdraw notices of turns that are over, and of check-ins for games that have begun."""
    waiting = Seat.objects.filter(
        game=OuterRef("game"), player__user=OuterRef("user"), left="", game__to_act__contains=[F("seat")]
    ).exclude(Exists(PendingBundle.objects.filter(game=OuterRef("game"), seat=OuterRef("seat"))))
    begun = Q(subject__in=OF_STARTS, game__begins_at=None)
    outdated = Notice.objects.filter(begun | Q(~Exists(waiting), subject__in=OF_TURNS))
    if game_ids is not None:
        outdated = outdated.filter(game__in=game_ids)
    outdated.delete()


def withdraw_abort_notices(game_ids: Sequence[int] | None = None) -> None:
    """Withdraw notices of offers to abort, one of these games or any, that are answered or that a move has ended."""
    asking = Notice.objects.filter(subject=OF_OFFERS[ABORT])
    if game_ids is not None:
        asking = asking.filter(game__in=game_ids)
    for game in Game.objects.filter(pk__in=asking.values("game")):
        fold = load_game(game)
        people = game.seats.filter(left="", player__user__isnull=False)
        asked = people.exclude(seat__in=fold.abort_wanted)
        open_still = asked if fold.abort_wanted and game.status == Game.Status.PLAYING else people.none()
        asking.filter(game=game).exclude(user__in=open_still.values("player__user")).delete()


def notify_game_over(game_ids: Sequence[int] | None = None) -> int:
    """Notify the people who stayed to the end that their game is over. It does not say how, which may be sealed."""
    ended = Game.objects.exclude(status=Game.Status.PLAYING).filter(played_by_workers=False)
    if game_ids is None:
        untold = Seat.objects.filter(game=OuterRef("pk"), left="", player__user__isnull=False).exclude(
            Exists(Notice.objects.filter(game=OuterRef("game"), user=OuterRef("player__user"), subject=GAME_OVER))
        )
        ended = ended.filter(Exists(untold), finished_at__gt=clock.now() - GAME_OVER_LOOKBACK)
    else:
        ended = ended.filter(pk__in=game_ids)
    stayed = Seat.objects.filter(left="", player__user__isnull=False).select_related("player")
    count = 0
    for game in ended.prefetch_related(Prefetch("seats", stayed)):
        people = [seat.player.user_id for seat in game.seats.all() if seat.player.user_id is not None]
        if is_unhurried(game):
            count += notify_users(people, GAME_OVER, game=game, key=f"over:{game.pk}")
    return count


def notify_check_in(game_ids: Sequence[int] | None = None) -> int:
    """Notify the people of games with a start time that they can check in."""
    untold = Seat.objects.filter(game=OuterRef("pk"), left="", player__user__isnull=False).exclude(
        Exists(Notice.objects.filter(game=OuterRef("game"), user=OuterRef("player__user"), subject=APPOINTED))
    )
    waiting = Game.objects.filter(Exists(untold), begins_at__isnull=False)
    if game_ids is not None:
        waiting = waiting.filter(pk__in=game_ids)
    count = 0
    for game in waiting:
        assert game.begins_at
        people = game.seats.filter(left="", player__user__isnull=False).values_list("player__user", flat=True)
        users, stamp = [user for user in people if user is not None], [game.begins_at.isoformat()]
        count += notify_users(users, APPOINTED, game=game, sentences=[moments(stamp)], key=f"begins:{game.pk}")
        for seat in appointments.clashing_seats(game, users):
            assert seat.game.begins_at
            both = sorted((game.begins_at, seat.game.begins_at))
            key = f"clash:{min(game.pk, seat.game_id)}:{max(game.pk, seat.game_id)}"
            sentences = [all_moments([each.isoformat() for each in both])]
            count += notify_users([seat.player.user_id or 0], CLASH, game=game, sentences=sentences, key=key)
    return count


# Written out, because each move asks this.
_MOVED: Final = """
    SELECT id, terms, begins_at, ARRAY(
        SELECT DISTINCT subject FROM accounts_notice notice WHERE notice.game_id = game.id) AS subjects
    FROM games_game game WHERE id = ANY(%s)
"""


def on_moved(sender: Any, game_ids: Sequence[int], **_signal: Any) -> None:  # noqa: ARG001
    """Run after the commit that moved games on. The sweep finds what is lost here.

    One query for a game in which people sit and wait, two for one by correspondence at which both look.
    """
    games: Sequence[Any] = list(Game.objects.raw(_MOVED, [list(game_ids)]))  # with their `subjects`
    if withdrawn := [game.pk for game in games if not OF_TURNS.union(OF_STARTS).isdisjoint(game.subjects)]:
        withdraw_turn_notices(withdrawn)
    if slow := [game.pk for game in games if is_unhurried(game)]:
        notify_new_turns(slow)
    if appointed := [game.pk for game in games if game.begins_at]:
        notify_check_in(appointed)
    if asked := [game.pk for game in games if OF_OFFERS[ABORT] in game.subjects]:
        withdraw_abort_notices(asked)


def on_offer(what: str, game: Game, users: Sequence[int], by: Player | None, key: str, **_signal: Any) -> None:
    """Run within the transaction of an offer. People at the table see an offer to abort there."""
    if what == FOLLOWING:
        Notice.objects.filter(game=game.rematch_of_id, subject=OF_OFFERS[REMATCH]).delete()
    notified = [user for user in users if is_awaited_elsewhere(user, game)] if what == ABORT else users
    notify_users(notified, OF_OFFERS[what], game=game, by=by, key=key)


def on_over(sender: Any, with_people: Sequence[int], **_signal: Any) -> None:  # noqa: ARG001
    """Run after the commit that ended games."""
    if with_people:
        withdraw_abort_notices(with_people)
        notify_game_over(with_people)


# -- reading


class NoticeRow(NamedTuple):
    """A notice as it is shown."""

    notice: Notice
    words: str
    address: str


def notices_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Notice]:
    """Return the notices of `user`, the newest first, with all that `notice_row` needs.

    Three queries for any number.
    """
    seats = Seat.objects.select_related("player__bot_version")
    return (
        Notice.objects.filter(user=user.pk)
        .select_related("by__bot_version__bot", "game__deal")
        .prefetch_related(Prefetch("game__seats", seats))
        .order_by("-created", "-pk")
    )


def unseen_count(user: AbstractBaseUser | AnonymousUser) -> int:
    """Return how many notices `user` has not seen."""
    return Notice.objects.filter(user=user.pk, seen_at=None).count() if user.pk is not None else 0


def mark_seen(user: AbstractBaseUser | AnonymousUser, *, game: Game | None = None, pk: int | None = None) -> int:
    """Mark notices as seen by `user`: all, those about `game`, or one; return how many were new."""
    if user.pk is None:
        return 0
    about = Q(game=game) if game else Q(pk=pk) if pk else Q()
    return Notice.objects.filter(about, user=user.pk, seen_at=None).update(seen_at=clock.now())


def notice_row(notice: Notice) -> NoticeRow:
    """Return what `notice` says today, and where it leads."""
    subject = SUBJECTS[notice.subject]
    if subject.describe is not None:
        return NoticeRow(notice, *subject.describe(notice))
    words = str(subject.words).format(
        game=game_text(notice.game, notice.user_id) if notice.game else _("a game"),
        who=notice.by.name if notice.by else _("Somebody"),
        text=notice.text,
        when=moment_text(notice.about_at) if notice.about_at is not None else notice.text,
        ending=_ending(notice),
    )
    game = reverse("replay", args=[notice.game.public_id]) if notice.game else reverse("notices")
    return NoticeRow(notice, words.strip(), notice.url or game)


def notice_sentences(notice: Notice) -> list[dict[str, Any]]:
    """Return the notice's sentences for people and programs, their texts as they read today."""
    fill = SUBJECTS[notice.subject].fill
    return [{**each, "text": fill(notice, each["text"])} for each in sentences_data(notice.sentences)]


def _ending(notice: Notice) -> str:
    """Return how the game of a notice ended, once everybody may know."""
    game = notice.game if notice.subject == GAME_OVER else None
    return endings.outcome_sentence_of(game) if game and is_result_public(game) else ""


@sentence
def moments(times: Sequence[str]) -> str:
    """`times` in ISO 8601, one of which is meant. Those of the same minute are said once."""
    return _(" or ").join(dict.fromkeys(moment_text(datetime.fromisoformat(time)) for time in times))


@sentence
def all_moments(times: Sequence[str]) -> str:
    """`times` in ISO 8601, all of which are meant. Those of the same minute are said once."""
    return join_with_and(list(dict.fromkeys(moment_text(datetime.fromisoformat(time)) for time in times)))


def moment_text(moment: datetime) -> str:
    """Return a time as "20:00 on 7 September", in the reader's zone."""
    local = timezone.localtime(moment)
    day, time = date_format(local, "MONTH_DAY_FORMAT"), date_format(local, "TIME_FORMAT")
    return _("{time} on {day}").format(time=time, day=day)


def game_text(game: Game, user_id: int) -> str:
    """Return a game as "Chinese Ten with Laura and Otto"."""
    others = [seat.player.name for seat in game.seats.all() if seat.player.user_id != user_id]
    return title_with_players(KINDS[game.kind].spec.title, others)


def title_with_players(title: str, names: Sequence[str]) -> str:
    """Return a game's title and its other players."""
    if not names:
        return title
    return _("{title} with {names}").format(title=title, names=join_with_and([isolated(name) for name in names]))


def mail_settings(profile: Profile) -> dict[str, bool]:
    """Return which subjects come to a person by email."""
    return {name: bool(profile.mails.get(name, subject.mailed)) for name, subject in SUBJECTS.items()}


def push_settings(profile: Profile) -> dict[str, bool]:
    """Return which subjects come to a person's devices: those that come by email, unless they have chosen."""
    return {name: bool(profile.pushes.get(name, subject.mailed)) for name, subject in SUBJECTS.items()}


def set_pushes(profile: Profile, wanted: dict[str, bool]) -> None:
    """Set for these subjects whether they come to devices; the others do not change."""
    profile.pushes = {**profile.pushes, **{name: on for name, on in wanted.items() if name in SUBJECTS}}
    profile.save(update_fields=["pushes"])


def set_mails(profile: Profile, wanted: dict[str, bool]) -> None:
    """Set for these subjects whether they come by email; the others do not change."""
    profile.mails = {**profile.mails, **{name: on for name, on in wanted.items() if name in SUBJECTS}}
    profile.save(update_fields=["mails"])
