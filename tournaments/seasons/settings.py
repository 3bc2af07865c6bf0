"""All that a season is played by, as one checked thing: a season's row and its stream hold it complete. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from games.engines.base import Option, OptionError
from games.gamelog.pacing import paces_of
from games.gamelog.terms import LEAGUE_TERMS, Terms, terms_of
from games.kinds import UnknownKind, rules_for
from tournaments.core.errors import LeagueError
from tournaments.formats import FORMATS
from tournaments.formats.round_robin import LARGEST_TABLE
from tournaments.scoring.standings import DEFAULT_TIE_BREAKS, TIE_BREAKS, PointsSystem, default_points, points_of
from tournaments.seasons.schedule import AGREED, AT_NIGHT, LONGEST_ROUND, BadCalendar, calendar_of

MOST_GAMES: Final = 60
MOST_DIVISIONS: Final = 20
MOST_ENTRANTS: Final = 500
MOST_ROUNDS: Final = 1000
LONGEST_CHECK_IN: Final = 14 * 24  # hours
RATINGS: Final = (0, 4000)
CHECK_IN_MINUTES: Final = 30  # before a live game, where the season says nothing else

PEOPLE, BOTS, MIXED = "people", "bots", "mixed"
PLAYERS: Final = (MIXED, PEOPLE, BOTS)
FORFEIT, VOID_BELOW_HALF = "forfeit", "void_below_half"
WITHDRAWALS: Final = (VOID_BELOW_HALF, FORFEIT)
WAIT, ADJUDICATE = "wait", "adjudicate"
UNPLAYED: Final = (WAIT, FORFEIT, ADJUDICATE)
BYE, HOUSE_BOT, SHORT = "bye", "house_bot", "short"
SHORT_TABLES: Final = (BYE, HOUSE_BOT, SHORT)
OWN, DUPLICATE = "own", "duplicate"
DEALS: Final = (OWN, DUPLICATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Who may enter and how. Bounds are Elo in the season's kind, None for none; `most` entrants, None for any number.

    `late_rounds`: until so many rounds have been paired people may still enter, 0 for until the start.
    `check_in_hours` before the start people say that they are there, 0 for not at all. `alternates`: whether those who
    found no place wait for one in the running season.
    """

    players: str = MIXED
    rating_min: int | None = None
    rating_max: int | None = None
    invited_only: bool = False
    most: int | None = None
    late_rounds: int = 0
    check_in_hours: int = 0
    alternates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A division of the season, the first one the highest: its name (the season's if "") and how many it holds."""

    name: str = ""
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A season's settings, complete.

    `options` are the kind's, `format_options` the format's, `terms` those of every game, `points` and `tie_breaks` as
    `tournaments.scoring.standings` has them, `calendar` as `tournaments.seasons.schedule.Calendar` does.
    `withdrawals`: what becomes of the games of who withdraws. `no_shows`: after so many rounds to which one did not
    come one is withdrawn, 0 for never. `unplayed`: what becomes of games that are not over when their round's time is.
    `up` and `down`: how many change the division at the end of the season; `playoff`: how many more places are played
    for. `carry`: which part of the points goes over into the next season. `deals`: whether the games that have the same
    number in the matches of a round share one; they are sealed then. `lasts_seconds`: how long a season of a format
    without a last round goes on, 0 for until it is ended by hand.
    """

    kind: str
    rules_version: int
    options: Mapping[str, Any]
    terms: Mapping[str, Any]
    format: str
    format_options: Mapping[str, Any] = field(default_factory=dict)
    table_size: int
    games_a_match: int
    points: Mapping[str, Any]
    tie_breaks: Sequence[str]
    calendar: Mapping[str, Any]
    lasts_seconds: int = 0
    entry: Entry = field(default_factory=Entry)
    withdrawals: str = VOID_BELOW_HALF
    no_shows: int = 0
    unplayed: str = WAIT
    short_tables: str = BYE
    deals: str = OWN
    divisions: tuple[Tier, ...] = (Tier(),)
    up: int = 0
    down: int = 0
    playoff: int = 0
    carry: float = 0

    def plain(self) -> dict[str, Any]:
        """As JSON data."""
        return {**asdict(self), "divisions": [asdict(tier) for tier in self.divisions]}

    def logged(self) -> dict[str, Any]:
        """As the season's stream holds them: without names."""
        return {**self.plain(), "divisions": [{"most": tier.most} for tier in self.divisions]}

    @property
    def most(self) -> int | None:
        """How many may be in: what the entry says, and what the divisions hold together."""
        held = [tier.most for tier in self.divisions]
        together = None if None in held else sum(most or 0 for most in held)
        bounds = [most for most in (self.entry.most, together) if most is not None]
        return min(bounds, default=None)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Settings:
        """The settings that `plain` or `logged` gave, unchecked."""
        tiers = tuple(Tier(**tier) for tier in data["divisions"])
        return cls(**{**data, "entry": Entry(**data["entry"]), "divisions": tiers})


def settings_of(data: Mapping[str, Any]) -> Settings:
    """The settings that somebody asks for; what is left out, or None, has its default.

    Raises `LeagueError` (400) with the field: unknown_setting, unknown_kind, bad_option, bad_format, bad_points,
    bad_tie_break, bad_schedule, bad_setting.
    """
    _refuse_unknown(data, {each.name for each in fields(Settings)} - {"rules_version"}, "")
    asked = {name: value for name, value in data.items() if value is not None}
    size = asked.get("table_size", 2)
    games = asked.get("games_a_match", size)
    choices = _choices(asked)
    terms = {**asked.get("terms", {}), **({"sealed": True} if choices["deals"] == DUPLICATE else {})}
    settings = Settings(
        kind=asked.get("kind", ""),
        **_play(asked.get("kind", ""), size, asked.get("options", {}), terms),
        **_format(asked.get("format", "double_round_robin"), asked.get("format_options", {}), size, games),
        **_counting(
            asked["kind"],
            asked.get("points"),
            asked.get("tie_breaks", DEFAULT_TIE_BREAKS),
            usual_points(asked.get("format", "double_round_robin"), size, games),
        ),
        calendar=_calendar(asked.get("calendar", {})),
        lasts_seconds=_whole("lasts_seconds", asked.get("lasts_seconds", 0), 0, 2 * LONGEST_ROUND),
        entry=_entry(asked.get("entry", {})),
        **_tiers(asked),
        **choices,
        no_shows=_whole("no_shows", asked.get("no_shows", 0), 0, 100),
    )
    return _check_agreed(settings)


def _choices(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are one of several words, the first of which is the usual one."""
    words = {"withdrawals": WITHDRAWALS, "unplayed": UNPLAYED, "short_tables": SHORT_TABLES, "deals": DEALS}
    return {name: _one_of(name, asked.get(name, choices[0]), choices) for name, choices in words.items()}


def resolved(options: Sequence[Option], asked: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Every one of `options` with its value. Raises `LeagueError` bad_option, with `field` and the option's name."""
    _refuse_unknown(asked, {option.name for option in options}, f"{field}.", "bad_option")
    try:
        for option in options:
            if option.name in asked:
                option.check(asked[option.name])
    except OptionError as error:
        raise LeagueError(400, error.code, error.sentence, f"{field}.{error.option}") from error
    return {option.name: asked.get(option.name, option.default) for option in options}


def _play(kind: str, table_size: int, options: Mapping[str, Any], terms: Mapping[str, Any]) -> dict[str, Any]:
    try:
        rules = rules_for(kind)
    except UnknownKind as error:
        raise LeagueError(400, "unknown_kind", str(error), "kind") from error
    try:
        settled = rules.resolve(table_size, options)
    except OptionError as error:
        field = "table_size" if error.option == "seats" else f"options.{error.option}"
        raise LeagueError(400, error.code, error.sentence, field) from error
    try:
        agreed = _with_check_in(terms_of({**LEAGUE_TERMS, **terms}, paces_of(rules))).plain()
    except OptionError as error:
        raise LeagueError(400, error.code, error.sentence, f"terms.{error.option}") from error
    return {"rules_version": rules.spec.rules_version, "options": settled, "terms": agreed}


def _with_check_in(terms: Terms) -> Terms:
    """The terms with the usual time to check in, where nothing was said of it and games are live."""
    usual = CHECK_IN_MINUTES if terms.live_clock else None
    return replace(terms, check_in_minutes=usual) if terms.check_in_minutes is None else terms


def _format(format: str, options: Mapping[str, Any], table_size: int, games_a_match: int) -> dict[str, Any]:
    if format not in FORMATS:
        sentence = _("The format is one of {choices}, not {format!r}.").format(
            choices=", ".join(FORMATS), format=format
        )
        raise LeagueError(400, "bad_format", sentence, "format")
    if not 2 <= table_size <= LARGEST_TABLE:
        sentence = _("A table has 2 to {largest_table} entrants, not {table_size}.").format(
            largest_table=LARGEST_TABLE, table_size=table_size
        )
        raise LeagueError(400, "bad_format", sentence, "table_size")
    if not 1 <= games_a_match <= MOST_GAMES:
        sentence = _("A match has 1 to {most_games} games, not {games_a_match}.").format(
            most_games=MOST_GAMES, games_a_match=games_a_match
        )
        raise LeagueError(400, "bad_format", sentence, "games_a_match")
    settled = resolved(FORMATS[format].options, options, "format_options")
    return {"format": format, "format_options": settled, "table_size": table_size, "games_a_match": games_a_match}


def usual_points(format: str, table_size: int, games_a_match: int) -> PointsSystem:
    """The points of a season that says nothing of them. In a Swiss one not all rest as often: a bye is worth a win."""
    return default_points(table_size, games_a_match, rests_equal=format != "swiss")


def _counting(
    kind: str, points: Mapping[str, Any] | None, tie_breaks: Sequence[str], usual: PointsSystem
) -> dict[str, Any]:
    for name in tie_breaks:
        if name not in TIE_BREAKS:
            sentence = _("A tie-break is one of {choices}, not {name!r}.").format(
                choices=", ".join(TIE_BREAKS), name=name
            )
            raise LeagueError(400, "bad_tie_break", sentence, "tie_breaks")
    if len(set(tie_breaks)) < len(tie_breaks):
        sentence = _("A tie-break is asked once only; one stands in the list twice.")
        raise LeagueError(400, "bad_tie_break", sentence, "tie_breaks")
    try:
        lowest_best = rules_for(kind).spec.best == "lowest"
        system = usual if points is None else points_of(points, lowest_best=lowest_best)
    except ValueError as error:
        raise LeagueError(400, "bad_points", str(error), "points") from error
    return {"points": system.plain(), "tie_breaks": list(tie_breaks)}


def _calendar(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, Mapping):
        raise LeagueError(400, "bad_schedule", _("A calendar is an object; docs/leagues.md has its parts."), "calendar")
    try:
        return calendar_of(asked).plain()
    except BadCalendar as error:
        raise LeagueError(400, "bad_schedule", error.sentence, f"calendar.{error.field}") from error


def _check_agreed(settings: Settings) -> Settings:
    """Matches whose people agree on a time need one for those who do not; tables that share a deal begin together."""
    calendar = settings.calendar
    if calendar["meet"] == AGREED and settings.terms["check_in_minutes"] and not calendar["otherwise"]:
        sentence = _("Say when those play who agree on no time, as “Sunday 19:00”.")
        raise LeagueError(400, "bad_schedule", sentence, "calendar.otherwise")
    apart = calendar["meet"] == AGREED or calendar["bots"] == AT_NIGHT or FORMATS[settings.format].continuous
    if settings.deals == DUPLICATE and apart:
        sentence = _("Tables that share a deal begin together: choose fixed times, bots with the round, and no arena.")
        _refuse("deals", sentence)
    return settings


def _entry(asked: Mapping[str, Any]) -> Entry:
    _refuse_unknown(asked, {each.name for each in fields(Entry)}, "entry.")
    checks: dict[str, Callable[[str, Any], Any]] = {
        "players": lambda name, value: _one_of(name, value, PLAYERS),
        "rating_min": lambda name, value: _whole(name, value, *RATINGS),
        "rating_max": lambda name, value: _whole(name, value, *RATINGS),
        "invited_only": _yes_or_no,
        "most": lambda name, value: _whole(name, value, 2, MOST_ENTRANTS),
        "late_rounds": lambda name, value: _whole(name, value, 0, MOST_ROUNDS),
        "check_in_hours": lambda name, value: _whole(name, value, 0, LONGEST_CHECK_IN),
        "alternates": _yes_or_no,
    }
    entry = Entry(**{name: checks[name](f"entry.{name}", value) for name, value in asked.items() if value is not None})
    if None not in (entry.rating_min, entry.rating_max) and entry.rating_min > entry.rating_max:  # type: ignore[operator]
        _refuse("entry.rating_max", _("The highest rating to enter with lies below the lowest. Change one of them."))
    return entry


def _tiers(asked: Mapping[str, Any]) -> dict[str, Any]:
    listed = asked.get("divisions") or [{}]
    if not isinstance(listed, Sequence) or isinstance(listed, str) or len(listed) > MOST_DIVISIONS:
        _refuse("divisions", _("A season has 1 to {most} divisions.").format(most=MOST_DIVISIONS))
    tiers = tuple(_tier(tier) for tier in listed)
    if asked.get("playoff") and asked.get("table_size", 2) != 2:
        _refuse("playoff", _("A play-off is a match of two: leave it at 0 where more sit at a table."))
    moved = {name: _whole(name, asked.get(name, 0), 0, MOST_ENTRANTS) for name in ("up", "down", "playoff")}
    if len(tiers) == 1 and any(moved.values()):
        field = next(name for name, value in moved.items() if value)
        _refuse(field, _("Nobody goes up or down in a season of one division. Add a division, or leave this at 0."))
    carry = asked.get("carry", 0)
    if isinstance(carry, bool) or not isinstance(carry, int | float) or not 0 <= carry <= 1:
        _refuse("carry", _("What goes over into the next season is a part of the points from 0 to 1."))
    return {"divisions": tiers, "carry": carry, **moved}


def _tier(asked: Any) -> Tier:
    data = asked if isinstance(asked, Mapping) else {"name": asked}
    _refuse_unknown(data, {"name", "most"}, "divisions.")
    name, most = data.get("name") or "", data.get("most")
    if not isinstance(name, str) or len(name) > 60:
        _refuse("divisions.name", _("A division's name has up to 60 characters."))
    return Tier(name=name, most=None if most is None else _whole("divisions.most", most, 2, MOST_ENTRANTS))


def _one_of(field: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        sentence = _("{field} is one of {choices}, not {value!r}.")
        _refuse(field, sentence.format(field=field, choices=", ".join(choices), value=value))
    return str(value)


def _whole(field: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        sentence = _("{field} is a whole number from {least} to {most}, not {value!r}.")
        _refuse(field, sentence.format(field=field, least=least, most=most, value=value))
    return int(value)


def _yes_or_no(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        _refuse(field, _("{field} is true or false, not {value!r}.").format(field=field, value=value))
    return bool(value)


def _refuse_unknown(asked: Any, known: set[str], where: str, code: str = "unknown_setting") -> None:
    if not isinstance(asked, Mapping):
        _refuse(where.rstrip("."), _("This is an object of settings by name."))
    for name in asked:
        if name not in known:
            sentence = _("There is no setting {name!r} here; there are {known}.")
            told = sentence.format(name=name, known=", ".join(sorted(known)) or _("none"))
            raise LeagueError(400, code, told, f"{where}{name}")


def _refuse(field: str, sentence: str) -> None:
    raise LeagueError(400, "bad_setting", sentence, field)
