"""The part of a season's form that asks who may enter, how results count, and what happens when things go wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common.option_fields import NO, YES, DurationField
from games.kinds import KINDS
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAK_NAMES, TIE_BREAKS
from tournaments.seasons import labels as league_labels
from tournaments.seasons.settings import (
    MAX_CHECK_IN_HOURS,
    MAX_DIVISIONS,
    MAX_ENTRANTS,
    MAX_ROUNDS,
    RATING_BOUNDS,
    DivisionSettings,
    SeasonSettings,
    parse_settings,
)

Label = Any  # text, at once or when it is shown

ENTRY_FIELDS = (
    "players",
    "rating_min",
    "rating_max",
    "invited_only",
    "max_entrants",
    "late_rounds",
    "check_in_hours",
    "alternates",
)
NUMBER_FIELDS = ("promoted", "relegated", "playoff", "max_no_shows")
CHOICE_FIELDS = ("withdrawals", "on_round_deadline", "short_tables", "deals")
TIE_BREAK_FIELDS = tuple(f"tie_{place}" for place in range(1, len(TIE_BREAKS) + 1))
# What stands folded up in the form unless somebody has chosen something there.
FIELDSET_TITLES = {
    "entry": tuple(f"entry_{name}" for name in ENTRY_FIELDS if name not in ("players", "max_entrants")),
    "divisions": ("divisions", "promoted", "relegated", "playoff", "points_carryover"),
    "counting": ("points_system", "points_scale", "points_bye", "points_away", *TIE_BREAK_FIELDS),
    "policies": ("withdrawals", "max_no_shows", "on_round_deadline", "short_tables", "deals"),
}
YES_NO = [(NO, gettext_lazy("no")), (YES, gettext_lazy("yes"))]
DIVISION_LINE = re.compile(r"(?P<name>.*?)\s*(?:(?:^|[,:])\s*(?P<most>\d{1,5}))?")


def whole_number_field(label: Label, least: int, most: int, told: Label) -> forms.IntegerField:
    """A whole number from `least` to `most`, or nothing."""
    sentence = _lazy_range(least, most)
    return forms.IntegerField(
        label=label,
        help_text=told,
        required=False,
        min_value=least,
        max_value=most,
        error_messages={"invalid": sentence, "min_value": sentence, "max_value": sentence},
    )


def _lazy_range(least: int, most: int) -> Label:
    return gettext_lazy("A whole number from %(least)s to %(most)s.") % {"least": least, "most": most}


def choice_field(label: Label, choices: Mapping[str, Label], told: Label) -> forms.ChoiceField:
    """One of several words; with a choice of "" it may be left out."""
    return forms.ChoiceField(label=label, choices=list(choices.items()), help_text=told, required="" not in choices)


class DivisionsField(forms.Field):
    """Divisions, one a line, the highest first: a name, and after a comma how many it holds."""

    widget = forms.Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> list[dict[str, Any]]:
        """As the settings have them; [] for one without a name. Raises ValidationError."""
        lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        if len(lines) > MAX_DIVISIONS:
            raise ValidationError(_("A season has 1 to {most} divisions.").format(most=MAX_DIVISIONS))
        return [_parse_division(line) for line in lines]


def _parse_division(line: str) -> dict[str, Any]:
    found = DIVISION_LINE.fullmatch(line)
    name, most = (found["name"], found["most"]) if found else (line, None)
    if len(name) > 60:
        raise ValidationError(_("A division's name has up to 60 characters: “{name}…”.").format(name=name[:20]))
    if most is not None and not 2 <= int(most) <= MAX_ENTRANTS:
        sentence = _("“{line}”: a division holds 2 to {most} entrants.")
        raise ValidationError(sentence.format(line=line, most=MAX_ENTRANTS))
    return {"name": name, "max_entrants": int(most) if most else None}


def division_lines(tiers: tuple[DivisionSettings, ...]) -> str:
    """Divisions as the field holds them."""
    if tiers == (DivisionSettings(),):
        return ""
    return "\n".join(_division_line(number, tier) for number, tier in enumerate(tiers, start=1))


def _division_line(number: int, tier: DivisionSettings) -> str:
    name = tier.name or (_("Division {number}").format(number=number) if tier.max_entrants is None else "")
    return ", ".join(part for part in (name, str(tier.max_entrants or "")) if part)


class PlacePointsField(forms.Field):
    """What the places are worth, the first first: “3, 1, 0”."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> list[float] | None:
        """The numbers, None where nothing is written. Raises ValidationError with an example."""
        said = str(value or "").replace("½", ".5").replace(";", " ").replace(",", " ").split()
        try:
            worths = [float(word) for word in said]
            if not all(map(isfinite, worths)):  # float() reads “inf” and “nan” too
                raise ValueError
        except ValueError as error:
            raise ValidationError(_("Write what the places are worth, as “3, 1, 0” or “1”.")) from error
        return [int(worth) if worth.is_integer() else worth for worth in worths] or None


@dataclass(frozen=True, slots=True)
class Fieldset:
    """Fields that stand folded up; `open` where something in them is chosen or wrong."""

    fields: list[forms.BoundField]
    open: bool


class RulesForm(forms.Form):
    """Who may enter, divisions, points and ties, policies; each field with its usual value where it is not sent."""

    entry_players = choice_field(
        gettext_lazy("Who may enter"),
        league_labels.ENTRANT_KIND_LABELS,
        gettext_lazy("Bots are marked BOT everywhere; a season with both is rated apart."),
    )
    entry_max_entrants = whole_number_field(
        gettext_lazy("Places"),
        2,
        MAX_ENTRANTS,
        gettext_lazy("How many may be in; who comes later waits for a place. Empty: any number."),
    )
    entry_invited_only = choice_field(
        gettext_lazy("By invitation only"),
        dict(YES_NO),
        gettext_lazy("Whether an organiser has to let in whoever asks."),
    )
    entry_rating_min = whole_number_field(
        gettext_lazy("Lowest rating"),
        *RATING_BOUNDS,
        gettext_lazy("Elo in this game to enter with. Empty: none. Organisers may enter anybody."),
    )
    entry_rating_max = whole_number_field(
        gettext_lazy("Highest rating"),
        *RATING_BOUNDS,
        gettext_lazy("Likewise, for a season of beginners. Empty: none."),
    )
    entry_check_in_hours = whole_number_field(
        gettext_lazy("Check-in, hours before the start"),
        0,
        MAX_CHECK_IN_HOURS,
        gettext_lazy("People say then that they are there; who does not gives way to who waits. 0: no check-in."),
    )
    entry_late_rounds = whole_number_field(
        gettext_lazy("Late entry until round"),
        0,
        MAX_ROUNDS,
        gettext_lazy("Until so many rounds are paired people still enter. 0: until the start."),
    )
    entry_alternates = choice_field(
        gettext_lazy("Alternates"),
        dict(YES_NO),
        gettext_lazy("Whether who found no place waits on, and takes that of whoever withdraws."),
    )
    divisions = DivisionsField(
        label=gettext_lazy("Divisions"),
        required=False,
        help_text=gettext_lazy(
            "One a line, the highest first, and how many it holds: “First division, 8”. The strongest start in the "
            "highest. Empty: all play in one."
        ),
    )
    promoted = whole_number_field(
        gettext_lazy("Go up"), 0, MAX_ENTRANTS, gettext_lazy("The best so many of each division, at the season’s end.")
    )
    relegated = whole_number_field(
        gettext_lazy("Go down"), 0, MAX_ENTRANTS, gettext_lazy("The last so many of each division.")
    )
    playoff = whole_number_field(
        gettext_lazy("Play-off places"),
        0,
        MAX_ENTRANTS,
        gettext_lazy("So many next ones play for the place: the one who holds it keeps it in a draw."),
    )
    points_carryover = forms.FloatField(
        label=gettext_lazy("Points kept, in percent"),
        required=False,
        min_value=0,
        max_value=100,
        help_text=gettext_lazy("Which part of the points goes over into the next season. 0: all begin anew."),
    )
    duration = DurationField(
        label=gettext_lazy("Ladder or arena: it lasts"),
        required=False,
        help_text=gettext_lazy(
            "As “3 hours” or “12 weeks”. Empty: until an organiser ends it. Other formats end by themselves."
        ),
    )
    points_system = choice_field(
        gettext_lazy("What counts"),
        {"": gettext_lazy("as usual for the format and the seats"), **league_labels.POINTS_SYSTEM_LABELS},
        gettext_lazy("As usual: the match for two at a table, every game's places for more."),
    )
    points_scale = PlacePointsField(
        label=gettext_lazy("Points of the places"),
        required=False,
        help_text=gettext_lazy("As “3, 1, 0”, the first place first. Shared places share them. Empty: as usual."),
    )
    points_bye = forms.FloatField(
        label=gettext_lazy("Points for a bye"),
        required=False,
        min_value=0,
        max_value=1000,
        help_text=gettext_lazy("For a round in which one rests since nobody is left over. Empty: as usual."),
    )
    points_away = forms.FloatField(
        label=gettext_lazy("Points for a round away"),
        required=False,
        min_value=0,
        max_value=1000,
        help_text=gettext_lazy("For a round that one asked to be left out of, or came too late for. Empty: as usual."),
    )
    withdrawals = choice_field(
        gettext_lazy("Who withdraws"),
        league_labels.WITHDRAWAL_LABELS,
        gettext_lazy("Said before the start, so that nobody is judged by whom it helps."),
    )
    max_no_shows = whole_number_field(
        gettext_lazy("Rounds missed"),
        0,
        100,
        gettext_lazy("Who has not come to so many rounds without a word is withdrawn. 0: never."),
    )
    on_round_deadline = choice_field(
        gettext_lazy("Games unplayed when a round's time is up"),
        league_labels.UNPLAYED_LABELS,
        gettext_lazy("An organiser can give any round more time."),
    )
    short_tables = choice_field(
        gettext_lazy("Tables that are short of players"),
        league_labels.SHORT_TABLE_LABELS,
        gettext_lazy("Where the number of entrants does not fill the tables."),
    )
    deals = choice_field(
        gettext_lazy("Deals"),
        league_labels.DEAL_LABELS,
        gettext_lazy("The same cards tell strength from luck; results are sealed until the last table has finished."),
    )

    chosen_format: str
    seats: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [("", "–"), *((name, TIE_BREAK_NAMES[name]) for name in TIE_BREAKS)]
        for place, name in enumerate(TIE_BREAK_FIELDS, start=1):
            label = _("First") if place == 1 else _("Then ({place})").format(place=place)
            self.fields[name] = forms.ChoiceField(label=label, choices=offered, required=False)

    def fold(self, name: str) -> Fieldset:
        """The fields that stand folded up under that name."""
        bound = [self[field] for field in FIELDSET_TITLES[name]]
        touched = any(str(field.value() or "") != default_values()[field.name] for field in bound)
        return Fieldset(bound, touched or any(field.errors for field in bound))

    def entry_fold(self) -> Fieldset:
        """Bounds, lists and check-in."""
        return self.fold("entry")

    def divisions_fold(self) -> Fieldset:
        """Divisions, and who changes them."""
        return self.fold("divisions")

    def counting_fold(self) -> Fieldset:
        """Points and ties; `fields` without the ties."""
        whole_fold = self.fold("counting")
        return Fieldset([field for field in whole_fold.fields if field.name not in TIE_BREAK_FIELDS], whole_fold.open)

    def tie_fields(self) -> list[forms.BoundField]:
        """The chain of tie-breaks."""
        return [self[name] for name in TIE_BREAK_FIELDS]

    def policies_fold(self) -> Fieldset:
        """What happens when things go wrong."""
        return self.fold("policies")

    def clean(self) -> dict[str, Any]:
        """The points of places only with what counts."""
        cleaned = super().clean() or {}
        if cleaned.get("points_scale") and not cleaned.get("points_system"):
            self.add_error("points_system", _("Say what counts: the match, every game won, or every game's places."))
        return cleaned

    def rules_settings(self, usual_points: Mapping[str, Any]) -> dict[str, Any]:
        """This part's settings, of a form that is valid; `usual_points` are those of a season that says nothing."""
        asked = self.cleaned_data
        chain = list(
            dict.fromkeys(asked[name] for name in TIE_BREAK_FIELDS if asked[name])
        )  # moved up, one stands there twice
        return {
            "entry": self._entry(),
            "divisions": asked["divisions"] or [{}],
            "points_carryover": round((asked["points_carryover"] or 0) / 100, 6),
            "duration_seconds": asked["duration"] or 0,
            "points": self._points(usual_points),
            "tie_breaks": chain or list(DEFAULT_TIE_BREAKS),
            **{name: asked[name] or 0 for name in NUMBER_FIELDS},
            **{name: asked[name] for name in CHOICE_FIELDS},
        }

    def _entry(self) -> dict[str, Any]:
        asked = {name: self.cleaned_data[f"entry_{name}"] for name in ENTRY_FIELDS}
        for name in ("invited_only", "alternates"):
            asked[name] = asked[name] == YES
        return {name: value for name, value in asked.items() if value is not None}

    def _points(self, usual: Mapping[str, Any]) -> dict[str, Any]:
        asked = self.cleaned_data
        system = asked["points_system"] or usual["system"]
        given = {"bye": asked["points_bye"], "away": asked["points_away"]}
        return {
            **usual,
            "system": system,
            "scale": asked["points_scale"] or (usual["scale"] if system == usual["system"] else self._scale(system)),
            **{name: value for name, value in given.items() if value is not None},
        }

    def _scale(self, system: str) -> list[int]:
        """What the places are worth where only what counts is said: of games each place beaten, else the first one."""
        return list(range(self.seats - 1, -1, -1)) if system == "placing" else [1]


def rules_initial(settings: Mapping[str, Any], usual_points: Mapping[str, Any]) -> dict[str, str]:
    """What this part of the form holds of a season with these settings."""
    agreed = SeasonSettings.read(settings)
    chain = [*agreed.tie_breaks, *[""] * len(TIE_BREAK_FIELDS)]
    held = {name: getattr(agreed, name) for name in (*NUMBER_FIELDS, *CHOICE_FIELDS)}
    held |= {f"entry_{name}": getattr(agreed.entry, name) for name in ENTRY_FIELDS}
    held |= dict(zip(TIE_BREAK_FIELDS, chain, strict=False))
    held["divisions"] = division_lines(agreed.divisions)
    held["points_carryover"] = f"{agreed.points_carryover * 100:g}"
    return {name: _number_text(value) for name, value in held.items()} | _points_initial(agreed.points, usual_points)


def _points_initial(points: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, str]:
    if points == usual:
        return dict.fromkeys(("points_system", "points_scale", "points_bye", "points_away"), "")
    return {
        "points_system": points["system"],
        "points_scale": ", ".join(f"{worth:g}" for worth in points["scale"]),
        "points_bye": f"{points.get('bye', 0):g}",
        "points_away": f"{points.get('away', 0):g}",
    }


def _number_text(value: Any) -> str:
    if isinstance(value, bool):
        return YES if value else NO
    return "" if value is None else str(value)


@lru_cache(maxsize=1)
def default_values() -> dict[str, str]:
    """What the fields hold that nobody has touched."""
    agreed = parse_settings({"kind": next(iter(KINDS))})
    return {**rules_initial(agreed.plain(), agreed.points), "duration": ""}
