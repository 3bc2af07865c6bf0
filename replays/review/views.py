"""The page of a review: ask for it, watch its progress, read it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from games.accounts.people import player_of_user, player_or_new_guest
from games.bots.debugging import debug_links
from games.common.policy import policy
from games.common.refusals import Refusals
from games.models import Game
from games.play import continuation
from games.play import services as play
from games.play.turn import own_or_former_seat_or_none
from replays.frames.payload import game_data
from replays.review import reviews
from replays.review.review_page import review_panel


@policy(visible_in_impersonation=True)
@require_http_methods(["GET", "HEAD", "POST"])
def review_page(request: HttpRequest, public_id: str, seat: int) -> HttpResponse:
    """`/games/<public_id>/review/<seat>/`, with the seat from 0: show the review, its progress, or a button that asks
    for it. A POST asks for it, cancels it (`cancel`), or continues the game for that seat from an event
    (`play_on`)."""
    refused = Refusals(passing=[400, 404])
    with refused:
        game = play.find_game(public_id, request.user)
        if request.method == "POST":
            return _asked(request, game, seat)
        row = reviews.find_review(game, seat)
    if refused.error:
        context = {"refused": refused.error.sentence, "game_id": public_id}
        return render(request, "review/review.html", context, status=refused.status)
    facts = game_data(game)
    names = [each["name"] for each in facts["seats"]]
    own = own_or_former_seat_or_none(game, request.user) == seat
    shown: dict[str, Any] = {
        "facts": facts,
        "game_id": game.public_id,
        "seat": seat,
        "name": names[seat],
        "names": list(enumerate(names)),
        "row": row,
        "state": row.state if row else "not_asked",
        "debug": next((link for link in debug_links(game, request.user) if link.seat == seat), None),
        "panel": review_panel(game, row.review, names, own=own) if row and row.review else None,
    }
    return render(request, "review/review.html", shown)


def _asked(request: HttpRequest, game: Game, seat: int) -> HttpResponse:
    """Do what was asked, and lead to the page, to the new game, or to the login."""
    if "play_on" in request.POST:
        at = request.POST["play_on"]
        version = int(at) if at.isascii() and at.isdecimal() and len(at) < 10 else 0
        begun, _new = continuation.continue_from(game, version, seat, player_or_new_guest(request))
        return HttpResponseRedirect(reverse("replay", args=[begun.public_id]))
    address = reverse("review", args=[game.public_id, seat])
    player = player_of_user(request.user)
    if player is None:
        return HttpResponseRedirect(f"{reverse('account_login')}?next={address}")
    if "cancel" in request.POST:
        reviews.cancel_review(game=game, seat=seat, player=player)
    else:
        reviews.request_review(game=game, seat=seat, player=player)
    return HttpResponseRedirect(address)
