"""The form for setting up a season. The options of a game and their help texts come from the schema of its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final
from zoneinfo import ZoneInfo

from django import forms
from django.db.models import F
from django.db.models.lookups import IsNull
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common import clock
from games.common.errors import DomainError
from games.common.labels import labels_of_kind
from games.common.option_fields import NO, YES, DurationField, known_or_default, parse_ids, plain_values
from games.lobby.table_request import BOT_DESCRIPTIONS
from games.models import Player
from games.play.roster import builtin_bots_for
from scorebook_games.contract import OptionError, Rules
from scorebook_games.gamelog.pacing import paces_of
from scorebook_games.gamelog.terms import schema_for
from scorebook_games.registry import KINDS, first_kind
from tournaments.clubs.models import Club
from tournaments.formats import DEFAULT_FORMAT, FORMATS
from tournaments.formats.round_robin import MAX_TABLE_SIZE
from tournaments.lifecycle import setup
from tournaments.lifecycle.services import current_name, part_of_the_year
from tournaments.lifecycle.setup import MAX_ENTRIES_PER_BOT, SeasonPlan, SeasonPreview
from tournaments.season_pages.gists import gists_of
from tournaments.season_pages.option_group import OptionGroup
from tournaments.season_pages.rules_form import (
    FIELDSET_TITLES,
    Fieldset,
    RulesForm,
    default_values,
    fieldset_of,
    rules_initial,
)
from tournaments.season_pages.tie_break_list import BUTTON, changed_keys
from tournaments.seasons import labels as league_labels
from tournaments.seasons.models import Entrant, League, Season
from tournaments.seasons.schedule import (
    BOTS_AT_NIGHT,
    BOTS_AT_ONCE,
    BOTS_WITH_ROUND,
    MEET_AGREED,
    MEET_FIXED,
    RULE_DATES,
    RULE_EVERY,
    RULE_WEEKDAYS,
    CalendarError,
    CalendarRule,
    parse_calendar,
)
from tournaments.seasons.setting import Label
from tournaments.seasons.settings import (
    LEAGUE_TERMS,
    MAX_GAMES_PER_MATCH,
    RESOLVED,
    SHORT_TABLE_BYE,
    SeasonSettings,
    default_points_of,
    parse_settings,
)
from tournaments.seasons.week_words import in_english, in_own_words, interval_text

# Fields of a plan that have another name in the form.
FORM_FIELD_NAMES = {"starts_at": "starts_on", "calendar": "rule", "entrants": "q", "players": "q", "bots": "q"}
FORM_FIELD_NAMES |= {"points": "points_scale", "duration_seconds": "duration"}
FORM_FIELD_NAMES |= {"calendar.seconds": "apart"}
FIELD_PREFIXES = {"bots": "bot_", "entry": "entry_", "calendar": ""}  # of the form's fields for parts of a plan
SUPPOSED_ENTRANTS: Final = 8  # for a preview before anybody has entered
PLAYERS_FOUND_SHOWN = 12  # players shown by a search
SETTINGS: Final = {each.name for each in fields(SeasonSettings)} - RESOLVED
CALENDAR_FIELDS: Final = ("rule", "apart", "times", "dates", "off", "match_time", "fallback_time", "duration")
DEFAULT_HOUR = 19  # the usual hour at which a round opens
RARE_CALENDAR_FIELDS: Final = (
    "window",
    "bots",
    "night",
    "repeats",
)  # fields of the calendar that are folded unless changed

# Terms that are folded unless changed, by what they are about. The others stand above them.
TERM_FOLDS: Final[tuple[tuple[Label, tuple[str, ...]], ...]] = (
    (
        gettext_lazy("Correspondence: vacation, hours and weekends"),
        ("vacation_days", "weekend_pause", "playing_from", "playing_to", "zone"),
    ),
    (gettext_lazy("Live: check-in"), ("check_in_minutes", "grace_minutes", "no_show")),
    (
        gettext_lazy("Leaving, aborting, rematch, spectators"),
        ("leaver", "may_abort", "rematch", "watch_delay", "sealed"),
    ),
    (
        gettext_lazy("Limits of bots"),
        (
            "bot_pace_ms",
            "bot_move_ms",
            "bot_bank_ms",
            "bot_cpu_ms",
            "bot_faults",
            "bot_violations",
        ),
    ),
)

# Field → the part of the form that has it, for fields of no group.
TOPICS: Final = {"format": "format", "games_a_match": "format"} | dict.fromkeys(
    (*CALENDAR_FIELDS, *RARE_CALENDAR_FIELDS), "calendar"
)


class SetupForm(RulesForm):
    """The fields of a `SeasonPlan`. `season`: the one that is changed, None for a new one; `draft`: what a new one
    begins from (`tournaments.lifecycle.drafts`). A field that is not sent has its usual value, so that another kind's
    fields can be added later."""

    league = forms.ChoiceField(label=gettext_lazy("League"), required=False)
    new_league = forms.CharField(
        label=gettext_lazy("Name of the new league"),
        required=False,
        help_text=gettext_lazy("Only for a new league. All its seasons have this name in common."),
    )
    name = forms.CharField(
        label=gettext_lazy("Season"),
        help_text=gettext_lazy("Name of this season."),
        error_messages={"required": gettext_lazy("Give the season a name, such as “Spring 2027”.")},
    )
    kind = forms.ChoiceField(label=gettext_lazy("Game"))
    table_size = forms.TypedChoiceField(
        label=gettext_lazy("Seats per table"),
        coerce=int,
        choices=[(n, n) for n in range(2, MAX_TABLE_SIZE + 1)],
        help_text=gettext_lazy("Number of entrants who play a game together."),
    )
    format = forms.ChoiceField(label=gettext_lazy("Format"))
    games_a_match = forms.IntegerField(
        label=gettext_lazy("Games per match"),
        required=False,
        help_text=gettext_lazy("Empty: as many as the table has seats."),
    )
    starts_on = forms.DateField(
        label=gettext_lazy("First round"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    starts_time = forms.TimeField(
        label=gettext_lazy("Time"), widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
    )
    rule = forms.ChoiceField(
        label=gettext_lazy("New rounds"),
        choices=[
            (RULE_EVERY, gettext_lazy("at a fixed interval after the first round")),
            (RULE_WEEKDAYS, gettext_lazy("on days of the week")),
            (RULE_DATES, gettext_lazy("on listed dates")),
        ],
    )
    apart = DurationField(
        label=gettext_lazy("Interval"),
        help_text=gettext_lazy(
            "Such as “1 week”, “3 days” or “20 minutes”. A round opens then, or when the round before has finished."
        ),
        error_messages={"required": gettext_lazy("Enter the interval between rounds, such as “1 week”.")},
    )
    times = forms.CharField(
        label=gettext_lazy("Days of the week"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Such as “Tuesdays and Fridays 19:00”."),
    )
    dates = forms.CharField(
        label=gettext_lazy("Dates"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy("Such as “2027-01-14 19:00, 2027-02-04 19:00”. Further rounds follow weekly."),
    )
    off = forms.CharField(
        label=gettext_lazy("Days off"),
        required=False,
        max_length=4000,
        help_text=gettext_lazy(
            "No round opens then, such as “2026-12-24/2027-01-03, 2027-03-17”. A weekly round skips its week."
        ),
    )
    match_time = forms.ChoiceField(
        label=gettext_lazy("Start of people’s matches"),
        choices=[
            (MEET_FIXED, gettext_lazy("when the round opens")),
            (MEET_AGREED, gettext_lazy("when the players agree, within the round")),
        ],
        help_text=gettext_lazy("For live games. Correspondence games are open for the whole round."),
    )
    fallback_time = forms.CharField(
        label=gettext_lazy("Fallback time"),
        required=False,
        max_length=40,
        help_text=gettext_lazy(
            "If the players agree on no time: the last such time of the round, such as “Sunday 19:00”."
        ),
    )
    window = DurationField(
        label=gettext_lazy("Time to play a round"),
        required=False,
        help_text=gettext_lazy("Empty: until the next round opens."),
    )
    bots = forms.ChoiceField(
        label=gettext_lazy("Matches between bots"),
        choices=[
            (BOTS_WITH_ROUND, gettext_lazy("when the round opens")),
            (BOTS_AT_NIGHT, gettext_lazy("in the night after the round opens")),
            (BOTS_AT_ONCE, gettext_lazy("as fast as possible, if only bots play")),
        ],
    )
    night = forms.CharField(
        label=gettext_lazy("Night hours"),
        max_length=7,
        help_text=gettext_lazy("From hour to hour, such as “0–6” or “22–5”."),
    )
    repeats = forms.ChoiceField(
        label=gettext_lazy("Repeat automatically"),
        choices=[(NO, gettext_lazy("no")), (YES, gettext_lazy("yes"))],
        help_text=gettext_lazy(
            "When the season has finished, the next one starts with the same settings and entrants."
        ),
    )
    players = forms.TypedMultipleChoiceField(coerce=int, required=False)
    q = forms.CharField(
        label=gettext_lazy("Search players by name"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
        help_text=gettext_lazy("Members of the club enter. Others are invited, and enter when they accept."),
    )

    def __init__(
        self,
        club: Club,
        data: Mapping[str, Any] | None = None,
        season: Season | None = None,
        draft: Mapping[str, Any] | None = None,
    ) -> None:
        self.club, self.season = club, season
        given = initial_values(club, season, draft)
        sent = plain_values(data) if data is not None else None
        self.chosen_kind = known_or_default((sent or given).get("kind") or given["kind"], KINDS, first_kind())
        self.chosen_format = known_or_default(
            (sent or given).get("format") or given["format"], FORMATS, given["format"]
        )
        self.seats = int(
            known_or_default(str((sent or given).get("table_size", "")), _sizes(), str(given["table_size"]))
        )
        self.groups = option_groups(self.chosen_kind, self.chosen_format, self.seats, club.zone)
        if sent is not None:
            sent["tie_breaks"] = changed_keys({**given, **sent}, FORMATS[self.chosen_format].usual_tie_breaks)
        self.bot_names = {bot: f"bot_{bot}" for bot in builtin_bots_for(self.chosen_kind)}
        usual = {**self._usual(), **given}
        super().__init__(data={**usual, **sent} if sent is not None else None, initial=usual)
        self._choices()
        for group in self.groups.values():
            self.fields.update(group.form_fields())
        self.fields.update({name: bot_field(bot) for bot, name in self.bot_names.items()})

    @property
    def rules(self) -> Rules[Any]:
        """The rules of the chosen kind."""
        return KINDS[self.chosen_kind].rules

    def faulty(self) -> list[forms.BoundField]:
        """Return the fields with an error, in the order of the page."""
        return [field for field in self if field.errors]

    def option_fields(self) -> list[forms.BoundField]:
        """Return the fields of the kind's options."""
        return self.groups["options"].bound(self)

    def clock_fields(self) -> list[forms.BoundField]:
        """Return the fields of the terms that are in none of `TERM_FOLDS`."""
        folded = {self.groups["terms"].field_name(name) for _title, names in TERM_FOLDS for name in names}
        return [field for field in self.groups["terms"].bound(self) if field.name not in folded]

    def term_folds(self) -> list[tuple[Label, Fieldset]]:
        """Return the titles and the fieldsets of the other terms."""
        group = self.groups["terms"]
        usual = group.texts({option.name: option.default for option in group.options})
        folds = [(title, [self[group.field_name(name)] for name in names]) for title, names in TERM_FOLDS]
        return [(title, fieldset_of(bound, usual)) for title, bound in folds]

    def format_fields(self) -> list[forms.BoundField]:
        """Return the fields of the format's options."""
        return self.groups["format_options"].bound(self)

    def opened_topics(self) -> set[str]:
        """Return the parts of the form that have a field with an error, a search for players, or a list that was just
        changed."""
        used = {topic for name, topic in (("q", "entrants"), (BUTTON, "fair")) if self.data.get(name)}
        return {self._topic_of(field.name) for field in self.faulty()} | used

    def _topic_of(self, name: str) -> str:
        """Return the part of the form that has a field; "" for the first, which is always open."""
        groups = {"options": "options", "terms": "terms", "format_options": "format"}
        for part, topic in groups.items():
            if name in self.groups[part].form_fields():
                return topic
        if name.startswith(("entry_", "bot_")) or name in ("q", "players"):
            return "entrants"
        folds = {"divisions": "format", "counting": "fair", "tie_breaks": "fair", "policies": "fair"}
        found = (topic for fold, topic in folds.items() if name in FIELDSET_TITLES[fold])
        return next(found, TOPICS.get(name, ""))

    def calendar_fields(self) -> list[forms.BoundField]:
        """Return the fields of the calendar that are not folded. The style sheet hides those that do not apply."""
        return [self[name] for name in CALENDAR_FIELDS]

    def calendar_fold(self) -> Fieldset:
        """Return the fieldset of rare calendar fields."""
        usual = {**calendar_fields(CalendarRule()), "repeats": NO}
        return fieldset_of([self[name] for name in RARE_CALENDAR_FIELDS], usual)

    def bot_fields(self) -> list[forms.BoundField]:
        """Return the fields for how often each built-in bot enters."""
        return [self[name] for name in self.bot_names.values()]

    def _usual(self) -> dict[str, Any]:
        """Return the usual values of options, terms and bots."""
        usual = {name: text for group in self.groups.values() for name, text in group.initial().items()}
        return usual | dict.fromkeys(self.bot_names.values(), "0")

    def _choices(self) -> None:
        leagues = [(league.slug, league.name) for league in self.club.leagues.all()]
        _chosen_kind(self, "league").choices = [*leagues, ("", _("A new league"))]
        _chosen_kind(self, "kind").choices = [(kind, rules.spec.title) for kind, rules in KINDS.items()]
        _chosen_kind(self, "format").choices = [(name, league_labels.format_label(name)) for name in FORMATS]
        players = self.fields["players"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        chosen = self.data.get("players", []) if self.is_bound else self.initial.get("players", [])
        self.chosen = list(Player.objects.select_related("bot_version").filter(pk__in=parse_ids(chosen)))
        players.choices = [(player.pk, str(player)) for player in self.chosen]
        players.error_messages["invalid_choice"] = _("There is no player with the id %(value)s.")
        self.fields["starts_on"].help_text = _("Times are in the club’s time zone, {zone}.").format(zone=self.club.zone)

    def found(self) -> list[Player]:
        """Return the players that the search finds, people first, without those already chosen. One query."""
        name = str(self.data.get("q", "")).replace("\0", "").strip()
        if not name:
            return []
        players = Player.objects.select_related("bot_version").filter(
            name__icontains=name[:40], from_file=False, is_team=False
        )
        players = players.exclude(pk__in=[player.pk for player in self.chosen])
        return list(players.order_by(IsNull(F("bot_version"), False), "name", "pk")[:PLAYERS_FOUND_SHOWN])

    def clean(self) -> dict[str, Any]:
        """Check each option and term by its schema, and the first round in the club's time zone."""
        cleaned = super().clean() or {}
        leagues = self.club.leagues
        if self.season is None and cleaned.get("name") == suggested_name(self.club, leagues.first()):
            # The suggestion was made for the first league of the list; the season is in the one that was chosen.
            cleaned["name"] = suggested_name(self.club, leagues.filter(slug=cleaned.get("league", "")).first())
        for group in self.groups.values():
            group.check(self)
        if not 1 <= (cleaned.get("games_a_match") or 1) <= MAX_GAMES_PER_MATCH:
            self.add_error("games_a_match", _("A match can have 1 to {most} games.").format(most=MAX_GAMES_PER_MATCH))
        if not self.rules.spec.seats_min <= self.seats <= self.rules.spec.seats_max:
            self.add_error("table_size", _seats_sentence(self.rules))
        if cleaned.get("starts_on") and cleaned.get("starts_time"):
            cleaned["starts_at"] = self._starts_at(cleaned)
        if "apart" in cleaned and "window" in cleaned:
            cleaned["calendar"] = self._calendar(cleaned)
        return cleaned

    def _calendar(self, cleaned: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the calendar as data; None if it is invalid, with an error at the field."""
        hours = re.fullmatch(r"(\d{1,2})\s*[-–]\s*(\d{1,2})", cleaned.get("night", "").strip())
        asked = {name: cleaned[name] for name in ("rule", "match_time", "bots") if cleaned.get(name)}
        asked |= {"fallback_time": in_english(cleaned.get("fallback_time", ""))}
        asked |= {"seconds": cleaned["apart"], "window": ceil((cleaned["window"] or 0) / 3600)}
        asked |= {name: _split_at_commas(cleaned.get(name, "")) for name in ("dates", "off")}
        asked |= {"times": [in_english(cleaned["times"])] if cleaned.get("times") else []}
        asked |= {"night": [int(hour) for hour in hours.groups()] if hours else cleaned.get("night")}
        try:
            return parse_calendar(asked).plain()
        except CalendarError as error:
            self.add_error(self._field_of(f"calendar.{error.field}"), error.sentence)
            return None

    def _starts_at(self, cleaned: Mapping[str, Any]) -> datetime | None:
        zone = ZoneInfo(self.club.zone)
        local = datetime.combine(cleaned["starts_on"], cleaned["starts_time"], zone)
        if local.astimezone(ZoneInfo("UTC")).astimezone(zone).replace(tzinfo=None) != local.replace(tzinfo=None):
            sentence = _("This time does not exist in {zone}, because the clocks go forward. Choose another time.")
            self.add_error("starts_time", sentence.format(zone=self.club.zone))
            return None
        try:
            if self.season is None or local != self.season.starts_at:
                setup.check_time(local)
        except DomainError as error:
            self.add_error("starts_on", error.sentence)
            return None
        return local

    def plan(self) -> SeasonPlan:
        """Return the plan of a valid form."""
        asked = self.cleaned_data
        return SeasonPlan(
            league=asked["league"],
            new_league=asked["new_league"],
            **self.settings(),
            bots=self._bots(),
            players=asked["players"],
        )

    def settings(self) -> dict[str, Any]:
        """Return the plan of a valid form without league and entrants."""
        asked = self.cleaned_data
        return {
            **self._kept(),
            **{name: asked[name] for name in ("name", "kind", "table_size", "format", "games_a_match", "starts_at")},
            **self.rules_settings(self._usual_points(asked)),
            **{part: group.values(asked) for part, group in self.groups.items()},
            "calendar": asked["calendar"],
            "repeats": asked["repeats"] == YES,
        }

    def gists(self) -> dict[str, str]:
        """Return for each part of the form what its fields say, in one line; {} if a value is wrong."""
        if not self.is_valid():
            return {}
        try:
            agreed = parse_settings({name: value for name, value in self.settings().items() if name in SETTINGS})
        except DomainError:
            return {}
        entered = sum(self._bots().values()) + len(self.chosen)
        return gists_of(agreed, entered, repeats=self.cleaned_data["repeats"] == YES)

    def _usual_points(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        games = asked.get("games_a_match") or asked["table_size"]
        return default_points_of(asked["format"], asked["table_size"], games).plain()

    def _kept(self) -> dict[str, Any]:
        """Return the season's settings that the form does not ask for."""
        if self.season is None:
            return {}
        unasked = {field.name for field in fields(SeasonPlan)} - {"points", "tie_breaks", "format_options"}
        return {name: value for name, value in self.season.settings.items() if name in unasked}

    def _bots(self) -> dict[str, int]:
        """Return built-in bot → how often it enters."""
        return {bot: int(self.cleaned_data.get(name) or 0) for bot, name in self.bot_names.items()}

    def refuse(self, error: DomainError) -> None:
        """Show an error beside its field, or above the form if there is none."""
        place = self._field_of(error.field)
        self.add_error(place if place in self.fields else None, error.sentence)

    def _field_of(self, path: str) -> str:
        """Return the form's field for a field of a plan, or for a part of one (`terms.pace`)."""
        part, _dot, name = path.partition(".")
        if name and part in self.groups:
            return self.groups[part].field_name(name)
        if name and part in FIELD_PREFIXES:
            return FORM_FIELD_NAMES.get(path, FIELD_PREFIXES[part] + name)
        return FORM_FIELD_NAMES.get(part, part)

    def outlook(self) -> SeasonPreview | None:
        """Preview the season as far as the form is filled in; None if a necessary value is missing."""
        self.is_valid()  # fills in cleaned_data
        asked = self.cleaned_data
        if not all(asked.get(name) for name in ("format", "table_size", "starts_at", "calendar")):
            return None
        plan = SeasonPlan(
            name="",
            kind=self.chosen_kind,
            format=asked["format"],
            format_options=self.groups["format_options"].values(asked),
            table_size=asked["table_size"],
            games_a_match=asked.get("games_a_match") or None,
            starts_at=asked["starts_at"],
            calendar=asked["calendar"],
            duration_seconds=asked.get("duration") or 0,
            short_tables=asked.get("short_tables") or SHORT_TABLE_BYE,
            divisions=asked.get("divisions") or (),
            bots=self._bots(),
            entry={
                "players": asked.get("entry_players"),
                "late_rounds": asked.get("entry_late_rounds"),
                "alternates": asked.get("entry_alternates") == YES,
            },
            players=[player.pk for player in self.chosen],
        )
        entered = Entrant.objects.filter(season=self.season, status=Entrant.Status.IN).count() if self.season else 0
        count = entered + plan.entrants
        outlook = setup.compute_preview(plan, count or SUPPOSED_ENTRANTS, self.club.zone)
        return replace(outlook, is_supposed=not count)


def option_groups(kind: str, format: str, seats: int, zone: str) -> dict[str, OptionGroup]:
    """Return field of a plan → the group of fields for its parts. A field's name contains the kind or format if its
    value must not be carried over to another one."""
    rules = KINDS[kind].rules
    try:
        resolved = rules.resolve(seats, {})
    except OptionError:  # a number of seats that the kind does not allow; the form says so
        resolved = {}
    usual = {**LEAGUE_TERMS, "zone": zone}
    terms = (replace(term, default=usual.get(term.name, term.default)) for term in schema_for(paces_of(rules)))
    labels = league_labels.format_option_labels(format)
    return {
        "options": OptionGroup(f"option_{kind}", rules.spec.options, usual=resolved, labels=labels_of_kind(kind)),
        "terms": OptionGroup("term", tuple(terms), names={"pace": f"term_pace_{kind}"}),
        "format_options": OptionGroup(f"format_{format}", FORMATS[format].options, labels=labels),
    }


def bot_field(bot: str) -> forms.Field:
    """Return the field for how often a built-in bot enters."""
    choices = [(n, str(n) if n else _("no")) for n in range(MAX_ENTRIES_PER_BOT + 1)]
    about = str(BOT_DESCRIPTIONS.get(bot, ""))
    return forms.TypedChoiceField(label=bot.capitalize(), help_text=about, choices=choices, coerce=int)


def suggested_name(club: Club, league: League | None) -> str:
    """Return the name that the form suggests for a season of a league, which may be new."""
    return current_name(league) if league else part_of_the_year(club.zone)


def initial_values(club: Club, season: Season | None, draft: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the form's initial values: those of the season, or of the `draft` of a new one, or the usual ones."""
    if season is not None:
        named = {"league": season.league.slug, "name": season.name, "repeats": season.repeats}
        options = {**season.competition.earlier_options, **season.settings["format_options"]}
        return plan_fields({**named, "starts_at": season.starts_at, **season.settings, "format_options": options}, club)
    league = club.leagues.first()
    evening = (clock.now().astimezone(ZoneInfo(club.zone)) + timedelta(days=1)).replace(hour=DEFAULT_HOUR, minute=0)
    usual = {"league": league.slug if league else "", "starts_at": evening, "repeats": False}
    if draft is not None:
        agreed = parse_settings({name: value for name, value in draft.items() if name in SETTINGS}).plain()
        given = {**usual, **draft, **agreed}
        drafted_league = club.leagues.filter(slug=given["league"]).first()
        return plan_fields({"name": suggested_name(club, drafted_league), **given}, club)
    return {
        "league": usual["league"],
        "new_league": "",
        "name": suggested_name(club, league),
        "kind": first_kind(),
        "table_size": "2",
        "format": DEFAULT_FORMAT,
        "games_a_match": "",
        "starts_on": f"{evening:%Y-%m-%d}",
        "starts_time": f"{evening:%H:%M}",
        **calendar_fields(CalendarRule()),
        "repeats": NO,
        **default_values(),
    }


def plan_fields(plan: Mapping[str, Any], club: Club) -> dict[str, Any]:
    """Return the field values of a plan with complete settings."""
    local = plan["starts_at"].astimezone(ZoneInfo(club.zone))
    groups = option_groups(plan["kind"], plan["format"], plan["table_size"], club.zone)
    points = default_points_of(plan["format"], plan["table_size"], plan["games_a_match"]).plain()
    lasts = plan["duration_seconds"]
    return {
        "league": plan["league"],
        "new_league": plan.get("new_league", ""),
        "name": plan["name"],
        "kind": plan["kind"],
        "table_size": str(plan["table_size"]),
        "format": plan["format"],
        "games_a_match": str(plan["games_a_match"]),
        "starts_on": f"{local:%Y-%m-%d}",
        "starts_time": f"{local:%H:%M}",
        **calendar_fields(parse_calendar(plan["calendar"])),
        "repeats": YES if plan["repeats"] else NO,
        **rules_initial(plan, points),
        "duration": interval_text(lasts) if lasts else "",
        **{name: text for part, group in groups.items() for name, text in group.texts(plan[part]).items()},
        **{f"bot_{bot}": str(count) for bot, count in plan.get("bots", {}).items()},
        "players": [str(pk) for pk in plan.get("players", ())],
    }


def calendar_fields(calendar: CalendarRule) -> dict[str, str]:
    """Return a calendar as field values."""
    plain = calendar.plain()
    return {
        **{name: plain[name] for name in ("rule", "match_time", "bots")},
        "fallback_time": in_own_words(plain["fallback_time"]),
        "apart": interval_text(calendar.seconds),
        "times": ", ".join(map(in_own_words, plain["times"])),
        "dates": ", ".join(text.replace("T", " ") for text in plain["dates"]),
        "off": ", ".join(plain["off"]),
        "window": interval_text(calendar.window * 3600) if calendar.window else "",
        "night": "{}–{}".format(*calendar.night),
    }


def _split_at_commas(text: str) -> list[str]:
    """Return the parts between commas or line ends."""
    return [part.strip() for part in text.replace("\n", ",").split(",") if part.strip()]


def _sizes() -> list[str]:
    return [str(size) for size in range(2, MAX_TABLE_SIZE + 1)]


def _chosen_kind(form: forms.Form, name: str) -> forms.ChoiceField:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field


def _seats_sentence(rules: Rules[Any]) -> str:
    spec = rules.spec
    return _("{title} is for {least} to {most} players.").format(
        title=spec.title, least=spec.seats_min, most=min(spec.seats_max, MAX_TABLE_SIZE)
    )
