"""The forms of a club's pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games.common.errors import DomainError
from games.common.quick_select import QuickSelect
from games.common.zones import zone_choices
from games.talk.switch import TalkSwitch
from tournaments.clubs import invitations, posts
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.members import MESSAGE_MAX_LENGTH
from tournaments.clubs.models import Club

VISIBILITY_CHOICES = [
    (Club.Visibility.PUBLIC.value, _("public: everybody can see its pages, seasons and games")),
    (Club.Visibility.PRIVATE.value, _("private: only members can see them, and the club is not listed")),
]
JOINING_CHOICES = [
    (Club.Joining.ASK.value, _("by request: an organiser decides")),
    (Club.Joining.OPEN.value, _("open: everybody can join immediately")),
    (Club.Joining.INVITED.value, _("only by invitation")),
]


class ServiceForm(forms.Form):
    """A form that shows the errors of the service that it calls."""

    def refuse(self, error: DomainError) -> None:
        """Show the error beside the field that it is about."""
        self.add_error(error.field if error.field in self.fields else None, error.sentence)


class ClubForm(ServiceForm):
    """The settings of a club."""

    name = forms.CharField(label=_("Name"), max_length=club_lifecycle.NAME_MAX_LENGTH)
    about = forms.CharField(
        label=_("Description"),
        max_length=club_lifecycle.ABOUT_MAX_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Who you are, and when and where you play. Plain text."),
    )
    zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_("The times of rounds are in this zone, with daylight saving time."),
        widget=QuickSelect,
    )
    visibility = forms.ChoiceField(label=_("Visibility"), choices=VISIBILITY_CHOICES)
    joining = forms.ChoiceField(
        label=_("New members"),
        choices=JOINING_CHOICES,
        help_text=_("A private club always requires an invitation."),
    )
    talk = forms.ChoiceField(
        label=_("Messages"),
        choices=TalkSwitch.choices,
        help_text=_("What people may write to one another at the club’s tables and in its seasons."),
    )
    rules = forms.CharField(
        label=_("Club rules"),
        max_length=club_lifecycle.RULES_MAX_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("What you expect from each other. Shown on the club’s page. Plain text."),
    )

    def __init__(self, data: Any = None, initial: Any = None, *, likely_zone: str = "") -> None:
        super().__init__(data, initial=initial)
        self.fields["talk"].initial = TalkSwitch.ON
        zone: Any = self.fields["zone"]
        zone.choices = zone_choices(likely_zone)


class PostForm(ServiceForm):
    """A news post."""

    title = forms.CharField(label=_("Heading"), max_length=posts.TITLE_MAX_LENGTH)
    text = forms.CharField(
        label=_("Text"),
        max_length=posts.TEXT_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Plain text. An empty line begins a new paragraph; web addresses become links."),
    )


class JoinForm(ServiceForm):
    """A message to the organisers of a club."""

    words = forms.CharField(
        label=_("Message to the organisers"),
        max_length=MESSAGE_MAX_LENGTH,
        required=False,
        help_text=_("Say who you are, if they may not know your player name."),
    )


class InvitationLinkForm(ServiceForm):
    """An invitation link."""

    max_uses = forms.IntegerField(
        label=_("Number of people"),
        required=False,
        min_value=1,
        max_value=invitations.MAX_USES,
        help_text=_("Empty: unlimited."),
    )
    days = forms.IntegerField(
        label=_("Valid for (days)"),
        min_value=1,
        max_value=invitations.MAX_VALID_DAYS,
        initial=invitations.DEFAULT_VALID_DAYS,
    )


class InvitationMailForm(ServiceForm):
    """An invitation by email."""

    email = forms.EmailField(
        label=_("Email address"),
        max_length=254,
        help_text=_("This person gets a link for one use. We do not reveal whether the address has an account here."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
