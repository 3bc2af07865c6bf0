"""The pages of availability: an entrant's answers on the season's page, the organisers' grid, the link of an email."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.common.errors import DomainError
from games.common.policy import policy
from games.common.refusals import Refusals, as_message
from tournaments.entries import availability, availability_links
from tournaments.entries import permissions as entry_permissions
from tournaments.entries.availability_links import LinkState
from tournaments.entries.availability_selectors import (
    ROUNDS_SHOWN,
    RoundAnswer,
    answer_text,
    answers_of,
    availability_grid,
    coming_rounds,
)
from tournaments.season_pages import overview
from tournaments.seasons.addresses import season_url
from tournaments.seasons.models import Entrant, Season

PLAYS_BY_ANSWER: Final = {"yes": True, "no": False, "silent": None}


@dataclass(frozen=True, slots=True)
class OwnAvailability:
    """What one's own entrant has said about the next rounds, and about those after them, which are folded."""

    entrant: Entrant
    near: Sequence[RoundAnswer]
    later: Sequence[RoundAnswer]

    @property
    def prefix(self) -> str:
        """What the ids of the buttons begin with."""
        return f"plays-{self.entrant.number}"


def own_availability(season: Season, entrants: Sequence[Entrant]) -> list[OwnAvailability]:
    """Return the answers of one's own entrants, without those who have no round to answer about."""
    found = []
    for entrant in entrants:
        entrant.division.season = season
        if answers := answers_of(entrant, coming_rounds(entrant.division)):
            found.append(OwnAvailability(entrant, answers[:ROUNDS_SHOWN], answers[ROUNDS_SHOWN:]))
    return found


def answer_posted(request: HttpRequest, season: Season, *, player: int | None, number: int = 0) -> str:
    """Do what a button about a round asks for, and return what has changed."""
    plays, round = posted_answer(request)
    entrant = entry_permissions.answer_round_for(
        season, request.user, round, plays, player=player, number=number, note=request.POST.get("note", "")
    )
    return answer_text(str(entrant), round, plays)


def posted_answer(request: HttpRequest) -> tuple[bool | None, int]:
    """Return the answer and the round of a button, such as “no 4”. Raises `DomainError` bad_choice (400)."""
    chosen, _space, round = request.POST.get("answer", "").partition(" ")
    if chosen not in PLAYS_BY_ANSWER or not (round.isascii() and round.isdecimal() and len(round) < 5):
        raise DomainError(400, "bad_choice", _("There is no such step. Choose one of the page’s buttons."))
    return PLAYS_BY_ANSWER[chosen], int(round)


def own_part(request: HttpRequest, season: Season) -> HttpResponse:
    """Return the section with the viewer's own answers, for htmx."""
    return render(request, "season_pages/parts/availability.html", own_context(season, request.user))


def own_context(season: Season, viewer: User | AnonymousUser, own: Sequence[Entrant] | None = None) -> dict[str, Any]:
    """Return the context of that section, for the viewer's `own` entrants if they are known."""
    entrants = entry_permissions.own_entrants(season, viewer) if own is None else own
    return {
        "season": season,
        "availability": own_availability(season, entrants),
        "absence": season.competition.absence(season.table_size),
        "organises": entry_permissions.may_run(season, viewer),
    }


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def grid_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Show organisers who can play in the coming rounds. POST sets what an entrant has told them."""
    found = overview.find_season(club, league, season)
    entry_permissions.check_may_run(found, request.user)
    division, divisions = overview.find_division(found, request.GET.get("division", ""))
    division.season = found
    if request.method == "POST":
        sent = request.POST.get("entrant", "")
        number = int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 6 else 0
        with as_message(request, passing=[403]):
            if not number:
                raise Http404(_("There is no such entrant."))
            messages.success(request, answer_posted(request, found, player=None, number=number))
        if not getattr(request, "htmx", False):
            return redirect(request.get_full_path())
    context = {
        "nav": "clubs",
        "season": found,
        "division": division,
        "divisions": divisions,
        "absence": found.competition.absence(found.table_size),
        "grid": availability_grid(division, request.GET.get("round", ""), request.GET.get("page", "")),
    }
    page, part = "season_pages/availability.html", "season_pages/parts/availability_grid.html"
    return render(request, part if getattr(request, "htmx", False) else page, context)


@never_cache
@policy(secret_parameters=("token",))
@require_http_methods(["GET", "HEAD", "POST"])
def link_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show a person who follows the link of an email the coming rounds of that season, with buttons. It needs no login,
    and only the buttons change something."""
    read = availability_links.read_link(token)
    if read is None:
        raise Http404(_("This link is not valid, or the account has been deleted."))
    entrant, state = read
    refused, done = Refusals(), ""
    if request.method == "POST" and state == LinkState.GOOD:
        with refused:
            plays, round = posted_answer(request)
            entrant = availability.answer_round(entrant=entrant, round=round, plays=plays)
            done = answer_text(str(entrant), round, plays)
            entrant.division.season = entrant.season
    rounds = coming_rounds(entrant.division) if state == LinkState.GOOD else []
    context = {
        "entrant": entrant,
        "season": entrant.season,
        "address": season_url(entrant.season),
        "state": state,
        "answers": answers_of(entrant, rounds)[:ROUNDS_SHOWN],
        "absence": entrant.season.competition.absence(entrant.season.table_size),
        "asked": request.GET.get("round", ""),
        "done": done,
        "refused": refused.error and refused.error.sentence,
    }
    status = 410 if state != LinkState.GOOD else refused.status
    return render(request, "season_pages/availability_link.html", context, status=status)
