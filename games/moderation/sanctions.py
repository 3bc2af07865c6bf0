"""Sanctions by admins: warn, mute, rename, ban; and their ends.

Each is one transaction that stores the `Sanction` and ends at once what must end. What follows in games and seasons is
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
from games.common.errors import DomainError, Expected
from games.lobby import services as lobby
from games.models import REMOTE, Bot, BotVersion, Game, Player, Seat
from games.moderation.subjects import BANNED, MUTED, OBJECTION_ANSWERED, RENAMED, UNBANNED, UNMUTED, WARNED
from games.play import services as play
from games.play import signals
from games.play.departures import FORFEITED

BAN, MUTE, WARNING = Sanction.Kind.BAN, Sanction.Kind.MUTE, Sanction.Kind.WARNING
WORDS_MAX_LENGTH: Final = 2000


def check_may(by: User, user: User) -> None:
    """Raise `DomainError` not_yourself, not_an_admin, is_admin (403) unless `by` may sanction `user`.

    Only a superuser may sanction another admin.
    """
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
            raise DomainError(409, "lasts_already", sentence.format(kind=Sanction.Kind(kind).label))
    return Sanction.objects.create(user=user, by=by, kind=kind, reason=reason, until=until, created=clock.now())


def _end(measures: QuerySet[Sanction]) -> int:
    return measures.update(ended_at=clock.now())


def _notify_person(user: User, subject: str, key: str) -> None:
    notices.notify_users([user.pk], subject, key=key, url=reverse("me-conduct"))


# -- warning and muting


def warn(*, user: User, by: User, reason: str) -> Sanction:
    """Warn a person, who must read it before writing to others again. Raises as `check_may` does."""
    check_may(by, user)
    with transaction.atomic():
        made = _create(WARNING, _locked_user(user), by, reason)
        _notify_person(user, WARNED, f"warned:{made.pk}")
        return made


def mark_warning_read(*, user: User, pk: int) -> Sanction:
    """Record that `user` has read a warning. Raises `DomainError` measure_not_found (404)."""
    with transaction.atomic():
        found = find_own_sanction(user, pk)
        if found.seen_at is None:
            found.seen_at = clock.now()
            found.save(update_fields=["seen_at"])
        return found


def mute(*, user: User, by: User, reason: str, until: datetime | None = None) -> Sanction:
    """Keep somebody from writing to others until then.

    Raises as `check_may` does, and `DomainError` bad_until (400), lasts_already (409).
    """
    check_may(by, user)
    with transaction.atomic():
        made = _create(MUTE, _locked_user(user), by, reason, until)
        _notify_person(user, MUTED, f"muted:{made.pk}")
        return made


def unmute(*, user: User, by: User) -> None:
    """End a mute early. Raises as `check_may` does, and `DomainError` not_muted (409)."""
    check_may(by, user)
    with transaction.atomic():
        lasting = Sanction.objects.filter(user=_locked_user(user), kind=MUTE, ended_at=None)
        last = lasting.values_list("pk", flat=True).first()
        if not _end(lasting):
            raise DomainError(409, "not_muted", _("This person is not muted."))
        _notify_person(user, UNMUTED, f"unmuted:{last}")


# -- names


def rename(*, user: User, by: User, to: str = "") -> Player:
    """Give somebody another name; without `to`, a random one. Raises as `check_may` and `people.rename` do.

    Nobody can have the old name any more, but its former owner still logs in by it.
    """
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
    """Give a person's bot another name, which its versions have in old games too.

    Raises as `check_may`, `people.check_name` and `save_bot` do, and `DomainError` built_in_bot (409).
    """
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
    """Reserve this name and all that look like it, so that nobody can have them."""
    ReservedName.objects.get_or_create(key=names.name_key(name), defaults={"user": user, "since": clock.now()})


def _random_name() -> str:
    """Return a neutral name, such as "Player 48213"."""
    return _("Player {number}").format(number=10_000 + secrets.randbelow(90_000))


# -- banning


def ban(*, user: User, by: User, reason: str, until: datetime | None = None) -> Sanction:
    """Ban somebody until then, or permanently. Raises as `mute` does.

    Logins, tokens and streams end at once, and their bots are no longer asked. `remove_from_games` and the seasons
    treat them as people who leave.
    """
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
    """End a ban early. Tokens must be created again. Raises as `check_may` does, and `DomainError` not_banned (409)."""
    check_may(by, user)
    with transaction.atomic():
        if not _end_ban(user, Sanction.objects.all()):
            raise DomainError(409, "not_banned", _("This person is not banned."))


def _end_ban(user: User, among: QuerySet[Sanction]) -> bool:
    """End the ban of `user` if it is one of these; return whether there was one."""
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
    """Return the present ban of `user`, or None."""
    return speech.in_force().filter(user=user, kind=BAN).first()


def end_expired() -> int:
    """End the mutes and bans whose time is over; return how many."""
    over = Sanction.objects.filter(ended_at=None, until__lte=clock.now())
    return sum(end_if_expired(measure) for measure in over.select_related("user"))


def end_if_expired(measure: Sanction) -> bool:
    """End this mute or ban if its time is over, and no other, because a new ban may have begun."""
    expired = Sanction.objects.filter(pk=measure.pk, ended_at=None, until__lte=clock.now())
    with transaction.atomic():
        return _end_ban(measure.user, expired) if measure.kind == BAN else _end(expired) > 0


def banned_players() -> Q:
    """Return a filter for the players of banned people."""
    return Q(user__sanctions__in=speech.in_force().filter(kind=BAN))


def stopped_bots() -> Q:
    """Return a filter for the players that are versions of bots which admins have stopped."""
    return Q(bot_version__bot__stopped__gt="") | Q(bot_version__state=BotVersion.State.TAKEN_DOWN)


def remove_from_games() -> int:
    """Remove banned people and stopped bots from their games, as the terms say for leavers; return how many seats.

    Uploaded bots are removed by the workers that play them (`games.workers.uploaded_bots`).
    """
    players = Player.objects.filter(banned_players())
    for player in players.filter(chairs__table__status__in=lobby.OPEN_STATUSES).distinct():
        lobby.withdraw_from_all(player)
    stopped = REMOTE & Q(player__in=Player.objects.filter(stopped_bots()))
    seats = Seat.objects.filter(Q(player__in=players) | stopped, left="", game__status=Game.Status.PLAYING)
    return sum(_forfeit(seat) for seat in seats.select_related("game"))


def _forfeit(seat: Seat) -> bool:
    with Expected("game_over", "not_your_seat"):
        play.leave_game(game=seat.game, seat=seat.seat, how=FORFEITED)
        return True
    return False


# -- appeals


def find_own_sanction(user: User, pk: int) -> Sanction:
    """Return the sanction with this id against `user`. Raises `DomainError` measure_not_found (404)."""
    found = Sanction.objects.filter(user=user, pk=pk).first()
    if found is None:
        raise DomainError(404, "measure_not_found", _("You have no warning, mute or ban with this number."))
    return found


def object_to(*, user: User, pk: int, words: str) -> Sanction:
    """Store the appeal of `user`, which can be made once and is answered by an admin.

    Raises `DomainError` measure_not_found (404), bad_words (400), objected_already (409).
    """
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
    """Store an admin's answer to an appeal.

    Raises as `check_may` does, and `DomainError` no_objection, answered_already (409).
    """
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
    """Return the sanctions against `user`, the newest first. They do not name the admins."""
    return Sanction.objects.filter(user=user)


def sanction_data(measure: Sanction) -> dict[str, object]:
    """Return a sanction as its person sees it, as JSON data."""
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
