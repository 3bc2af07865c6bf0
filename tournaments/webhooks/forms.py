"""The form of a new webhook."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.club_pages.forms import ServiceForm
from tournaments.clubs.models import Club
from tournaments.seasons.models import Season
from tournaments.webhooks import discovery as webhooks_discovery
from tournaments.webhooks import messages as webhook_messages
from tournaments.webhooks.channels import ChannelKind

EVENT_LABELS: Final = {
    webhook_messages.GAME_OVER: _("game.over: a game is over"),
    webhook_messages.ROUND_OPENED: _("round.opened: a round is paired"),
    webhook_messages.SEASON_CLOSED: _("season.closed: a season is finished or abandoned"),
}


class WebhookForm(ServiceForm):
    """The address and the events of a webhook."""

    url = forms.CharField(
        label=_("Address"),
        max_length=1000,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=_("Of a program, or of a room in Discord, Slack or Matrix. It must be on the public internet."),
    )
    channel = forms.ChoiceField(
        label=_("Receiver"),
        required=False,
        choices=[("", _("recognised by the address")), (ChannelKind.MATRIX, _("Matrix (a webhook of Hookshot)"))],
    )
    events = forms.MultipleChoiceField(label=_("Events"), widget=forms.CheckboxSelectMultiple)
    season = forms.ModelChoiceField(
        Season.objects.none(), label=_("Season"), required=False, empty_label=_("all seasons of the club")
    )

    def __init__(self, club: Club | None, data: Any = None) -> None:
        known = list(webhooks_discovery.event_choices(club))
        super().__init__(data, initial={"events": known})
        events: Any = self.fields["events"]
        events.choices = [(event, EVENT_LABELS[event]) for event in known]
        if club is None:
            del self.fields["season"]
        else:
            seasons: Any = self.fields["season"]
            seasons.queryset = Season.objects.filter(league__club=club).select_related("league")
