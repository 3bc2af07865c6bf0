"""The pages of webhooks: a club's for its organisers, and a person's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from games.accounts.views import own
from games.common.confirmation import Question, unconfirmed
from games.common.page_pagination import Page
from tournaments.clubs.permissions import may_organise
from tournaments.clubs.views import around, check, number, refuse
from tournaments.core.errors import LeagueError
from tournaments.models import Club, Webhook
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.forms import WebhookForm
from tournaments.webhooks.urls_for import page_of

MESSAGES_A_PAGE: Final = 30


@own
@require_http_methods(["GET", "HEAD", "POST"])
def of_club(request: HttpRequest, club: str) -> HttpResponse:
    """A club's webhooks, and a new one."""
    return _list(request, _organised(request, club))


@own
@require_http_methods(["GET", "HEAD", "POST"])
def of_mine(request: HttpRequest) -> HttpResponse:
    """My webhooks, and a new one."""
    return _list(request, None)


@own
@require_http_methods(["GET", "HEAD", "POST"])
def one_of_club(request: HttpRequest, club: str, pk: int) -> HttpResponse:
    """One of a club's, with its messages."""
    return _one(request, _organised(request, club), pk)


@own
@require_http_methods(["GET", "HEAD", "POST"])
def one_of_mine(request: HttpRequest, pk: int) -> HttpResponse:
    """One of mine, with its messages."""
    return _one(request, None, pk)


def _organised(request: HttpRequest, slug: str) -> Club:
    found = get_object_or_404(Club, slug=slug)
    check(may_organise(request.user, found))
    return found


def _list(request: HttpRequest, club: Club | None) -> HttpResponse:
    form = WebhookForm(club, request.POST if request.method == "POST" else None)
    made: tuple[Webhook, str] | None = None
    if form.is_bound and form.is_valid():
        try:
            made = webhooks.make(user=request.user, club=club, **form.cleaned_data)
            form = WebhookForm(club)
        except LeagueError as error:
            refuse(error, form)
    context = {
        **_around(request, club),
        "form": form,
        "made": made[0] if made else None,
        "secret": made[1] if made else "",
        "hooks": [(hook, page_of(hook)) for hook in _own(request, club)],
    }
    return render(request, "webhooks/list.html", context, status=422 if form.is_bound and form.errors else 200)


def _own(request: HttpRequest, club: Club | None) -> Any:
    try:
        return webhooks.of(request.user, club)
    except LeagueError as error:
        raise Http404(error.sentence) from error


def _around(request: HttpRequest, club: Club | None) -> dict[str, Any]:
    return {"nav": "me", "club": None} if club is None else around(request, club, "webhooks")


def _one(request: HttpRequest, club: Club | None, pk: int) -> HttpResponse:
    hook = get_object_or_404(_own(request, club), pk=pk)
    secret = ""
    if request.method == "POST":
        done = _do(request, hook)
        if not isinstance(done, str):
            return done
        secret = done
    page = Page.of(hook.deliveries.all(), request.GET.get("page", ""), MESSAGES_A_PAGE)
    context = {**_around(request, club), "hook": hook, "page": page, "secret": secret}
    return render(request, "webhooks/one.html", context)


def _do(request: HttpRequest, hook: Webhook) -> HttpResponse | str:
    """Do what a button says; a new secret is shown on the page that answers, and nowhere else."""
    asked, here = request.POST.get("do", ""), page_of(hook)
    if asked in ABOUT and (page := unconfirmed(request, _question(asked, hook, here))) is not None:
        return page
    if asked == "remove":
        above = here.rpartition(f"{hook.pk}/")[0]
        hook.delete()
        messages.success(request, _("The webhook is gone."))
        return redirect(above)
    if asked not in (*DOORS, "rotate"):
        raise Http404("There is nothing of that kind to do.")
    try:
        if asked == "rotate":
            return webhooks.rotate(hook)
        messages.success(request, DOORS[asked](request, hook))
    except LeagueError as error:
        messages.error(request, error.sentence)
    return redirect(here)


ABOUT: Final = {
    "remove": (
        "remove_webhook",
        gettext_lazy("Delete webhook {n}?"),
        gettext_lazy("It goes with its messages, and nothing more is sent there."),
        gettext_lazy("Delete it"),
    ),
    "rotate": (
        "new_webhook_secret",
        gettext_lazy("Make a new secret for webhook {n}?"),
        gettext_lazy("For a day messages are signed by the old secret too; then it is worth nothing for good."),
        gettext_lazy("Make it"),
    ),
}


def _question(asked: str, hook: Webhook, back: str) -> Question:
    code, title, follows, button = ABOUT[asked]
    return Question(code, title=title.format(n=hook.pk), follows=str(follows), button=str(button), back=back)


def _ping(request: HttpRequest, hook: Webhook) -> str:
    webhooks.ping(hook)
    return _("A message is on its way. Look again in a few seconds.")


def _off(request: HttpRequest, hook: Webhook) -> str:
    webhooks.change(hook, on=False)
    return _("It is switched off: nothing more is sent there.")


def _on(request: HttpRequest, hook: Webhook) -> str:
    webhooks.change(hook, on=True)
    return _("It is switched on: what happens from now on is told.")


def _resend(request: HttpRequest, hook: Webhook) -> str:
    found = hook.deliveries.select_related("webhook")
    webhooks.resend(get_object_or_404(found, pk=number(request.POST.get("id", ""))))
    return _("The message is sent once more.")


DOORS: Final[dict[str, Callable[[HttpRequest, Webhook], str]]] = {
    "ping": _ping,
    "off": _off,
    "on": _on,
    "resend": _resend,
}
