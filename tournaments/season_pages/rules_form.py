"""The part of a season's form about entry, divisions, points, tie-breaks and policies."""

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
from scorebook_games.registry import first_kind
from tournaments.formats import DEFAULT_FORMAT, FORMATS
from tournaments.season_pages.tie_break_list import TieBreakList, TieBreaksField
from tournaments.seasons import labels as league_labels
from tournaments.seasons.setting import Choice, Label, Setting, Share, Whole, YesNo, declared
from tournaments.seasons.settings import (
    MAX_DIVISIONS,
    MAX_ENTRANTS,
    DivisionSettings,
    EntryPolicy,
    SeasonPolicies,
    SeasonSettings,
    parse_settings,
)

# The form's field → the setting: those about entry have a prefix.
POLICY_FIELDS = declared(SeasonPolicies)
USUAL_POLICIES = SeasonPolicies()
ENTRY_FIELDS = {f"entry_{name}": setting for name, setting in declared(EntryPolicy).items()}
# Fieldsets that are folded unless a value in them was changed.
FIELDSET_TITLES = {
    "entry": [name for name, setting in ENTRY_FIELDS.items() if setting.group == "entry"],
    "divisions": ["divisions", *(name for name, setting in POLICY_FIELDS.items() if setting.group == "divisions")],
    "counting": ["points_system", "points_scale", "points_bye", "points_away"],
    "tie_breaks": ["tie_breaks"],
    "policies": [name for name, setting in POLICY_FIELDS.items() if setting.group == "policies"],
}
YES_NO = [(NO, gettext_lazy("no")), (YES, gettext_lazy("yes"))]
DIVISION_LINE = re.compile(r"(?P<name>.*?)\s*(?:(?:^|[,:])\s*(?P<most>\d{1,5}))?")


def whole_number_field(label: Label, least: int, most: int, help_text: Label) -> forms.IntegerField:
    """Return an optional field for a whole number from `least` to `most`."""
    sentence = _lazy_range(least, most)
    return forms.IntegerField(
        label=label,
        help_text=help_text,
        required=False,
        min_value=least,
        max_value=most,
        error_messages={"invalid": sentence, "min_value": sentence, "max_value": sentence},
    )


def _lazy_range(least: int, most: int) -> Label:
    return gettext_lazy("A whole number from %(least)s to %(most)s.") % {"least": least, "most": most}


def choice_field(label: Label, choices: Mapping[str, Label], help_text: Label) -> forms.ChoiceField:
    """Return a choice field; it is optional if "" is one of the choices."""
    return forms.ChoiceField(
        label=label, choices=list(choices.items()), help_text=help_text, required="" not in choices
    )


def setting_field(setting: Setting) -> forms.Field:
    """Return the form's field for a setting."""
    match setting:
        case Choice():
            return choice_field(setting.label, setting.choices, setting.help)
        case YesNo():
            return choice_field(setting.label, dict(YES_NO), setting.help)
        case Whole():
            return whole_number_field(setting.label, setting.least, setting.most, setting.help)
        case Share():
            return forms.FloatField(
                label=setting.label, help_text=setting.help, required=False, min_value=0, max_value=100
            )
    raise TypeError(setting)


def _setting_value(setting: Setting, cleaned: Any) -> Any:
    """Return a field's value as the setting has it; None for the default."""
    match setting:
        case YesNo():
            return cleaned == YES
        case Share():
            return round((cleaned or 0) / 100, 6)
    return cleaned


def _field_text(setting: Setting, value: Any) -> str:
    """Return the value of a setting as its field shows it."""
    if isinstance(setting, Share):
        return f"{value * 100:g}"
    if isinstance(setting, YesNo):
        return YES if value else NO
    return "" if value is None else str(value)


class DivisionsField(forms.Field):
    """Divisions, one a line, the highest first: a name and, after a comma, its size."""

    widget = forms.Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> list[dict[str, Any]]:
        """Return the divisions as settings; [] if there are none. Raises ValidationError."""
        lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
        if len(lines) > MAX_DIVISIONS:
            raise ValidationError(_("A season can have 1 to {most} divisions.").format(most=MAX_DIVISIONS))
        return [_parse_division(line) for line in lines]


def _parse_division(line: str) -> dict[str, Any]:
    parsed = DIVISION_LINE.fullmatch(line)
    name, most = (parsed["name"], parsed["most"]) if parsed else (line, None)
    if len(name) > 60:
        raise ValidationError(_("A division's name may have at most 60 characters: “{name}…”.").format(name=name[:20]))
    if most is not None and not 2 <= int(most) <= MAX_ENTRANTS:
        sentence = _("“{line}”: a division must have 2 to {most} entrants.")
        raise ValidationError(sentence.format(line=line, most=MAX_ENTRANTS))
    return {"name": name, "max_entrants": int(most) if most else None}


def division_lines(tiers: tuple[DivisionSettings, ...]) -> str:
    """Return divisions as the text of the field."""
    if tiers == (DivisionSettings(),):
        return ""
    return "\n".join(_division_line(number, tier) for number, tier in enumerate(tiers, start=1))


def _division_line(number: int, tier: DivisionSettings) -> str:
    name = tier.name or (_("Division {number}").format(number=number) if tier.max_entrants is None else "")
    return ", ".join(part for part in (name, str(tier.max_entrants or "")) if part)


class PlacePointsField(forms.Field):
    """The points for the places, first place first: “3, 1, 0”."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> list[float] | None:
        """Return the numbers; None if the field is empty. Raises ValidationError with an example."""
        words = str(value or "").replace("½", ".5").replace(";", " ").replace(",", " ").split()
        try:
            worths = [float(word) for word in words]
            if not all(map(isfinite, worths)):  # float() accepts “inf” and “nan”
                raise ValueError
        except ValueError as error:
            raise ValidationError(_("Write the points for each place, such as “3, 1, 0” or “1”.")) from error
        return [int(worth) if worth.is_integer() else worth for worth in worths] or None


@dataclass(frozen=True, slots=True)
class Fieldset:
    """Fields that are folded; `open` if one of them was changed or has an error."""

    fields: list[forms.BoundField]
    open: bool


def fieldset_of(fields: list[forms.BoundField], usual: Mapping[str, Any]) -> Fieldset:
    """Return the fieldset of `fields`. Nobody has changed one that is empty or has its `usual` text."""
    touched = any(str(field.value() or "") not in ("", usual[field.name]) for field in fields)
    return Fieldset(fields, touched or any(field.errors for field in fields))


class RulesForm(forms.Form):
    """The fields about entry, divisions, points, tie-breaks and policies. A field that is not sent has its usual
    value."""

    divisions = DivisionsField(
        label=gettext_lazy("Divisions"),
        required=False,
        help_text=gettext_lazy("One per line, highest first, with its size: “First division, 8”. Empty: one division."),
    )
    duration = DurationField(
        label=gettext_lazy("Duration of a ladder or arena"),
        required=False,
        help_text=gettext_lazy("For example “3 hours” or “12 weeks”. Empty: until an organiser ends it."),
    )
    points_system = choice_field(
        gettext_lazy("What counts"),
        {"": gettext_lazy("default for the format and the seats"), **league_labels.POINTS_SYSTEM_LABELS},
        gettext_lazy("Default: matches with two at a table, every game’s places with more."),
    )
    points_scale = PlacePointsField(
        label=gettext_lazy("Points for places"),
        required=False,
        help_text=gettext_lazy("Such as “3, 1, 0”. Tied players share the points. Empty: default."),
    )
    points_bye = forms.FloatField(
        label=gettext_lazy("Points for a bye"),
        required=False,
        min_value=0,
        max_value=1000,
        help_text=gettext_lazy("For a round without an opponent. Empty: default."),
    )
    points_away = forms.FloatField(
        label=gettext_lazy("Points for an absence"),
        required=False,
        min_value=0,
        max_value=1000,
        help_text=gettext_lazy("For a round missed after saying so, or before a late entry. Empty: default."),
    )
    tie_breaks = TieBreaksField(label=gettext_lazy("Tie-breaks"), required=False)
    chosen_format: str
    seats: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= {name: setting_field(setting) for name, setting in (ENTRY_FIELDS | POLICY_FIELDS).items()}

    def fold(self, name: str) -> Fieldset:
        """Return the fieldset with this name."""
        return fieldset_of([self[field] for field in FIELDSET_TITLES[name]], default_values())

    def entry_fold(self) -> Fieldset:
        """Return the fieldset about who may enter, lists and check-in."""
        return self.fold("entry")

    def divisions_fold(self) -> Fieldset:
        """Return the fieldset about divisions, promotion and relegation."""
        return self.fold("divisions")

    def counting_fold(self) -> Fieldset:
        """Return the fieldset about points."""
        return self.fold("counting")

    def tie_breaks_fold(self) -> Fieldset:
        """Return the fieldset of the tie-breaks."""
        return self.fold("tie_breaks")

    def tie_break_list(self) -> TieBreakList:
        """Return the tie-breaks of the season, those of the format where nobody has chosen others."""
        keys = str(self["tie_breaks"].value() or "").split() or FORMATS[self.chosen_format].usual_tie_breaks
        return TieBreakList.of(keys, self.data)

    def policies_fold(self) -> Fieldset:
        """Return the fieldset about withdrawals, no-shows and unplayed games."""
        return self.fold("policies")

    def clean(self) -> dict[str, Any]:
        """Check that points for places come with what counts."""
        cleaned = super().clean() or {}
        if cleaned.get("points_scale") and not cleaned.get("points_system"):
            self.add_error("points_system", _("Choose what counts: the match, every game won, or every game's places."))
        return cleaned

    def rules_settings(self, usual_points: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of these fields, of a valid form; `usual_points` are those of a season without own
        points."""
        asked = self.cleaned_data
        return {
            "entry": {
                name.removeprefix("entry_"): value
                for name, setting in ENTRY_FIELDS.items()
                if (value := _setting_value(setting, asked[name])) is not None
            },
            "divisions": asked["divisions"] or [{}],
            "duration_seconds": asked["duration"] or 0,
            "points": self._points(usual_points),
            "tie_breaks": asked["tie_breaks"] or self._usual_tie_breaks(),
            **{
                name: getattr(USUAL_POLICIES, name) if value is None else value
                for name, setting in POLICY_FIELDS.items()
                for value in [_setting_value(setting, asked[name])]
            },
        }

    def _usual_tie_breaks(self) -> list[str]:
        """Return the tie-breaks of the chosen format, where nobody has chosen others."""
        return list(FORMATS[self.cleaned_data.get("format") or DEFAULT_FORMAT].usual_tie_breaks)

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
        """Return the points for places if only what counts was chosen: a point for each place behind, or 1 for the
        first."""
        return list(range(self.seats - 1, -1, -1)) if system == "placing" else [1]


def rules_initial(settings: Mapping[str, Any], usual_points: Mapping[str, Any]) -> dict[str, str]:
    """Return the field values of a season with these settings."""
    agreed = SeasonSettings.read(settings)
    usual = tuple(agreed.tie_breaks) == FORMATS[agreed.format].usual_tie_breaks
    initial = {name: _field_text(setting, getattr(agreed, name)) for name, setting in POLICY_FIELDS.items()}
    for name, setting in ENTRY_FIELDS.items():
        initial[name] = _field_text(setting, getattr(agreed.entry, name.removeprefix("entry_")))
    initial["tie_breaks"] = "" if usual else " ".join(agreed.tie_breaks)
    initial["divisions"] = division_lines(agreed.divisions)
    return initial | _points_initial(agreed.points, usual_points)


def _points_initial(points: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, str]:
    if points == usual:
        return dict.fromkeys(("points_system", "points_scale", "points_bye", "points_away"), "")
    return {
        "points_system": points["system"],
        "points_scale": ", ".join(f"{worth:g}" for worth in points["scale"]),
        "points_bye": f"{points.get('bye', 0):g}",
        "points_away": f"{points.get('away', 0):g}",
    }


@lru_cache(maxsize=1)
def default_values() -> dict[str, str]:
    """Return the field values that nobody has changed."""
    agreed = parse_settings({"kind": first_kind()})
    return {**rules_initial(agreed.plain(), agreed.points), "duration": ""}
