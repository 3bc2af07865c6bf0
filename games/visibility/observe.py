"""What a viewer may see: the only exit of hidden things.

Three things are kept in here. What a seat or the public may not know while a game is on comes out when it is over. A
*sealed* game shows the public nothing, and nobody its result, until the last game of its deal is over. Seed, salt and
heads never come out while any game of the deal is unfinished: from two heads a hidden card is found by trying all.
Staff have no other eyes than everybody.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import DateTimeField, ExpressionWrapper, IntegerField, Q, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.engines.base import REDACTED
from games.eventlog import store as eventlog
from games.gamelog import events as ev
from games.gamelog.events import Log, RecordedEvent, events_of
from games.gamelog.fold import fold_game
from games.gamelog.visibility import ALL, PUBLIC, Viewpoint, observation, redact
from games.kinds import rules_for
from games.models import Game, Seat
from games.visibility import acting, audience
from games.visibility.thumbnails import Thumbnail, thumbnail

User = AbstractBaseUser | AnonymousUser


def seat_or_public(game: Game, user: User) -> Viewpoint:
    """The seat of `user` in the game, or `PUBLIC`. Who has left sees no more than the public, nor does who looks on in
    support."""
    if user.pk is None or acting.is_impersonated(user):
        return PUBLIC
    return Seat.objects.filter(acting.rows_of_user(user), game=game, left="").values_list("seat", flat=True).first()


def allowed_viewpoints(game: Game, user: User) -> list[Viewpoint]:
    """Whose eyes `user` may look through, the best first; [] for a sealed game that is not theirs."""
    seats: list[Viewpoint] = list(range(Seat.objects.filter(game=game).count()))
    if is_fully_open(game):
        return [ALL, *seats, PUBLIC]
    own = seat_or_public(game, user)
    mine: list[Viewpoint] = [] if own is PUBLIC else [own]
    return mine if is_sealed(game) else [*mine, PUBLIC]


def requested_viewpoint(game: Game, user: User, eyes: str | None = None) -> Viewpoint:
    """The viewer that `user` asks for with `eyes` ("public", a seat's number, "all"; None or "" for the best).

    Raises `DomainError` game_not_found (404) for a game that is not for `user`, bad_eyes (400), sealed (403),
    not_your_eyes (403).
    """
    if not audience.is_visible(game, user):
        raise game_not_found()
    allowed = allowed_viewpoints(game, user)
    if not allowed:
        raise DomainError(403, "sealed", _("This game is sealed until all games with the same deal are over."))
    if not eyes:
        return allowed[0]
    viewer = parse_viewpoint(eyes, Seat.objects.filter(game=game).count())
    if viewer not in allowed:
        sentence = _("While a game is in progress you can see it only from your own view or the public one.")
        raise DomainError(403, "not_your_eyes", sentence, allowed_eyes=[viewpoint_text(each) for each in allowed])
    return viewer


def game_not_found() -> DomainError:
    """What is said where there is no such game, or none for who asks."""
    return DomainError(404, "game_not_found", _("There is no such game. Check its id: eight letters and digits."))


def parse_viewpoint(text: str, seats: int) -> Viewpoint:
    """The viewer that `text` names in a game of `seats` seats. Raises `DomainError` bad_eyes."""
    if text == "public":
        return PUBLIC
    if text == ALL:
        return ALL
    if len(text) < 3 and text.isascii() and text.isdecimal() and int(text) < seats:
        return int(text)
    raise DomainError(
        400, "bad_eyes", _("The view must be public, a seat from 0 to {value}, or all.").format(value=seats - 1)
    )


def viewpoint_text(viewer: Viewpoint) -> str:
    """`viewer` as an address or a page writes it."""
    return "public" if viewer is PUBLIC else str(viewer)


def is_sealed(game: Game) -> bool:
    """Whether the game's log and result are closed for now, over or not."""
    return bool(game.terms["sealed"]) and game.deal.revealed_at is None


def is_fully_open(game: Game) -> bool:
    """Whether everything may be seen: the game is over, so is every game of its deal, and the public knows it."""
    return game.status != Game.Status.PLAYING and game.deal.revealed_at is not None and not is_delayed(game)


def is_result_public(game: Game) -> bool:
    """Whether everybody may know that and how the game ended."""
    return game.status != Game.Status.PLAYING and not is_sealed(game) and not is_delayed(game)


def is_progress_public(game: Game) -> bool:
    """Whether everybody may know how far the game has come by now, and who has left."""
    return is_result_public(game) or not (is_sealed(game) or game.terms["watch_delay"])


def is_delayed(game: Game) -> bool:
    """Whether the game has ended, but not yet for the public, who watch with a delay."""
    ended = game.finished_at
    return ended is not None and ended + timedelta(seconds=game.terms["watch_delay"]) > clock.now()


def result_is_public() -> Q:
    """`is_result_public` as a condition on games."""
    delay = Cast(KT("terms__watch_delay"), IntegerField()) * Value(timedelta(seconds=1))
    seen = Q(finished_at__lte=ExpressionWrapper(Value(clock.now()) - delay, output_field=DateTimeField()))
    return seen & (Q(deal__revealed_at__isnull=False) | Q(terms__sealed=False))


def visible_events(
    game: Game, entries: Iterable[RecordedEvent], viewer: Viewpoint, *, over: bool
) -> list[RecordedEvent]:
    """`entries` as `viewer` may have them by now: none missing, some `REDACTED`; all whole when `over`
    (`is_fully_open`).

    The public gets each event `watch_delay` seconds after it happened; how a sealed game ended is not told.
    """
    if over:
        return list(entries)
    rules = rules_for(game.kind, game.rules_version)
    until = visible_until_ms(game, viewer)
    closed = is_sealed(game)
    return [
        RecordedEvent(version, ms, REDACTED if closed and event[0] == ev.ENDED else redact(rules, event, viewer))
        for version, ms, event in entries
        if until is None or ms <= until
    ]


def visible_until_ms(game: Game, viewer: Viewpoint) -> int | None:
    """Up to which ms since its opening `viewer` may know the game by now; None for all of it."""
    delay = game.terms["watch_delay"]
    if not delay or viewer is not PUBLIC:
        return None
    return int((clock.now() - game.opened_at).total_seconds() * 1000) - 1000 * int(delay)


def known_events(game: Game, viewer: Viewpoint, *, after: int = 0) -> list[RecordedEvent]:
    """The game's events after version `after`, read from the log, as `viewer` may have them by now."""
    return visible_events(game, eventlog.read_events(game.stream_id, after=after), viewer, over=viewer == ALL)


def visible_thumbnail(game: Game, entries: Iterable[RecordedEvent], viewer: Viewpoint) -> Thumbnail | None:
    """The board of a game that is on after those of its `entries` that `viewer` may know by now; None before the deal,
    and to the public of a sealed one. It shows nothing that is anybody's own."""
    if game.begins_at or (viewer is PUBLIC and is_sealed(game)):
        return None
    until = visible_until_ms(game, viewer)
    known = [entry.event for entry in entries if until is None or entry.ms <= until]
    return thumbnail(game.kind, observation(fold_game(known), viewer)) if known else None


def game_facts(game: Game, viewer: Viewpoint = PUBLIC, log: Log | None = None) -> dict[str, Any]:
    """What `viewer` may know about a game around its log: who sits where, how it is played, clocks, how it ended.

    Only the clocks differ from viewer to viewer. The `log` is read where nobody has yet.
    """
    public = is_result_public(game)
    outcome = game.outcome if public else None
    return {
        "id": game.public_id,
        "kind": game.kind,
        "title": rules_for(game.kind, game.rules_version).spec.title,
        "options": game.options,
        "terms": game.terms,
        "seats": [seat_facts(game, seat) for seat in game.seats.select_related("player__bot_version")],
        "status": game.status if public else Game.Status.PLAYING.value,
        "outcome": outcome,
        "termination": outcome["termination"] if outcome else None,
        "continued": continuation_facts(game),
        "opened_at": game.opened_at,
        "finished_at": game.finished_at if public else None,
        "clock": clock_facts(game, viewer, log),
        "rematch_of": game.rematch_of.public_id if game.rematch_of and is_result_public(game.rematch_of) else None,
        "rematch": rematch_of(game) if public else None,
    }


def clock_facts(game: Game, viewer: Viewpoint, log: Log | None) -> dict[str, Any]:
    """`games.clocks.services.clock_data` as of now; of a game that is over (as of its end), or whose log is closed to
    the viewer, nothing."""
    over = game.status != Game.Status.PLAYING and not is_delayed(game)
    closed = viewer is PUBLIC and is_sealed(game)
    if over and game.finished_at and is_result_public(game):
        return clocks.no_clock_data(game.finished_at)  # the same each time, so that the answer may be kept
    if over or closed or not clocks.has_clocks(game):
        return clocks.no_clock_data(clock.now())
    until = visible_until_ms(game, viewer)
    batches = eventlog.read_log(game.stream_id) if log is None else log
    parts: Log = [[entry for entry in batch if until is None or entry.ms <= until] for batch in batches]
    known = [part for part in parts if part]
    if not known:
        return clocks.no_clock_data(clock.now())
    fold = fold_game(entry.event for entry in events_of(known))
    return clocks.clock_data(game, known, fold, viewer, clock.now())


def rematch_of(game: Game) -> str | None:
    """The id of the game that the same people opened after this one."""
    return Game.objects.filter(rematch_of=game.pk).values_list("public_id", flat=True).first()


def continuation_facts(game: Game) -> dict[str, Any] | None:
    """Which moment of which game this one goes on from; None for a game that was dealt anew."""
    source = game.continued_from
    return {"game": source.public_id, "version": game.continued_at} if source else None


def seat_facts(game: Game, seat: Seat) -> dict[str, Any]:
    """Who sits in one seat of `game`; `version` is a bot's."""
    bot = seat.player.bot_version
    return {
        "seat": seat.seat,
        "player": seat.player_id,
        "name": seat.player.name,
        "bot": bot is not None,
        "version": str(bot.number) if bot else None,
        "left": seat.left if is_progress_public(game) else "",
    }
