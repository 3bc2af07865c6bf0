"""The pages on which people agree on times, and the one with what is ahead of them and where their calendars are."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from games.accounts import mygames, people
from games.accounts.views import private_page, signed_in_user
from games.common.confirmation import Question, ask_unless_confirmed
from tournaments.calendar import feeds, scheduling
from tournaments.calendar.forms import TimesForm
from tournaments.calendar.models import Proposal
from tournaments.core.errors import LeagueError
from tournaments.models import Match
from tournaments.views import match_page as match_page


@login_required
@require_POST
def match_times_page(request: HttpRequest, match_id: int) -> HttpResponse:
    """Propose, accept, decline or take back a time; then to the match, with a word of what came of it."""
    match = get_object_or_404(Match, pk=match_id)
    form = TimesForm(request.POST)
    what = request.POST.get("do", "")
    if what == "propose" and not form.is_valid():
        return match_page_with_errors(request, match, form)
    try:
        messages.success(request, answer_times(request, match, what, form))
    except LeagueError as error:
        if error.code == "not_in_match":
            raise PermissionDenied(error.sentence) from error
        messages.error(request, error.sentence)
    return redirect(f"{reverse('match', args=[match.pk])}#times")


def answer_times(request: HttpRequest, match: Match, what: str, form: TimesForm) -> str:
    """Do it, and say what came of it. Raises `LeagueError`."""
    if what == "propose":
        made = scheduling.propose(match=match, user=request.user, times=form.times())
        return _("The time is agreed.") if made.chosen else _("Proposed. The others are told.")
    number = request.POST.get("proposal", "")
    if not (number.isdecimal() and len(number) < 19):
        raise Http404("There is no such proposal.")
    proposal = get_object_or_404(Proposal, pk=int(number), match=match)
    if what == "accept":
        done = scheduling.accept_proposal(proposal=proposal, user=request.user, times=chosen_times(request))
        return _("The time is agreed.") if done.chosen else _("Noted. It is agreed as soon as all have said so.")
    if what == "decline":
        scheduling.decline_proposal(proposal=proposal, user=request.user)
        return _("Declined. Propose another time, or the one that stands stays.")
    if what == "withdraw":
        scheduling.withdraw_proposal(proposal=proposal, user=request.user)
        return _("Taken back.")
    raise Http404("There is nothing of that kind to do.")


def chosen_times(request: HttpRequest) -> list[datetime]:
    """The proposed times that were ticked."""
    try:
        return [datetime.fromisoformat(text) for text in request.POST.getlist("times")]
    except ValueError as error:
        raise Http404("This is no time.") from error


def match_page_with_errors(request: HttpRequest, match: Match, form: TimesForm) -> HttpResponse:
    """The match's page once more, with what is wrong in the form."""
    return match_page(request, match.pk, form)


def _revoke_question(request: HttpRequest, user: User) -> HttpResponse | None:
    """What is asked before a secret address is found no more; nothing where there is none."""
    if feeds.find_address(user) is None:
        return None
    gone = request.POST.get("do") == "revoke"
    question = Question(
        "remove_calendar_address" if gone else "new_calendar_address",
        title=_("Remove the secret address?") if gone else _("Make a new secret address?"),
        follows=_("Calendar programs that use the present address find nothing there any more."),
        button=_("Remove it") if gone else _("Make a new one"),
        back=reverse("me-calendar"),
    )
    return ask_unless_confirmed(request, question)


@private_page
def my_calendar(request: HttpRequest) -> HttpResponse:
    """What is ahead of me, and the addresses of calendars; on POST a new secret address, or none any more."""
    user = signed_in_user(request)
    secret = ""
    if request.method == "POST":
        if (page := _revoke_question(request, user)) is not None:
            return page
        if request.POST.get("do") == "revoke":
            feeds.revoke_address(user)
            messages.success(request, _("The address is found no more."))
            return redirect("me-calendar")
        secret = settings.SCOREBOOK_ADDRESS + reverse("calendar-secret", args=[feeds.new_address(user), "me.ics"])
    context: dict[str, Any] = {
        "nav": "me",
        "lines": mygames.upcoming_games(people.player_of_user(user)),
        "player": people.player_of_user(user),
        "address": feeds.find_address(user),
        "secret": secret,
    }
    return render(request, "dates/calendar.html", context)
