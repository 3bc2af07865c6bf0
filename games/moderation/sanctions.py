"""What an admin does about a person: warn, mute, take a name away, ban; and the ends of that.

Each is one transaction that writes the `Sanction` and ends what it ends at once; what follows in games and seasons is
found by queries (`remove_from_games`, `tournaments.director.director`), so a crash in between loses nothing.
"""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import names, notices, people, speech
from games.accounts.models import ReservedName, Sanction
from games.bots import uploads
from games.common import clock
from games.common.after_commit import after_commit
from games.common.errors import DomainError
from games.lobby import services as lobby
from games.models import REMOTE, Bot, BotVersion, Game, Player, Seat
from games.moderation.subjects import BANNED, MUTED, OBJECTION_ANSWERED, RENAMED, UNBANNED, UNMUTED, WARNED
from games.play import services as play
from games.play import signals
from games.play.departures import FORFEITED

BAN, MUTE, WARNING = Sanction.Kind.BAN, Sanction.Kind.MUTE, Sanction.Kind.WARNING
WORDS_MAX_LENGTH: Final = 2000


def check_may(by: User, user: User) -> None:
    """Raise `DomainError` not_yourself, not_an_admin, is_admin (403) unless `by` may do such things to `user`: only a
    superuser to another admin."""
    if by.pk == user.pk:
        raise DomainError(403, "not_yourself", _("You cannot do this to your own account. Ask another admin."))
    if not (by.is_active and by.is_staff):
        raise DomainError(403, "not_an_admin", _("Only site admins can do that."))
    if (user.is_staff or user.is_superuser) and not by.is_superuser:
        raise DomainError(403, "is_admin", _("This person is an admin. Only a superuser can do that."))


def _locked_user(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _create(kind: str, user: User, by: User, reason: str, until: datetime | None = None) -> Sanction:
    if until is not None and until <= clock.now():
        raise DomainError(400, "bad_until", _("This time has already passed. Choose a time in the future, or none."))
    lasting = Sanction.objects.filter(user=user, kind=kind, ended_at=None)
    if kind != WARNING and lasting.exists():
        _end(lasting.filter(until__lte=clock.now()))
        if lasting.exists():
            sentence = _("The person already has a {kind}. End it before you begin another.")
            raise DomainError(409, "lasts_already", sentence.format(kind=kind))
    return Sanction.objects.create(user=user, by=by, kind=kind, reason=reason, until=until, created=clock.now())


def _end(measures: QuerySet[Sanction]) -> int:
    return measures.update(ended_at=clock.now())


def _notify_person(user: User, subject: str, key: str) -> None:
    notices.notify_users([user.pk], subject, key=key, url=reverse("me-conduct"))


# warning and muting


def warn(*, user: User, by: User, reason: str) -> Sanction:
    """A warning, which the person has to read before writing to others again. Raises as `check_may`."""
    check_may(by, user)
    with transaction.atomic():
        made = _create(WARNING, _locked_user(user), by, reason)
        _notify_person(user, WARNED, f"warned:{made.pk}")
        return made


def mark_warning_read(*, user: User, pk: int) -> Sanction:
    """`user` says that they have read a warning. Raises `DomainError` measure_not_found (404)."""
    with transaction.atomic():
        found = find_own_sanction(user, pk)
        if found.seen_at is None:
            found.seen_at = clock.now()
            found.save(update_fields=["seen_at"])
        return found


def mute(*, user: User, by: User, reason: str, until: datetime | None = None) -> Sanction:
    """Let somebody write nothing to others until then. Raises as `check_may`, and `DomainError` bad_until (400),
    lasts_already (409)."""
    check_may(by, user)
    with transaction.atomic():
        made = _create(MUTE, _locked_user(user), by, reason, until)
        _notify_person(user, MUTED, f"muted:{made.pk}")
        return made


def unmute(*, user: User, by: User) -> None:
    """End a mute before its time. Raises as `check_may`, and `DomainError` not_muted (409)."""
    check_may(by, user)
    with transaction.atomic():
        lasting = Sanction.objects.filter(user=_locked_user(user), kind=MUTE, ended_at=None)
        last = lasting.values_list("pk", flat=True).first()
        if not _end(lasting):
            raise DomainError(409, "not_muted", _("This person is not muted."))
        _notify_person(user, UNMUTED, f"unmuted:{last}")


# names


def rename(*, user: User, by: User, to: str = "") -> Player:
    """Another name for somebody, one by lot if none is named; nobody has the old one any more, and whoever had it still
    logs in by it. Raises as `check_may` and `people.rename`."""
    check_may(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        player = people.player_of_user(locked)
        if player is None:
            raise DomainError(409, "no_name", _("This user has no player name."))
        before, was = names.name_key(player.name), player.name
        reserve_name(was, locked)
        named = people.rename(locked, to.strip() or _random_name())
        if named.key == before:
            raise DomainError(400, "bad_name", _("This is the present name. Choose another one."))
        _notify_person(user, RENAMED, f"renamed:{clock.now().isoformat()}")
        return named


def rename_bot(*, bot: Bot, by: User, to: str = "") -> Bot:
    """Likewise for a bot of somebody's; its versions are called so in old games too. Raises as `check_may`,
    `people.check_name` and `save_bot`, and `DomainError` built_in_bot (409)."""
    if bot.owner is None:
        raise DomainError(409, "built_in_bot", _("This is a built-in bot, whose name is set in the code."))
    check_may(by, bot.owner)
    with transaction.atomic():
        locked = Bot.objects.select_for_update(of=("self",)).get(pk=bot.pk)
        reserve_name(locked.name, bot.owner)
        name = people.check_name(to.strip() or _("Bot {number}").format(number=1000 + secrets.randbelow(9000)))
        locked.name, locked.key = name, names.name_key(name) if locked.key else None
        uploads.save_bot(locked)
        Player.objects.filter(bot_version__bot=locked).update(name=name)
        _notify_person(bot.owner, RENAMED, f"renamed-bot:{clock.now().isoformat()}")
        return locked


def reserve_name(name: str, user: User) -> None:
    """Let nobody have that name, or one that looks like it, from now on."""
    ReservedName.objects.get_or_create(key=names.name_key(name), defaults={"user": user, "since": clock.now()})


def _random_name() -> str:
    """A name that says nothing, as Player 48213."""
    return _("Player {number}").format(number=10_000 + secrets.randbelow(90_000))


# banning


def ban(*, user: User, by: User, reason: str, until: datetime | None = None) -> Sanction:
    """Shut somebody out until then, or for good: log-ins, tokens and streams end at once, their bots are asked no
    more, and `remove_from_games` and the seasons let them go as who leaves. Raises as `mute` does."""
    check_may(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        made = _create(BAN, locked, by, reason, until)
        notices.notify_users([locked.pk], BANNED, key=f"banned:{made.pk}", url=reverse("account_login"))
        locked.is_active = False
        locked.save(update_fields=["is_active"])
        signals.banned.send(sender=User, user=locked)
        after_commit(remove_from_games)
        return made


def unban(*, user: User, by: User) -> None:
    """Let somebody in again before the time; tokens are made anew. Raises as `check_may`, and `DomainError` not_banned
    (409)."""
    check_may(by, user)
    with transaction.atomic():
        if not _end_ban(user, Sanction.objects.all()):
            raise DomainError(409, "not_banned", _("This person is not banned."))


def _end_ban(user: User, among: QuerySet[Sanction]) -> bool:
    """End the ban of `user`, if it is one of these; whether there was one."""
    locked = _locked_user(user)
    lasting = among.filter(user=locked, kind=BAN, ended_at=None)
    last = lasting.values_list("pk", flat=True).first()
    if not _end(lasting):
        return False
    locked.is_active = True
    locked.save(update_fields=["is_active"])
    signals.unbanned.send(sender=User, user=locked)
    notices.notify_users([locked.pk], UNBANNED, key=f"unbanned:{last}", url=reverse("home"))
    return True


def ban_of(user: User) -> Sanction | None:
    """The ban that keeps `user` out now."""
    return speech.in_force().filter(user=user, kind=BAN).first()


def end_expired() -> int:
    """End the mutes and bans whose time is over; how many."""
    over = Sanction.objects.filter(ended_at=None, until__lte=clock.now())
    return sum(end_if_expired(measure) for measure in over.select_related("user"))


def end_if_expired(measure: Sanction) -> bool:
    """End that mute or ban if its time is over, and no other: a new ban may have begun meanwhile."""
    own = Sanction.objects.filter(pk=measure.pk, ended_at=None, until__lte=clock.now())
    with transaction.atomic():
        return _end_ban(measure.user, own) if measure.kind == BAN else _end(own) > 0


def banned_players() -> Q:
    """Which players are those of banned people, as a condition on players."""
    return Q(user__sanctions__in=speech.in_force().filter(kind=BAN))


def stopped_bots() -> Q:
    """Which players are versions of bots that admins let play no more, as a condition on players."""
    return Q(bot_version__bot__stopped__gt="") | Q(bot_version__state=BotVersion.State.TAKEN_DOWN)


def remove_from_games() -> int:
    """Let banned people, and bots that are stopped, go from their games, as the terms say of who leaves; how many
    seats. Uploaded bots are let go by the workers that play them (`games.workers.uploaded_bots`)."""
    players = Player.objects.filter(banned_players())
    for player in players.filter(chairs__table__status__in=lobby.OPEN_STATUSES).distinct():
        lobby.withdraw_from_all(player)
    stopped = REMOTE & Q(player__in=Player.objects.filter(stopped_bots()))
    seats = Seat.objects.filter(Q(player__in=players) | stopped, left="", game__status=Game.Status.PLAYING)
    return sum(_forfeit(seat) for seat in seats.select_related("game"))


def _forfeit(seat: Seat) -> bool:
    try:
        play.leave_game(game=seat.game, seat=seat.seat, how=FORFEITED)
    except DomainError as error:
        if error.code not in ("game_over", "not_your_seat"):
            raise
        return False
    return True


# objecting


def find_own_sanction(user: User, pk: int) -> Sanction:
    """The measure of that id about `user`. Raises `DomainError` measure_not_found (404)."""
    found = Sanction.objects.filter(user=user, pk=pk).first()
    if found is None:
        raise DomainError(404, "measure_not_found", _("You have no warning, mute or ban with this number."))
    return found


def object_to(*, user: User, pk: int, words: str) -> Sanction:
    """`user` says once why a measure is wrong; an admin answers. Raises `DomainError` measure_not_found (404),
    bad_words (400), objected_already (409)."""
    words = words.replace("\r\n", "\n").strip()
    if not words or len(words) > WORDS_MAX_LENGTH or "\x00" in words:
        raise DomainError(
            400, "bad_words", _("Give a reason of at most {most} characters.").format(most=WORDS_MAX_LENGTH)
        )
    with transaction.atomic():
        _locked_user(user)
        found = find_own_sanction(user, pk)
        if found.objection:
            raise DomainError(409, "objected_already", _("You have already appealed. An admin will answer here."))
        found.objection, found.objected_at = words, clock.now()
        found.save(update_fields=["objection", "objected_at"])
        return found


def answer_objection(*, measure: Sanction, by: User, words: str) -> Sanction:
    """An admin's answer to an objection. Raises as `check_may`, and `DomainError` no_objection, answered_already
    (409)."""
    check_may(by, measure.user)
    with transaction.atomic():
        locked = Sanction.objects.select_for_update(of=("self",)).get(pk=measure.pk)
        if not locked.objection:
            raise DomainError(409, "no_objection", _("There is no appeal against this."))
        if locked.answer:
            raise DomainError(409, "answered_already", _("This appeal has already been answered."))
        locked.answer, locked.answered_at = words, clock.now()
        locked.save(update_fields=["answer", "answered_at"])
        _notify_person(measure.user, OBJECTION_ANSWERED, f"answered:{locked.pk}")
        return locked


def sanctions_about(user: User) -> QuerySet[Sanction]:
    """What was done about `user`, the newest first; admins are not named to them."""
    return Sanction.objects.filter(user=user)


def sanction_data(measure: Sanction) -> dict[str, object]:
    """A measure as the person it is about sees it, as JSON data."""
    return {
        "id": measure.pk,
        "kind": measure.kind,
        "reason": measure.reason,
        "created": measure.created,
        "until": measure.until,
        "ended_at": measure.ended_at,
        "seen_at": measure.seen_at,
        "objection": measure.objection,
        "answer": measure.answer,
    }
