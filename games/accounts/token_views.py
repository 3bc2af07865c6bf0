"""The page of access tokens: a list, and a form for a new one, whose secret is shown once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.accounts.scopes import ADMIN, REMOTE_BOT_SCOPES, SCOPES
from games.accounts.views import private_page
from games.common import clock
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.errors import DomainError
from games.common.signed_in import signed_in_user
from games.models import Bot

EXPIRY_CHOICES: Final = (
    ("", _("no expiry")),
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("one year")),
)


class TokenForm(forms.Form):
    """A token's name, its user, and its scopes."""

    name = forms.CharField(
        label=_("Name"), max_length=60, help_text=_("A name to distinguish your tokens, such as “laptop”.")
    )
    bot = forms.ModelChoiceField(
        Bot.objects.none(),
        label=_("Plays as"),
        required=False,
        empty_label=_("me"),
        help_text=_("A remote bot’s token can only read and play."),
    )
    scopes = forms.MultipleChoiceField(label=_("Permissions"), widget=forms.CheckboxSelectMultiple, required=False)
    days = forms.ChoiceField(label=_("Valid for"), choices=EXPIRY_CHOICES, required=False)

    def __init__(self, user: User, data: Any = None, bot: str = "") -> None:
        super().__init__(data, initial={"bot": bot, "scopes": list(REMOTE_BOT_SCOPES)})
        self.user = user
        bots: Any = self.fields["bot"]
        bots.queryset = Bot.objects.filter(owner=user, versions__transport="remote").distinct().order_by("name")
        scopes: Any = self.fields["scopes"]
        scopes.choices = [
            (scope, f"{scope}: {words}") for scope, words in SCOPES.items() if scope != ADMIN or user.is_staff
        ]

    def make(self) -> tuple[AccessToken, str] | None:
        """Return a new token and its secret; None if it is refused, with the reason in the form."""
        data = self.cleaned_data
        until = clock.now() + timedelta(days=int(data["days"])) if data["days"] else None
        try:
            return tokens.create_token(
                user=self.user, name=data["name"], wanted=data["scopes"], bot=data["bot"], expires_at=until
            )
        except DomainError as refused:
            self.add_error({"bad_token_name": "name", "bad_scopes": "scopes"}.get(refused.code), refused.sentence)
            return None


@private_page
def tokens_page(request: HttpRequest) -> HttpResponse:
    """Show my tokens; a POST creates one."""
    user = signed_in_user(request)
    form = TokenForm(user, request.POST if request.method == "POST" else None, request.GET.get("bot", ""))
    made = form.make() if form.is_bound and form.is_valid() else None
    now = clock.now()
    lines = [
        {"token": token, "over": bool(token.revoked_at or (token.expires_at and token.expires_at <= now))}
        for token in tokens.tokens_of(user)
    ]
    context = {
        "nav": "me",
        "form": TokenForm(user) if made else form,
        "made": made[0] if made else None,
        "secret": made[1] if made else "",
        "lines": lines,
    }
    return render(request, "accounts/tokens.html", context, status=400 if form.is_bound and not made else 200)


@private_page
@require_POST
def revoke_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token after a confirmation."""
    token = tokens.tokens_of(signed_in_user(request)).filter(pk=pk).first()
    if token is None:
        raise Http404(_("You have no such token."))
    question = Question(
        "revoke_token",
        title=_("Revoke the token “{name}”?").format(name=token.name),
        follows=_(
            "Programs that use this token are rejected from now on. To let them connect again, create a new token."
        ),
        button=_("Revoke token"),
        back=reverse("me-tokens"),
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    tokens.revoke(token)
    return redirect("me-tokens")
