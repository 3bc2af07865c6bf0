"""What somebody would like to play, checked before anybody sits down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.common.errors import DomainError
from games.lobby.models import OpenTable
from games.models import Player
from games.play.roster import builtin_bots_for
from scorebook_games.contract import OptionError
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import LIVE, MAY_ABORT_AGREED, MAY_ABORT_EARLY, Terms, terms_of
from scorebook_games.registry import UnknownKind, rules_for

MAX_HOURS: Final = 7 * 24
DEFAULT_HOURS: Final = 2  # how long a table waits by default
DEFAULT_HOURS_CORRESPONDENCE: Final = 72  # for a game with days for a move
LOBBY_BOT_PACE_MS: Final = 500  # slow enough for people to follow a bot's moves

# A game with nobody else may simply be left.
CASUAL_TERMS: Final[Mapping[str, Any]] = {
    "rated": False,
    "may_abort": MAY_ABORT_EARLY,
    "bot_pace_ms": LOBBY_BOT_PACE_MS,
}
# Nobody may look at the cards and then leave without a loss.
RATED_TERMS: Final[Mapping[str, Any]] = {"rated": True, "may_abort": MAY_ABORT_AGREED}

# The clocks that a page offers. The API takes any.
CLOCK_CHOICES: Final[Mapping[str, tuple[str | Promise, Mapping[str, Any]]]] = {
    "live": (_("Live: 30 seconds per move and a bank of 5 minutes"), {"move_seconds": 30, "bank_seconds": 300}),
    "slow": (_("Slow: 3 minutes per move and a bank of 30 minutes"), {"move_seconds": 180, "bank_seconds": 1800}),
    "day": (_("Correspondence: 1 day per move"), {"move_days": 1, "vacation_days": 14}),
    "days": (_("Correspondence: 3 days per move"), {"move_days": 3, "vacation_days": 30}),
    "week": (_("Correspondence: 7 days per move"), {"move_days": 7, "vacation_days": 30}),
}
FALLBACK_CLOCK: Final = "week"  # a game without any clock gets this one, so that nobody waits for ever


BOT_DESCRIPTIONS: Final[Mapping[str, str | Promise]] = {
    "random": _("plays random legal moves; games can be long"),
    "sensible": _("follows a simple plan and answers immediately: a good first opponent"),
    "strong": _("searches ahead; takes a few seconds; hard to beat"),
}


@dataclass(frozen=True, slots=True)
class TableRequest:
    """A request for a table. With `seats` None, there are as many as the host, `bots` and `invited` need.

    `bots` are names of built-in bots, one for each seat that they fill. `chair` is the host's own. `hours` None is the
    default for its clock. Only a game now may be `rated`: there the platform chooses who plays whom.
    """

    kind: str
    seats: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    access: str = OpenTable.Access.LISTED
    order: str = OpenTable.Order.LOT
    chair: int = 0
    bots: Sequence[str] = ()
    invited: Sequence[Player] = ()
    hours: int | None = None
    rated: bool = False


@dataclass(frozen=True, slots=True)
class CompleteRequest:
    """A valid request, with everything filled in."""

    seats: int
    options: dict[str, Any]
    terms: Terms
    lasts: timedelta


def complete_request(wish: TableRequest) -> CompleteRequest:
    """Return the complete request. Raises `DomainError` 400 bad_option (with `option`), not_rated."""
    try:
        rules = rules_for(wish.kind)
        seats = wish.seats if wish.seats is not None else 1 + len(wish.bots) + len(wish.invited)
        options = rules.resolve(seats, wish.options)
        if wish.terms.get("rated"):
            sentence = gettext("Only league games and games now are rated. Leave `rated` out.")
            raise DomainError(400, "not_rated", sentence, option="rated")
        if wish.terms.get("check_in_minutes"):
            raise OptionError(
                "check_in_minutes", gettext("Tables have their own check-in. Leave `check_in_minutes` out.")
            )
        usual = {**CASUAL_TERMS, **(RATED_TERMS if wish.rated else {})}
        terms = _with_clock(terms_of({**usual, **wish.terms}, paces_of(rules)))
        _check_chairs(wish, seats)
        for bot in wish.bots:
            check_bot(wish.kind, bot)
        return CompleteRequest(seats, options, terms, _lasts(wish.hours, terms))
    except OptionError as error:
        raise DomainError(400, error.code, error.sentence, option=error.option) from error
    except UnknownKind as error:
        raise DomainError(400, "bad_option", str(error), option="kind") from error


def _with_clock(terms: Terms) -> Terms:
    """Return the terms, with a clock if they had none."""
    if terms.move_seconds or terms.bank_seconds or terms.move_days:
        return terms
    clock = CLOCK_CHOICES["live" if terms.pace == LIVE else FALLBACK_CLOCK][1]
    return replace(terms, **clock)


def _check_chairs(wish: TableRequest, seats: int) -> None:
    if wish.access not in OpenTable.Access.values:
        raise OptionError(
            "access",
            _("`access` must be one of {known}, not {access!r}.").format(
                known=", ".join(OpenTable.Access.values), access=wish.access
            ),
        )
    if wish.order not in OpenTable.Order.values:
        raise OptionError(
            "order",
            _("`order` must be one of {known}, not {order!r}.").format(
                known=", ".join(OpenTable.Order.values), order=wish.order
            ),
        )
    if not 0 <= wish.chair < seats:
        raise OptionError(
            "chair",
            _("Your seat must be one of 0 to {last}, not {chair!r}.").format(last=seats - 1, chair=wish.chair),
        )
    if 1 + len(wish.bots) + len(wish.invited) > seats:
        raise OptionError(
            "seats",
            _("There are {seats} seats including yours, which is too few for all players you name.").format(
                seats=seats
            ),
        )


def check_bot(kind: str, name: str) -> None:
    """Raise `OptionError` unless a built-in bot of this name plays `kind`."""
    if name not in builtin_bots_for(kind):
        raise OptionError(
            "bots", _("The built-in bots for this game are {known}.").format(known=", ".join(builtin_bots_for(kind)))
        )


def _lasts(hours: int | None, terms: Terms) -> timedelta:
    if hours is None:
        hours = DEFAULT_HOURS_CORRESPONDENCE if terms.move_days else DEFAULT_HOURS
    if not 1 <= hours <= MAX_HOURS:
        raise OptionError(
            "hours",
            _("A table can stay open for 1 to {most} hours, not {hours}.").format(most=MAX_HOURS, hours=hours),
        )
    return timedelta(hours=hours)
