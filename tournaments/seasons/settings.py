"""A season's settings as one checked value. The season's row and its stream hold it completely. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.errors import DomainError
from scorebook_games.contract import Option, OptionError
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import BUILT_IN_BOT, MAY_ABORT_NO, Terms, terms_of
from scorebook_games.registry import KINDS, UnknownKind, rules_for
from tournaments.formats import DEFAULT_FORMAT, FORMATS
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.scoring.points import PointsSystem, default_points, parse_points_system
from tournaments.scoring.tie_breaks import TIE_BREAKS
from tournaments.seasons.schedule import BOTS_AT_NIGHT, MAX_ROUND_SECONDS, MEET_AGREED, CalendarError, parse_calendar
from tournaments.seasons.setting import check_whole, choice, declared, refuse, share, whole, with_packages, yes_no

# Default terms of league games: the season decides who meets whom, and every game must have a result.
LEAGUE_TERMS: Final = {"may_abort": MAY_ABORT_NO, "rematch": False}
MAX_GAMES_PER_MATCH: Final = 64
MAX_DIVISIONS: Final = 20
MAX_ENTRANTS: Final = 500
MAX_ROUNDS: Final = 1000
MAX_CHECK_IN_HOURS: Final = 14 * 24
RATING_BOUNDS: Final = (0, 4000)
DEFAULT_CHECK_IN_MINUTES: Final = 30  # before a live game, unless the season says otherwise

PEOPLE_ONLY, BOTS_ONLY, PEOPLE_AND_BOTS = "people", "bots", "mixed"
FORFEIT_UNPLAYED, VOID_BELOW_HALF = "forfeit", "void_below_half"
WAIT_FOR_UNPLAYED, ADJUDICATE_UNPLAYED = "wait", "adjudicate"
SHORT_TABLE_BYE, SHORT_TABLE_BOT, SHORT_TABLE_ALLOWED = "bye", BUILT_IN_BOT, "short"
SEPARATE_DEALS, DUPLICATE_DEALS = "own", "duplicate"
LUCK_HIDDEN, LUCK_SHOWN = "hidden", "shown"
RESOLVED: Final = {"rules_version", "value_hash"}  # settings that follow from others and from the installed kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPolicy:
    """Who may enter and how. Rating bounds are Elo in the season's kind, None for no bound; `max_entrants`: None for
    any number.

    `late_rounds`: the number of rounds until whose pairing people may enter, 0 for only before the start.
    `check_in_hours`: how long before the start people confirm that they play, 0 for no check-in. `alternates`: whether
    people without a place wait for one in the running season; `stand_ins`: whether they meanwhile play rounds that
    others miss.
    """

    players: str = choice(
        {
            PEOPLE_AND_BOTS: gettext_lazy("people and bots"),
            PEOPLE_ONLY: gettext_lazy("people only"),
            BOTS_ONLY: gettext_lazy("bots only"),
        },
        label=gettext_lazy("Who may enter"),
        help=gettext_lazy("Bots are always marked BOT. A season with people and bots has its own ratings."),
        group="players",
    )
    no_agents: bool = yes_no(
        label=gettext_lazy("No language models"),
        help=gettext_lazy("Bots whose moves a language model chooses cannot enter. Elsewhere they are marked AGENT."),
        group="players",
    )
    rating_min: int | None = whole(
        *RATING_BOUNDS,
        optional=True,
        title=gettext_lazy("Rating limits"),
        label=gettext_lazy("Lowest rating"),
        help=gettext_lazy("Elo in this game. Empty: no limit. Organisers can enter anyone."),
        group="entry",
    )
    rating_max: int | None = whole(
        *RATING_BOUNDS,
        optional=True,
        title="",
        label=gettext_lazy("Highest rating"),
        help=gettext_lazy("Elo in this game, for example for beginners. Empty: no limit."),
        group="entry",
    )
    invited_only: bool = yes_no(
        label=gettext_lazy("By invitation only"),
        help=gettext_lazy("An organiser must accept each entry."),
        group="entry",
    )
    max_entrants: int | None = whole(
        2,
        MAX_ENTRANTS,
        optional=True,
        label=gettext_lazy("Number of places"),
        help=gettext_lazy("More entrants go on a waiting list. Empty: unlimited."),
        group="players",
    )
    late_rounds: int = whole(
        0,
        MAX_ROUNDS,
        label=gettext_lazy("Late entry until round"),
        help=gettext_lazy("Players can enter until this round is paired. 0: only before the start."),
        group="entry",
    )
    check_in_hours: int = whole(
        0,
        MAX_CHECK_IN_HOURS,
        title="",
        label=gettext_lazy("Check-in, hours before the start"),
        help=gettext_lazy("Players who do not confirm that they take part lose their place. 0: no check-in."),
        group="entry",
    )
    alternates: bool = yes_no(
        title="",
        label=gettext_lazy("Alternates"),
        help=gettext_lazy("Players without a place stay on the list and replace entrants who withdraw."),
        group="entry",
    )
    stand_ins: bool = yes_no(
        label=gettext_lazy("Alternates for absent players"),
        help=gettext_lazy("In a Swiss, an alternate plays each round that somebody misses. Needs alternates."),
        group="entry",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DivisionSettings:
    """A division, the first one the highest: its name (the season's if "") and its size (None for any)."""

    name: str = ""
    max_entrants: int | None = None


@with_packages
@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPolicies:
    """The rules of a season about entrants and games that go wrong, each declared with all that is said about it, and
    the settings of packages.

    `withdrawals`: what happens to the games of an entrant who withdraws. `max_no_shows`: after how many missed rounds
    an entrant is withdrawn, 0 for never. `paid_absences`: how many absences of an entrant are worth the points of an
    absence, None for all. `on_round_deadline`: what happens to games that are not over when their round
    ends. `deals`: whether games with the same number in the matches of a round share a deal; they are then sealed.
    `luck`: whether the standings show points without luck beside the official ones. `promoted` and `relegated`: how
    many change the division at the end of the season; `playoff`: how many more places are decided by a play-off.
    `points_carryover`: the part of the points that is carried over into the next season, 0 … 1.
    """

    withdrawals: str = choice(
        {
            VOID_BELOW_HALF: gettext_lazy(
                "before half of the games are played: all results are removed; later: the remaining games are lost"
            ),
            FORFEIT_UNPLAYED: gettext_lazy("results stand; the remaining games are lost"),
        },
        label=gettext_lazy("After a withdrawal"),
        help=gettext_lazy(
            "Results are removed in round robins only; in other formats they stand. Fixed before the start."
        ),
        group="policies",
    )
    max_no_shows: int = whole(
        0,
        100,
        title=gettext_lazy("Withdrawn after missed rounds"),
        label=gettext_lazy("Withdraw after missed rounds"),
        help=gettext_lazy("Missed rounds after which an entrant is withdrawn. 0: never."),
        group="policies",
        api_help="Missed rounds after which an entrant is withdrawn. 0: never.",
    )
    paid_absences: int | None = whole(
        0,
        MAX_ROUNDS,
        optional=True,
        title=gettext_lazy("Absences with points"),
        label=gettext_lazy("Absences with points"),
        help=gettext_lazy(
            "Rounds that an entrant can miss, after saying so, for the points of an absence. Empty: all."
        ),
        group="policies",
        api_help="Absences of an entrant that are worth the points of an absence. Null: all.",
    )
    on_round_deadline: str = choice(
        {
            WAIT_FOR_UNPLAYED: gettext_lazy("the round waits for them"),
            FORFEIT_UNPLAYED: gettext_lazy("are lost by the absent player"),
            ADJUDICATE_UNPLAYED: gettext_lazy("are decided by an organiser"),
        },
        title=gettext_lazy("Unplayed games"),
        label=gettext_lazy("Unplayed games at the end of a round"),
        help=gettext_lazy("An organiser can extend any round."),
        group="policies",
    )
    short_tables: str = choice(
        {
            SHORT_TABLE_BYE: gettext_lazy("are not played; players left over have a bye"),
            SHORT_TABLE_BOT: gettext_lazy("are filled with built-in bots"),
            SHORT_TABLE_ALLOWED: gettext_lazy("are played with fewer players"),
        },
        label=gettext_lazy("Incomplete tables"),
        help=gettext_lazy("If the number of entrants does not fill all tables."),
        group="policies",
    )
    deals: str = choice(
        {
            SEPARATE_DEALS: gettext_lazy("every game has its own deal"),
            DUPLICATE_DEALS: gettext_lazy("the same cards at all tables of a round"),
        },
        label=gettext_lazy("Deals"),
        help=gettext_lazy(
            "With the same cards, skill counts more. Results are sealed until the last table has finished."
        ),
        group="policies",
    )
    luck: str = choice(
        {
            LUCK_HIDDEN: gettext_lazy("are not shown"),
            LUCK_SHOWN: gettext_lazy("are shown, and decide no places"),
        },
        label=gettext_lazy("Points without luck"),
        help=gettext_lazy("Shown beside the official points, which alone decide places. It cannot be chosen later."),
        group="policies",
    )
    promoted: int = whole(
        0,
        MAX_ENTRANTS,
        title="",
        label=gettext_lazy("Promoted"),
        help=gettext_lazy("Entrants promoted from each division."),
        group="divisions",
        api_help="Entrants promoted from each division.",
    )
    relegated: int = whole(
        0,
        MAX_ENTRANTS,
        title="",
        label=gettext_lazy("Relegated"),
        help=gettext_lazy("Entrants relegated from each division."),
        group="divisions",
        api_help="Entrants relegated from each division.",
    )
    playoff: int = whole(
        0,
        MAX_ENTRANTS,
        title="",
        label=gettext_lazy("Play-off places"),
        help=gettext_lazy("Further places that a play-off decides. In a draw the holder keeps the place."),
        group="divisions",
        api_help="Places that are decided by a play-off.",
    )
    points_carryover: float = share(
        refusal=gettext_lazy("The share of points carried over must be from 0 to 1."),
        title="",
        label=gettext_lazy("Points carried over, in percent"),
        help=gettext_lazy("Taken into the next season. 0: none."),
        group="divisions",
        api_help="Share of the points kept for the next season, 0 to 1.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonSettings(SeasonPolicies):
    """A season's complete settings.

    `options` are the kind's, `format_options` the format's, `terms` those of every game; `points` and `tie_breaks` are
    as in `tournaments.scoring.standings`, `calendar` as in `tournaments.seasons.schedule.CalendarRule`. `value_hash`:
    of the value function by which luck is shown. `duration_seconds`: the duration of a season whose format has no last
    round, 0 until it is ended by hand.
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
    value_hash: str = ""
    divisions: tuple[DivisionSettings, ...] = (DivisionSettings(),)

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
        """Read the settings from the data of `plain` or `logged`, unchecked; without those of a package that is not
        installed any more."""
        known = {field.name: data[field.name] for field in fields(cls) if field.name in data}
        tiers = tuple(DivisionSettings(**tier) for tier in data["divisions"])
        return cls(**{**known, "entry": EntryPolicy(**data["entry"]), "divisions": tiers})


def parse_settings(data: Mapping[str, Any]) -> SeasonSettings:
    """Check the settings that somebody asks for; missing ones, or None, have their defaults. Raises `DomainError` (400)
    with the field: unknown_setting, unknown_kind, bad_option, bad_format, bad_points, bad_tie_break, bad_schedule,
    bad_setting."""
    _refuse_unknown(data, {field.name for field in fields(SeasonSettings)} - RESOLVED, "")
    asked = {name: value for name, value in data.items() if value is not None}
    size = asked.get("table_size", 2)
    format_options, games = _parse_format_options(asked, size)
    policies = {
        name: setting.check(name, asked[name]) for name, setting in declared(SeasonPolicies).items() if name in asked
    }
    sealed = {"sealed": True} if policies.get("deals") == DUPLICATE_DEALS else {}
    terms = {**asked.get("terms", {}), **sealed}
    settings = SeasonSettings(
        kind=asked.get("kind", ""),
        **_parse_game_terms(asked.get("kind", ""), size, asked.get("options", {}), terms),
        **_parse_format(asked.get("format", DEFAULT_FORMAT), format_options, size, games),
        **_parse_counting(
            asked["kind"],
            asked.get("points"),
            asked.get("tie_breaks", FORMATS[asked.get("format", DEFAULT_FORMAT)].usual_tie_breaks),
            default_points_of(asked.get("format", DEFAULT_FORMAT), size, games),
        ),
        calendar=_parse_calendar(asked.get("calendar", {})),
        duration_seconds=check_whole("duration_seconds", asked.get("duration_seconds", 0), 0, 2 * MAX_ROUND_SECONDS),
        entry=_parse_entry(asked.get("entry", {})),
        divisions=_parse_divisions(asked.get("divisions") or [{}], policies, size),
        **policies,
    )
    return _with_value_function(_check_agreed(settings))


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


def _parse_format_options(asked: Mapping[str, Any], table_size: int) -> tuple[dict[str, Any], int]:
    """Return all options of the format, and the number of games of a match."""
    format = asked.get("format", DEFAULT_FORMAT)
    if format not in FORMATS:
        sentence = _("The format must be one of {choices}, not {format!r}.").format(
            choices=", ".join(FORMATS), format=format
        )
        raise DomainError(400, "bad_format", sentence, "format")
    options = resolve_options(FORMATS[format].options, asked.get("format_options", {}), "format_options")
    return options, asked.get("games_a_match", FORMATS[format].usual_games(table_size, options))


def _parse_format(format: str, options: Mapping[str, Any], table_size: int, games_a_match: int) -> dict[str, Any]:
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
    if why := FORMATS[format].why_no_match(games_a_match, table_size, options):
        raise DomainError(400, "bad_format", why, "games_a_match" if table_size == 2 else "table_size")
    return {"format": format, "format_options": options, "table_size": table_size, "games_a_match": games_a_match}


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
    """Check settings that depend on one another: matches with agreed times need a fallback time, tables that share a
    deal must begin together, and alternates must be there to stand in."""
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
        refuse("deals", sentence)
    if settings.entry.stand_ins and not (settings.entry.alternates and FORMATS[settings.format].stand_ins):
        refuse(
            "entry.stand_ins", _("Alternates can play single rounds in a Swiss only, and only if it has alternates.")
        )
    return settings


def _with_value_function(settings: SeasonSettings) -> SeasonSettings:
    """Return the settings with the hash of the kind's value function, if points without luck are to be shown."""
    if settings.luck != LUCK_SHOWN:
        return settings
    format = FORMATS[settings.format]
    if settings.points["system"] == "score" or format.by_stage or format.by_teams:
        sentence = _("Luck can be taken out of points for places only. Hide it, or choose other points or format.")
        refuse("luck", sentence)
    kind = KINDS[settings.kind]
    value = kind.usable_value
    if value is None:
        refuse("luck", _("{kind} has no value function, so its luck is not known.").format(kind=kind.spec.title))
    return replace(settings, value_hash=value.hash)


def _parse_entry(asked: Mapping[str, Any]) -> EntryPolicy:
    _refuse_unknown(asked, set(declared(EntryPolicy)), "entry.")
    known = declared(EntryPolicy)
    entry = EntryPolicy(
        **{name: known[name].check(f"entry.{name}", value) for name, value in asked.items() if value is not None}
    )
    if None not in (entry.rating_min, entry.rating_max) and entry.rating_min > entry.rating_max:  # type: ignore[operator]
        refuse("entry.rating_max", _("The highest rating is below the lowest rating. Change one of them."))
    return entry


def _parse_divisions(listed: Any, policies: Mapping[str, Any], table_size: int) -> tuple[DivisionSettings, ...]:
    """Return the divisions. Raises `DomainError` also for `policies` that need more than one, or pairs."""
    if not isinstance(listed, Sequence) or isinstance(listed, str) or len(listed) > MAX_DIVISIONS:
        refuse("divisions", _("A season can have 1 to {most} divisions.").format(most=MAX_DIVISIONS))
    tiers = tuple(_parse_division(tier) for tier in listed)
    if policies.get("playoff") and table_size != 2:
        refuse("playoff", _("A play-off is a match between two. Leave it at 0 for larger tables."))
    moved = [name for name in ("promoted", "relegated", "playoff") if policies.get(name)]
    if len(tiers) == 1 and moved:
        sentence = _("A season with one division has no promotion or relegation. Add a division, or leave this at 0.")
        refuse(moved[0], sentence)
    return tiers


def _parse_division(asked: Any) -> DivisionSettings:
    data = asked if isinstance(asked, Mapping) else {"name": asked}
    _refuse_unknown(data, {"name", "max_entrants"}, "divisions.")
    name, most = data.get("name") or "", data.get("max_entrants")
    if not isinstance(name, str) or len(name) > 60:
        refuse("divisions.name", _("A division's name may have at most 60 characters."))
    return DivisionSettings(
        name=name, max_entrants=None if most is None else check_whole("divisions.max_entrants", most, 2, MAX_ENTRANTS)
    )


def _refuse_unknown(asked: Any, known: set[str], where: str, code: str = "unknown_setting") -> None:
    if not isinstance(asked, Mapping):
        refuse(where.rstrip("."), _("This must be an object of settings by name."))
    for name in asked:
        if name not in known:
            sentence = _("There is no setting {name!r} here. The settings are {known}.")
            text = sentence.format(name=name, known=", ".join(sorted(known)) or _("none"))
            raise DomainError(400, code, text, f"{where}{name}")
