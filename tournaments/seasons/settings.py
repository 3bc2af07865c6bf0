"""A season's settings as one checked value. The season's row and its stream hold it completely. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, NoReturn

from django.utils.translation import gettext as _

from games.common.errors import DomainError
from scorebook_games.contract import Option, OptionError
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import MAY_ABORT_NO, Terms, terms_of
from scorebook_games.registry import KINDS, UnknownKind, rules_for
from tournaments.formats import FORMATS
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.scoring.points import PointsSystem, default_points, parse_points_system
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAKS
from tournaments.seasons.schedule import BOTS_AT_NIGHT, MAX_ROUND_SECONDS, MEET_AGREED, CalendarError, parse_calendar

# Default terms of league games: the season decides who meets whom, and every game must have a result.
LEAGUE_TERMS: Final = {"may_abort": MAY_ABORT_NO, "rematch": False}
MAX_GAMES_PER_MATCH: Final = 60
MAX_DIVISIONS: Final = 20
MAX_ENTRANTS: Final = 500
MAX_ROUNDS: Final = 1000
MAX_CHECK_IN_HOURS: Final = 14 * 24
RATING_BOUNDS: Final = (0, 4000)
DEFAULT_CHECK_IN_MINUTES: Final = 30  # before a live game, unless the season says otherwise

PEOPLE_ONLY, BOTS_ONLY, PEOPLE_AND_BOTS = "people", "bots", "mixed"
PLAYER_POLICIES: Final = (PEOPLE_AND_BOTS, PEOPLE_ONLY, BOTS_ONLY)
FORFEIT_UNPLAYED, VOID_BELOW_HALF = "forfeit", "void_below_half"
WITHDRAWAL_POLICIES: Final = (VOID_BELOW_HALF, FORFEIT_UNPLAYED)
WAIT_FOR_UNPLAYED, ADJUDICATE_UNPLAYED = "wait", "adjudicate"
UNPLAYED_POLICIES: Final = (WAIT_FOR_UNPLAYED, FORFEIT_UNPLAYED, ADJUDICATE_UNPLAYED)
SHORT_TABLE_BYE, SHORT_TABLE_BOT, SHORT_TABLE_ALLOWED = "bye", "house_bot", "short"
SHORT_TABLE_POLICIES: Final = (SHORT_TABLE_BYE, SHORT_TABLE_BOT, SHORT_TABLE_ALLOWED)
SEPARATE_DEALS, DUPLICATE_DEALS = "own", "duplicate"
DEAL_POLICIES: Final = (SEPARATE_DEALS, DUPLICATE_DEALS)
LUCK_HIDDEN, LUCK_SHOWN = "hidden", "shown"
LUCK_POLICIES: Final = (LUCK_HIDDEN, LUCK_SHOWN)
RESOLVED: Final = {"rules_version", "value_hash"}  # settings that follow from others and from the installed kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPolicy:
    """Who may enter and how. Rating bounds are Elo in the season's kind, None for no bound; `max_entrants`: None for
    any number.

    `late_rounds`: the number of rounds until whose pairing people may enter, 0 for only before the start.
    `check_in_hours`: how long before the start people confirm that they play, 0 for no check-in. `alternates`: whether
    people without a place wait for one in the running season.
    """

    players: str = PEOPLE_AND_BOTS
    rating_min: int | None = None
    rating_max: int | None = None
    invited_only: bool = False
    max_entrants: int | None = None
    late_rounds: int = 0
    check_in_hours: int = 0
    alternates: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionSettings:
    """A division, the first one the highest: its name (the season's if "") and its size (None for any)."""

    name: str = ""
    max_entrants: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonSettings:
    """A season's complete settings.

    `options` are the kind's, `format_options` the format's, `terms` those of every game; `points` and `tie_breaks` are
    as in `tournaments.scoring.standings`, `calendar` as in `tournaments.seasons.schedule.CalendarRule`. `withdrawals`:
    what happens to the games of an entrant who withdraws. `max_no_shows`: after how many missed rounds an entrant is
    withdrawn, 0 for never. `on_round_deadline`: what happens to games that are not over when their round ends.
    `promoted` and `relegated`: how many change the division at the end of the season; `playoff`: how many more places
    are decided by a play-off. `points_carryover`: the part of the points that is carried over into the next season, 0 …
    1. `deals`: whether games with the same number in the matches of a round share a deal; they are then sealed.
    `luck`: whether the standings show points without luck beside the official ones, by the value function with the hash
    `value_hash`. `duration_seconds`: the duration of a season whose format has no last round, 0 until it is ended by
    hand.
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
    duration_seconds: int = 0
    entry: EntryPolicy = field(default_factory=EntryPolicy)
    withdrawals: str = VOID_BELOW_HALF
    max_no_shows: int = 0
    on_round_deadline: str = WAIT_FOR_UNPLAYED
    short_tables: str = SHORT_TABLE_BYE
    deals: str = SEPARATE_DEALS
    luck: str = LUCK_HIDDEN
    value_hash: str = ""
    divisions: tuple[DivisionSettings, ...] = (DivisionSettings(),)
    promoted: int = 0
    relegated: int = 0
    playoff: int = 0
    points_carryover: float = 0

    def plain(self) -> dict[str, Any]:
        """Return the settings as JSON data."""
        return {**asdict(self), "divisions": [asdict(tier) for tier in self.divisions]}

    def logged(self) -> dict[str, Any]:
        """Return the settings for the season's stream: without names."""
        return {**self.plain(), "divisions": [{"max_entrants": tier.max_entrants} for tier in self.divisions]}

    @property
    def max_entrants(self) -> int | None:
        """The highest number of entrants, by the entry policy and the sizes of all divisions; None for no limit."""
        limits = [tier.max_entrants for tier in self.divisions]
        together = None if None in limits else sum(most or 0 for most in limits)
        bounds = [most for most in (self.entry.max_entrants, together) if most is not None]
        return min(bounds, default=None)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> SeasonSettings:
        """Read the settings from the data of `plain` or `logged`, unchecked."""
        tiers = tuple(DivisionSettings(**tier) for tier in data["divisions"])
        return cls(**{**data, "entry": EntryPolicy(**data["entry"]), "divisions": tiers})


def parse_settings(data: Mapping[str, Any]) -> SeasonSettings:
    """Check the settings that somebody asks for; missing ones, or None, have their defaults. Raises `DomainError` (400)
    with the field: unknown_setting, unknown_kind, bad_option, bad_format, bad_points, bad_tie_break, bad_schedule,
    bad_setting."""
    _refuse_unknown(data, {each.name for each in fields(SeasonSettings)} - RESOLVED, "")
    asked = {name: value for name, value in data.items() if value is not None}
    size = asked.get("table_size", 2)
    games = asked.get("games_a_match", size)
    choices = _parse_choices(asked)
    terms = {**asked.get("terms", {}), **({"sealed": True} if choices["deals"] == DUPLICATE_DEALS else {})}
    settings = SeasonSettings(
        kind=asked.get("kind", ""),
        **_parse_game_terms(asked.get("kind", ""), size, asked.get("options", {}), terms),
        **_parse_format(asked.get("format", "double_round_robin"), asked.get("format_options", {}), size, games),
        **_parse_counting(
            asked["kind"],
            asked.get("points"),
            asked.get("tie_breaks", DEFAULT_TIE_BREAKS),
            default_points_of(asked.get("format", "double_round_robin"), size, games),
        ),
        calendar=_parse_calendar(asked.get("calendar", {})),
        duration_seconds=_check_whole("duration_seconds", asked.get("duration_seconds", 0), 0, 2 * MAX_ROUND_SECONDS),
        entry=_parse_entry(asked.get("entry", {})),
        **_parse_divisions(asked),
        **choices,
        max_no_shows=_check_whole("max_no_shows", asked.get("max_no_shows", 0), 0, 100),
    )
    return _with_value_function(_check_agreed(settings))


def _parse_choices(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that are one of several words; the first word is the default."""
    words = {
        "withdrawals": WITHDRAWAL_POLICIES,
        "on_round_deadline": UNPLAYED_POLICIES,
        "short_tables": SHORT_TABLE_POLICIES,
        "deals": DEAL_POLICIES,
        "luck": LUCK_POLICIES,
    }
    return {name: _check_choice(name, asked.get(name, choices[0]), choices) for name, choices in words.items()}


def resolve_options(options: Sequence[Option], asked: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return all `options` with their values. Raises `DomainError` bad_option (400), with `field` and the option's
    name."""
    _refuse_unknown(asked, {option.name for option in options}, f"{field}.", "bad_option")
    try:
        for option in options:
            if option.name in asked:
                option.check(asked[option.name])
    except OptionError as error:
        raise DomainError(400, error.code, error.sentence, f"{field}.{error.option}") from error
    return {option.name: asked.get(option.name, option.default) for option in options}


def _parse_game_terms(
    kind: str, table_size: int, options: Mapping[str, Any], terms: Mapping[str, Any]
) -> dict[str, Any]:
    try:
        rules = rules_for(kind)
    except UnknownKind as error:
        raise DomainError(400, "unknown_kind", str(error), "kind") from error
    try:
        settled = rules.resolve(table_size, options)
    except OptionError as error:
        field = "table_size" if error.option == "seats" else f"options.{error.option}"
        raise DomainError(400, error.code, error.sentence, field) from error
    try:
        agreed = _with_check_in(terms_of({**LEAGUE_TERMS, **terms}, paces_of(rules))).plain()
    except OptionError as error:
        raise DomainError(400, error.code, error.sentence, f"terms.{error.option}") from error
    return {"rules_version": rules.spec.rules_version, "options": settled, "terms": agreed}


def _with_check_in(terms: Terms) -> Terms:
    """Return the terms with the default check-in time, if none was given and games are live."""
    usual = DEFAULT_CHECK_IN_MINUTES if terms.live_clock else None
    return replace(terms, check_in_minutes=usual) if terms.check_in_minutes is None else terms


def _parse_format(format: str, options: Mapping[str, Any], table_size: int, games_a_match: int) -> dict[str, Any]:
    if format not in FORMATS:
        sentence = _("The format must be one of {choices}, not {format!r}.").format(
            choices=", ".join(FORMATS), format=format
        )
        raise DomainError(400, "bad_format", sentence, "format")
    if not 2 <= table_size <= MAX_TABLE_SIZE:
        sentence = _("A table must have 2 to {largest_table} entrants, not {table_size}.").format(
            largest_table=MAX_TABLE_SIZE, table_size=table_size
        )
        raise DomainError(400, "bad_format", sentence, "table_size")
    if not 1 <= games_a_match <= MAX_GAMES_PER_MATCH:
        sentence = _("A match must have 1 to {most_games} games, not {games_a_match}.").format(
            most_games=MAX_GAMES_PER_MATCH, games_a_match=games_a_match
        )
        raise DomainError(400, "bad_format", sentence, "games_a_match")
    settled = resolve_options(FORMATS[format].options, options, "format_options")
    return {"format": format, "format_options": settled, "table_size": table_size, "games_a_match": games_a_match}


def default_points_of(format: str, table_size: int, games_a_match: int) -> PointsSystem:
    """Return the default points of a season. In a Swiss a bye is worth a win, because not all have the same number of
    byes."""
    return default_points(table_size, games_a_match, rests_equal=FORMATS[format].equal_byes)


def _parse_counting(
    kind: str, points: Mapping[str, Any] | None, tie_breaks: Sequence[str], usual: PointsSystem
) -> dict[str, Any]:
    for name in tie_breaks:
        if name not in TIE_BREAKS:
            sentence = _("A tie-break must be one of {choices}, not {name!r}.").format(
                choices=", ".join(TIE_BREAKS), name=name
            )
            raise DomainError(400, "bad_tie_break", sentence, "tie_breaks")
    if len(set(tie_breaks)) < len(tie_breaks):
        sentence = _("Each tie-break may be listed only once.")
        raise DomainError(400, "bad_tie_break", sentence, "tie_breaks")
    try:
        lowest_best = rules_for(kind).spec.best == "lowest"
        system = usual if points is None else parse_points_system(points, lowest_best=lowest_best)
    except ValueError as error:
        raise DomainError(400, "bad_points", str(error), "points") from error
    return {"points": system.plain(), "tie_breaks": list(tie_breaks)}


def _parse_calendar(asked: Any) -> dict[str, Any]:
    if not isinstance(asked, Mapping):
        raise DomainError(
            400,
            "bad_schedule",
            _("A calendar must be an object. /help/reference/season-settings/ lists its parts."),
            "calendar",
        )
    try:
        return parse_calendar(asked).plain()
    except CalendarError as error:
        raise DomainError(400, "bad_schedule", error.sentence, f"calendar.{error.field}") from error


def _check_agreed(settings: SeasonSettings) -> SeasonSettings:
    """Check settings that depend on one another: matches with agreed times need a fallback time, and tables that share
    a deal must begin together."""
    calendar = settings.calendar
    if calendar["match_time"] == MEET_AGREED and settings.terms["check_in_minutes"] and not calendar["fallback_time"]:
        sentence = _("Set the fallback time for players who do not agree on a time, such as “Sunday 19:00”.")
        raise DomainError(400, "bad_schedule", sentence, "calendar.fallback_time")
    apart = (
        calendar["match_time"] == MEET_AGREED
        or calendar["bots"] == BOTS_AT_NIGHT
        or FORMATS[settings.format].continuous
    )
    if settings.deals == DUPLICATE_DEALS and apart:
        sentence = _(
            "Tables with the same deal must begin together. Choose fixed match times, bots’ matches with the "
            "round, and a format other than arena."
        )
        _refuse("deals", sentence)
    return settings


def _with_value_function(settings: SeasonSettings) -> SeasonSettings:
    """Return the settings with the hash of the kind's value function, if points without luck are to be shown."""
    if settings.luck != LUCK_SHOWN:
        return settings
    if settings.points["system"] == "score" or FORMATS[settings.format].by_stage:
        sentence = _("Luck can be taken out of points for places only. Hide it, or choose other points or format.")
        _refuse("luck", sentence)
    kind = KINDS[settings.kind]
    value = kind.usable_value
    if value is None:
        _refuse("luck", _("{kind} has no value function, so its luck is not known.").format(kind=kind.spec.title))
    return replace(settings, value_hash=value.hash)


def _parse_entry(asked: Mapping[str, Any]) -> EntryPolicy:
    _refuse_unknown(asked, {each.name for each in fields(EntryPolicy)}, "entry.")
    checks: dict[str, Callable[[str, Any], Any]] = {
        "players": lambda name, value: _check_choice(name, value, PLAYER_POLICIES),
        "rating_min": lambda name, value: _check_whole(name, value, *RATING_BOUNDS),
        "rating_max": lambda name, value: _check_whole(name, value, *RATING_BOUNDS),
        "invited_only": _check_bool,
        "max_entrants": lambda name, value: _check_whole(name, value, 2, MAX_ENTRANTS),
        "late_rounds": lambda name, value: _check_whole(name, value, 0, MAX_ROUNDS),
        "check_in_hours": lambda name, value: _check_whole(name, value, 0, MAX_CHECK_IN_HOURS),
        "alternates": _check_bool,
    }
    entry = EntryPolicy(
        **{name: checks[name](f"entry.{name}", value) for name, value in asked.items() if value is not None}
    )
    if None not in (entry.rating_min, entry.rating_max) and entry.rating_min > entry.rating_max:  # type: ignore[operator]
        _refuse("entry.rating_max", _("The highest rating is below the lowest rating. Change one of them."))
    return entry


# One check per branch.
def _parse_divisions(asked: Mapping[str, Any]) -> dict[str, Any]:
    listed = asked.get("divisions") or [{}]
    if not isinstance(listed, Sequence) or isinstance(listed, str) or len(listed) > MAX_DIVISIONS:
        _refuse("divisions", _("A season can have 1 to {most} divisions.").format(most=MAX_DIVISIONS))
    tiers = tuple(_parse_division(tier) for tier in listed)
    if asked.get("playoff") and asked.get("table_size", 2) != 2:
        _refuse("playoff", _("A play-off is a match between two. Leave it at 0 for larger tables."))
    moved = {
        name: _check_whole(name, asked.get(name, 0), 0, MAX_ENTRANTS) for name in ("promoted", "relegated", "playoff")
    }
    if len(tiers) == 1 and any(moved.values()):
        field = next(name for name, value in moved.items() if value)
        _refuse(
            field, _("A season with one division has no promotion or relegation. Add a division, or leave this at 0.")
        )
    carry = asked.get("points_carryover", 0)
    if isinstance(carry, bool) or not isinstance(carry, int | float) or not 0 <= carry <= 1:
        _refuse("points_carryover", _("The share of points carried over must be from 0 to 1."))
    return {"divisions": tiers, "points_carryover": carry, **moved}


def _parse_division(asked: Any) -> DivisionSettings:
    data = asked if isinstance(asked, Mapping) else {"name": asked}
    _refuse_unknown(data, {"name", "max_entrants"}, "divisions.")
    name, most = data.get("name") or "", data.get("max_entrants")
    if not isinstance(name, str) or len(name) > 60:
        _refuse("divisions.name", _("A division's name may have at most 60 characters."))
    return DivisionSettings(
        name=name, max_entrants=None if most is None else _check_whole("divisions.max_entrants", most, 2, MAX_ENTRANTS)
    )


def _check_choice(field: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        sentence = _("{field} must be one of {choices}, not {value!r}.")
        _refuse(field, sentence.format(field=field, choices=", ".join(choices), value=value))
    return str(value)


def _check_whole(field: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        sentence = _("{field} must be a whole number from {least} to {most}, not {value!r}.")
        _refuse(field, sentence.format(field=field, least=least, most=most, value=value))
    return int(value)


def _check_bool(field: str, value: Any) -> bool:
    if not isinstance(value, bool):
        _refuse(field, _("{field} must be true or false, not {value!r}.").format(field=field, value=value))
    return bool(value)


def _refuse_unknown(asked: Any, known: set[str], where: str, code: str = "unknown_setting") -> None:
    if not isinstance(asked, Mapping):
        _refuse(where.rstrip("."), _("This must be an object of settings by name."))
    for name in asked:
        if name not in known:
            sentence = _("There is no setting {name!r} here. The settings are {known}.")
            text = sentence.format(name=name, known=", ".join(sorted(known)) or _("none"))
            raise DomainError(400, code, text, f"{where}{name}")


def _refuse(field: str, sentence: str) -> NoReturn:
    raise DomainError(400, "bad_setting", sentence, field)
