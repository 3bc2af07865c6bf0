"""The pages of moderation for people: report something, see sanctions, and read why one is banned."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from games.accounts.models import Sanction
from games.accounts.speech import until_text
from games.accounts.views import private_page
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.common.signed_in import signed_in_user
from games.moderation import impersonation, reports, sanctions
from games.moderation.forms import ObjectionForm, ReportForm

REPORTS_A_PAGE: Final = 20
BAN_TOKEN_SALT: Final = "games.moderation.banned"  # noqa: S105
BAN_TOKEN_MAX_AGE: Final = 60 * 60


@private_page
@policy(visible_in_impersonation=True)
def report_page(request: HttpRequest, target: str, pk: int) -> HttpResponse:
    """Report a person, a bot, a club or a text."""
    found = reports.find_target(target, pk, request.user)
    sort = reports.TARGETS[target]
    form = ReportForm(request.POST if request.method == "POST" else None)
    refused = Refusals(lambda error: form.add_error("words" if error.code == "bad_words" else None, error.sentence))
    if form.is_bound and form.is_valid():
        with refused:
            reports.file_report(by=request.user, target=target, pk=pk, **form.cleaned_data)
            messages.success(request, _("Thank you. An admin will read your report and tell you the outcome."))
            return redirect(sort.address(found))
    context = {
        "form": form,
        "title": sort.title,
        "name": sort.name(found),
        "back": sort.address(found),
    }
    status = refused.status if refused.error else 400 if form.is_bound else 200
    return render(request, "moderation/report.html", context, status=status)


@private_page
@policy(visible_in_impersonation=True)
def conduct_page(request: HttpRequest) -> HttpResponse:
    """Show the warnings, mutes and bans against me with their reasons, and my reports with their outcomes."""
    user = signed_in_user(request)
    refused = as_message(request)
    if request.method == "POST":
        with refused:
            return redirect(do_conduct_action(request, user, request.POST))
    listed = Page.of(reports.reports_of(user), request.GET.get("page", ""), REPORTS_A_PAGE)
    context = {
        "nav": "me",
        "measures": [sanction_context(measure) for measure in sanctions.sanctions_about(user)],
        "page": listed.map(lambda each: {"report": each, "named": reports.name_and_url(each, user)}),
    }
    return render(request, "moderation/conduct.html", context, status=refused.status)


def sanction_context(measure: Sanction) -> dict[str, Any]:
    """Return a sanction, with what its person can do about it."""
    form = ObjectionForm(prefix=str(measure.pk)) if not measure.objection else None
    return {"row": measure, "until": until_text(measure), "form": form}


def do_conduct_action(request: HttpRequest, user: User, sent: Any) -> str:
    """Carry out a form of this page, and return where to go next. Raises `DomainError`."""
    number = sent.get("measure", "")
    pk = int(number) if number.isdecimal() and len(number) < 16 else 0
    if sent.get("act") == "object":
        sanctions.object_to(user=user, pk=pk, words=sent.get(f"{pk}-words", ""))
        messages.success(request, _("Your appeal was sent. An admin will read it and answer here."))
    else:
        sanctions.mark_warning_read(user=user, pk=pk)
        messages.success(request, _("Thank you. You can post again."))
    return reverse("me-conduct")


# the user is banned


def ban_response(request: HttpRequest, user: User) -> HttpResponse | None:
    """Return the page for a banned person who has given name and password; None for anybody else.

    It says why, until when, and how to object.
    """
    ban = sanctions.ban_of(user)
    if ban is None:
        return None
    return banned_page(request, ban)


def banned_page(request: HttpRequest, ban: Sanction, form: ObjectionForm | None = None) -> HttpResponse:
    """Return the page of a ban. Its form needs no login, because it holds a signed number."""
    context = {
        "ban": ban,
        "until": until_text(ban),
        "form": (form or ObjectionForm()) if not ban.objection else None,
        "token": signing.dumps(ban.pk, salt=BAN_TOKEN_SALT),
    }
    return render(request, "moderation/banned.html", context, status=400 if form else 403)


@never_cache
@require_POST
@policy(secret_parameters=("token",))
def object_to_ban(request: HttpRequest, token: str) -> HttpResponse:
    """Appeal against a ban, within an hour of giving the password."""
    try:
        ban = Sanction.objects.select_related("user").get(
            pk=signing.loads(token, salt=BAN_TOKEN_SALT, max_age=BAN_TOKEN_MAX_AGE)
        )
    except (signing.BadSignature, Sanction.DoesNotExist) as error:
        raise Http404(_("This form has expired. Log in again.")) from error
    form = ObjectionForm(request.POST)
    if not form.is_valid():
        return banned_page(request, ban, form)
    with as_message(request):
        sanctions.object_to(user=ban.user, pk=ban.pk, words=form.cleaned_data["words"])
    ban.refresh_from_db()
    return banned_page(request, ban)


@require_POST
def end_impersonation_page(request: HttpRequest) -> HttpResponse:
    """End impersonation."""
    request.session.pop(impersonation.SESSION_KEY, None)
    if isinstance(request.user, User):
        impersonation.end_impersonation(request.user)
    return redirect("admin:index" if getattr(request.user, "is_staff", False) else "home")
