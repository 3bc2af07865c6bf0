"""The page of a review: ask for it, watch its progress, read it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views import View

from games.accounts.people import player_of_user
from games.common.errors import DomainError
from games.play import services as play
from replays.frames.payload import game_data
from replays.review import reviews
from replays.review.review_page import review_panel


class ReviewPage(View):
    """`/games/<public_id>/review/<seat>/`, with the seat from 0."""

    visible_in_impersonation = True

    def get(self, request: HttpRequest, public_id: str, seat: int) -> HttpResponse:
        """Show the review, its progress, or a button that asks for it."""
        try:
            game = play.find_game(public_id, request.user)
            row = reviews.find_review(game, seat)
        except DomainError as error:
            return _refused(request, public_id, error)
        facts = game_data(game)
        names = [each["name"] for each in facts["seats"]]
        context = {
            "facts": facts,
            "game_id": game.public_id,
            "seat": seat,
            "name": names[seat],
            "names": list(enumerate(names)),
            "row": row,
            "state": row.state if row else "not_asked",
            "panel": review_panel(game, row.review, names) if row and row.review else None,
        }
        return render(request, "review/review.html", context)

    def post(self, request: HttpRequest, public_id: str, seat: int) -> HttpResponse:
        """Ask for the review, or cancel it (`cancel`), and show the page."""
        address = reverse("review", args=[public_id, seat])
        player = player_of_user(request.user)
        if player is None:
            return HttpResponseRedirect(f"{reverse('account_login')}?next={address}")
        try:
            game = play.find_game(public_id, request.user)
            if "cancel" in request.POST:
                reviews.cancel_review(game=game, seat=seat, player=player)
            else:
                reviews.request_review(game=game, seat=seat, player=player)
        except DomainError as error:
            return _refused(request, public_id, error)
        return HttpResponseRedirect(address)


def _refused(request: HttpRequest, public_id: str, error: DomainError) -> HttpResponse:
    """Return the page that says why there is no review. Raises Http404 for a game or seat that is not there."""
    if error.status in (400, 404):
        raise Http404(error.sentence) from error
    context = {"refused": error.sentence, "game_id": public_id}
    return render(request, "review/review.html", context, status=error.status)
