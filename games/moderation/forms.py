"""The forms of reports and appeals."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games.moderation import reports, sanctions
from games.moderation.models import Report


class ReportForm(forms.Form):
    """The cause of a report, and a description."""

    cause = forms.ChoiceField(label=_("What is wrong?"), choices=Report.Cause.choices, widget=forms.RadioSelect)
    words = forms.CharField(
        label=_("What happened?"),
        required=False,
        max_length=reports.WORDS_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": "5"}),
        help_text=_("Say where and when it happened, with the game or page. Only admins read this."),
    )


class ObjectionForm(forms.Form):
    """Why a sanction is wrong."""

    words = forms.CharField(
        label=_("Why is this decision wrong?"),
        max_length=sanctions.WORDS_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": "5"}),
        help_text=_("You can appeal once. An admin reads your appeal and answers here."),
    )

    def __init__(self, data: Any = None, prefix: str | None = None) -> None:
        super().__init__(data, prefix=prefix, auto_id=f"id_{prefix or 'object'}_%s")
