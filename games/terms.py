"""How a game is played around its rules: plain data, given when it is opened and kept in its first event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from games.engines.base import OptionError

TURNS = "turns"
BEATS = "beats"
LIVE = "live"
PACES = (TURNS, BEATS, LIVE)  # see `games.paces`
LEAVER_POLICIES = ("house_bot", "random", "end")
SIXTY_DAYS = 60 * 24 * 60 * 60  # seconds
MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Terms:
    """`leaver`: who plays on for somebody who left a table of three or more (rules README, Leaving).

    `rated`: whether ratings count it. `move_seconds`: how long a person or a remote bot has for a move, None for as
    long as they like; a clock that runs out forfeits the seat. `watch_delay`: how many seconds behind the public
    watches. `sealed`: whether log, result, seed and heads stay closed until every game of the deal is over.
    `bot_pace_ms`: how long a house bot's move takes at the least, so that people can watch; 0 for as fast as it goes.
    `pace`: in which order moves are taken where several seats may act (`games.paces`).
    """

    leaver: str = "house_bot"
    rated: bool = True
    move_seconds: int | None = None
    watch_delay: int = 0
    sealed: bool = False
    bot_pace_ms: int = 0
    pace: str = TURNS

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def terms_of(data: Mapping[str, Any], paces: Sequence[str] = PACES) -> Terms:
    """Terms from JSON data, defaults filled in. Raises `OptionError` for an unknown name or a value out of range.

    `paces` are those of the kind that is played (`games.paces.paces_of`), its usual one first.
    """
    known = {field.name for field in fields(Terms)}
    for name in data:
        if name not in known:
            raise OptionError(str(name), f"There is no term {name!r}; there are {', '.join(sorted(known))}.")
    terms = Terms(**{"pace": paces[0], **data})
    if terms.leaver not in LEAVER_POLICIES:
        raise OptionError("leaver", f"The term leaver is one of {', '.join(LEAVER_POLICIES)}, not {terms.leaver!r}.")
    if terms.pace not in paces:
        raise OptionError("pace", f"The term pace is one of {', '.join(paces)} here, not {terms.pace!r}.")
    for name in ("rated", "sealed"):
        if not isinstance(getattr(terms, name), bool):
            raise OptionError(name, f"The term {name} is true or false, not {getattr(terms, name)!r}.")
    whole = [("watch_delay", terms.watch_delay, 0, SIXTY_DAYS), ("bot_pace_ms", terms.bot_pace_ms, 0, MINUTE_MS)]
    if terms.move_seconds is not None:
        whole.append(("move_seconds", terms.move_seconds, 1, SIXTY_DAYS))
    for name, value, least, most in whole:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise OptionError(name, f"The term {name} is a whole number from {least} to {most}, not {value!r}.")
    return terms
