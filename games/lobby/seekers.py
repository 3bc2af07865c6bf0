"""A game now: people who wait for somebody with about their rating, for one kind and one pace.

Whoever asks is paired with a person who waits, and waits themselves if nobody fits. A page that waits asks again every
few seconds. That shows that it is still open, and widens the search with time. So nobody is paired with a page that was
closed. After a minute it offers a built-in bot. Nobody is paired with a person whom they have muted, or who has muted
them.

The game is rated if both have asked for that (`tournaments.ratings.casual`). Who did not ask is still paired with who
did, so that nobody waits longer for it. Games with a built-in bot are never rated: a bot agrees to nothing, and could
be played again and again.

Requests for one kind and pace follow one another (an advisory lock), so that two who ask at the same moment find each
other. Each request locks its player before that, and leaves out people who are locked. The row of a person who was
paired stays for a while with the game, which is the answer to a second request: so nobody is paired twice. The game
itself begins at an open table (`games.lobby.opening`), like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from games.common import clock
from games.common.errors import DomainError
from games.lobby import opening
from games.lobby.models import Chair, OpenTable, Seeker
from games.lobby.services import check_quota, is_guest, lock_player, seat_bots
from games.lobby.table_request import CLOCK_CHOICES, TableRequest, complete_request
from games.models import Game, Player
from games.play.roster import builtin_bots_for
from scorebook_games.registry import KINDS

PACES: Final = ("live", "slow", "day")  # of CLOCK_CHOICES
GONE_AFTER: Final = timedelta(seconds=20)  # without a sign of the page or program that waits
BOT_AFTER: Final = timedelta(seconds=60)
UNRATED: Final = 1500.0
FIRST_WIDTH: Final = 100.0  # rating points that are looked at first
WIDER_PER_SECOND: Final = 10.0
FALLBACK_BOT: Final = "sensible"

Strengths = Callable[[str, Sequence[int]], Mapping[int, float]]
_strengths: list[Strengths] = []
Apart = Callable[[Player], Iterable[int]]
_apart: list[Apart] = []


def register_strengths(strengths: Strengths) -> None:
    """Let `strengths` return the ratings that players (ids) have in a kind; who has none is left out."""
    _strengths.append(strengths)


def register_apart(apart: Apart) -> None:
    """Let `apart` return the players (ids) with whom a player is not paired."""
    _apart.append(apart)


def seek(*, player: Player, kind: str, pace: str, rated: bool = False) -> Game | None:
    """Pair `player` with somebody who waits, and return their game; None while they wait.

    Asking again shows that they still wait, and finds the game that somebody else has opened with them meanwhile.
    Another kind or pace takes the place of the first one. A `rated` game needs that the other asks for it, too. Raises
    `DomainError` bad_option (400), guest_not_rated (403), too_many_tables, too_many_games (409).
    """
    check_wish(kind, pace)
    if rated and is_guest(player):
        sentence = _("Guests play unrated games. Sign up to play rated ones; you keep your games.")
        raise DomainError(403, "guest_not_rated", sentence, "rated")
    rating = rating_of(kind, player)
    with transaction.atomic():
        lock_player(player)
        now = clock.now()
        waiting = Seeker.objects.select_related("game").filter(player=player).first()
        if (begun := game_begun(waiting, now)) is not None:
            return begun
        if waiting is None or not waits_for(waiting, kind, pace, now):
            check_quota(player)
            values = {"kind": kind, "pace": pace, "rating": rating, "created": now, "seen_at": now, "game": None}
            waiting = Seeker.objects.update_or_create(player=player, defaults=values)[0]
        _one_at_a_time(kind, pace)
        other = find_match(waiting, now)
        if other is None:
            Seeker.objects.filter(pk=waiting.pk).update(seen_at=now, rated=rated)
            return None
        return open_game_of(waiting, [other.player, player], rated=rated and other.rated)


def waits_for(waiting: Seeker, kind: str, pace: str, now: datetime) -> bool:
    """Return whether somebody waits for this, and is still there."""
    return waiting.game is None and (waiting.kind, waiting.pace) == (kind, pace) and not is_gone(waiting, now)


def game_begun(waiting: Seeker | None, now: datetime) -> Game | None:
    """Return the running game that has just begun for somebody, so that a second request does not begin another."""
    if waiting is None or waiting.game is None or is_gone(waiting, now):
        return None
    return waiting.game if waiting.game.status == Game.Status.PLAYING else None


def check_wish(kind: str, pace: str) -> None:
    """Raise `DomainError` bad_option (400) unless two people can play this kind at this pace."""
    if kind not in KINDS:
        raise DomainError(400, "bad_option", _("There is no such game."), "kind", option="kind")
    if pace not in PACES:
        sentence = _("The pace must be one of {known}.").format(known=", ".join(PACES))
        raise DomainError(400, "bad_option", sentence, "pace", option="pace")
    complete_request(wish_of(kind, pace))


def wish_of(kind: str, pace: str, *, rated: bool = False) -> TableRequest:
    """Return what is played: the kind's own options, for two."""
    terms, access = CLOCK_CHOICES[pace][1], OpenTable.Access.INVITED
    return TableRequest(kind=kind, seats=2, terms=terms, access=access, rated=rated)


def find_match(waiting: Seeker, now: datetime) -> Seeker | None:
    """Return who fits best of those who wait, locked with their player: both searches must reach the other's rating."""
    rows = Seeker.objects.filter(kind=waiting.kind, pace=waiting.pace, game=None, seen_at__gt=now - GONE_AFTER)
    apart = {waiting.player_id}.union(*(others(waiting.player) for others in _apart))
    fits = [row for row in rows.exclude(player__in=apart) if reaches(waiting, row, now)]
    for row in sorted(fits, key=lambda row: (abs(row.rating - waiting.rating), row.created)):
        free = Player.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
        if free.filter(pk=row.player_id, user__is_active=True).first() is None:
            continue  # they are asking or cancelling at this moment
        found = Seeker.objects.select_related("player").filter(pk=row.pk, kind=row.kind, pace=row.pace, game=None)
        if (other := found.first()) is not None and may_play(other.player):
            return other
    return None


def reaches(one: Seeker, other: Seeker, now: datetime) -> bool:
    """Return whether both searches are wide enough by now."""
    apart = abs(one.rating - other.rating)
    return apart <= width(one, now) and apart <= width(other, now)


def width(waiting: Seeker, now: datetime) -> float:
    """Return how many rating points a search reaches: more with each second."""
    return FIRST_WIDTH + WIDER_PER_SECOND * (now - waiting.created).total_seconds()


def may_play(player: Player) -> bool:
    """Return whether somebody who waits may still begin a game."""
    try:
        check_quota(player)
    except DomainError:
        return False
    return True


def open_game_of(waiting: Seeker, players: Sequence[Player], bots: Sequence[str] = (), *, rated: bool = False) -> Game:
    """Open the game of these people and bots, at a table of which all seats are taken. The last of the people was seen
    just now."""
    wish = wish_of(waiting.kind, waiting.pace, rated=rated)
    agreed, now = complete_request(wish), clock.now()
    table = OpenTable.objects.create(
        kind=waiting.kind,
        chairs_wanted=agreed.seats,
        options=agreed.options,
        terms=agreed.terms.plain(),
        access=wish.access,
        host=players[0],
        created=now,
        expires=now + agreed.lasts,
    )
    for number, player in enumerate(players):
        Chair.objects.create(table=table, number=number, player=player, taken_at=now)
    seat_bots(table, bots)
    opening.open_when_complete(table, players[-1])
    assert table.game  # everybody has just sat down, so nobody has to confirm
    Seeker.objects.filter(player__in=players).update(game=table.game, seen_at=now)
    return table.game


def play_bot(*, player: Player) -> Game:
    """Play against the built-in bot of about one's strength instead of waiting longer. Raises `DomainError`
    not_seeking, too_early (409)."""
    with transaction.atomic():
        lock_player(player)
        waiting = Seeker.objects.select_related("game").filter(player=player).first()
        if (begun := game_begun(waiting, clock.now())) is not None:
            return begun
        if waiting is None or waiting.game is not None:
            raise DomainError(409, "not_seeking", _("You are not waiting for a game."))
        if offered_bot(waiting) is None:
            raise DomainError(409, "too_early", _("A built-in bot is offered after a minute."))
        check_quota(player)
        return open_game_of(waiting, [player], [bot_for(waiting)])


def offered_bot(waiting: Seeker) -> str | None:
    """Return the built-in bot that is offered by now."""
    return bot_for(waiting) if clock.now() - waiting.created >= BOT_AFTER else None


def bot_for(waiting: Seeker) -> str:
    """Return the built-in bot whose rating is nearest; without ratings, the usual one."""
    offered = builtin_bots_for(waiting.kind)
    rows = Player.objects.filter(bot_version__bot__owner=None, bot_version__program__in=offered)
    players = dict(rows.values_list("pk", "bot_version__program"))
    known = strengths_of(waiting.kind, list(players))
    if known:
        nearest = min(known, key=lambda pk: abs(known[pk] - waiting.rating))
        return players[nearest]
    return FALLBACK_BOT if FALLBACK_BOT in offered else offered[0]


def strengths_of(kind: str, players: Sequence[int]) -> dict[int, float]:
    """Return the ratings of these players in a kind, as far as they have one."""
    found: dict[int, float] = {}
    for strengths in _strengths:
        found |= strengths(kind, players)
    return found


def rating_of(kind: str, player: Player) -> float:
    """Return the rating of a player in a kind, or that of a beginner."""
    return strengths_of(kind, [player.pk]).get(player.pk, UNRATED)


def cancel(*, player: Player) -> None:
    """Wait no longer. A game that has begun meanwhile stays."""
    with transaction.atomic():
        lock_player(player)
        Seeker.objects.filter(player=player).delete()


def seeker_of(player: Player | None) -> Seeker | None:
    """Return how `player` waits; None if they do not."""
    if player is None:
        return None
    found = Seeker.objects.select_related("game").filter(player=player).first()
    return None if found is None or is_gone(found, clock.now()) else found


def is_gone(waiting: Seeker, now: datetime) -> bool:
    """Return whether nobody waits there any more."""
    return waiting.seen_at < now - GONE_AFTER


def delete_gone() -> int:
    """Delete the rows of those who have gone away; return how many."""
    return gone_seekers().delete()[0]


def gone_seekers() -> QuerySet[Seeker]:
    return Seeker.objects.filter(seen_at__lt=clock.now() - GONE_AFTER)


def _one_at_a_time(kind: str, pace: str) -> None:
    """Let the requests for one kind and pace follow one another until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('seek'), hashtext(%s))", [f"{kind} {pace}"])
