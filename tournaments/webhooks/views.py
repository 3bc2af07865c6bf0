"""The pages of webhooks, of a club for its organisers and of a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from games.accounts.views import private_page
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.errors import DomainError
from games.common.page_pagination import Page
from games.common.refusals import as_message
from tournaments.club_pages.views import check_permission, page_context, parse_id, refusals_in
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.forms import WebhookForm
from tournaments.webhooks.models import Webhook
from tournaments.webhooks.urls_for import webhook_url

MESSAGES_PER_PAGE: Final = 30


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def club_webhooks(request: HttpRequest, club: str) -> HttpResponse:
    """Show a club's webhooks, and create one."""
    return _webhook_list_page(request, _organised_club(request, club))


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def my_webhooks(request: HttpRequest) -> HttpResponse:
    """Show the user's own webhooks, and create one."""
    return _webhook_list_page(request, None)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def club_webhook(request: HttpRequest, club: str, pk: int) -> HttpResponse:
    """Show a club's webhook with its messages, and carry out actions."""
    return _webhook_page(request, _organised_club(request, club), pk)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
def my_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one of the user's own webhooks with its messages, and carry out actions."""
    return _webhook_page(request, None, pk)


def _organised_club(request: HttpRequest, slug: str) -> Club:
    club = get_object_or_404(Club, slug=slug)
    check_permission(may_organise(request.user, club))
    return club


def _webhook_list_page(request: HttpRequest, club: Club | None) -> HttpResponse:
    form = WebhookForm(club, request.POST if request.method == "POST" else None)
    made: tuple[Webhook, str] | None = None
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            made = webhooks.create_webhook(user=request.user, club=club, **form.cleaned_data)
            form = WebhookForm(club)
    context = {
        **_page_context(request, club),
        "form": form,
        "made": made[0] if made else None,
        "secret": made[1] if made else "",
        "hooks": [(hook, webhook_url(hook)) for hook in _webhooks_or_404(request, club)],
    }
    return render(request, "webhooks/list.html", context, status=422 if form.is_bound and form.errors else 200)


def _webhooks_or_404(request: HttpRequest, club: Club | None) -> Any:
    try:
        return webhooks.webhooks_of(request.user, club)
    except DomainError as error:
        raise Http404(error.sentence) from error


def _page_context(request: HttpRequest, club: Club | None) -> dict[str, Any]:
    return {"nav": "me", "club": None} if club is None else page_context(request, club, "webhooks")


def _webhook_page(request: HttpRequest, club: Club | None, pk: int) -> HttpResponse:
    hook = get_object_or_404(_webhooks_or_404(request, club), pk=pk)
    secret = ""
    if request.method == "POST":
        done = _perform_action(request, hook)
        if not isinstance(done, str):
            return done
        secret = done
    page = Page.of(hook.deliveries.all(), request.GET.get("page", ""), MESSAGES_PER_PAGE)
    context = {**_page_context(request, club), "hook": hook, "page": page, "secret": secret}
    return render(request, "webhooks/one.html", context)


def _perform_action(request: HttpRequest, hook: Webhook) -> HttpResponse | str:
    """Carry out the action of a button; return a response, or a new secret, which only this page shows."""
    asked, here = request.POST.get("do", ""), webhook_url(hook)
    if (
        asked in ACTION_QUESTIONS
        and (page := ask_unless_confirmed(request, _action_question(asked, hook, here))) is not None
    ):
        return page
    if asked == "remove":
        above = here.rpartition(f"{hook.pk}/")[0]
        webhooks.delete_webhook(hook)
        messages.success(request, _("The webhook has been deleted."))
        return redirect(above)
    if asked not in (*ACTIONS, "rotate"):
        raise Http404(_("There is no such action."))
    with as_message(request):
        if asked == "rotate":
            return webhooks.rotate(hook)
        messages.success(request, ACTIONS[asked](request, hook))
    return redirect(here)


ACTION_QUESTIONS: Final = {
    "remove": (
        "remove_webhook",
        gettext_lazy("Delete webhook {n}?"),
        gettext_lazy("The webhook and its messages are deleted, and no more messages are sent."),
        gettext_lazy("Delete webhook"),
    ),
    "rotate": (
        "new_webhook_secret",
        gettext_lazy("Create a new secret for webhook {n}?"),
        gettext_lazy("Messages are also signed by the old secret for one day. After that the old secret is invalid."),
        gettext_lazy("Create secret"),
    ),
}


def _action_question(asked: str, hook: Webhook, back: str) -> Question:
    code, title, follows, button = ACTION_QUESTIONS[asked]
    return Question(code, title=title.format(n=hook.pk), follows=str(follows), button=str(button), back=back)


def _send_ping(request: HttpRequest, hook: Webhook) -> str:
    webhooks.send_ping(hook)
    return _("A test message is being sent. Load this page again in a few seconds.")


def _switch_off(request: HttpRequest, hook: Webhook) -> str:
    webhooks.update_webhook(hook, on=False)
    return _("The webhook is off. No more messages are sent.")


def _switch_on(request: HttpRequest, hook: Webhook) -> str:
    webhooks.update_webhook(hook, on=True)
    return _("The webhook is on. Messages about new events are sent.")


def _resend_message(request: HttpRequest, hook: Webhook) -> str:
    deliveries = hook.deliveries.select_related("webhook")
    webhooks.resend_message(get_object_or_404(deliveries, pk=parse_id(request.POST.get("id", ""))))
    return _("The message is being sent again.")


ACTIONS: Final[dict[str, Callable[[HttpRequest, Webhook], str]]] = {
    "ping": _send_ping,
    "off": _switch_off,
    "on": _switch_on,
    "resend": _resend_message,
}
