"""How a game is played around its rules: plain data, given when it is opened and kept in its first event.

`TERMS_SCHEMA` is the one list of terms, with ranges, defaults and a sentence of help each: forms and checks are made
from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final
from zoneinfo import available_timezones

from games.engines.base import Option, OptionError

TURNS: Final = "turns"
BEATS: Final = "beats"
LIVE: Final = "live"
PACES: Final = (TURNS, BEATS, LIVE)  # see `games.gamelog.pacing`
LEAVER_POLICIES: Final = ("house_bot", "random", "end")
EXPIRY_FORFEIT: Final = "forfeit"
EXPIRY_BUILTIN_BOT: Final = "house_bot"
MAY_ABORT_NO: Final = "no"
MAY_ABORT_AGREED: Final = "agreed"
MAY_ABORT_EARLY: Final = "early"
SECONDS_PER_DAY: Final = 24 * 60 * 60  # seconds
# Without aliases of single letters and the like.
ZONES: Final = tuple(sorted({name for name in available_timezones() if "/" in name and name[:4] != "Etc/"} | {"UTC"}))

TERMS_SCHEMA: Final = (
    Option(
        "pace",
        "choice",
        TURNS,
        "In which order moves are taken where several seats may act: in turns as they arrive, in beats (everybody "
        "gives theirs in secret and a draw decides), or live after a countdown. Each kind offers some of these.",
        choices=PACES,
    ),
    Option(
        "move_seconds",
        "int",
        None,
        "Live clock: how many seconds a person has for each move. Empty for no limit but the bank.",
        1,
        60 * SECONDS_PER_DAY,
    ),
    Option(
        "bank_seconds",
        "int",
        0,
        "Live clock: how many seconds each person has in the whole game beyond those of the moves.",
        0,
        SECONDS_PER_DAY,
    ),
    Option(
        "move_days",
        "int",
        None,
        "Clock of a correspondence game: how many days a person has for each move. With playing hours a day is as long "
        "as they are. Not together with seconds.",
        1,
        60,
    ),
    Option(
        "vacation_days",
        "int",
        0,
        "Correspondence: on how many days of a person's vacations, of each calendar year, their clock stands still.",
        0,
        60,
    ),
    Option("playing_from", "int", 0, "Correspondence: from which hour of the day on clocks run, in `zone`.", 0, 23),
    Option(
        "playing_to",
        "int",
        24,
        "Correspondence: until which hour of the day clocks run, in `zone`; of the next day, if that is earlier than "
        "from when they do. The same hour twice is all day.",
        0,
        24,
    ),
    Option("weekend_pause", "bool", False, "Correspondence: clocks stand still on Saturdays and Sundays, in `zone`."),
    Option(
        "zone",
        "choice",
        "UTC",
        "By which place's time playing hours and weekends go: the same for everybody at the table.",
        choices=ZONES,
    ),
    Option(
        "expiry",
        "choice",
        EXPIRY_FORFEIT,
        "What it costs when a clock runs out: the seat, as if its player had left; or a legal move drawn by lot, or "
        "the built-in bot's, is played in their place.",
        choices=(EXPIRY_FORFEIT, "random", "house_bot"),
    ),
    Option(
        "leaver",
        "choice",
        "house_bot",
        "With three and more at the table: who plays on for somebody who left. Or the game ends, and the others are "
        "placed by their scores.",
        choices=LEAVER_POLICIES,
    ),
    Option(
        "may_abort",
        "choice",
        MAY_ABORT_AGREED,
        "Whether people may abort the game, which then has no result: not at all; if all of them agree; or also early, "
        "anybody alone until each of them has made a move.",
        choices=(MAY_ABORT_NO, MAY_ABORT_AGREED, MAY_ABORT_EARLY),
    ),
    Option(
        "check_in_minutes",
        "int",
        None,
        "Live games of leagues: from how many minutes before a game begins its people check in. Empty for 30 where the "
        "clock runs in seconds, 0 for none.",
        0,
        7 * 24 * 60,
    ),
    Option(
        "grace_minutes",
        "int",
        10,
        "For how many minutes after its time a game waits for who has not checked in.",
        1,
        24 * 60,
    ),
    Option(
        "no_show",
        "choice",
        EXPIRY_FORFEIT,
        "What becomes of the seat of who has not checked in by then: it is forfeited, or a built-in bot plays it for "
        "the others to have a game. Who did not come is placed last in either case.",
        choices=(EXPIRY_FORFEIT, EXPIRY_BUILTIN_BOT),
    ),
    Option("rematch", "bool", True, "Whether the same people may open the next game themselves when it is over."),
    Option("rated", "bool", True, "Whether ratings count it."),
    Option("watch_delay", "int", 0, "How many seconds behind the players the public watches.", 0, 60 * SECONDS_PER_DAY),
    Option(
        "sealed",
        "bool",
        False,
        "Whether log, result, seed and heads stay closed until every game with the same deal is over.",
    ),
    Option(
        "bot_pace_ms",
        "int",
        0,
        "How many milliseconds a built-in bot's move takes at the least, so that people can watch.",
        0,
        60_000,
    ),
    Option(
        "bot_move_ms",
        "int",
        1000,
        "Uploaded bots: how many milliseconds an answer may take.",
        10,
        10_000,
    ),
    Option(
        "bot_bank_ms",
        "int",
        10_000,
        "Uploaded bots: how many milliseconds each has in the whole game beyond those of its answers.",
        0,
        30_000,
    ),
    Option(
        "bot_cpu_ms",
        "int",
        60_000,
        "Uploaded bots: how many milliseconds of processor time each has in the whole game.",
        100,
        600_000,
    ),
    Option(
        "bot_faults",
        "int",
        3,
        "Uploaded bots: with which fault of a game a bot forfeits it. Each before costs it a legal move drawn by lot.",
        1,
        1000,
    ),
    Option(
        "bot_violations",
        "int",
        3,
        "Uploaded bots: after how many violations of the sandbox a version plays no more, in this season or elsewhere.",
        1,
        100,
    ),
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one game, complete; `TERMS_SCHEMA` says what each means. None is no limit."""

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
        """Whether people sit at the table together, by clock or pace."""
        return self.pace == LIVE or bool(self.move_seconds or self.bank_seconds)

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return asdict(self)


def schema_for(paces: Sequence[str]) -> tuple[Option, ...]:
    """`TERMS_SCHEMA` for a kind that is played in `paces` (`games.gamelog.pacing.paces_of`), its usual one first."""
    return tuple(
        replace(term, default=paces[0], choices=tuple(paces)) if term.name == "pace" else term for term in TERMS_SCHEMA
    )


def terms_of(data: Mapping[str, Any], paces: Sequence[str] = PACES) -> Terms:
    """Terms from JSON data, defaults filled in. Raises `OptionError` for an unknown name or a value out of range."""
    schema = {term.name: term for term in schema_for(paces)}
    for name in data:
        if name not in schema:
            raise OptionError(str(name), f"There is no term {name!r}; there are {', '.join(sorted(schema))}.")
    values = {name: data.get(name, term.default) for name, term in schema.items()}
    for name, term in schema.items():
        _check(term, values[name])
    terms = Terms(**values)
    _check_clock(terms)
    return terms


def _check(term: Option, value: Any) -> None:
    if term.name == "zone" and value not in ZONES:
        raise OptionError("zone", f"The zone is one of the IANA database, like Europe/Berlin, not {value!r}.")
    if value is not None or term.default is not None:
        term.check(value)


def _check_clock(terms: Terms) -> None:
    """Raise `OptionError` where what is said of one clock belongs to the other."""
    if terms.move_days is not None and terms.move_seconds is not None:
        raise OptionError("move_days", "A game has days for a move or seconds, not both: leave one of them empty.")
    if terms.move_days is not None and terms.bank_seconds:
        raise OptionError("bank_seconds", "A bank belongs to seconds for a move. With days for a move set it to 0.")
    if terms.move_days is not None and terms.pace == LIVE:
        raise OptionError("move_days", "A live game needs seconds for a move, not days.")
    if terms.check_in_minutes and not terms.live_clock:
        sentence = "People check in for live games: say how many `move_seconds` or `bank_seconds`, or leave it empty."
        raise OptionError("check_in_minutes", sentence)
    if terms.move_days is None:
        usual = {term.name: term.default for term in TERMS_SCHEMA}
        for name in ("vacation_days", "playing_from", "playing_to", "weekend_pause"):
            if getattr(terms, name) != usual[name]:
                raise OptionError(
                    name, f"The term {name} belongs to games by correspondence: say how many `move_days`."
                )


assert [term.name for term in TERMS_SCHEMA] == [field.name for field in fields(Terms)]
