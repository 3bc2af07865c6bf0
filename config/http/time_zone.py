"""The time zone in which a page shows times: a signed-in person's choice, else the browser's (cookie `zone`), else UTC.

A small static script sets the cookie. Without scripts, or to choose another zone, the form at /zone/ does; it also
writes a person's choice into their profile. The form asks for the language too.
"""

from __future__ import annotations

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from config.http.language import remember_in_cookie
from games.accounts.languages import language_choices, offered, set_language
from games.accounts.people import browser_zone, set_zone
from games.accounts.zones import ZONE_COOKIE, profile_choices
from games.common.policy import policy
from games.common.quick_select import QuickSelect
from games.common.zones import current_name, known_zones, zone_choices

COOKIE_MAX_AGE = 365 * 24 * 60 * 60


def viewer_zone(request: HttpRequest) -> str:
    """Return the name of the viewer's zone: their own choice, else the browser's, else UTC."""
    chosen = profile_choices(request).zone
    return (chosen if chosen in known_zones() else "") or browser_zone(request) or settings.TIME_ZONE


def viewer_language(request: HttpRequest) -> str:
    """Return the language that the viewer has chosen, here or in their profile; "" for the browser's."""
    chosen = profile_choices(request).language or request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return offered(chosen)


class TimeZoneMiddleware:
    """Middleware that makes the viewer's zone the current one during their request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with timezone.override(ZoneInfo(viewer_zone(request))):
            response = self.get_response(request)
        patch_vary_headers(response, ["Cookie"])
        return response


class VisitorForm(forms.Form):
    """Language and time zone of a visitor, and the page to return to."""

    language = forms.ChoiceField(label=_("Language"), required=False, choices=language_choices)
    zone = forms.ChoiceField(label=_("Time zone"), widget=QuickSelect)
    next = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, first: str, data: dict[str, str] | None = None, initial: dict[str, str] | None = None) -> None:
        super().__init__(data, initial=initial)
        field = self.fields["zone"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = zone_choices(first)


@policy(visible_in_impersonation=True)
def choose_zone(request: HttpRequest) -> HttpResponse:
    """Serve the form at /zone/: set the cookies, and return to the viewer's page."""
    first = browser_zone(request)
    if request.method != "POST":
        initial = {
            "language": viewer_language(request),
            "zone": current_name(viewer_zone(request)),
            "next": request.GET.get("next", ""),
        }
        form = VisitorForm(first, initial=initial)
        return render(request, "accounts/zone.html", {"form": form})
    form = VisitorForm(first, request.POST.dict())
    if not form.is_valid():
        return render(request, "accounts/zone.html", {"form": form}, status=400)
    if request.user.is_authenticated:
        set_zone(request.user, form.cleaned_data["zone"])
    response = HttpResponseRedirect(safe_next(request, form.cleaned_data["next"]))
    if "language" in request.POST:
        if request.user.is_authenticated:
            set_language(request.user, form.cleaned_data["language"])
        remember_in_cookie(response, form.cleaned_data["language"])
    response.set_cookie(ZONE_COOKIE, form.cleaned_data["zone"], max_age=COOKIE_MAX_AGE, samesite="Lax")
    return response


def safe_next(request: HttpRequest, address: str) -> str:
    """Return `address` if it is on this site, else the home page."""
    if url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure()):
        return address
    return reverse("home")
