"""The pages of commentators' addresses: one for the organisers of a season, one for whoever has the address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from games.common.confirmation import Question, ask_unless_confirmed
from games.common.policy import policy
from games.common.refusals import as_message
from tournaments.commentary import services
from tournaments.commentary.api import address_data, game_row, games_address
from tournaments.season_pages.overview import find_season
from tournaments.season_pages.setup_views import require_organiser
from tournaments.seasons.models import Season


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def address_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show organisers the address for commentators. POST creates, replaces or withdraws it."""
    found = find_season(club, league, season)
    require_organiser(request, found.league.club)
    back = reverse("season-commentary", args=[club, league, season])
    address = ""
    if request.method == "POST":
        if (page := _question(request, found, back)) is not None:
            return page
        with as_message(request):
            if request.POST.get("do") == "withdraw":
                services.withdraw_address(season=found, user=request.user)
                messages.success(request, _("The address has been withdrawn."))
                return redirect(back)
            address = games_address(services.create_address(season=found, user=request.user))
    context = {
        "nav": "clubs",
        "season": found,
        "row": address_data(found),
        "possible": services.may_have_commentators(found),
        "address": address,
    }
    answer = render(request, "commentary/address.html", context)
    patch_cache_control(answer, private=True, no_store=True)
    return answer


def _question(request: HttpRequest, season: Season, back: str) -> HttpResponse | None:
    """Return the page that asks before the present address stops working; None if there is none, or it is confirmed."""
    if services.find_address(season) is None:
        return None
    gone = request.POST.get("do") == "withdraw"
    question = Question(
        "withdraw_commentary" if gone else "new_commentary_address",
        title=_("Withdraw the address of the commentators?") if gone else _("Replace the address of the commentators?"),
        follows=_("Whoever has the present address sees no hands any more."),
        button=_("Withdraw address") if gone else _("Create new address"),
        back=back,
    )
    return ask_unless_confirmed(request, question)


@policy(secret_parameters=("secret",))
def games_page(request: HttpRequest, secret: str) -> HttpResponse:
    """Show commentators the games in progress by their matches, each with a link to its commentators' view."""
    season = services.season_of(secret)
    games = [(game.match_game.match, game_row(game, secret)) for game in services.running_games(season)]
    context = {"nav": "", "season": season, "games": games}
    answer = render(request, "commentary/games.html", context)
    patch_cache_control(answer, private=True, no_store=True)
    return answer
