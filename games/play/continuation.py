"""Continues a finished game from one of its moments: a person plays one seat, and built-in bots play the others.

The new game has the seed of the old one, which is public by then, so the cards are the same. Its log repeats the events
up to the moment, after an event that names the old game. The game is casual and unrated, because its player may know
every card.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from games.common.errors import DomainError
from games.eventlog import store as eventlog
from games.models import Deal, Game, Player
from games.play import services as play
from games.play.roster import ensure_builtin_bot
from games.visibility import observe
from scorebook_games.bots.builtin import BUILTIN_BOTS
from scorebook_games.chance import SeedDealer
from scorebook_games.contract import Event
from scorebook_games.gamelog import events as ev
from scorebook_games.gamelog.fold import Fold
from scorebook_games.gamelog.terms import BEATS

CONTINUATION_BOT_PACE_MS: Final = 900  # slow enough for a person to follow the bots' moves
# Table events that belong to the position: those before GO, and the order in which a beat was taken.
KEPT_EVENT_TYPES: Final = frozenset({ev.APPOINTED, ev.COUNTDOWN, ev.GO, ev.BEAT, ev.NOT_TAKEN})


def continue_from(game: Game, version: int, seat: int, player: Player, program: str = "sensible") -> tuple[Game, bool]:
    """Return a game in which `player` continues `seat` from the last decision of `game` at or before `version`.

    `program` plays the other seats. A repeated call returns the same game while it is on; the second value says whether
    the game is new. Raises `DomainError`: not_open_yet, game_over (409), bad_version, bad_seat, bad_program (400).
    """
    if not observe.is_fully_open(game):
        raise DomainError(409, "not_open_yet", _("You can continue from here once the game is over and public."))
    if seat not in range(game.seats.count()):
        raise DomainError(400, "bad_seat", _("This game has seats 0 to {value}.").format(value=game.seats.count() - 1))
    if program not in continuation_bots(game):
        raise DomainError(
            400,
            "bad_program",
            _("The built-in bots for this game are {choices}.").format(choices=", ".join(continuation_bots(game))),
        )
    source = source_at(game, version)
    with transaction.atomic():
        Player.objects.select_for_update().get(pk=player.pk)  # two requests at once get one game
        if begun := running_continuation(source, seat, player):
            return begun, False
        bot = ensure_builtin_bot(program)
        players = [player if place == seat else bot for place in range(game.seats.count())]
        deal = Deal(seed=bytes(game.deal.seed))
        terms = continuation_terms(game)
        return play.open_game(
            kind=game.kind,
            players=players,
            options=game.options,
            terms=terms,
            deal=deal,
            source=source,
            audience_club_id=game.audience_club_id,
        ), True


def continuation_bots(game: Game) -> list[str]:
    """Return the built-in bots that can play the kind of `game`."""
    return [program for program, bot in BUILTIN_BOTS.items() if game.kind in bot.kinds]


def continuation_terms(game: Game) -> dict[str, object]:
    """Return the terms of the new game: the pace of the old one, unrated, without a clock."""
    return {"rated": False, "pace": game.terms["pace"], "bot_pace_ms": CONTINUATION_BOT_PACE_MS}


def running_continuation(source: play.ContinuationSource, seat: int, player: Player) -> Game | None:
    """Return the game in which `player` already continues this seat from this moment, or None."""
    on = Game.objects.filter(continued_from=source.game, continued_at=source.version, status=Game.Status.PLAYING)
    return on.filter(seats__seat=seat, seats__player=player).select_related("deal").first()


def source_at(game: Game, version: int) -> play.ContinuationSource:
    """Return the last moment of `game`, at `version` or before, at which a move was to be decided.

    Raises `DomainError`.
    """
    events = [entry.event for entry in eventlog.read_events(game.stream_id)]
    if not 1 <= version <= len(events):
        raise DomainError(400, "bad_version", _("The game has events 1 to {value}.").format(value=len(events)))
    at = boundary(events, version, SeedDealer(bytes(game.deal.seed)))
    kept = [event for event in events[1:at] if not ev.is_table_event(event) or event[0] in KEPT_EVENT_TYPES]
    return play.ContinuationSource(game, at, [[ev.CONTINUED, game.public_id, at], *kept])


def boundary(events: list[Event], version: int, dealer: SeedDealer) -> int:
    """Return the greatest version up to `version` that does not lie within a move or, in beats, within a beat.

    The first one is that after the deal. Raises `DomainError` game_over if the game is over at that moment.
    """
    fold = Fold(events[0])
    found, within = 0, 0  # `within`: how many events of the last move, or of the deal, are still to come
    for event, following in zip(events[1:], [*events[2:], None], strict=True):
        if found and fold.version >= version:
            return found
        if not ev.is_table_event(event):
            within = (within or _length(fold, event, dealer)) - 1
        fold.apply(event)
        if fold.outcome() or following is None:
            break
        if fold.started and not within and (fold.pace != BEATS or following[0] == ev.BEAT):
            found = fold.version
    raise DomainError(
        409, "game_over", _("The game is over at this moment. Go back to a moment at which a player was to move.")
    )


def _length(fold: Fold, event: Event, dealer: SeedDealer) -> int:
    """Return how many events the move or the deal has that begins with `event`."""
    if not fold.started:
        return len(fold.rules.start(fold.state, dealer))
    seat, action = fold.rules.action_of(fold.state, event)
    return len(fold.rules.decide(fold.state, seat, action, dealer))
