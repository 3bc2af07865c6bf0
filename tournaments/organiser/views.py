"""The organiser's inbox, for one club and for all clubs of an organiser, and the club's audit log."""

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

from games.accounts.views import private_page
from games.common import clock
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.errors import DomainError
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.refusals import as_message
from games.common.signed_in import signed_in_user
from tournaments.activity import audit_log
from tournaments.clubs import members
from tournaments.clubs.models import Club, JoinRequest
from tournaments.clubs.permissions import may_organise
from tournaments.entries import permissions as entry_permissions
from tournaments.lifecycle import running, setup
from tournaments.organiser import counts, inbox, nudges, season_progress, upcoming
from tournaments.organiser import disputes as dispute_answers
from tournaments.organiser.inbox_item import SOON_WITHIN, InboxItem
from tournaments.rulings import result_entry
from tournaments.rulings.models import Dispute
from tournaments.season_pages.action_views import start_question, withdraw_question
from tournaments.seasons.models import Match, Round, Season

ITEMS_PER_PAGE: Final = 20
ACTIONS_PER_PAGE: Final = 30
ACTIONS_SHOWN: Final = 6
WEEK: Final = timedelta(days=7)
EXTENSIONS: Final = (1, 3, 7)  # days
MAX_SEASON_CHOICES: Final = 200


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def inbox_page(request: HttpRequest) -> HttpResponse:
    """Show what needs the user in all clubs that they organise."""
    clubs = counts.organised_clubs(signed_in_user(request))
    return _render_inbox(request, list(clubs), None)


@private_page
@require_http_methods(["GET", "HEAD", "POST"])
@policy(visible_in_impersonation=True)
def club_inbox_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show what needs the organisers of a club."""
    organised_club = _organised_club(request, club)
    return _render_inbox(request, [organised_club], organised_club)


@private_page
@require_http_methods(["GET", "HEAD"])
@policy(visible_in_impersonation=True)
def club_audit_log(request: HttpRequest, club: str) -> HttpResponse:
    """Show who did what in the seasons of a club, and why."""
    organised_club = _organised_club(request, club)
    wanted = audit_log.AuditFilter(**{name: request.GET.get(name, "") for name in audit_log.FILTER_PARAMS})
    rows = audit_log.club_actions([organised_club], wanted)
    page = Page.of(rows, request.GET.get("page", ""), ACTIONS_PER_PAGE)
    context = {
        "nav": "inbox",
        "club": organised_club,
        "page": page,
        "lines": audit_log.audit_lines(page.items),
        "wanted": wanted,
        "whats": audit_log.ACTION_LABELS,
        "seasons": Season.objects.filter(league__club=organised_club)
        .select_related("league")
        .order_by("-pk")[:MAX_SEASON_CHOICES],
        "people": audit_log.club_actors(organised_club),
    }
    return render(request, "organiser/audit_log.html", context)


def _organised_club(request: HttpRequest, slug: str) -> Club:
    club = get_object_or_404(Club, slug=slug)
    if not may_organise(request.user, club):
        raise PermissionDenied(_("Only the organisers of {club} can see its inbox.").format(club=club))
    return club


@dataclass(frozen=True, slots=True)
class InboxGroup:
    """Items with a similar deadline."""

    key: str
    title: str
    items: list[InboxItem]


def _render_inbox(request: HttpRequest, clubs: Sequence[Club], club: Club | None) -> HttpResponse:
    if request.method == "POST" and (answer := perform_action(request)) is not None:
        return answer
    items = inbox.inbox_items(clubs)
    counts.store_inbox_count(signed_in_user(request), len(items) if club is None else None)
    page = Page.of(items, request.GET.get("page", ""), ITEMS_PER_PAGE)  # type: ignore[arg-type]  # cut like rows
    context = {
        "nav": "inbox",
        "club": club,
        "clubs": clubs,
        "count": len(items),
        "page": page,
        "groups": group_by_urgency(page.items),
        "seasons": season_progress.season_progress_rows(clubs),
        "coming": upcoming.upcoming_events(clubs)[: upcoming.EVENTS_SHOWN],
        "done": audit_log.audit_lines(list(audit_log.latest_actions(ACTIONS_SHOWN, clubs=[each.pk for each in clubs]))),
        "extensions": EXTENSIONS,
        "sent": request.POST,
    }
    return render(request, "organiser/inbox.html", context, status=422 if request.method == "POST" else 200)


def group_by_urgency(found: Sequence[InboxItem]) -> list[InboxGroup]:
    """Group items: due today or tomorrow, due within a week, and the others."""
    now = clock.now()
    titles = {"now": _("Today and tomorrow"), "week": _("This week"), "later": _("No deadline")}
    sorted_in: dict[str, list[InboxItem]] = {key: [] for key in titles}
    for item in found:
        due = item.due
        key = "later" if due is None or due > now + WEEK else "now" if due <= now + SOON_WITHIN else "week"
        sorted_in[key].append(item)
    return [InboxGroup(key, titles[key], within) for key, within in sorted_in.items() if within]


# The actions.


def perform_action(request: HttpRequest) -> HttpResponse | None:
    """Carry out the action of a button, then show the inbox with a message. Ask first if the action cannot be
    undone. Return None if it was refused: the inbox then shows what was sent again."""
    do = ACTIONS.get(request.POST.get("do", ""))
    if do is None:
        raise Http404(_("There is no such action."))
    with as_message(request, passing=[403]):
        question = QUESTIONS[request.POST["do"]](request) if request.POST["do"] in QUESTIONS else None
        if question is not None and (page := ask_unless_confirmed(request, question)) is not None:
            return page
        messages.success(request, do(request, signed_in_user(request)))
        counts.clear_inbox_count(signed_in_user(request))
        return redirect(request.get_full_path())
    return None


def _posted_number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Http404(_("The form has an invalid number. Reload the page."))
    return int(text)


def _posted_season(request: HttpRequest) -> Season:
    return get_object_or_404(Season.objects.select_related("league__club"), pk=_posted_number(request, "season"))


def _posted_note(request: HttpRequest) -> str:
    return request.POST.get("note", "")


def _nudge(request: HttpRequest, user: User) -> str:
    of_season = Match.objects.select_related("round__division__season__league__club")
    match = get_object_or_404(of_season, pk=_posted_number(request, "match"))
    asked = nudges.nudge_match(match=match, user=user, note=_posted_note(request))
    return _("{names} were reminded to play.").format(names=nudges.player_names(asked))


def _extend(request: HttpRequest, user: User) -> str:
    rounds = Round.objects.select_related("division__season__league__club")
    round = get_object_or_404(rounds, pk=_posted_number(request, "round"))
    entry_permissions.check_may_run(round.division.season, user)
    days = _posted_number(request, "days")
    if days not in EXTENSIONS:
        raise Http404(_("A round cannot be extended by this number of days here."))
    until = max(round.closes_at or clock.now(), clock.now()) + timedelta(days=days)
    running.extend_round(round=round, until=until, by=user, note=_posted_note(request))
    text = ngettext("Round {number} was extended by one day.", "Round {number} was extended by {n} days.", days)
    return text.format(number=round.number, n=days)


def _admit(request: HttpRequest, user: User) -> str:
    entrant = entry_permissions.admit_as_organiser(_posted_season(request), user, _posted_number(request, "entrant"))
    if entrant.status == entrant.Status.IN:
        return _("{name} has been entered.").format(name=entrant)
    return _("{name} is on the waiting list, because all places are taken.").format(name=entrant)


def _withdraw(request: HttpRequest, user: User) -> str:
    entrant = entry_permissions.withdraw_as_organiser(
        _posted_season(request), user, _posted_number(request, "entrant"), _posted_note(request)
    )
    if entrant.status == entrant.Status.OUT:
        return _("{name} was declined.").format(name=entrant)
    return _("{name} has been withdrawn.").format(name=entrant)


def _resume(request: HttpRequest, user: User) -> str:
    season = _posted_season(request)
    entry_permissions.check_may_run(season, user)
    return _("{season} has been resumed.").format(
        season=running.resume_season(season=season, by=user, note=_posted_note(request))
    )


def _start(request: HttpRequest, user: User) -> str:
    season = setup.start_as_organiser(season=_posted_season(request), user=user)
    return _("{season} has started. From now on it runs automatically.").format(season=season)


def _answer_join_request(request: HttpRequest, user: User) -> str:
    asked = get_object_or_404(JoinRequest.objects.select_related("club"), pk=_posted_number(request, "request"))
    accept = request.POST["do"] == "accept"
    members.answer_request(request=asked, user=user, accept=accept)
    return _("The person is now a member and has been notified.") if accept else _("The person has been notified.")


def _answer_dispute(request: HttpRequest, user: User) -> str:
    of_season = Dispute.objects.select_related("match__round__division__season__league__club")
    dispute = get_object_or_404(of_season, pk=_posted_number(request, "dispute"))
    how = request.POST.get("how", "")
    if how != dispute_answers.RESULT_STANDS and not request.POST.get("game"):
        raise DomainError(400, "bad_choice", _("Choose the game to replay or annul."), "game")
    game = _posted_number(request, "game") if how != dispute_answers.RESULT_STANDS else 0
    return dispute_answers.answer_dispute(dispute=dispute, how=how, game=game, by=user, note=_posted_note(request))


def _adjudicate(request: HttpRequest, user: User) -> str:
    of_season = Match.objects.select_related("round__division__season__league__club")
    match = get_object_or_404(of_season, pk=_posted_number(request, "match"))
    result_entry.enter_results(
        season=match.round.division.season,
        outcomes={match.pk: request.POST.get("outcome", "")},
        by=user,
        note=_posted_note(request),
    )
    return _("The result has been adjudicated.")


def _withdraw_question(request: HttpRequest) -> Question | None:
    return withdraw_question(
        _posted_season(request), request.user, _posted_number(request, "entrant"), request.get_full_path()
    )


def _start_question(request: HttpRequest) -> Question | None:
    season = _posted_season(request)
    entry_permissions.check_may_run(season, request.user)
    return start_question(season, request.get_full_path()) if season.status == Season.Status.OPEN else None


# Asked before actions that cannot be undone.
QUESTIONS: Final[dict[str, Callable[[HttpRequest], Question | None]]] = {
    "decline": _withdraw_question,
    "withdraw": _withdraw_question,
    "start": _start_question,
}
ACTIONS: Final[dict[str, Callable[[HttpRequest, User], str]]] = {
    "nudge": _nudge,
    "extend": _extend,
    "decide": _answer_dispute,
    "adjudicate": _adjudicate,
    "accept": _answer_join_request,
    "refuse": _answer_join_request,
    "admit": _admit,
    "decline": _withdraw,
    "withdraw": _withdraw,
    "resume": _resume,
    "start": _start,
}
