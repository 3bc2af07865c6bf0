"""The language of a page: a signed-in person's choice, else the cookie, else the browser's, else English.

Django's middleware has found cookie and browser's language before it is known who asks. A program with an access token
gets the language of its header `Accept-Language`.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation

from games.accounts.languages import offered
from games.accounts.zones import profile_choices

COOKIE_MAX_AGE = 365 * 24 * 60 * 60


class AccountLanguageMiddleware:
    """Middleware that activates the language that the signed-in person has chosen.

    It stays active for what is streamed after the response, as with Django's; every request begins by activating its
    own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if language := offered(profile_choices(request).language):
            translation.activate(language)
            request.LANGUAGE_CODE = translation.get_language()
        return self.get_response(request)


def remember_in_cookie(response: HttpResponse, language: str) -> None:
    """Have the browser ask for `language` from now on; "" means that of its settings."""
    if language:
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, max_age=COOKIE_MAX_AGE, samesite="Lax")
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME, samesite="Lax")
