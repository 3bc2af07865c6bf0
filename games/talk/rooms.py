"""Rooms, where messages are read and written: who may, and what. Only this module decides for games.

- At a `table` the players of a game talk, from its beginning, and nobody else reads it.
- The `spectators` of a game are apart from its players, whom they could tell what they know. In a rated or sealed game,
  and while another game of the same deal is on, they talk only when everything may be seen (`observe.is_fully_open`).
  Players come in then, too.

Other apps add rooms of theirs (`add_room`), and leagues say what a game's club allows (`register_club_rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts.models import Profile
from games.common.errors import DomainError
from games.models import Game, Seat
from games.play import services as play
from games.talk.switch import TalkSwitch
from games.visibility import acting, observe

RequestUser = User | AnonymousUser
TABLE: Final = "table"
SPECTATORS: Final = "spectators"
OF_GAMES: Final = (TABLE, SPECTATORS)


@dataclass(frozen=True, slots=True)
class Room:
    """A room as one user finds it.

    - `key` names it in addresses, `pk` in rows; `address` is the page that it belongs to.
    - `switch` says what the user may write: the club's choice, and for guests no free text.
    - `refusal` says why they may neither read nor write.
    - `is_live`: a new message is announced on the stream that its readers hold.
    """

    place: str
    pk: int
    key: str
    title: str
    about: str
    address: str
    switch: str = TalkSwitch.ON
    may_remove: bool = False
    refusal: DomainError | None = None
    is_live: bool = False

    @property
    def takes_text(self) -> bool:
        return self.switch == TalkSwitch.ON


class ClubRules(NamedTuple):
    """What a club's switch says, and whether the user may remove messages there."""

    switch: str
    organises: bool


class RoomFinder(NamedTuple):
    """Finds rooms of one sort, by the key in addresses or by a message's id. Both raise `DomainError` (404)."""

    by_key: Callable[[str, RequestUser], Room]
    by_pk: Callable[[int, RequestUser], Room]


ROOMS: Final[dict[str, RoomFinder]] = {}
_club_rules: list[Callable[[int, RequestUser], ClubRules]] = []


def add_room(place: str, finder: RoomFinder) -> None:
    """Let another app have a room."""
    ROOMS[place] = finder


def register_club_rules(rules: Callable[[int, RequestUser], ClubRules]) -> None:
    """Let `rules` say what a club allows."""
    _club_rules.append(rules)


def find_room(place: str, key: str, user: RequestUser) -> Room:
    """Return a room as `user` finds it, with a refusal or without. Raises `DomainError` room_not_found,
    game_not_found (404)."""
    if place not in ROOMS:
        raise room_not_found()
    return with_rights(ROOMS[place].by_key(key, user), user)


def room_of(place: str, pk: int, user: RequestUser) -> Room:
    """Return the room of a message. Raises as `find_room` does."""
    if place not in ROOMS:
        raise room_not_found()
    return with_rights(ROOMS[place].by_pk(pk, user), user)


def room_not_found() -> DomainError:
    """Return the error for a room that does not exist, or not for this user."""
    return DomainError(404, "room_not_found", _("There is nothing to talk about at this address."))


def with_rights(room: Room, user: RequestUser) -> Room:
    """Return the room with what holds in every room: one must have logged in, and guests use quick phrases."""
    refusal, switch = room.refusal, room.switch
    if user.pk is None:
        refusal = DomainError(403, "not_signed_in", _("Log in first to read and write messages."))
    elif switch == TalkSwitch.OFF:
        refusal = DomainError(403, "talk_off", _("The club has switched messages off."))
    elif refusal is None and switch == TalkSwitch.ON and Profile.objects.filter(user=user.pk, guest=True).exists():
        switch = TalkSwitch.PHRASES
    return replace(room, refusal=refusal, switch=switch, may_remove=room.may_remove and refusal is None)


def refused_for_now(sentence: str) -> DomainError:
    """Return the error for somebody who may come in later."""
    return DomainError(403, "talk_later", sentence)


# the rooms of a game


def game_room(place: str, game: Game, user: RequestUser) -> Room:
    """Return the room of a game's players or of its spectators."""
    rules = ClubRules(TalkSwitch.ON, organises=False)
    for registered in _club_rules if game.audience_club_id is not None else []:
        rules = registered(game.audience_club_id or 0, user)
    refusal = (table_refusal if place == TABLE else spectators_refusal)(game, user)
    at_table = place == TABLE
    return Room(
        place=place,
        pk=game.pk,
        key=game.public_id,
        title=_("Talk at the table") if at_table else _("Talk of the spectators"),
        about=_("Only the players of this game read it.") if at_table else _("Players read it when the game is over."),
        address=reverse("replay", args=[game.public_id]),
        switch=rules.switch,
        may_remove=rules.organises,
        refusal=refusal,
        is_live=at_table,
    )


def table_refusal(game: Game, user: RequestUser) -> DomainError | None:
    """Return why `user` may not talk at the table: they have no seat there."""
    if has_seat(user, game=game):
        return None
    return DomainError(403, "not_at_table", _("Only the players of this game talk at its table."))


def spectators_refusal(game: Game, user: RequestUser) -> DomainError | None:
    """Return why `user` may not talk with the spectators now."""
    if observe.is_fully_open(game):
        return None
    if game.terms["sealed"] or Game.objects.filter(deal=game.deal_id).exclude(pk=game.pk).exists():
        return refused_for_now(_("Spectators talk when all games with the same deal are over."))
    if game.terms["rated"]:
        return refused_for_now(_("This game is rated: spectators talk when it is over."))
    if has_seat(user, game=game):
        return refused_for_now(_("You play in this game. You may talk with its spectators when it is over."))
    return None


def has_seat(user: RequestUser, **of_game: object) -> bool:
    """Return whether `user` has or had a seat there."""
    return user.pk is not None and Seat.objects.filter(acting.rows_of_user(user), **of_game).exists()


def game_finder(place: str) -> RoomFinder:
    """Return how a room of games is found."""

    def by_pk(pk: int, user: RequestUser) -> Room:
        found = Game.objects.filter(pk=pk).values_list("public_id", flat=True).first()
        return game_room(place, play.find_game(found or "", user), user)

    return RoomFinder(lambda key, user: game_room(place, play.find_game(key, user), user), by_pk)


for each in OF_GAMES:
    add_room(each, game_finder(each))
