"""The terms of a game: how it is played around its rules.

They are plain data, set at the opening and kept in the first event.

`TERMS_SCHEMA` is the only list of terms, with range, default and help text of each. Forms and checks are made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final
from zoneinfo import available_timezones

from scorebook_games.contract import Option, OptionError
from scorebook_games.text import gettext_noop as _

TURNS: Final = "turns"
BEATS: Final = "beats"
LIVE: Final = "live"
PACES: Final = (TURNS, BEATS, LIVE)  # see `scorebook_games.gamelog.pacing`
BUILT_IN_BOT: Final = "built_in_bot"
LEAVER_POLICIES: Final = (BUILT_IN_BOT, "random", "end")
EXPIRY_FORFEIT: Final = "forfeit"
# Values that stand in logs of 0.1.0, and in what was made for it, by what they are called now.
FORMER_VALUES: Final = {"house_bot": BUILT_IN_BOT}
MAY_ABORT_NO: Final = "no"
MAY_ABORT_AGREED: Final = "agreed"
MAY_ABORT_EARLY: Final = "early"
SECONDS_PER_DAY: Final = 24 * 60 * 60
# What a bot's process may use in its whole life, which is one game (`games.sandbox.policy.CPU_SECONDS`). However many
# answers a game has, and whatever each may take, this is the most that all of them take together.
MAX_BOT_CPU_MS: Final = 60_000
# Time zones named by region and place, without old aliases such as `EST5EDT`, and UTC.
ZONES: Final = tuple(sorted({name for name in available_timezones() if "/" in name and name[:4] != "Etc/"} | {"UTC"}))

TERMS_SCHEMA: Final = (
    Option(
        "pace",
        "choice",
        TURNS,
        "How moves are ordered. turns: as they arrive. beats: all choose in secret, and the order is random. "
        "live: as fast as players are, after a countdown.",
        choices=PACES,
    ),
    Option(
        "move_seconds",
        "int",
        None,
        "Seconds per move for a person. Empty: only the bank limits the time.",
        1,
        60 * SECONDS_PER_DAY,
    ),
    Option(
        "bank_seconds",
        "int",
        0,
        "Extra seconds for the whole game, used when a move takes longer than its time.",
        0,
        SECONDS_PER_DAY,
    ),
    Option(
        "move_days",
        "int",
        None,
        "Days per move for a person, each as long as the playing hours. Not together with seconds.",
        1,
        60,
    ),
    Option(
        "vacation_days",
        "int",
        0,
        "Days per person and calendar year on which the clock stops, with days per move.",
        0,
        60,
    ),
    Option("playing_from", "int", 0, "Hour at which clocks start each day, with days per move.", 0, 23),
    Option(
        "playing_to",
        "int",
        24,
        "Hour at which clocks stop: on the next day if it is before the other hour, never if both are equal.",
        0,
        24,
    ),
    Option("weekend_pause", "bool", False, "Clocks stop on Saturdays and Sundays, with days per move."),
    Option(
        "zone",
        "choice",
        "UTC",
        "Time zone of the playing hours and weekends, for all players.",
        choices=ZONES,
    ),
    Option(
        "expiry",
        "choice",
        EXPIRY_FORFEIT,
        "When a clock runs out, the player forfeits, or a random legal move or one of a built-in bot is played.",
        choices=(EXPIRY_FORFEIT, "random", BUILT_IN_BOT),
    ),
    Option(
        "leaver",
        "choice",
        BUILT_IN_BOT,
        "Who plays on for a player who has left, with three or more; or whether the game ends by its scores.",
        choices=LEAVER_POLICIES,
    ),
    Option(
        "may_abort",
        "choice",
        MAY_ABORT_AGREED,
        "Whether people may end a game without a result. early: any player alone, until everyone has moved.",
        choices=(MAY_ABORT_NO, MAY_ABORT_AGREED, MAY_ABORT_EARLY),
    ),
    Option(
        "check_in_minutes",
        "int",
        None,
        "Minutes before a live league game. Empty: 30 if the clock runs in seconds. 0: no check-in.",
        0,
        7 * 24 * 60,
    ),
    Option(
        "grace_minutes",
        "int",
        10,
        "Minutes that a game waits, after its start time, for players who have not checked in.",
        1,
        24 * 60,
    ),
    Option(
        "no_show",
        "choice",
        EXPIRY_FORFEIT,
        "A player who has not checked in by then forfeits, or a built-in bot takes the seat. They are last in both "
        "cases.",
        choices=(EXPIRY_FORFEIT, BUILT_IN_BOT),
    ),
    Option("rematch", "bool", True, "Whether the players may start a rematch when the game is over."),
    Option("rated", "bool", True, "Whether the game is rated."),
    Option(
        "watch_delay",
        "int",
        0,
        "Delay for spectators, in seconds.",
        0,
        60 * SECONDS_PER_DAY,
    ),
    Option(
        "sealed",
        "bool",
        False,
        "Log, result, seed and hashes stay secret until all games of the same deal are over.",
    ),
    Option(
        "bot_pace_ms",
        "int",
        0,
        "Minimum time of a built-in bot's move, so that people can follow.",
        0,
        60_000,
    ),
    Option(
        "bot_move_ms",
        "int",
        1000,
        "Time of an uploaded bot for an answer.",
        10,
        10_000,
    ),
    Option(
        "bot_bank_ms",
        "int",
        10_000,
        "Extra time of an uploaded bot for the whole game.",
        0,
        30_000,
    ),
    Option(
        "bot_cpu_ms",
        "int",
        60_000,
        "Processor time of an uploaded bot for the whole game.",
        100,
        MAX_BOT_CPU_MS,
    ),
    Option(
        "bot_faults",
        "int",
        3,
        "Faults in a game at which a bot forfeits. For each earlier one a random legal move is played.",
        1,
        1000,
    ),
    Option(
        "bot_violations",
        "int",
        3,
        "Sandbox violations after which a version is put into quarantine, here and everywhere.",
        1,
        100,
    ),
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The complete terms of one game. `TERMS_SCHEMA` explains each; None means no limit."""

    pace: str
    move_seconds: int | None
    bank_seconds: int
    move_days: int | None
    vacation_days: int
    playing_from: int
    playing_to: int
    weekend_pause: bool
    zone: str
    expiry: str
    leaver: str
    may_abort: str
    check_in_minutes: int | None
    grace_minutes: int
    no_show: str
    rematch: bool
    rated: bool
    watch_delay: int
    sealed: bool
    bot_pace_ms: int
    bot_move_ms: int
    bot_bank_ms: int
    bot_cpu_ms: int
    bot_faults: int
    bot_violations: int

    @property
    def live_clock(self) -> bool:
        """Whether people sit at the table at the same time, because of the clock or the pace."""
        return self.pace == LIVE or bool(self.move_seconds or self.bank_seconds)

    def plain(self) -> dict[str, Any]:
        """Return the terms as JSON data."""
        return {name: getattr(self, name) for name in self.__slots__}  # all are numbers, words and None


def schema_for(paces: Sequence[str]) -> tuple[Option, ...]:
    """Return `TERMS_SCHEMA` for a kind that is played in `paces` (`pacing.paces_of`), the default first."""
    return tuple(
        replace(term, default=paces[0], choices=tuple(paces)) if term.name == "pace" else term for term in TERMS_SCHEMA
    )


def terms_of(data: Mapping[str, Any], paces: Sequence[str] = PACES) -> Terms:
    """Return terms from JSON data, defaults filled in.

    Raises `OptionError` for an unknown name, a value out of range, or terms that contradict one another.
    """
    schema = {term.name: term for term in schema_for(paces)}
    for name in data:
        if name not in schema:
            sentence = _("There is no term {name!r}. The terms are {terms}.")
            raise OptionError(str(name), sentence, name=name, terms=", ".join(sorted(schema)))
    current = with_current_values(data)
    values = {name: current.get(name, term.default) for name, term in schema.items()}
    for name, term in schema.items():
        _check(term, values[name])
    terms = Terms(**values)
    _check_clock(terms)
    return terms


def stored_terms(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the terms of a season or game that was set up earlier, as they have always held: `bot_cpu_ms` could be set
    to more than MAX_BOT_CPU_MS, and no bot had more."""
    return {name: min(value, MAX_BOT_CPU_MS) if name == "bot_cpu_ms" else value for name, value in data.items()}


def with_current_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return terms, or settings of a season, with what 0.1.0 called something by its present name."""
    return {name: FORMER_VALUES.get(value, value) if isinstance(value, str) else value for name, value in data.items()}


def _check(term: Option, value: Any) -> None:
    if term.name == "zone" and value not in ZONES:
        raise OptionError(
            "zone", _("Unknown time zone {value!r}. Use an IANA name such as Europe/Berlin."), value=value
        )
    if value is not None or term.default is not None:
        term.check(value)


def _check_clock(terms: Terms) -> None:
    """Raise `OptionError` if terms of one clock are set together with the other clock."""
    if terms.move_days is not None and terms.move_seconds is not None:
        raise OptionError("move_days", _("A game has either days or seconds per move. Leave one of them empty."))
    if terms.move_days is not None and terms.bank_seconds:
        raise OptionError(
            "bank_seconds", _("A bank is only for games with seconds per move. Set it to 0 with days per move.")
        )
    if terms.move_days is not None and terms.pace == LIVE:
        raise OptionError("move_days", _("A live game needs seconds per move, not days."))
    if terms.check_in_minutes and not terms.live_clock:
        sentence = _("Check-in is only for live games. Set `move_seconds` or `bank_seconds`, or leave this empty.")
        raise OptionError("check_in_minutes", sentence)
    if terms.move_days is None:
        usual = {term.name: term.default for term in TERMS_SCHEMA}
        for name in ("vacation_days", "playing_from", "playing_to", "weekend_pause"):
            if getattr(terms, name) != usual[name]:
                sentence = _("The term {name} is only for correspondence games. Set `move_days`.")
                raise OptionError(name, sentence, name=name)


assert [term.name for term in TERMS_SCHEMA] == [field.name for field in fields(Terms)]
