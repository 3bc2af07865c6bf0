"""The organiser's desk: a page for a club, and one over all the clubs that somebody organises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from games.accounts.views import own, signed_in
from games.common import clock
from games.common.confirmation import Question, unconfirmed
from games.common.page_pagination import Page
from tournaments.activity import audit_log
from tournaments.clubs import members
from tournaments.clubs.permissions import may_organise
from tournaments.core.errors import LeagueError
from tournaments.entries import permissions as entry_permissions
from tournaments.lifecycle import running, setup
from tournaments.models import Club, Dispute, JoinRequest, Match, Round, Season
from tournaments.organiser import counts, inbox, nudges, season_progress, upcoming
from tournaments.organiser import disputes as dispute_answers
from tournaments.organiser.inbox_item import SOON, Item
from tournaments.season_pages.step_views import ask_withdraw

ITEMS_A_PAGE: Final = 20
ACTS_A_PAGE: Final = 30
ACTS_SHOWN: Final = 6
WEEK: Final = timedelta(days=7)
EXTENSIONS: Final = (1, 3, 7)  # days
SEASONS_TO_CHOOSE: Final = 200


@own
@require_http_methods(["GET", "HEAD", "POST"])
def desk(request: HttpRequest) -> HttpResponse:
    """What needs me in all clubs that I organise."""
    clubs = counts.clubs_of(signed_in(request))
    return _desk(request, list(clubs), None)


@own
@require_http_methods(["GET", "HEAD", "POST"])
def club_desk(request: HttpRequest, club: str) -> HttpResponse:
    """What needs the organisers of a club."""
    found = _organised(request, club)
    return _desk(request, [found], found)


@own
@require_http_methods(["GET", "HEAD"])
def club_done(request: HttpRequest, club: str) -> HttpResponse:
    """Who did what in the seasons of a club, and why."""
    found = _organised(request, club)
    wanted = audit_log.Wanted(**{name: request.GET.get(name, "") for name in audit_log.NAMES})
    try:
        rows = audit_log.acts_of([found], wanted)
    except LeagueError as error:
        raise Http404(error.sentence) from error
    page = Page.of(rows, request.GET.get("page", ""), ACTS_A_PAGE)
    context = {
        "nav": "desk",
        "club": found,
        "page": page,
        "lines": audit_log.tell(page.items),
        "wanted": wanted,
        "whats": audit_log.WHATS,
        "seasons": Season.objects.filter(league__club=found)
        .select_related("league")
        .order_by("-pk")[:SEASONS_TO_CHOOSE],
        "people": audit_log.people_of(found),
    }
    return render(request, "desk/done.html", context)


def _organised(request: HttpRequest, slug: str) -> Club:
    club = get_object_or_404(Club, slug=slug)
    if not may_organise(request.user, club):
        raise PermissionDenied(_("Only the organisers of {club} have a desk here.").format(club=club))
    return club


@dataclass(frozen=True, slots=True)
class Group:
    """Matters that are as pressing."""

    key: str
    title: str
    items: list[Item]


def _desk(request: HttpRequest, clubs: Sequence[Club], club: Club | None) -> HttpResponse:
    if request.method == "POST":
        return act(request)
    found = inbox.items_of(clubs)
    counts.remember(signed_in(request), len(found) if club is None else None)
    page = Page.of(found, request.GET.get("page", ""), ITEMS_A_PAGE)  # type: ignore[arg-type]  # cut like rows
    context = {
        "nav": "desk",
        "club": club,
        "clubs": clubs,
        "count": len(found),
        "page": page,
        "groups": grouped(page.items),
        "seasons": season_progress.glance(clubs),
        "coming": upcoming.coming(clubs)[: upcoming.SHOWN],
        "done": audit_log.tell(list(audit_log.acts_of(clubs)[:ACTS_SHOWN])),
        "extensions": EXTENSIONS,
    }
    return render(request, "desk/desk.html", context)


def grouped(found: Sequence[Item]) -> list[Group]:
    """What is due today or tomorrow, within a week, and what nothing runs out for."""
    now = clock.now()
    titles = {"now": _("Today and tomorrow"), "week": _("This week"), "later": _("Whenever you like")}
    sorted_in: dict[str, list[Item]] = {key: [] for key in titles}
    for item in found:
        due = item.due
        key = "later" if due is None or due > now + WEEK else "now" if due <= now + SOON else "week"
        sorted_in[key].append(item)
    return [Group(key, titles[key], within) for key, within in sorted_in.items() if within]


# what can be done


def act(request: HttpRequest) -> HttpResponse:
    """Do what a button says, tell what came of it, and show the desk again. What cannot be undone is asked first."""
    do = DOORS.get(request.POST.get("do", ""))
    if do is None:
        raise Http404("There is nothing of that kind to do.")
    try:
        question = QUESTIONS[request.POST["do"]](request) if request.POST["do"] in QUESTIONS else None
        if question is not None and (page := unconfirmed(request, question)) is not None:
            return page
        messages.success(request, do(request, signed_in(request)))
    except LeagueError as error:
        if error.status == 403:
            raise PermissionDenied(error.sentence) from error
        messages.error(request, error.sentence)
    counts.forget(signed_in(request))
    return redirect(request.get_full_path())


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Http404("There is no such thing.")
    return int(text)


def _season(request: HttpRequest) -> Season:
    return get_object_or_404(Season.objects.select_related("league__club"), pk=_number(request, "season"))


def _note(request: HttpRequest) -> str:
    return request.POST.get("note", "")


def _nudge(request: HttpRequest, user: User) -> str:
    of_season = Match.objects.select_related("round__division__season__league__club")
    match = get_object_or_404(of_season, pk=_number(request, "match"))
    asked = nudges.nudge(match=match, user=user, note=_note(request))
    return _("{names}: asked to play.").format(names=nudges.names_of(asked))


def _extend(request: HttpRequest, user: User) -> str:
    rounds = Round.objects.select_related("division__season__league__club")
    round = get_object_or_404(rounds, pk=_number(request, "round"))
    entry_permissions.check_role(round.division.season, user)
    days = _number(request, "days")
    if days not in EXTENSIONS:
        raise Http404("A round is not extended by so many days here.")
    until = max(round.closes_at or clock.now(), clock.now()) + timedelta(days=days)
    running.extend(round=round, until=until, by=user, note=_note(request))
    told = ngettext("Round {number} has a day more.", "Round {number} has {n} days more.", days)
    return told.format(number=round.number, n=days)


def _admit(request: HttpRequest, user: User) -> str:
    entrant = entry_permissions.admit(_season(request), user, _number(request, "entrant"))
    if entrant.status == entrant.Status.IN:
        return _("{name} is in.").format(name=entrant)
    return _("{name} is on the waiting list: every place is taken.").format(name=entrant)


def _withdraw(request: HttpRequest, user: User) -> str:
    entrant = entry_permissions.withdraw(_season(request), user, _number(request, "entrant"), _note(request))
    if entrant.status == entrant.Status.OUT:
        return _("{name} is not let in.").format(name=entrant)
    return _("{name} is withdrawn.").format(name=entrant)


def _resume(request: HttpRequest, user: User) -> str:
    season = _season(request)
    entry_permissions.check_role(season, user)
    return _("{season} goes on.").format(season=running.resume(season=season, by=user, note=_note(request)))


def _start(request: HttpRequest, user: User) -> str:
    season = setup.start(season=_season(request), user=user)
    return _("{season} has started: it runs itself from here.").format(season=season)


def _answer(request: HttpRequest, user: User) -> str:
    asked = get_object_or_404(JoinRequest.objects.select_related("club"), pk=_number(request, "request"))
    accept = request.POST["do"] == "accept"
    members.answer(request=asked, user=user, accept=accept)
    return _("They are in, and told so.") if accept else _("They are told.")


def _decide(request: HttpRequest, user: User) -> str:
    of_season = Dispute.objects.select_related("match__round__division__season__league__club")
    found = get_object_or_404(of_season, pk=_number(request, "dispute"))
    how, game = request.POST.get("how", ""), _number(request, "game")
    return dispute_answers.decide(dispute=found, how=how, game=game, by=user, note=_note(request))


def _ask_withdraw(request: HttpRequest) -> Question | None:
    return ask_withdraw(_season(request), request.user, _number(request, "entrant"), request.get_full_path())


# before what cannot be undone
QUESTIONS: Final[dict[str, Callable[[HttpRequest], Question | None]]] = {
    "decline": _ask_withdraw,
    "withdraw": _ask_withdraw,
}
DOORS: Final[dict[str, Callable[[HttpRequest, User], str]]] = {
    "nudge": _nudge,
    "extend": _extend,
    "decide": _decide,
    "accept": _answer,
    "refuse": _answer,
    "admit": _admit,
    "decline": _withdraw,
    "withdraw": _withdraw,
    "resume": _resume,
    "start": _start,
}
