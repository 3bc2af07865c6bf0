"""The language that a person has chosen, for pages and emails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, parse_cookie
from django.utils.translation import get_language, get_language_from_request, get_language_info
from django.utils.translation import gettext as _

from games.accounts.models import Profile


def offered_languages() -> dict[str, str]:
    """Return the languages of this platform by their codes, each named in itself: {"de": "Deutsch", "en": "English"}"""
    named = {code: str(get_language_info(code)["name_local"]) for code, _name in settings.LANGUAGES}
    return {code: name[:1].upper() + name[1:] for code, name in sorted(named.items())}


def language_choices() -> list[tuple[str, str]]:
    """Return the choices of a form; "" is the browser's language."""
    return [("", _("Use my browser’s language")), *offered_languages().items()]


def chosen_language(user: AbstractBaseUser | AnonymousUser | None) -> str:
    """Return the language that `user` has chosen; "" for none. One query for a signed-in user."""
    if user is None or user.pk is None:
        return ""
    return offered(Profile.objects.filter(user=user.pk).values_list("language", flat=True).first() or "")


def offered(language: str) -> str:
    """Return `language` if the platform has it, else ""."""
    return language if language in dict(settings.LANGUAGES) else ""


def mail_language(user: AbstractBaseUser | None) -> str:
    """Return the language of emails to `user`: their choice, else that of the platform."""
    return chosen_language(user) or settings.LANGUAGE_CODE


def language_of_scope(scope: Mapping[str, Any]) -> str:
    """Return the language of an ASGI request that no middleware of Django sees: of its cookie, else of the browser."""
    headers = dict(scope["headers"])
    request = HttpRequest()
    request.COOKIES = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    request.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    return get_language_from_request(request)


def set_language(user: AbstractBaseUser, language: str) -> None:
    """Show pages and send emails to `user` in `language`; "" means the browser's."""
    Profile.objects.update_or_create(user_id=user.pk, defaults={"language": language})


def remember_language(sender: Any, user: AbstractBaseUser, request: HttpRequest | None, **_signal: Any) -> None:  # noqa: ARG001
    """At login, store another language than the platform's for a user who has chosen none, for emails."""
    language = offered(get_language() or "")
    if request is not None and language and language != settings.LANGUAGE_CODE:
        Profile.objects.filter(user=user.pk, language="").update(language=language)
