"""Adapts allauth to our people, who sign up and log in with their display name.

Django's `username` is that name's key (`games.accounts.names`), so Laura can log in as laura, LAURA or Láura.
"""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from django import forms
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from games.accounts import names, people, signup_switch
from games.accounts.login_attempts import ACCOUNT_LOCK_SECONDS, LoginAttempt, too_many_attempts_error
from games.play.signals import turned_away


def next_query(address: str) -> str:
    return urlencode({"next": address})


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is untyped
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": _("The name or the password is wrong."),
        "email_password_mismatch": _("The email address or the password is wrong."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Return whether new people can create accounts. If not, the page says why."""
        return signup_switch.site_closed_to_signup() is None

    def clean_username(self, username: str, shallow: bool = False) -> str:  # noqa: ARG002
        """Return the name entered at sign-up in the form in which it is stored."""
        try:
            return people.check_name(username)
        except people.AccountError as refused:
            raise forms.ValidationError(refused.sentence, code=refused.code) from refused

    def populate_username(self, request: HttpRequest, user: User) -> None:  # noqa: ARG002
        user.username = names.name_key(user.username)

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Show a banned person who has given name and password why, until when, and how to object."""
        for _receiver, page in turned_away.send(sender=User, request=request, user=user):
            if page is not None:
                return cast(HttpResponse, page)
        usual: HttpResponse = super().respond_user_inactive(request, user)
        return usual

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """Return the link in the email. It leads to the login, and from there to where the person signed up."""
        link: str = super().get_email_confirmation_url(request, emailconfirmation)
        wanted = request.POST.get("next") or request.GET.get("next", "")
        if not wanted or not self.is_safe_url(wanted):
            return link
        log_in = f"{reverse('account_login')}?{next_query(wanted)}"
        return f"{link}?{next_query(log_in)}"

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Log in by name or address. `games.accounts.login_attempts` counts the tries."""
        if "username" in credentials:
            credentials["username"] = people.login_name(credentials["username"])
        self.tried = LoginAttempt.of(request, credentials)
        self.tried.check()
        found: User | None = super().authenticate(request, **credentials)
        if found:
            self.tried.succeeded()
        else:
            self.tried.failed()
        return found

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Return the key by which allauth's own limit `login_failed` counts."""
        tried = getattr(self, "tried", None) or LoginAttempt.of(request, credentials)
        return str(tried.key)

    def validation_error(self, code: str, *args: Any) -> forms.ValidationError:
        """Return the error of a form; too many tries are a 429."""
        if code in ("too_many_login_attempts", "rate_limited") and context.request is not None:
            return too_many_attempts_error(context.request, ACCOUNT_LOCK_SECONDS)
        usual: forms.ValidationError = super().validation_error(code, *args)
        return usual
