"""People sign up, are renamed and leave. Logs hold only their ids, so a name is one row, changed in one place."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any, Final
from urllib.parse import unquote

from allauth.core import ratelimit
from django.contrib.auth import get_user_model, login, logout
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError, transaction
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.http import HttpRequest
from django.utils.translation import gettext as _

from games.accounts import access, names
from games.accounts.models import Profile, ReservedName
from games.accounts.zones import ZONE_COOKIE
from games.common import clock
from games.common.errors import DomainError, Expected
from games.common.prepared import first_row, prepared
from games.common.zones import current_name, known_zones
from games.models import Bot, Game, Player, Seat
from games.play import services as play
from games.play.departures import RESIGNED
from games.play.models import RematchWish
from games.play.signals import leaving, stopped_playing
from games.visibility import acting
from scorebook_games.bots.builtin import BUILTIN_BOTS

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
GUEST_NUMBERS: Final = 9_000
GUEST_RETENTION: Final = timedelta(days=30)
GUEST_NAME_TRIES: Final = 20


class AccountError(DomainError):
    """An account cannot be created, changed or deleted. The sentence says what to do."""


def player_of_user(user: AbstractBaseUser | AnonymousUser) -> Player | None:
    """Return the player that `user` is, or plays as."""
    if bot := acting.bot_of(user):
        return bot
    return first_row(_player_of(user=user.pk)) if user.pk is not None else None


@prepared
def _player_of(*, user: int) -> QuerySet[Player]:
    return Player.objects.filter(user=user)[:1]


def display(user: User) -> str:
    """Return a user's display name."""
    player = player_of_user(user)
    return player.name if player else user.get_username()


def shown_name(user: User) -> str:
    """Return how people call a user, in lists: the player's name, for which the login name is only a key."""
    player = getattr(user, "player", None)
    return player.name if player else user.get_username()


def player_or_name(user: User | None) -> str | Player:
    """Return the player that a user is, or else their name; a placeholder for a deleted user."""
    if user is None:
        return _("a deleted account")
    player: Player | None = getattr(user, "player", None)
    return player or user.get_username()


def check_name(text: str, user: AbstractBaseUser | None = None) -> str:
    """Return `text` as a name for `user`, or for a new user. Raises `AccountError` bad_name, name_taken."""
    try:
        name = names.clean_name(text)
    except names.BadName as error:
        raise AccountError(400, "bad_name", str(error)) from error
    if _is_taken(name, user):
        raise name_taken_error()
    return name


def name_taken_error() -> AccountError:
    """Return the error for a name that another player has."""
    return AccountError(409, "name_taken", _("This name, or one that looks like it, is taken. Choose another."))


def _is_taken(name: str, user: AbstractBaseUser | None) -> bool:
    key = names.name_key(name)
    viewer_id = user.pk if user else 0
    if ReservedName.objects.filter(key=key).exists():
        return True
    if Player.objects.filter(key=key).exclude(user__isnull=False, user=viewer_id).exists():
        return True
    if get_user_model().objects.filter(Q(username__iexact=name) | Q(username=key)).exclude(pk=viewer_id).exists():
        return True
    if Bot.objects.filter(key=key).exists():
        return True
    bots = [*Bot.objects.filter(key=None).values_list("name", flat=True), *BUILTIN_BOTS]
    return key in {names.name_key(bot) for bot in bots}


def create_profile_and_player(user: User, name: str, *, zone: str = "", guest: bool = False) -> Player:
    """Create profile and player of a new user. `name` must be checked. Raises `AccountError` name_taken."""
    Profile.objects.update_or_create(
        user=user, defaults={"guest": guest, **({"zone": zone} if zone in known_zones() else {})}
    )
    return _named(Player(user=user), name)


def _named(player: Player, name: str) -> Player:
    player.name, player.key = name, names.name_key(name)
    try:
        with transaction.atomic():
            player.save()
    except IntegrityError as error:  # somebody took the name after it was checked
        raise name_taken_error() from error
    return player


def profile_of(user: AbstractBaseUser) -> Profile:
    """Return the profile of `user`, created if missing, as for an admin made on the command line."""
    return Profile.objects.get_or_create(user_id=user.pk)[0]


def rename(user: User, text: str) -> Player:
    """Rename `user`, who from now on logs in by the new name. Raises `AccountError`."""
    name = check_name(text, user)
    player = player_of_user(user)
    with transaction.atomic():
        if player is None:
            return create_profile_and_player(user, name, zone=profile_of(user).zone)
        by_name = user.username == player.key
        _named(player, name)  # first, so that of two requests for one name the second is refused here
        if by_name:
            user.username = names.name_key(name)
            user.save(update_fields=["username"])
        return player


def login_name(text: str) -> str:
    """Return the username for what somebody typed to log in.

    This may be a username, a display name, or a name that an admin took away.
    """
    if get_user_model().objects.filter(username=text).exists():
        return text
    persons = Player.objects.filter(user__isnull=False)
    found = persons.filter(Q(name=text) | Q(key=names.name_key(text))).order_by(
        Case(When(name=text, then=0), default=1)
    )
    taken_away = ReservedName.objects.filter(key=names.name_key(text), user__isnull=False).values_list(
        "user__username", flat=True
    )
    return found.values_list("user__username", flat=True).first() or taken_away.first() or text


def browser_zone(request: HttpRequest) -> str:
    """Return the zone that the browser reports; "" if it is unknown."""
    name = unquote(request.COOKIES.get(ZONE_COOKIE, ""))
    return current_name(name) if name in known_zones() else ""


def set_zone(user: AbstractBaseUser, zone: str) -> None:
    """Show times to `user` in `zone`; "" means the browser's zone."""
    Profile.objects.update_or_create(user_id=user.pk, defaults={"zone": current_name(zone)})


def store_browser_zone(user: AbstractBaseUser, request: HttpRequest) -> None:
    """Store the browser's zone for a user who has chosen none, for what is sent while no browser tells: the times in
    emails, and when quiet hours end."""
    if zone := browser_zone(request):
        Profile.objects.filter(user=user.pk, zone="").update(zone=zone)


def remember_zone(sender: Any, user: AbstractBaseUser, request: HttpRequest | None, **_signal: Any) -> None:  # noqa: ARG001
    """Store the browser's zone at login."""
    if request is not None:
        store_browser_zone(user, request)


# -- guests


def player_or_new_guest(request: HttpRequest) -> Player:
    """Return the player of this browser: the one logged in, or a new guest, who is then logged in."""
    user = request.user
    if isinstance(user, User) and user.pk is not None:
        return player_of_user(user) or rename(user, user.username)
    if not ratelimit.consume(request, action="guest"):
        raise AccountError(
            429, "too_many_guests", _("Too many guests have come from your network. Sign up, or try again later.")
        )
    made, player = _new_guest(browser_zone(request))
    login(request, made, backend=BACKEND)
    return player


def _new_guest(zone: str) -> tuple[User, Player]:
    for attempt in range(GUEST_NAME_TRIES):
        number = 1000 + secrets.randbelow(GUEST_NUMBERS * 10**attempt)
        name = f"Guest {number}"
        try:
            with transaction.atomic():
                made = get_user_model().objects.create_user(f"guest-{number}")
                return made, create_profile_and_player(made, name, zone=zone, guest=True)
        except (IntegrityError, AccountError):
            continue
    raise AccountError(503, "no_guests", _("No guest account could be made just now. Try again, or sign up."))


def convert_guest(user: User, *, name: str, password: str) -> Player:
    """Turn a guest's account into a permanent one, with the games played so far. Raises `AccountError`."""
    with transaction.atomic():
        profile = Profile.objects.select_for_update().get(user=user)
        if not profile.guest:
            raise AccountError(409, "no_guest", _("You already have an account."))
        player = Player.objects.get(user=user)
        checked = check_name(name, user)
        _named(player, checked)
        user.username = names.name_key(checked)
        user.set_password(password)
        user.save(update_fields=["username", "password"])
        profile.guest = False
        profile.save(update_fields=["guest"])
        return player


# -- leaving


def deletion_blockers(user: User) -> list[str]:
    """Return what must be done before `user` may delete the account, as sentences."""
    return [str(answer) for _receiver, answer in leaving.send(sender=User, user=user) if answer]


def delete_account(user: User, *, request: HttpRequest | None = None) -> None:
    """Delete the account of `user`. Games stay without the name, and running games are resigned.

    Raises `AccountError` account_needed, with the reasons as its sentence.
    """
    if reasons := deletion_blockers(user):
        raise AccountError(409, "account_needed", " ".join(reasons), reasons=reasons)
    if player := player_of_user(user):
        leave_everything(player)
    user.delete()
    if request is not None:
        logout(request)


def leave_everything(player: Player) -> None:
    """Resign the player's games, leave or decline tables and challenges, and withdraw wishes, so that nobody waits."""
    while games := list(_playing(player)):
        for game in games:
            _resign(game, player)
    stopped_playing.send(sender=Player, player=player)
    seat_of_player = Seat.objects.filter(game=OuterRef("game"), seat=OuterRef("seat"), player=player)
    RematchWish.objects.filter(Exists(seat_of_player), wanted=True).update(wanted=False)


def _playing(player: Player) -> Any:
    seats = Seat.objects.filter(player=player, left="").values("game")
    return Game.objects.filter(pk__in=seats, status=Game.Status.PLAYING)


def _resign(game: Game, player: Player) -> None:
    """Leave a game that may just have ended by itself."""
    with Expected("game_over", "not_your_seat"):
        play.leave_game(game=game, seat=game.seats.get(player=player).seat, how=RESIGNED)


def anonymise_player(player: Player) -> None:
    """Remove the name from `player`, whose old games keep the seat."""
    player.user = None
    player.key = None
    player.name = f"Former player {player.pk}"
    player.save(update_fields=["user", "key", "name"])


def anonymise_deleted_user(sender: type[User], instance: User, **_signal: Any) -> None:  # noqa: ARG001
    """Remove the name before a user's row is deleted, by whatever way, and resign running games."""
    if player := player_of_user(instance):
        leave_everything(player)
        anonymise_player(player)
    access.end_all(instance.pk)


def delete_old_guests() -> int:
    """Delete guests older than thirty days who play no game now; return how many."""
    before = clock.now() - GUEST_RETENTION
    playing = Seat.objects.filter(left="", game__status=Game.Status.PLAYING).values("player__user")
    old = get_user_model().objects.filter(profile__guest=True, date_joined__lt=before)
    unused = list(old.exclude(pk__in=playing.filter(player__user__isnull=False)))
    return sum(_forget_guest(user) for user in unused)


def _forget_guest(user: User) -> bool:
    """Return whether a guest could be deleted. One who cannot does not stop the others."""
    try:
        delete_account(user)
    except AccountError:
        return False
    return True
