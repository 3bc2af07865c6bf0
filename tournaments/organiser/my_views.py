"""The page of a person's own seasons, matches, dates and requests."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games.accounts.views import private_page
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import as_message
from games.common.signed_in import signed_in_user
from tournaments.clubs import invitations
from tournaments.clubs.models import JoinRequest
from tournaments.entries import ladder_selectors
from tournaments.entries.invitations import own_invitations
from tournaments.organiser import my_seasons

PAST_ENTRIES_PER_PAGE: Final = 20


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def my_seasons_page(request: HttpRequest) -> HttpResponse:
    """Show my seasons; on POST, switch my absence from a season's next round."""
    user = signed_in_user(request)
    if request.method == "POST":
        return toggle_away_action(request, user)
    own_entries = my_seasons.current_entries(user)
    nexts = my_seasons.my_matches(own_entries)
    context: dict[str, Any] = {
        "nav": "my-games",
        "own": own_entries,
        "nexts": nexts,
        "waiting": len([line for line in nexts if line.mine]),
        "asked": JoinRequest.objects.filter(user=user, state=JoinRequest.State.OPEN).select_related("club"),
        "invited": invitations.invitations_for(user).select_related("club"),
        "season_invitations": own_invitations(user),
        "challenged": ladder_selectors.received_challenges(getattr(user, "player", None)),
        "dates": my_seasons.my_dates(own_entries, nexts),
        "page": Page.of(my_seasons.past_entries(user), request.GET.get("page", ""), PAST_ENTRIES_PER_PAGE),
    }
    return render(request, "organiser/my_seasons.html", context)


def toggle_away_action(request: HttpRequest, user: User) -> HttpResponse:
    """Switch the absence from the next round of a season, and show a message."""
    number, do = request.POST.get("entry", ""), request.POST.get("do", "")
    if not (number.isascii() and number.isdecimal() and len(number) < 19) or do not in ("away", "there"):
        raise Http404(_("There is no such action."))
    entrant = get_object_or_404(my_seasons.my_entrants(user), pk=int(number))
    coming = entrant.division.rounds_opened + 1
    with as_message(request):
        my_seasons.toggle_away(entrant=entrant, away=do == "away")
        text = _("{name} is absent in round {n}.") if do == "away" else _("{name} plays in round {n}.")
        messages.success(request, text.format(n=coming, name=entrant.player.name))
    return redirect("my-seasons")
