"""The form for proposing times."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

TIME_FIELD_COUNT: Final = 3
LOCAL_TIME_FORMAT: Final = "%Y-%m-%dT%H:%M"


class TimesForm(forms.Form):
    """One to three times, in the reader's time zone."""

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        for number in range(1, TIME_FIELD_COUNT + 1):
            self.fields[f"time{number}"] = forms.DateTimeField(
                label=gettext_lazy("Time") if number == 1 else gettext_lazy("or"),
                required=number == 1,
                input_formats=[LOCAL_TIME_FORMAT],
                widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=LOCAL_TIME_FORMAT),
                error_messages={
                    "required": _("Propose at least one time."),
                    "invalid": _("Write the date and time like this: 2027-01-14T19:00."),
                },
            )

    def times(self) -> list[datetime]:
        """Return the proposed times of a valid form."""
        return [self.cleaned_data[name] for name in self.fields if self.cleaned_data.get(name)]
