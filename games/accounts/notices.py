"""Words to people: each is told once, on the site at once, and by e-mail as the person's profile says.

What a notice says is put together when it is shown, from rows as they are then: it holds ids and no names.
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

from games.accounts.models import Notice, Profile
from games.accounts.subjects import APPOINTED, CLOCK_LOW, GAME_OVER, SUBJECTS, YOUR_TURN
from games.common import clock
from games.gamelog.terms import LIVE
from games.kinds import KINDS
from games.models import Game, PendingBundle, Player, Seat
from games.play import endings
from games.play.signals import ABORT, FOLLOWING, REMATCH
from games.visibility.observe import is_result_public
from games.visibility.presence import present_seats

TURN_MAIL_DELAY: Final = timedelta(minutes=10)  # an e-mail about a turn that is taken by then is not sent
UNHURRIED_MOVE_SECONDS: Final = 60 * 60  # seconds for a move from which on nobody is expected to sit and wait
OF_OFFERS: Final = {ABORT: "abort_offered", REMATCH: "rematch_offered", FOLLOWING: "table_filled"}  # subjects
GAME_OVER_LOOKBACK: Final = timedelta(days=2)  # so long a lost word that a game is over is looked for


def notify_users(
    user_ids: Iterable[int],
    subject: str,
    *,
    key: str,
    game: Game | None = None,
    by: Player | None = None,
    note: str = "",
    url: str = "",
    about_at: datetime | None = None,
) -> int:
    """Tell these users of `subject`, once for each `key`; how many had not been told before.

    `by` is who it comes from. `note` holds no name. `url` is where it leads, `game`'s page if it is "". After
    `about_at`, the moment that it is about, its e-mail is not sent any more.
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
            note=note,
            url=url,
            about_at=about_at,
            created=at,
            mail=Notice.Mail.DUE if mailed else Notice.Mail.NONE,
            mail_at=mail_time(subject, at) if mailed else None,
        )
        for user_id, mailed in sorted(wishes.items())
    ]
    before = Notice.objects.filter(user__in=wishes, key=key).count()
    Notice.objects.bulk_create(made, ignore_conflicts=True)
    if subject != YOUR_TURN and any(wishes.values()):
        transaction.on_commit(send_mails, robust=True)
    return len(made) - before


def mail_time(subject: str, at: datetime) -> datetime:
    """When an e-mail about `subject` goes out."""
    return at + TURN_MAIL_DELAY if subject == YOUR_TURN else at


def send_mails() -> None:
    """A word to the workers that e-mail is due; they find it by a query."""
    current_app.send_task("games.send_mails", queue="short", expires=60, retry=False)


def wants_mail_by_user(user_ids: Collection[int], subject: str) -> dict[int, bool]:
    """For each of these users whether `subject` comes by e-mail. Only a confirmed address gets any."""
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


# whose turn it is


class PendingTurn(NamedTuple):
    """A person's turn: since which version of the game it has been theirs."""

    user: int
    game: int
    since: int

    @property
    def key(self) -> str:
        return f"turn:{self.game}:{self.since}"


# To whom a game says that it waits for them: those without whom, as everybody knows, it does not go on. Whoever may act
# in secret (Palace's quick throw) is not among them.
_TURNS: Final = """
    SELECT player.user_id, game.id, awaited.since
    FROM games_game AS game
    CROSS JOIN unnest(game.to_act, game.awaited_since) AS awaited (seat, since)
    JOIN games_seat AS seat ON seat.game_id = game.id AND seat.seat = awaited.seat AND seat.left = ''
    JOIN games_player AS player ON player.id = seat.player_id
    WHERE game.status = 'playing' AND NOT game.played_by_workers AND game.terms ->> 'pace' <> %s
      AND player.user_id IS NOT NULL
      AND (%s::bigint[] IS NULL OR game.id = ANY (%s))
      AND NOT EXISTS (
        SELECT FROM accounts_notice AS notice
        WHERE notice.user_id = player.user_id AND notice.key = 'turn:' || game.id || ':' || awaited.since)
      AND NOT EXISTS (
        SELECT FROM games_pendingbundle AS bundle
        WHERE bundle.game_id = game.id AND bundle.seat = seat.seat)
"""


def turns_to_notify(game_ids: Sequence[int] | None = None) -> list[PendingTurn]:
    """The turns, of these games or of all, of which nobody has been told yet. Live games have none to be told of."""
    ids = list(game_ids) if game_ids is not None else None
    with connection.cursor() as cursor:
        cursor.execute(_TURNS, [LIVE, ids, ids])
        return [PendingTurn(*row) for row in cursor.fetchall()]


def is_unhurried(game: Game) -> bool:
    """Whether nobody is expected to sit at the table and wait: a game by correspondence, or one without a clock."""
    seconds = game.terms["move_seconds"]
    return game.terms["pace"] != LIVE and (seconds is None or seconds >= UNHURRIED_MOVE_SECONDS)


def wants_turn_notice(user_id: int, game: Game) -> bool:
    """Whether `user` is to be told now that `game` waits for them. Whoever looks at it is told when they have left."""
    here = Seat.objects.filter(game=game, player__user=user_id, seat__in=present_seats(game))
    return is_unhurried(game) and not here.exists()


def notify_turns(game_ids: Sequence[int] | None = None) -> int:
    """Tell whoever has a turn and does not know it; take back what was told of turns that are over."""
    withdraw_turn_notices(game_ids)
    turns = turns_to_notify(game_ids)
    games = Game.objects.in_bulk({turn.game for turn in turns})
    count = 0
    for turn in turns:
        game = games[turn.game]
        if wants_turn_notice(turn.user, game):
            with transaction.atomic():
                Notice.objects.filter(user=turn.user, game=game, subject=YOUR_TURN).delete()
                count += notify_users([turn.user], YOUR_TURN, game=game, key=turn.key)
    return count


def withdraw_turn_notices(game_ids: Sequence[int] | None = None) -> None:
    """A turn that is over needs no word any more: take back what was told of it."""
    waiting = Seat.objects.filter(
        game=OuterRef("game"), player__user=OuterRef("user"), left="", game__to_act__contains=[F("seat")]
    ).exclude(Exists(PendingBundle.objects.filter(game=OuterRef("game"), seat=OuterRef("seat"))))
    gone = Notice.objects.filter(~Exists(waiting), subject__in=[YOUR_TURN, CLOCK_LOW])
    if game_ids is not None:
        gone = gone.filter(game__in=game_ids)
    gone.delete()


def notify_game_over(game_ids: Sequence[int] | None = None) -> int:
    """Tell the people who stayed to the end that their game is over; not how it ended, which may be sealed."""
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
    """Tell the people of games that begin at a time that they can check in."""
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
        users = [user for user in people if user is not None]
        count += notify_users(users, APPOINTED, game=game, note=game.begins_at.isoformat(), key=f"begins:{game.pk}")
    return count


def on_moved(sender: Any, game_ids: Sequence[int], **_signal: Any) -> None:  # noqa: ARG001
    """After the commit that moved games on. What is lost here is found by the sweep."""
    notify_turns(game_ids)
    notify_check_in(game_ids)


def on_offer(what: str, game: Game, users: Sequence[int], by: Player | None, key: str, **_signal: Any) -> None:
    """Within the transaction of an offer. Whoever sits at the table sees an offer to abort there."""
    notified = [user for user in users if wants_turn_notice(user, game)] if what == ABORT else users
    notify_users(notified, OF_OFFERS[what], game=game, by=by, key=key)


def on_over(sender: Any, game_ids: Sequence[int], **_signal: Any) -> None:  # noqa: ARG001
    """After the commit that ended games."""
    notify_game_over(game_ids)


# reading


class NoticeRow(NamedTuple):
    """A notice as it is shown."""

    notice: Notice
    words: str
    address: str


def notices_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Notice]:
    """The notices of `user`, the newest first, with all that `notice_row` needs: three queries, whatever their
    number."""
    seats = Seat.objects.select_related("player__bot_version")
    return (
        Notice.objects.filter(user=user.pk)
        .select_related("by__bot_version__bot", "game__deal")
        .prefetch_related(Prefetch("game__seats", seats))
    )


def unseen_count(user: AbstractBaseUser | AnonymousUser) -> int:
    """How many notices `user` has not seen."""
    return Notice.objects.filter(user=user.pk, seen_at=None).count() if user.pk is not None else 0


def mark_seen(user: AbstractBaseUser | AnonymousUser, *, game: Game | None = None, pk: int | None = None) -> int:
    """`user` has seen what there is: everything, what is about `game`, or one notice; how many were new."""
    if user.pk is None:
        return 0
    about = Q(game=game) if game else Q(pk=pk) if pk else Q()
    return Notice.objects.filter(about, user=user.pk, seen_at=None).update(seen_at=clock.now())


def notice_row(notice: Notice) -> NoticeRow:
    """What `notice` says today, and where it leads."""
    subject = SUBJECTS[notice.subject]
    if subject.describe is not None:
        return NoticeRow(notice, *subject.describe(notice))
    words = str(subject.words).format(
        game=game_text(notice.game, notice.user_id) if notice.game else _("a game"),
        who=notice.by.name if notice.by else _("Somebody"),
        note=notice.note,
        when=_moments(notice),
        ending=_ending(notice),
    )
    game = reverse("replay", args=[notice.game.public_id]) if notice.game else reverse("notices")
    return NoticeRow(notice, words.strip(), notice.url or game)


def _ending(notice: Notice) -> str:
    """How the game of a notice ended, once everybody may know."""
    game = notice.game if notice.subject == GAME_OVER else None
    return endings.outcome_sentence_of(game) if game and is_result_public(game) else ""


def _moments(notice: Notice) -> str:
    """What a notice says of when."""
    if notice.about_at is not None:
        return moment_text(notice.about_at)
    if not SUBJECTS[notice.subject].moments:
        return ""
    return _(" or ").join(moment_text(datetime.fromisoformat(text)) for text in notice.note.split())


def moment_text(moment: datetime) -> str:
    """20:00 on 7 September, in the zone of who reads it."""
    local = timezone.localtime(moment)
    return _("{time} on {day}").format(time=date_format(local, "H:i"), day=date_format(local, "j F"))


def game_text(game: Game, user_id: int) -> str:
    """Chinese Ten with Laura and Otto."""
    others = [seat.player.name for seat in game.seats.all() if seat.player.user_id != user_id]
    return title_with_players(KINDS[game.kind].spec.title, others)


def title_with_players(title: str, names: Sequence[str]) -> str:
    """A game's title with who else plays it."""
    if not names:
        return title
    most, last = ", ".join(names[:-1]), names[-1]
    listed = _("{most} and {last}").format(most=most, last=last) if most else last
    return _("{title} with {names}").format(title=title, names=listed)


def mail_settings(profile: Profile) -> dict[str, bool]:
    """Which subjects come to a person by e-mail."""
    return {name: bool(profile.mails.get(name, subject.mailed)) for name, subject in SUBJECTS.items()}


def set_mails(profile: Profile, wanted: dict[str, bool]) -> None:
    """Let these subjects come by e-mail from now on, or no more; others stay as they are."""
    profile.mails = {**profile.mails, **{name: on for name, on in wanted.items() if name in SUBJECTS}}
    profile.save(update_fields=["mails"])
