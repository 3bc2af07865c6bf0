"""What a viewer may see. Hidden information leaves only here.

Three things are protected. What a seat or the public may not know while a game is on is revealed when it is over. A
*sealed* game shows the public nothing, and nobody its result, until the last game of its deal is over. Seed, salt and
heads are never revealed while any game of the deal is unfinished, because two heads are enough to find a hidden card by
trying all. Staff see no more than everybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import DateTimeField, ExpressionWrapper, IntegerField, Q, QuerySet, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from games.clocks import services as clocks
from games.common import clock
from games.common.errors import DomainError
from games.common.prepared import first_row, prepared
from games.eventlog import store as eventlog
from games.models import Game, Seat
from games.visibility import acting, audience
from games.visibility.seats import seats_of
from scorebook_games.contract import REDACTED
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.events import Log, RecordedEvent, events_of
from scorebook_games.gamelog.fold import fold_game
from scorebook_games.gamelog.visibility import ALL, COMMENTATOR, PUBLIC, Viewpoint, observation, redact
from scorebook_games.presentation.base import Thumbnail
from scorebook_games.registry import KINDS, rules_for

User = AbstractBaseUser | AnonymousUser


def seat_or_public(game: Game, user: User) -> Viewpoint:
    """Return the seat of `user` in the game, or `PUBLIC`.

    A player who has left sees no more than the public, and neither does an admin in impersonation. Leaving can end the
    game: therefore `game` is read again for a player who has left, if it was in progress when it was read.
    """
    if user.pk is None or acting.is_impersonated(user):
        return PUBLIC
    seat, left = first_row(_own_seats(game=game.pk, **acting.reader_of(user))) or (None, "")
    if left and game.status == Game.Status.PLAYING:
        game.refresh_from_db(fields=["status", "finished_at", "deal"])
    return PUBLIC if left else seat


@prepared
def _own_seats(*, game: int, **reader: int) -> QuerySet[Seat, tuple[int, str]]:
    rows = Seat.objects.filter(acting.rows_of(**reader), game=game)
    return rows.order_by("left").values_list("seat", "left")[:1]


def allowed_viewpoints(game: Game, user: User) -> list[Viewpoint]:
    """Return the viewpoints that `user` may have, the best first; [] for a sealed game that is not theirs."""
    viewpoint = PUBLIC if is_fully_open(game) else seat_or_public(game, user)
    if is_fully_open(game):  # perhaps only now, because `seat_or_public` has read it again
        seats: list[Viewpoint] = list(range(_seats(game=game.pk).count()))
        return [ALL, *seats, PUBLIC]
    mine: list[Viewpoint] = [] if viewpoint is PUBLIC else [viewpoint]
    return mine if is_sealed(game) else [*mine, PUBLIC]


@prepared
def _seats(*, game: int) -> QuerySet[Seat]:
    return Seat.objects.filter(game=game).order_by()


def requested_viewpoint(game: Game, user: User, viewpoint: str | None = None) -> Viewpoint:
    """Return the viewpoint that `user` asks for: "public", a seat's number or "all"; None or "" for the best.

    Raises `DomainError` game_not_found (404) for a game that `user` may not know of, bad_viewpoint (400), sealed (403),
    not_your_viewpoint (403).
    """
    if not audience.is_visible(game, user):
        raise game_not_found()
    allowed = allowed_viewpoints(game, user)
    if not allowed:
        raise DomainError(403, "sealed", _("This game is sealed until all games with the same deal are over."))
    if not viewpoint:
        return allowed[0]
    viewer = parse_viewpoint(viewpoint, _seats(game=game.pk).count())
    if viewer not in allowed:
        sentence = _("While a game is in progress you can see it only from your own view or the public one.")
        texts = [viewpoint_text(viewer) for viewer in allowed]
        raise DomainError(403, "not_your_viewpoint", sentence, allowed_viewpoints=texts, allowed_eyes=texts)
    return viewer


def viewpoint_data(viewer: Viewpoint, allowed: Sequence[Viewpoint]) -> dict[str, str | list[str]]:
    """Return through whose eyes a replay is shown, and whose its reader may choose, as every replay has them. `eyes`
    and `allowed_eyes` are what these were called in 0.1.0; they end with the next release."""
    text, texts = viewpoint_text(viewer), [viewpoint_text(each) for each in allowed]
    return {"viewpoint": text, "eyes": text, "allowed_viewpoints": texts, "allowed_eyes": texts}


def game_not_found() -> DomainError:
    """Return the error for a game that does not exist, or not for this user."""
    return DomainError(404, "game_not_found", _("There is no such game. Check its id: eight letters and digits."))


def parse_viewpoint(text: str, seats: int) -> Viewpoint:
    """Return the viewpoint that `text` names in a game with this many seats. Raises `DomainError` bad_viewpoint."""
    if text == "public":
        return PUBLIC
    if text == ALL:
        return ALL
    if len(text) < 3 and text.isascii() and text.isdecimal() and int(text) < seats:
        return int(text)
    raise DomainError(
        400, "bad_viewpoint", _("The view must be public, a seat from 0 to {value}, or all.").format(value=seats - 1)
    )


def viewpoint_text(viewer: Viewpoint) -> str:
    """Return `viewer` as an address or a page writes it."""
    return "public" if viewer is PUBLIC else str(viewer)


def is_sealed(game: Game) -> bool:
    """Return whether the game's log and result are closed for now, even if it is over."""
    return bool(game.terms["sealed"]) and game.deal.revealed_at is None


def is_fully_open(game: Game) -> bool:
    """Return whether everything may be seen: the game and every game of its deal are over, and the public knows it."""
    return game.status != Game.Status.PLAYING and game.deal.revealed_at is not None and not is_delayed(game)


def is_result_public(game: Game) -> bool:
    """Return whether everybody may know that and how the game ended."""
    return game.status != Game.Status.PLAYING and not is_sealed(game) and not is_delayed(game)


def is_progress_public(game: Game) -> bool:
    """Return whether everybody may know how far the game is by now, and who has left."""
    return is_result_public(game) or not (is_sealed(game) or game.terms["watch_delay"])


def is_delayed(game: Game) -> bool:
    """Return whether the game has ended, but not yet for the public, who watch with a delay."""
    ended = game.finished_at
    return ended is not None and ended + timedelta(seconds=game.terms["watch_delay"]) > clock.now()


def result_is_public() -> Q:
    """Return `is_result_public` as a filter for games."""
    delay = Cast(KT("terms__watch_delay"), IntegerField()) * Value(timedelta(seconds=1))
    seen = Q(finished_at__lte=ExpressionWrapper(Value(clock.now()) - delay, output_field=DateTimeField()))
    return seen & (Q(deal__revealed_at__isnull=False) | Q(terms__sealed=False))


def visible_events(
    game: Game, entries: Iterable[RecordedEvent], viewer: Viewpoint, *, over: bool
) -> list[RecordedEvent]:
    """Return `entries` as `viewer` may have them by now: none missing, some `REDACTED`; all whole if `over`
    (`is_fully_open`).

    The public gets each event `watch_delay` seconds after it happened. How a sealed game ended is not shown.
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
    """Return up to which ms since its opening `viewer` may know the game by now; None for all of it."""
    delay = game.terms["watch_delay"]
    if not delay or viewer not in (PUBLIC, COMMENTATOR):
        return None
    return int((clock.now() - game.opened_at).total_seconds() * 1000) - 1000 * int(delay)


def known_events(game: Game, viewer: Viewpoint, *, after: int = 0) -> list[RecordedEvent]:
    """Return the game's events after version `after`, read from the log, as `viewer` may have them by now."""
    return visible_events(game, eventlog.read_events(game.stream_id, after=after), viewer, over=viewer == ALL)


def visible_thumbnail(game: Game, entries: Iterable[RecordedEvent], viewer: Viewpoint) -> Thumbnail | None:
    """Return the table of a running game after those of its `entries` that `viewer` may know; it shows nothing private.

    It is None before the deal, for the public of a sealed game, and if the kind is not loaded.
    """
    if game.kind not in KINDS or game.begins_at or (viewer is PUBLIC and is_sealed(game)):
        return None
    until = visible_until_ms(game, viewer)
    known = [entry.event for entry in entries if until is None or entry.ms <= until]
    if not known:
        return None
    seen = observation(fold_game(known), viewer)
    drawn = KINDS[game.kind].presentation.thumbnail(seen)
    if drawn is None:
        return None
    return replace(drawn, turn=tuple(seen.get("to_act", ())), rows=tuple(KINDS[game.kind].presentation.preview(seen)))


def game_facts(game: Game, viewer: Viewpoint = PUBLIC, log: Log | None = None) -> dict[str, Any]:
    """Return what `viewer` may know about a game around its log: who sits where, how it is played, clocks, how it
    ended.

    Only the clocks depend on the viewer. `log` is read if it is None.
    """
    public = is_result_public(game)
    outcome = game.outcome if public else None
    return {
        "id": game.public_id,
        "kind": game.kind,
        "title": rules_for(game.kind, game.rules_version).spec.title,
        "options": game.options,
        "terms": game.terms,
        "seats": [seat_facts(game, seat) for seat in seats_of(game)],
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
    """Return `games.clocks.services.clock_data` as of now.

    There are no clocks if the game is over, as of its end, or its log is closed to the viewer.
    """
    over = game.status != Game.Status.PLAYING and not is_delayed(game)
    closed = viewer is PUBLIC and is_sealed(game)
    if over and game.finished_at and is_result_public(game):
        return clocks.no_clock_data(game.finished_at)  # the same each time, so that the response may be cached
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
    """Return the id of the game that the same people opened after this one."""
    return first_row(_rematches(game=game.pk))


@prepared
def _rematches(*, game: int) -> QuerySet[Game, str]:
    return Game.objects.filter(rematch_of=game).order_by("pk").values_list("public_id", flat=True)[:1]


def continuation_facts(game: Game) -> dict[str, Any] | None:
    """Return the game and moment from which this game continues; None for a game that was dealt."""
    source = game.continued_from
    return {"game": source.public_id, "version": game.continued_at} if source else None


def seat_facts(game: Game, seat: Seat) -> dict[str, Any]:
    """Return who sits in one seat of `game`; `version` is a bot's. An `agent` is a bot whose moves a language model
    chooses."""
    bot = seat.player.bot_version
    return {
        "seat": seat.seat,
        "player": seat.player_id,
        "name": seat.player.name,
        "bot": bot is not None,
        "agent": bot is not None and bot.is_agent,
        "version": str(bot.number) if bot else None,
        "left": seat.left if is_progress_public(game) else "",
    }
