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
from tournaments.scoring.tie_breaks import DEFAULT_TIE_BREAKS, TIE_BREAKS, tie_break_name
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

Label = Any  # text, translated now or when it is shown

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
CHOICE_FIELDS = ("withdrawals", "on_round_deadline", "short_tables", "deals", "luck")
TIE_BREAK_FIELDS = tuple(f"tie_{place}" for place in range(1, len(TIE_BREAKS) + 1))
# Fieldsets that are folded unless a value in them was changed.
FIELDSET_TITLES = {
    "entry": tuple(f"entry_{name}" for name in ENTRY_FIELDS if name not in ("players", "max_entrants")),
    "divisions": ("divisions", "promoted", "relegated", "playoff", "points_carryover"),
    "counting": ("points_system", "points_scale", "points_bye", "points_away", *TIE_BREAK_FIELDS),
    "policies": ("withdrawals", "max_no_shows", "on_round_deadline", "short_tables", "deals", "luck"),
}
YES_NO = [(NO, gettext_lazy("no")), (YES, gettext_lazy("yes"))]
DIVISION_LINE = re.compile(r"(?P<name>.*?)\s*(?:(?:^|[,:])\s*(?P<most>\d{1,5}))?")


def whole_number_field(label: Label, least: int, most: int, told: Label) -> forms.IntegerField:
    """Return an optional field for a whole number from `least` to `most`; `told` is the help text."""
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
    """Return a choice field; it is optional if "" is one of the choices."""
    return forms.ChoiceField(label=label, choices=list(choices.items()), help_text=told, required="" not in choices)


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


class RulesForm(forms.Form):
    """The fields about entry, divisions, points, tie-breaks and policies. A field that is not sent has its usual
    value."""

    entry_players = choice_field(
        gettext_lazy("Who may enter"),
        league_labels.ENTRANT_KIND_LABELS,
        gettext_lazy("Bots are always marked BOT. A season with people and bots has its own ratings."),
    )
    entry_max_entrants = whole_number_field(
        gettext_lazy("Places"),
        2,
        MAX_ENTRANTS,
        gettext_lazy("Maximum number of entrants. Others go on a waiting list. Empty: unlimited."),
    )
    entry_invited_only = choice_field(
        gettext_lazy("By invitation only"),
        dict(YES_NO),
        gettext_lazy("An organiser must accept each entry."),
    )
    entry_rating_min = whole_number_field(
        gettext_lazy("Lowest rating"),
        *RATING_BOUNDS,
        gettext_lazy("Lowest Elo rating in this game for entering. Empty: no limit. Organisers can enter anyone."),
    )
    entry_rating_max = whole_number_field(
        gettext_lazy("Highest rating"),
        *RATING_BOUNDS,
        gettext_lazy("Highest Elo rating in this game for entering, for example for beginners. Empty: no limit."),
    )
    entry_check_in_hours = whole_number_field(
        gettext_lazy("Check-in, hours before the start"),
        0,
        MAX_CHECK_IN_HOURS,
        gettext_lazy(
            "Players must confirm that they take part. Those who do not lose their place to the waiting list. "
            "0: no check-in."
        ),
    )
    entry_late_rounds = whole_number_field(
        gettext_lazy("Late entry until round"),
        0,
        MAX_ROUNDS,
        gettext_lazy("Players can enter until this round is paired. 0: only before the start."),
    )
    entry_alternates = choice_field(
        gettext_lazy("Alternates"),
        dict(YES_NO),
        gettext_lazy("Players without a place stay on the list and replace entrants who withdraw."),
    )
    divisions = DivisionsField(
        label=gettext_lazy("Divisions"),
        required=False,
        help_text=gettext_lazy(
            "One per line, highest first, with its size: “First division, 8”. The strongest players start "
            "in the highest division. Empty: one division."
        ),
    )
    promoted = whole_number_field(
        gettext_lazy("Promoted"),
        0,
        MAX_ENTRANTS,
        gettext_lazy("Number of entrants promoted from each division at the end of the season."),
    )
    relegated = whole_number_field(
        gettext_lazy("Relegated"),
        0,
        MAX_ENTRANTS,
        gettext_lazy("Number of entrants relegated from each division at the end of the season."),
    )
    playoff = whole_number_field(
        gettext_lazy("Play-off places"),
        0,
        MAX_ENTRANTS,
        gettext_lazy("Number of further places decided by a play-off. In a draw the holder keeps the place."),
    )
    points_carryover = forms.FloatField(
        label=gettext_lazy("Points carried over, in percent"),
        required=False,
        min_value=0,
        max_value=100,
        help_text=gettext_lazy("Share of the points that entrants take into the next season. 0: none."),
    )
    duration = DurationField(
        label=gettext_lazy("Duration of a ladder or arena"),
        required=False,
        help_text=gettext_lazy(
            "For example “3 hours” or “12 weeks”. Empty: until an organiser ends it. Other formats end "
            "after their last round."
        ),
    )
    points_system = choice_field(
        gettext_lazy("What counts"),
        {"": gettext_lazy("default for the format and the seats"), **league_labels.POINTS_SYSTEM_LABELS},
        gettext_lazy("Default: matches count with two at a table, and every game’s places count with more."),
    )
    points_scale = PlacePointsField(
        label=gettext_lazy("Points for places"),
        required=False,
        help_text=gettext_lazy(
            "For example “3, 1, 0”, first place first. Tied players share the points. Empty: default."
        ),
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
        help_text=gettext_lazy("For a round that an entrant asked to miss or entered too late for. Empty: default."),
    )
    withdrawals = choice_field(
        gettext_lazy("After a withdrawal"),
        league_labels.WITHDRAWAL_LABELS,
        gettext_lazy(
            "Fixed before the start, so that nobody can decide it in somebody’s favour. Results are removed in round "
            "robins only; in other formats they stand."
        ),
    )
    max_no_shows = whole_number_field(
        gettext_lazy("Withdraw after missed rounds"),
        0,
        100,
        gettext_lazy("An entrant who does not show up in this number of rounds is withdrawn. 0: never."),
    )
    on_round_deadline = choice_field(
        gettext_lazy("Unplayed games at the end of a round"),
        league_labels.UNPLAYED_LABELS,
        gettext_lazy("An organiser can extend any round."),
    )
    short_tables = choice_field(
        gettext_lazy("Incomplete tables"),
        league_labels.SHORT_TABLE_LABELS,
        gettext_lazy("If the number of entrants does not fill all tables."),
    )
    deals = choice_field(
        gettext_lazy("Deals"),
        league_labels.DEAL_LABELS,
        gettext_lazy(
            "With the same cards, skill counts more than luck. Results are sealed until the last table has finished."
        ),
    )
    luck = choice_field(
        gettext_lazy("Points without luck"),
        league_labels.LUCK_LABELS,
        gettext_lazy("Shown beside the official points, which alone decide places. It cannot be chosen later."),
    )

    chosen_format: str
    seats: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [("", "–"), *((name, tie_break_name(name)) for name in TIE_BREAKS)]
        for place, name in enumerate(TIE_BREAK_FIELDS, start=1):
            label = _("First") if place == 1 else _("Then ({place})").format(place=place)
            self.fields[name] = forms.ChoiceField(label=label, choices=offered, required=False)

    def fold(self, name: str) -> Fieldset:
        """Return the fieldset with this name."""
        bound = [self[field] for field in FIELDSET_TITLES[name]]
        touched = any(str(field.value() or "") != default_values()[field.name] for field in bound)
        return Fieldset(bound, touched or any(field.errors for field in bound))

    def entry_fold(self) -> Fieldset:
        """Return the fieldset about who may enter, lists and check-in."""
        return self.fold("entry")

    def divisions_fold(self) -> Fieldset:
        """Return the fieldset about divisions, promotion and relegation."""
        return self.fold("divisions")

    def counting_fold(self) -> Fieldset:
        """Return the fieldset about points, without the tie-breaks."""
        whole_fold = self.fold("counting")
        return Fieldset([field for field in whole_fold.fields if field.name not in TIE_BREAK_FIELDS], whole_fold.open)

    def tie_fields(self) -> list[forms.BoundField]:
        """Return the fields of the tie-breaks, in order."""
        return [self[name] for name in TIE_BREAK_FIELDS]

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
        chain = list(
            dict.fromkeys(asked[name] for name in TIE_BREAK_FIELDS if asked[name])
        )  # a tie-break that was moved up is there twice
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
        """Return the points for places if only what counts was chosen: a point for each place behind, or 1 for the
        first."""
        return list(range(self.seats - 1, -1, -1)) if system == "placing" else [1]


def rules_initial(settings: Mapping[str, Any], usual_points: Mapping[str, Any]) -> dict[str, str]:
    """Return the field values of a season with these settings."""
    agreed = SeasonSettings.read(settings)
    chain = [*agreed.tie_breaks, *[""] * len(TIE_BREAK_FIELDS)]
    initial = {name: getattr(agreed, name) for name in (*NUMBER_FIELDS, *CHOICE_FIELDS)}
    initial |= {f"entry_{name}": getattr(agreed.entry, name) for name in ENTRY_FIELDS}
    initial |= dict(zip(TIE_BREAK_FIELDS, chain, strict=False))
    initial["divisions"] = division_lines(agreed.divisions)
    initial["points_carryover"] = f"{agreed.points_carryover * 100:g}"
    return {name: _number_text(value) for name, value in initial.items()} | _points_initial(agreed.points, usual_points)


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
    """Return the field values that nobody has changed."""
    agreed = parse_settings({"kind": first_kind()})
    return {**rules_initial(agreed.plain(), agreed.points), "duration": ""}
