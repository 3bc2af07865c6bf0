"""The page for keyboard shortcuts: switch them off or change their keys, with or without an account."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.accounts import shortcuts
from games.common.policy import policy
from games.common.shortcuts import SHORTCUTS, TABLE, BadShortcuts, Choice, checked

COOKIE_MAX_AGE: Final = 365 * 24 * 60 * 60


class ShortcutForm(forms.Form):
    """Whether shortcuts are on, and a key for each; an empty field means the default key."""

    on = forms.BooleanField(
        label=gettext_lazy("Use single-key shortcuts"),
        required=False,
        help_text=gettext_lazy("Arrow keys, Enter, Escape, Home and End always work."),
    )
    next = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, choice: Choice, *, data: Any = None, next: str = "") -> None:
        super().__init__(data, initial={"on": choice.on, "next": next, **choice.all_keys()})
        for name, shortcut in SHORTCUTS.items():
            widget = forms.TextInput(attrs={"maxlength": "1", "size": "2", "autocapitalize": "off"})
            key = forms.CharField(label=shortcut.label, max_length=1, required=False, widget=widget)
            key.widget.attrs["autocomplete"] = "off"
            self.fields[name] = key
        self.choice: Choice | None = None

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = self.cleaned_data
        keys = {name: cleaned[name] for name in SHORTCUTS if cleaned.get(name)}
        try:
            self.choice = checked(cleaned["on"], keys)
        except BadShortcuts as error:
            self.add_error(error.name, error.sentence)
        return cleaned

    def in_replay(self) -> list[forms.BoundField]:
        """The fields of the shortcuts in a replay."""
        return [self[name] for name, shortcut in SHORTCUTS.items() if TABLE not in shortcut.places]

    def at_table(self) -> list[forms.BoundField]:
        """The fields of the shortcuts at a table, some of which also work in a replay."""
        return [self[name] for name, shortcut in SHORTCUTS.items() if TABLE in shortcut.places]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def shortcuts_page(request: HttpRequest) -> HttpResponse:
    """Show the form. The choice is stored in the account or, without one, in a cookie."""
    if request.method != "POST":
        form = ShortcutForm(shortcuts.chosen(request), next=request.GET.get("next", ""))
        return render(request, "accounts/shortcuts.html", {"form": form, "nav": "me"})
    form = ShortcutForm(shortcuts.chosen(request), data=request.POST)
    if "reset" in request.POST:
        form = ShortcutForm(Choice(), data={"on": "on", "next": request.POST.get("next", "")})
    if not form.is_valid() or form.choice is None:
        return render(request, "accounts/shortcuts.html", {"form": form, "nav": "me", "tried": True}, status=400)
    response = redirect(_next_address(request, form.cleaned_data["next"]))
    if request.user.is_authenticated:
        shortcuts.save(request.user, form.choice)
    else:
        value = shortcuts.cookie_value(form.choice)
        response.set_cookie(shortcuts.COOKIE, value, max_age=COOKIE_MAX_AGE, samesite="Lax")
    messages.success(request, _("Your keyboard shortcuts are saved."))
    return response


def _next_address(request: HttpRequest, wanted: str) -> str:
    """Return the address that the reader came from if it is one of ours, else this page."""
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure())
    return wanted if ours else reverse("shortcuts")
