"""The services of tables that wait: set up, sit down, leave, close. Pages and the API call them.

Each change locks the table's row, so simultaneous requests see one another: of two people who want the last seat one
gets it, and the game is opened once. The player's row is locked before the table's, with a lock that does not stop a
game from referring to the player.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from games.accounts import speech
from games.accounts.models import Profile
from games.common import clock
from games.common.errors import DomainError
from games.lobby import notifications as lobby_notifications
from games.lobby import opening
from games.lobby.models import Chair, OpenTable
from games.lobby.table_request import TableRequest, check_bot, complete_request
from games.models import Game, Player, Seat
from games.play.roster import ensure_builtin_bot
from scorebook_games.contract import OptionError

MAX_WAITING_TABLES: Final = 3  # tables at which somebody may wait at a time
MAX_RUNNING_GAMES: Final = 20  # running games from tables that somebody may have
MAX_RUNNING_GAMES_OF_GUEST: Final = 4
MAX_INVITATIONS_TO_ONE: Final = 3  # the period of this limit
INVITATION_WINDOW: Final = timedelta(hours=1)
TABLE_RETENTION: Final = timedelta(days=30)
OPEN_STATUSES: Final = (OpenTable.Status.WAITING, OpenTable.Status.CHECKING)


def find_table(token: str) -> OpenTable:
    """Return the table with this token. Raises `DomainError` table_not_found."""
    found = OpenTable.objects.select_related("host", "game").filter(token=token).first()
    if found is None:
        raise _not_found()
    return found


def may_see_table(table: OpenTable, player: Player | None) -> bool:
    """Return whether `player` may see the table: everybody with the link, except for a table for invited people."""
    if table.access != OpenTable.Access.INVITED:
        return True
    return player is not None and table.chairs.filter(player=player).exists()


def listed_tables() -> QuerySet[OpenTable]:
    """Return the tables where anybody may sit down, the newest first, with all that a list shows. Three queries."""
    on = OpenTable.objects.filter(access=OpenTable.Access.LISTED, status__in=OPEN_STATUSES, expires__gt=clock.now())
    return on.select_related("host__bot_version").prefetch_related("chairs__player__bot_version")


def tables_of_player(player: Player) -> QuerySet[OpenTable]:
    """Return the tables where `player` waits or is invited."""
    tables_of_player = OpenTable.objects.filter(
        chairs__player=player, status__in=OPEN_STATUSES, expires__gt=clock.now()
    )
    return tables_of_player.select_related("host__bot_version").prefetch_related("chairs__player__bot_version")


def create_table(*, host: Player, wish: TableRequest) -> OpenTable:
    """Create a table as `wish` says, with `host` in a seat. If no seat stays free, the game is opened at once.

    Raises `DomainError` bad_option, not_rated (400), bad_guest (403), too_many_tables, too_many_games (409),
    too_many_challenges (429).
    """
    agreed = complete_request(wish)
    _check_invited(host, wish.invited)
    now = clock.now()
    with transaction.atomic():
        lock_player(host)
        check_quota(host)
        made = OpenTable.objects.create(
            kind=wish.kind,
            chairs_wanted=agreed.seats,
            options=agreed.options,
            terms=agreed.terms.plain(),
            access=wish.access,
            order=wish.order,
            host=host,
            created=now,
            expires=now + agreed.lasts,
        )
        Chair.objects.create(table=made, number=wish.chair, player=host, taken_at=now)
        for player in wish.invited:
            _invite(made, player)
        seat_bots(made, wish.bots)
        opening.open_when_complete(made, host)
    return made


def check_chair_free(table: OpenTable) -> None:
    """Raise `DomainError` table_full, table_over if only invited people can sit down."""
    _check_on(table)
    _free_chair(table, None)


def sit(*, table: OpenTable, player: Player, chair: int | None = None) -> OpenTable:
    """Seat `player`: in the seat kept for them, in `chair`, or in the first free one. The last one opens the game.

    A player who already sits there stays in that seat. Raises `DomainError` 403 not_invited; 409 table_full,
    chair_taken, table_over, too_many_tables, too_many_games.
    """
    with transaction.atomic():
        lock_player(player)
        locked = _lock_table(table)
        players_chair = locked.chairs.filter(player=player).first()
        if players_chair and players_chair.taken_at:
            return locked
        _check_on(locked)
        if players_chair is None and locked.access == OpenTable.Access.INVITED:
            raise DomainError(403, "not_invited", _("This table is only for players its host has invited."))
        number = players_chair.number if players_chair else _free_chair(locked, chair)
        check_quota(player)
        Chair.objects.update_or_create(
            table=locked, player=player, defaults={"number": number, "taken_at": clock.now(), "ready": False}
        )
        lobby_notifications.settle_invitation(locked, [player])
        opening.open_when_complete(locked, player)
    return locked


def leave_table(*, table: OpenTable, player: Player) -> OpenTable:
    """Leave the table; if the host leaves, it is closed. Raises `DomainError` 403 not_at_table, 409 table_over."""
    with transaction.atomic():
        locked = _lock_table(table)
        _check_on(locked)
        players_chair = _chair_of(locked, player)
        if locked.host_id == player.pk:
            _close(locked, player)
        else:
            players_chair.delete()
            _wait_again(locked, [player])
    return locked


def decline_invitation(*, table: OpenTable, player: Player) -> OpenTable:
    """Decline an invitation and notify the host. A table to which nobody else can come is closed.

    Raises `DomainError` 403 not_at_table, 409 table_over.
    """
    with transaction.atomic():
        locked = _lock_table(table)
        _check_on(locked)
        players_chair = _chair_of(locked, player)
        if players_chair.taken_at is not None or locked.host_id == player.pk:
            raise DomainError(409, "sits_already", _("You already have a seat at this table."))
        players_chair.delete()
        others = locked.chairs.exclude(player=locked.host).filter(player__bot_version=None)
        if locked.access == OpenTable.Access.INVITED and not others.exists():
            _end(locked, OpenTable.Status.CLOSED)
        lobby_notifications.notify_declined(locked, player)
    return locked


def withdraw_from_all(player: Player) -> None:
    """Withdraw a player who leaves for good: from all tables, their own are closed, and challenges are declined."""
    for table in OpenTable.objects.filter(chairs__player=player, status__in=OPEN_STATUSES):
        with suppress(DomainError):  # over by now
            sits = table.chairs.filter(player=player, taken_at__isnull=False).exists()
            (leave_table if sits else decline_invitation)(table=table, player=player)


def close(*, table: OpenTable, player: Player) -> OpenTable:
    """Close the table for its host. Raises `DomainError` 403 not_host, 409 table_over."""
    with transaction.atomic():
        locked = _lock_table(table)
        _check_host(locked, player)
        if locked.status == OpenTable.Status.CLOSED:
            return locked
        _check_on(locked)
        _close(locked, player)
    return locked


def fill(*, table: OpenTable, player: Player, bot: str) -> OpenTable:
    """Seat the built-in bot `bot` in every free seat. The game opens unless somebody is still invited.

    Raises `DomainError` 400 bad_option, 403 not_host, 409 table_over.
    """
    with transaction.atomic():
        locked = _lock_table(table)
        _check_host(locked, player)
        _check_on(locked)
        try:
            check_bot(locked.kind, bot)
        except OptionError as error:
            raise DomainError(400, error.code, error.sentence, option=error.option) from error
        seat_bots(locked, [bot] * len(_free(locked)))
        opening.open_when_complete(locked, player)
    return locked


def invite(*, table: OpenTable, player: Player, guests: Sequence[Player]) -> OpenTable:
    """Invite people, each to a free seat.

    Raises `DomainError` 403 not_host, bad_guest; 409 table_over, table_full; 429 too_many_challenges.
    """
    with transaction.atomic():
        locked = _lock_table(table)
        _check_host(locked, player)
        _check_on(locked)
        here = set(locked.chairs.values_list("player", flat=True))
        asked = [guest for guest in guests if guest.pk not in here]
        _check_invited(player, asked)
        for guest in asked:
            _invite(locked, guest)
    return locked


def mark_ready(*, table: OpenTable, player: Player) -> OpenTable:
    """Record “I am here” at a table whose seats are all taken. When everybody has said it, the game opens.

    Raises `DomainError` 403 not_at_table, 409 table_over, not_called.
    """
    with transaction.atomic():
        locked = _lock_table(table)
        players_chair = _chair_of(locked, player)
        if locked.status == OpenTable.Status.OPENED:
            return locked
        _check_on(locked)
        if locked.status != OpenTable.Status.CHECKING:
            raise DomainError(
                409,
                "not_called",
                _("A seat has become free again. You will be asked to confirm when all seats are taken."),
            )
        players_chair.ready = True
        players_chair.save(update_fields=["ready"])
        lobby_notifications.withdraw_ready_check(locked, [player])
        opening.open_when_complete(locked)
    return locked


def rated_tables() -> QuerySet[OpenTable]:
    """Return the tables of which the game is rated because all its players asked for that."""
    return OpenTable.objects.filter(terms__rated=True, game__isnull=False)


def mark_settled(tables: Iterable[OpenTable]) -> None:
    """Record that the games of these tables were rated, or found not to count."""
    OpenTable.objects.filter(pk__in=[table.pk for table in tables]).update(settled_at=clock.now())


def expire_due_tables(limit: int = 100) -> int:
    """Free the seats of people who did not answer, close empty tables, and delete old ones; return how many changed."""
    now = clock.now()
    due = Q(expires__lte=now) | Q(check_until__lte=now) | Q(host__user=None)
    on = OpenTable.objects.filter(due, status__in=OPEN_STATUSES)
    changed = sum(_expire(found) for found in on.order_by("pk")[:limit])
    OpenTable.objects.filter(game=None, expires__lt=now - TABLE_RETENTION).delete()
    return changed


def _expire(table: OpenTable) -> bool:
    with transaction.atomic():
        locked = OpenTable.objects.select_for_update(skip_locked=True, of=("self",)).filter(pk=table.pk).first()
        now = clock.now()
        if locked is None or not locked.is_on:
            return False
        if locked.host.user_id is None:
            _close(locked, locked.host)
        elif locked.check_until and locked.check_until <= now:
            _clear_absent(locked)
        elif locked.expires <= now:
            lobby_notifications.notify_closed(locked, _chairs(locked), by=locked.host)
            _end(locked, OpenTable.Status.EXPIRED)
    return True


def _clear_absent(held: OpenTable) -> None:
    """Free the seats of people who did not say “I am here” in time. A table without its host is closed."""
    absent = held.chairs.filter(player__bot_version=None, ready=False)
    people = [chair.player for chair in absent.select_related("player")]
    if held.host in people:
        _close(held, held.host)
    else:
        absent.delete()
        _wait_again(held, people)


def _wait_again(held: OpenTable, gone: Sequence[Player]) -> None:
    """Wait for people again, in the seat of those who have `gone`.

    Earlier answers no longer count, and people at the table count as just seen.
    """
    if held.status == OpenTable.Status.CHECKING:
        lobby_notifications.withdraw_ready_check(held, [*gone, *(chair.player for chair in _chairs(held))])
        held.chairs.filter(ready=True).update(ready=False, taken_at=clock.now())
        held.status, held.check_until = OpenTable.Status.WAITING, None
        held.save(update_fields=["status", "check_until"])


def _close(held: OpenTable, by: Player) -> None:
    lobby_notifications.notify_closed(held, _chairs(held), by=by)
    _end(held, OpenTable.Status.CLOSED)


def _end(held: OpenTable, status: OpenTable.Status) -> None:
    held.status, held.check_until = status, None
    held.save(update_fields=["status", "check_until"])


def _chairs(held: OpenTable) -> list[Chair]:
    return list(held.chairs.select_related("player"))


def _lock_table(table: OpenTable) -> OpenTable:
    """Lock the table's row until the transaction ends. Its host's row is not read again."""
    locked = (
        OpenTable.objects.select_for_update(of=("self",)).select_related("host", "game").filter(pk=table.pk).first()
    )
    if locked is None:
        raise _not_found()
    locked.chairs.filter(player__user=None, player__bot_version=None).delete()  # of deleted accounts
    return locked


def lock_player(player: Player) -> None:
    """Lock a player's row, so that nobody sits down at two tables at once, exceeding the limit."""
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)


def _not_found() -> DomainError:
    return DomainError(404, "table_not_found", _("There is no such table. Ask for the link again."))


def _check_on(held: OpenTable) -> None:
    if held.status == OpenTable.Status.OPENED:
        raise DomainError(
            409, "table_full", _("The last seat has just been taken, and the game has begun without you.")
        )
    if not held.is_on or held.expires <= clock.now():
        raise DomainError(409, "table_over", _("This table is closed. You can open a new one."))


def _check_host(held: OpenTable, player: Player) -> None:
    if held.host_id != player.pk:
        raise DomainError(403, "not_host", _("Only the host of the table can do that."))


def _chair_of(held: OpenTable, player: Player) -> Chair:
    players_chair = held.chairs.filter(player=player).first()
    if players_chair is None:
        raise DomainError(403, "not_at_table", _("You have no seat at this table."))
    return players_chair


def _free(held: OpenTable) -> list[int]:
    taken = set(held.chairs.values_list("number", flat=True))
    return [number for number in range(held.chairs_wanted) if number not in taken]


def _free_chair(held: OpenTable, wanted: int | None) -> int:
    free = _free(held)
    if not free:
        sentence = _("No seat is free any more: all are taken or reserved.")
        raise DomainError(409, "table_full", sentence)
    if wanted is None:
        return free[0]
    if wanted not in free:
        raise DomainError(409, "chair_taken", _("This seat is taken. Choose another."), free=free)
    return wanted


def _invite(held: OpenTable, player: Player) -> None:
    number = _free_chair(held, None)
    Chair.objects.create(table=held, number=number, player=player)
    lobby_notifications.notify_invited(held, player, held.host)


def seat_bots(held: OpenTable, bots: Iterable[str]) -> None:
    """Seat each bot in a free seat. A second one of a sort gets another name."""
    here = set(held.chairs.values_list("player", flat=True))
    for bot in bots:
        number = 1
        while (player := ensure_builtin_bot(bot, number)).pk in here:
            number += 1
        here.add(player.pk)
        Chair.objects.create(table=held, number=_free(held)[0], player=player, taken_at=clock.now())


def _check_invited(host: Player, invited: Sequence[Player]) -> None:
    """Check that only people are invited, and by somebody with an account, so that challenges have a known sender."""
    if not invited:
        return
    if is_guest(host):
        raise DomainError(
            403, "bad_guest", _("Sign up to challenge players. As a guest you can share the link of your table.")
        )
    speech.check_may_write(host.user_id)
    away = Q(guest=True) | Q(user__is_active=False)
    guests = Profile.objects.filter(away, user__in=[player.user_id for player in invited if player.user_id])
    if any(player.user_id is None or player.pk == host.pk for player in invited) or guests.exists():
        raise DomainError(403, "bad_guest", _("You can only challenge other people who have an account."))
    for player in invited:
        if (
            lobby_notifications.invitation_count(player, host, clock.now() - INVITATION_WINDOW)
            >= MAX_INVITATIONS_TO_ONE
        ):
            sentence = _("You have invited {name} {most_asked} times within an hour. Wait for an answer first.").format(
                name=player.name, most_asked=MAX_INVITATIONS_TO_ONE
            )
            raise DomainError(429, "too_many_challenges", sentence)
    if len({player.pk for player in invited}) < len(invited):
        raise DomainError(
            400, "bad_option", _("A player can have only one seat. Name each player once."), option="invited"
        )


def is_guest(player: Player) -> bool:
    """Return whether `player` plays without an account."""
    return Profile.objects.filter(user=player.user_id, guest=True).exists() if player.user_id else False


def check_quota(player: Player) -> None:
    """Raise `DomainError` if somebody waits at too many tables or has too many games running."""
    sits = Chair.objects.filter(player=player, taken_at__isnull=False, table__status__in=OPEN_STATUSES)
    if sits.filter(table__expires__gt=clock.now()).count() >= MAX_WAITING_TABLES:
        sentence = _("You are already waiting at {most_waiting} tables. Leave one of them first.").format(
            most_waiting=MAX_WAITING_TABLES
        )
        raise DomainError(409, "too_many_tables", sentence)
    limit = MAX_RUNNING_GAMES_OF_GUEST if is_guest(player) else MAX_RUNNING_GAMES
    if _running(player) >= limit:
        sentence = _("You already have {most} games in progress. Finish or resign one of them first.").format(
            most=limit
        )
        raise DomainError(409, "too_many_games", sentence)


def _running(player: Player) -> int:
    """Return the games from tables that `player` plays now, including rematches."""
    casual = Game.objects.filter(Q(table__isnull=False) | Q(rematch_of__isnull=False), status=Game.Status.PLAYING)
    sits = Seat.objects.filter(game=OuterRef("pk"), player=player, left="")
    return casual.filter(Exists(sits)).count()
