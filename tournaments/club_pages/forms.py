"""The forms of a club's pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from games.common.errors import DomainError
from games.common.zones import zone_choices
from tournaments.clubs import invitations, posts
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs.members import MESSAGE_MAX_LENGTH
from tournaments.clubs.models import Club

VISIBILITY_CHOICES = [
    (Club.Visibility.PUBLIC.value, _("public: everybody sees its pages, seasons and games")),
    (Club.Visibility.PRIVATE.value, _("private: its members alone do, and it is in no list")),
]
JOINING_CHOICES = [
    (Club.Joining.ASK.value, _("ask, and an organiser answers")),
    (Club.Joining.OPEN.value, _("join at once")),
    (Club.Joining.INVITED.value, _("come by invitation")),
]


class ServiceForm(forms.Form):
    """A form that tells what a door says against it."""

    def refuse(self, error: DomainError) -> None:
        """Say it beside the field that it is about."""
        self.add_error(error.field if error.field in self.fields else None, error.sentence)


class ClubForm(ServiceForm):
    """What a club is."""

    name = forms.CharField(label=_("Name"), max_length=club_lifecycle.NAME_MAX_LENGTH)
    about = forms.CharField(
        label=_("About it"),
        max_length=club_lifecycle.ABOUT_MAX_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Who you are, when and where you play. Plain text."),
    )
    zone = forms.ChoiceField(label=_("Time zone"), help_text=_("Rounds open by its clock, in summer and winter."))
    visibility = forms.ChoiceField(label=_("Who sees it"), choices=VISIBILITY_CHOICES)
    joining = forms.ChoiceField(
        label=_("Who wants to become a member may"),
        choices=JOINING_CHOICES,
        help_text=_("A private club takes in whom it invites, whatever stands here."),
    )
    rules = forms.CharField(
        label=_("Platform rules"),
        max_length=club_lifecycle.RULES_MAX_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("What you ask of each other. Stands on the club’s page. Plain text."),
    )

    def __init__(self, data: Any = None, initial: Any = None, *, likely_zone: str = "") -> None:
        super().__init__(data, initial=initial)
        zone: Any = self.fields["zone"]
        zone.choices = zone_choices(likely_zone)


class PostForm(ServiceForm):
    """News."""

    title = forms.CharField(label=_("Heading"), max_length=posts.TITLE_MAX_LENGTH)
    text = forms.CharField(
        label=_("Text"),
        max_length=posts.TEXT_MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Plain text; an empty line begins a paragraph, addresses become links."),
    )


class JoinForm(ServiceForm):
    """A word to the organisers."""

    words = forms.CharField(
        label=_("A word to the organisers"),
        max_length=MESSAGE_MAX_LENGTH,
        required=False,
        help_text=_("Who you are, if they may not know you by your name here."),
    )


class InvitationLinkForm(ServiceForm):
    """A link to be passed on."""

    max_uses = forms.IntegerField(
        label=_("For how many people"),
        required=False,
        min_value=1,
        max_value=invitations.MAX_USES,
        help_text=_("Empty: for any number."),
    )
    days = forms.IntegerField(
        label=_("Good for how many days"),
        min_value=1,
        max_value=invitations.MAX_VALID_DAYS,
        initial=invitations.DEFAULT_VALID_DAYS,
    )


class InvitationMailForm(ServiceForm):
    """An invitation by e-mail."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        help_text=_("They get a link for one. Nobody learns whether the address has an account here."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
