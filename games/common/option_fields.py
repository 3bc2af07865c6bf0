"""Makes form fields from the schema of a kind's options or of the terms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.common import labels
from games.common.quick_select import QuickSelect
from games.common.zones import current_name, zone_choices
from scorebook_games.contract import Option, OptionError

DURATION_TERMS = ("move_seconds", "bank_seconds", "watch_delay")  # terms that are durations
LABELS = {
    "pace": gettext_lazy("Pace"),
    "rated": gettext_lazy("Rated"),
    "sealed": gettext_lazy("Sealed"),
    "move_seconds": gettext_lazy("Live: time per move"),
    "bank_seconds": gettext_lazy("Live: bank for the whole game"),
    "move_days": gettext_lazy("Correspondence: days per move"),
    "vacation_days": gettext_lazy("Vacation days per year"),
    "playing_from": gettext_lazy("Clocks run from (hour)"),
    "playing_to": gettext_lazy("Clocks run until (hour)"),
    "weekend_pause": gettext_lazy("Pause clocks on weekends"),
    "zone": gettext_lazy("Time zone of these hours"),
    "expiry": gettext_lazy("When a clock runs out"),
    "check_in_minutes": gettext_lazy("Live: check-in opens, minutes before a game"),
    "grace_minutes": gettext_lazy("Live: minutes to wait for players who have not checked in"),
    "no_show": gettext_lazy("Live: when a player does not check in"),
    "may_abort": gettext_lazy("Aborting a game"),
    "rematch": gettext_lazy("Rematch"),
    "leaver": gettext_lazy("When a player leaves"),
    "watch_delay": gettext_lazy("Spectator delay"),
    "bot_pace_ms": gettext_lazy("Built-in bots: pause before a move"),
    "bot_move_ms": gettext_lazy("Uploaded bots: time per answer"),
    "bot_bank_ms": gettext_lazy("Uploaded bots: bank for the whole game"),
    "bot_cpu_ms": gettext_lazy("Uploaded bots: processor time for the whole game"),
    "bot_faults": gettext_lazy("Uploaded bots: faults until forfeit"),
    "bot_violations": gettext_lazy("Uploaded bots: violations until quarantine"),
}
TERM_CHOICES = {  # of terms
    "turns": gettext_lazy("in turns"),
    "beats": gettext_lazy("in beats"),
    "live": gettext_lazy("live"),
    "forfeit": gettext_lazy("the player forfeits"),
    "random": gettext_lazy("random moves"),
    "built_in_bot": gettext_lazy("a built-in bot plays"),
    "end": gettext_lazy("the game ends"),
    "no": gettext_lazy("never"),
    "agreed": gettext_lazy("if all agree"),
    "early": gettext_lazy("also early"),
}
SECONDS_TEXT = re.compile(r"(\d{1,6}(?:[.,]\d{1,3})?)\s*(?:s|sec|seconds?|sekunden?)?")  # in the languages of pages
YES, NO = "yes", "no"
NO_LIMIT = 100_000  # a maximum that nobody reaches, so pages leave it out


class DurationField(forms.Field):
    """A duration in the form that people write, as seconds; None if it is empty."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> int | None:
        """Return the seconds. Raises ValidationError with an example."""
        if value in self.empty_values:
            return None
        try:
            return labels.parse_duration(str(value))
        except ValueError as error:
            raise ValidationError(
                _("Write a number and a unit, such as “90 seconds”, “20 minutes” or “3 days”.")
            ) from error


class SecondsField(forms.Field):
    """A short time as people write it, such as “0.5 s” or “30 seconds”, as milliseconds; None if it is empty."""

    widget = forms.TextInput

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(required=False, **kwargs)
        self.least, self.most = least, most

    def to_python(self, value: Any) -> int | None:
        """Return the milliseconds. Raises ValidationError with an example, or with the limits."""
        if value in self.empty_values:
            return None
        written = SECONDS_TEXT.fullmatch(str(value).strip().lower())
        try:
            ms = (
                round(float(written[1].replace(",", ".")) * 1000)
                if written
                else 1000 * labels.parse_duration(str(value))
            )
        except ValueError as error:
            raise ValidationError(_("Write a number of seconds, such as “0.5 s” or “30 s”.")) from error
        if not self.least <= ms <= self.most:
            limits = {"name": self.label, "least": seconds_text(self.least), "most": seconds_text(self.most)}
            raise ValidationError(_("{name} must be from {least} to {most}.").format(**limits))
        return ms


def seconds_text(ms: int) -> str:
    """Return milliseconds as seconds, such as “0.5 s”."""
    return f"{ms / 1000:g} s"


def choice_field(label: str, explained: str, choices: Sequence[Any]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, help_text=explained, choices=choices, widget=QuickSelect)


def field_for(option: Option, usual: Any, named: Mapping[str, Any] | None = None) -> forms.Field:
    """Return the field for `option`, with its help, range and default.

    `named` has the labels of options and choices if they are not those of a game or its terms.
    """
    names = named or LABELS
    label = str(names.get(option.name) or labels.option_label(option.name))
    explained = _(option.help)
    if option.type == "bool":
        yes_no = [(YES, _("yes")), (NO, _("no"))]
        return forms.TypedChoiceField(
            label=label,
            help_text=explained,
            choices=yes_no,
            coerce=lambda text: text == YES,
            empty_value=None,
            widget=QuickSelect,
        )
    if option.name == "zone":
        return choice_field(label, explained, zone_choices(usual or ""))
    if option.type == "choice":
        known = TERM_CHOICES if named is None else named
        choices = [(choice, known.get(choice) or labels.option_value_label(choice)) for choice in option.choices]
        return choice_field(label, explained, choices)
    if option.name in DURATION_TERMS:
        return DurationField(label=label, help_text=explained, required=False)
    if option.name.endswith("_ms"):
        bounds_text = _("From {least} to {most}. Default: {usual}.").format(
            least=seconds_text(option.minimum), most=seconds_text(option.maximum), usual=seconds_text(usual)
        )
        short = SecondsField(
            label=label, help_text=f"{explained} {bounds_text}", least=option.minimum, most=option.maximum
        )
        short.widget.attrs["placeholder"] = seconds_text(usual)
        return short
    place = {"placeholder": "" if usual is None else str(usual), "min": option.minimum, "max": option.maximum}
    limits = _("At least {least}.") if option.maximum >= NO_LIMIT else _("From {least} to {most}.")
    limits = limits.format(least=option.minimum, most=option.maximum)
    bounds_text = limits if usual is None else _("{range} Default: {usual}.").format(range=limits, usual=usual)
    refused = _("{name} must be a whole number from {least} to {most}.").format(
        name=label, least=option.minimum, most=option.maximum
    )
    field = forms.IntegerField(
        label=label,
        help_text=f"{explained} {bounds_text}",
        required=False,
        min_value=option.minimum,
        max_value=option.maximum,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), refused),
    )
    field.widget.attrs.update(place)
    return field


def check_option(form: forms.Form, name: str, option: Option) -> None:
    """Add an error to the field `name` if its value is invalid for `option`, which the error calls by its label."""
    value = form.cleaned_data.get(name)
    try:
        if value is not None:
            option.check(value)
    except OptionError as error:
        label = str(form.fields[name].label)
        form.add_error(name, OptionError(option.name, error.template, **{**error.values, "name": label}).sentence)


def value_text(option: Option, value: Any) -> str:
    """Return a value as its field holds it."""
    if value is None:
        return ""
    if option.type == "bool":
        return YES if value else NO
    if option.name == "zone":
        return current_name(value)
    if option.name in DURATION_TERMS:
        return labels.duration_label(timedelta(seconds=value)) if value else ""
    if option.name.endswith("_ms"):
        return seconds_text(value)
    return str(value)


def initial_text(option: Option) -> str:
    """Return what an untouched field holds: number fields are empty and show the default."""
    return "" if option.type == "int" else value_text(option, option.default)


def plain_values(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's data with one value for each name, and the list of players."""
    players = data.getlist("players") if isinstance(data, QueryDict) else data.get("players", [])
    return {**{name: data.get(name) for name in data}, "players": players}


def parse_ids(texts: Sequence[Any]) -> list[int]:
    """Return the ids among `texts`."""
    return [int(text) for text in texts if str(text).isdecimal() and len(str(text)) < 10]


def known_or_default(value: Any, known: Any, fallback: str) -> str:
    """Return `value` if it is one of `known`, else the default."""
    return str(value) if value in known else fallback
