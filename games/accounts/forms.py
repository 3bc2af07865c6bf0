"""The forms of accounts, with their error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Any, Final

from allauth.account import forms as allauth
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from games.accounts import names, people, reminders
from games.accounts.languages import language_choices
from games.accounts.subjects import SUBJECTS
from games.common.labels import duration_label, parse_duration
from games.common.quick_select import QuickSelect
from games.common.zones import current_name, zone_choices

NAME_HELP = _("Other players see this name. You can change it later.")
EMAIL_HELP = _("We use it for password resets and notifications. Nobody else sees it.")


class LoginForm(allauth.LoginForm):  # type: ignore[misc]  # allauth is untyped
    """Login by name or address."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("Name or email address")
        self.fields["login"].widget.attrs = {"autocomplete": "username"}
        self.fields["password"].widget.attrs.pop("placeholder", None)


class ChangePasswordForm(allauth.ChangePasswordForm):  # type: ignore[misc]
    """A new password, after the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = _("Current password")
        label_new_passwords(self)


class ResetPasswordKeyForm(allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    """A new password, after the link of an email."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        label_new_passwords(self)


def label_new_passwords(form: forms.Form) -> None:
    """Set the labels of both fields of a new password."""
    form.fields["password1"].label = _("New password")
    form.fields["password2"].label = _("New password (again)")


class SignupForm(allauth.SignupForm):  # type: ignore[misc]
    """Sign-up: a name, an address (optional unless the platform requires it), a password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        use_own_labels(self, _("Email address") if settings.SCOREBOOK_EMAIL_REQUIRED else None)

    def save(self, request: HttpRequest) -> User:
        """Return the new user, with profile and player; stores all of them or nothing."""
        try:
            with transaction.atomic():
                user: User = super().save(request)
                people.create_profile_and_player(user, self.cleaned_data["username"], zone=people.browser_zone(request))
        except IntegrityError as error:
            raise people.name_taken_error() from error
        return user

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        try:
            found: tuple[User | None, HttpResponse | None] = super().try_save(request)
        except people.AccountError as refused:  # somebody took the name since it was checked
            messages.error(request, refused.sentence)
            return None, HttpResponseRedirect(reverse("account_signup"))
        return found


def use_own_labels(form: forms.Form, email_label: Any = None) -> None:
    """Set the platform's labels of a form's fields, in place of placeholders."""
    for name, field in form.fields.items():
        field.widget.attrs.pop("placeholder", None)
        if name == "username":
            field.label, field.help_text = _("Name"), NAME_HELP
            field.widget.attrs |= {"maxlength": str(names.NAME_MAX_LENGTH), "autocomplete": "nickname"}
        if name == "email":
            field.label = email_label or _("Email address (optional)")
            field.help_text = EMAIL_HELP


class GuestSignupForm(forms.Form):
    """Turns a guest into a permanent account."""

    username = forms.CharField(min_length=names.NAME_MIN_LENGTH, max_length=names.NAME_MAX_LENGTH)
    email = forms.EmailField(required=False, widget=forms.EmailInput(attrs={"autocomplete": "email"}))
    password1 = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html(),
    )

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data)
        self.user = user
        self.fields["email"].required = settings.SCOREBOOK_EMAIL_REQUIRED
        use_own_labels(self, _("Email address") if self.fields["email"].required else None)

    def clean_username(self) -> str:
        return clean_account_name(self.cleaned_data["username"], self.user)

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        validate_password(password, User(username=self.data.get("username", ""), email=self.data.get("email", "")))
        return password


def clean_account_name(text: str, user: User) -> str:
    """Return `text` as a name for `user`. Raises a form's error."""
    try:
        return people.check_name(text, user)
    except people.AccountError as refused:
        raise forms.ValidationError(refused.sentence, code=refused.code) from refused


class NameForm(forms.Form):
    """A new name."""

    name = forms.CharField(label=_("Name"), max_length=200, help_text=NAME_HELP)

    def __init__(self, user: User, data: Any = None) -> None:
        player = people.player_of_user(user)
        super().__init__(data, initial={"name": player.name if player else ""})
        self.user = user
        self.fields["name"].widget.attrs |= {"autocomplete": "nickname", "maxlength": str(names.NAME_MAX_LENGTH)}

    def clean_name(self) -> str:
        return clean_account_name(self.cleaned_data["name"], self.user)


class TimeZoneForm(forms.Form):
    """The zone in which times are shown."""

    zone = forms.ChoiceField(label=_("Time zone"), required=False, widget=QuickSelect)

    def __init__(self, zone: str, data: Any = None, browser_zone: str = "") -> None:
        super().__init__(data, initial={"zone": current_name(zone)})
        field = self.fields["zone"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("Use my browser’s time zone")), *zone_choices(browser_zone)]


class LanguageForm(forms.Form):
    """The language of pages and emails."""

    language = forms.ChoiceField(label=_("Language"), required=False, choices=language_choices)

    def __init__(self, language: str, data: Any = None) -> None:
        super().__init__(data, initial={"language": language})


class DatasetForm(forms.Form):
    """Whether the person's decisions may be in the dataset."""

    consent = forms.BooleanField(
        label=_("Include my decisions in the dataset"),
        required=False,
        help_text=_(
            "Everyone with an account can then download what you saw and chose in each of your finished games, earlier "
            "ones too. The dataset has no names, but each row has its game’s id, and the game’s page names the "
            "players. Positions of games whose people all consent can also become puzzles. If you withdraw, the file "
            "is removed here and made again without you, and such puzzles are not shown any more; copies that others "
            "have downloaded remain."
        ),
    )

    def __init__(self, consented: bool, data: Any = None) -> None:
        super().__init__(data, initial={"consent": consented})


@dataclass(frozen=True, slots=True)
class NoticeChoice:
    """A line of `NoticeForm`: a subject, whether it comes by email, and whether it comes to devices."""

    title: str
    mail: forms.BoundField
    push: forms.BoundField


@dataclass(frozen=True, slots=True)
class NoticeGroup:
    """A part of `NoticeForm` with its lines."""

    title: str
    choices: list[NoticeChoice]

    @property
    def mailed(self) -> int:
        """The number of subjects that come by email."""
        return sum(bool(choice.mail.value()) for choice in self.choices)

    @property
    def pushed(self) -> int:
        """The number of subjects that come to devices."""
        return sum(bool(choice.push.value()) for choice in self.choices)


PUSH_PREFIX: Final = "push-"  # of the fields about devices


class NoticeForm(forms.Form):
    """The notices that also come by email, and those that come to devices."""

    def __init__(self, mails: dict[str, bool], pushes: dict[str, bool], data: Any = None) -> None:
        super().__init__(data, initial=mails | {f"{PUSH_PREFIX}{name}": on for name, on in pushes.items()})
        for name, subject in SUBJECTS.items():
            labels = {name: _("{notice}, by email"), f"{PUSH_PREFIX}{name}": _("{notice}, on my devices")}
            for field, label in labels.items():
                self.fields[field] = forms.BooleanField(label=str(label).format(notice=subject.title), required=False)

    @property
    def groups(self) -> list[NoticeGroup]:
        """The lines in their parts, in the order of the subjects."""
        parts: dict[str, list[NoticeChoice]] = {}
        for name, subject in SUBJECTS.items():
            line = NoticeChoice(str(subject.title), self[name], self[f"{PUSH_PREFIX}{name}"])
            parts.setdefault(str(subject.group), []).append(line)
        return [NoticeGroup(title, choices) for title, choices in parts.items()]

    def pushes(self) -> dict[str, bool]:
        """Return what was chosen for devices, by subject."""
        return {name: self.cleaned_data[f"{PUSH_PREFIX}{name}"] for name in SUBJECTS}


class QuietHoursForm(forms.Form):
    """The hours in which nothing is sent; none if both are empty."""

    begin = forms.TimeField(label=_("From"), required=False, widget=forms.TimeInput({"type": "time"}, format="%H:%M"))
    end = forms.TimeField(label=_("Until"), required=False, widget=forms.TimeInput({"type": "time"}, format="%H:%M"))

    def __init__(self, begin: time | None, end: time | None, data: Any = None) -> None:
        super().__init__(data, initial={"begin": begin, "end": end}, auto_id="id_quiet_%s")


class ReminderForm(forms.Form):
    """How long before an event a person is reminded: durations with commas; an empty field means never."""

    def __init__(self, wanted: Mapping[str, Sequence[int]], data: Any = None) -> None:
        initial = {subject: offset_label(minutes) for subject, minutes in wanted.items()}
        super().__init__(data, initial=initial, auto_id="id_early_%s")
        for subject in wanted:
            label = str(SUBJECTS[subject].reminder_label)
            self.fields[subject] = forms.CharField(label=label, required=False, max_length=100)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for subject in self.fields:
            try:
                minutes = [parse_duration(text) // 60 for text in cleaned.get(subject, "").split(",") if text.strip()]
                cleaned[subject] = reminders.checked_offsets(minutes)
            except reminders.BadOffsets as error:
                self.add_error(subject, str(error))
            except ValueError:
                self.add_error(subject, _("Separate the times by commas, for example “1 day, 2 hours, 30 minutes”."))
        return cleaned


def offset_label(minutes: Sequence[int]) -> str:
    """Return an offset as text, such as "1 day" or "1 hour"."""
    return ", ".join(duration_label(timedelta(minutes=minute)) for minute in minutes)


class DeleteForm(forms.Form):
    """The name, typed, so that nobody deletes an account by mistake."""

    name = forms.CharField(label=_("Your name"), max_length=200)

    def __init__(self, name: str, data: Any = None) -> None:
        super().__init__(data)
        self.expected = name
        self.fields["name"].widget.attrs |= {"autocomplete": "off"}

    def clean_name(self) -> str:
        if self.cleaned_data["name"].strip() != self.expected:
            raise forms.ValidationError(_("That is not your name, so nothing was deleted."))
        return self.expected
