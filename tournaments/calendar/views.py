"""The pages on which players agree on times, and the page of a person's coming matches and calendar addresses."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import mygames, people
from games.accounts.views import private_page
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.signed_in import signed_in_user
from tournaments.calendar import feeds


def _revoke_question(request: HttpRequest, user: User) -> HttpResponse | None:
    """Ask for confirmation before a secret address is replaced or revoked; None if there is no address, or the person
    has confirmed."""
    if feeds.find_address(user) is None:
        return None
    gone = request.POST.get("do") == "revoke"
    question = Question(
        "remove_calendar_address" if gone else "new_calendar_address",
        title=_("Remove the secret address?") if gone else _("Create a new secret address?"),
        follows=_("Calendar programs that use the present address will stop working."),
        button=_("Remove address") if gone else _("Create new address"),
        back=reverse("me-calendar"),
    )
    return ask_unless_confirmed(request, question)


@private_page
def my_calendar(request: HttpRequest) -> HttpResponse:
    """Show my coming matches and calendar addresses. POST creates or revokes the secret address."""
    user = signed_in_user(request)
    secret = ""
    if request.method == "POST":
        if (page := _revoke_question(request, user)) is not None:
            return page
        if request.POST.get("do") == "revoke":
            feeds.revoke_address(user)
            messages.success(request, _("The address has been removed."))
            return redirect("me-calendar")
        secret = settings.SCOREBOOK_BASE_URL + reverse("calendar-secret", args=[feeds.new_address(user), "me.ics"])
    player = people.player_of_user(user)
    context: dict[str, Any] = {
        "nav": "me",
        "lines": mygames.upcoming_games(player),
        "missed": feeds.missed_rounds(player) if player else [],
        "player": player,
        "address": feeds.find_address(user),
        "secret": secret,
    }
    return render(request, "calendar/my_calendar.html", context)
