"""The page for vacations from correspondence games, /me/vacation/, and the check-in."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from games.clocks import vacations
from games.clocks.models import Vacation
from games.common import clock
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from games.common.signed_in import signed_in_user
from games.play import services as play


class VacationForm(forms.Form):
    """The first and the last day of a vacation."""

    start = forms.DateField(label=_("First day"), widget=forms.DateInput(attrs={"type": "date"}))
    end = forms.DateField(label=_("Last day"), widget=forms.DateInput(attrs={"type": "date"}))


@require_POST
def check_in_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Check in for a game with a start time and go to its page, with a message if this was not possible."""
    with as_message(request, passing=[404]):
        game = play.find_game(public_id, request.user)
        play.mark_ready(game=game, seat=play.seat_of(game, request.user))
    return redirect("replay", public_id)


@login_required
@policy(visible_in_impersonation=True)
def vacation(request: HttpRequest) -> HttpResponse:
    """Show your vacations and a form for another one."""
    user = signed_in_user(request)
    form = VacationForm(request.POST.dict() if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        zone = timezone.get_current_timezone_name()
        with Refusals(lambda error: form.add_error(None, error.sentence)):
            vacations.announce_vacation(user=user, zone=zone, **form.cleaned_data)
            return redirect("vacation")
    return render(request, "accounts/vacation.html", vacation_context(user, form), status=400 if form.errors else 200)


@login_required
@require_POST
def end_vacation(request: HttpRequest, number: int) -> HttpResponse:
    """Cancel a vacation, or end it today."""
    user = signed_in_user(request)
    refused = Refusals()
    with refused:
        vacations.cut_short(user=user, vacation_id=number)
        return redirect("vacation")
    context = {**vacation_context(user, VacationForm()), "refused": refused.error}
    return render(request, "accounts/vacation.html", context, status=refused.status)


def vacation_context(user: User, form: VacationForm) -> dict[str, Any]:
    """Return what the page shows: vacations that are not over in their zone, and the days left this year."""
    now = clock.now()
    taken = list(Vacation.objects.filter(user=user))
    ahead = [each for each in taken if each.end >= now.astimezone(ZoneInfo(each.zone)).date()]
    year = timezone.localdate(now).year
    left = vacations.days_left(taken, year)
    return {"form": form, "vacations": ahead, "year": year, "days_left": left, "a_year": vacations.MAX_DAYS_PER_YEAR}
