"""The pages of clubs. They call the same services as the API."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Count, Q, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from games.accounts import people
from games.accounts.staff import is_admin
from games.accounts.zones import chosen_zone
from games.common.confirmation import Question, ask_unless_confirmed
from games.common.page_cache import cached_page
from games.common.page_pagination import Page
from games.common.policy import policy
from games.common.prepared import first_row, prepared
from games.common.refusals import Refusals, as_message
from games.common.zones import UTC
from tournaments.calendar import club_calendar
from tournaments.club_pages.forms import ClubForm, JoinForm, PostForm, ServiceForm
from tournaments.clubs import activity as club_activity
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import members, posts
from tournaments.clubs.invitations import invitation_to, invitations_for
from tournaments.clubs.locking import REASON_MAX_LENGTH
from tournaments.clubs.models import Club, ClubPost, JoinRequest, Membership
from tournaments.clubs.page_versions import club_key
from tournaments.clubs.permissions import ORGANISER_ROLES, OWNER_ROLES, listed_for, may_organise, role_of
from tournaments.matches.rows import latest_matches
from tournaments.seasons import selectors
from tournaments.seasons.models import PLAYING, Entrant, Season
from tournaments.seasons.page_versions import seasons_key

CLUBS_PER_PAGE = 30
SEASONS_PER_PAGE = 20
MEMBERS_PER_PAGE = 50
POSTS_PER_PAGE = 10
EVENTS_PER_PAGE = 50
LATEST_POSTS_SHOWN = 2
NO_RIGHT = ("not_organiser", "not_owner")  # refusals that are answered by a page of their own
get_or_post = require_http_methods(["GET", "HEAD", "POST"])
FILTER_LABELS = {
    "": gettext_lazy("All"),
    "running": gettext_lazy("In progress"),
    "open": gettext_lazy("Open for entries"),
    "past": gettext_lazy("Past"),
}
FILTER_STATUSES = {
    "running": (Season.Status.RUNNING, Season.Status.PAUSED),
    "open": (Season.Status.OPEN,),
    "past": (Season.Status.FINISHED, Season.Status.ABANDONED),
}


def people_version(_request: HttpRequest, club: str) -> Hashable:
    """Return the version of a page that shows a club, its people and its news."""
    return club_key(club)


def club_version(_request: HttpRequest, club: str) -> Hashable:
    """Return the version of a club's first page, which shows its seasons too. Two queries."""
    seasons = seasons_key(club)
    return None if seasons is None else (seasons, club_key(club))


@policy(visible_in_impersonation=True)
def club_list(request: HttpRequest) -> HttpResponse:
    """List the clubs that the viewer may see, with their own clubs and invitations first."""
    running = Count("leagues__seasons", filter=Q(leagues__seasons__status=Season.Status.RUNNING), distinct=True)
    clubs = listed_for(request.user).annotate(running=running, leagues_count=Count("leagues", distinct=True))
    memberships = Membership.objects.none()
    if request.user.pk is not None:
        memberships = Membership.objects.filter(user=request.user.pk).select_related("club").order_by("club__name")
    context = {
        "nav": "clubs",
        "page": Page.of(clubs.order_by("name"), request.GET.get("page", ""), CLUBS_PER_PAGE),
        "own": memberships,
        "invited": invitations_for(request.user),
    }
    return render(request, "club_pages/clubs.html", context)


@policy(visible_in_impersonation=True)
@cached_page(club_version)
def club_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show a club: description, news, seasons and latest results."""
    found_club = find_club(club)
    state = request.GET.get("state", "")
    if state not in FILTER_LABELS:
        raise Http404(_("There is no such list of seasons."))
    rows = partial(_seasons_part, state, club=found_club.pk)
    page = Page.of_slice(rows, request.GET.get("page", ""), SEASONS_PER_PAGE)
    facts = {
        "leagues": found_club.leagues.count(),
        "running": _running_seasons(club=found_club.pk).count(),
        "players": _players(club=found_club.pk).count(),
    }
    context = {
        **page_context(request, found_club, "club"),
        "page": page,
        "state": state,
        "states": FILTER_LABELS,
        "facts": facts,
        "members": found_club.memberships.count(),
        "posts": list(posts.club_posts(found_club)[:LATEST_POSTS_SHOWN]),
        "asked": members.open_request(request.user, found_club),
        "invitation": invitation_to(request.user, found_club),
        "results": latest_matches(page.items),
    }
    return render(request, "club_pages/club.html", context)


@prepared
def _seasons_part(state: str, begin: int, end: int, *, club: int) -> QuerySet[Any]:
    return seasons_of(club, state)[begin:end]


@prepared
def _running_seasons(*, club: int) -> QuerySet[Season]:
    return Season.objects.filter(league__club=club, status=Season.Status.RUNNING).order_by()


@prepared
def _players(*, club: int) -> QuerySet[Entrant, Any]:
    entered = Entrant.objects.filter(season__league__club=club, status__in=PLAYING)
    return entered.order_by().values("player").distinct()


def seasons_of(club: int, state: str) -> QuerySet[Any]:
    """Return the club's seasons in the order of lists: running first, then open ones."""
    rank = Case(
        When(status__in=FILTER_STATUSES["running"], then=Value(0)),
        When(status=Season.Status.OPEN, then=Value(1)),
        default=Value(2),
    )
    seasons = selectors.seasons_for_lists().filter(league__club=club).order_by(rank, "-starts_at", "-pk")
    return seasons.filter(status__in=FILTER_STATUSES[state]) if state else seasons


@login_required
@get_or_post
def create_club(request: HttpRequest) -> HttpResponse:
    """Create a club."""
    zone = chosen_zone(request.user) or people.browser_zone(request)
    form = ClubForm(request.POST if request.method == "POST" else None, {"zone": zone or UTC}, likely_zone=zone)
    if form.is_bound and form.is_valid():
        with Refusals(form.refuse):
            made = club_lifecycle.found_club(user=request.user, **form.cleaned_data)
            messages.success(request, _("You have created the club {club}.").format(club=made))
            return redirect("club", made.slug)
    return render_form(request, "club_pages/new.html", {"nav": "clubs"}, form)


@policy(visible_in_impersonation=True)
@cached_page(people_version)
def posts_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show the club's news, and a form for organisers to publish more."""
    found_club = find_club(club)
    form = PostForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            posts.create_post(club=found_club, user=request.user, **form.cleaned_data)
            return redirect_with_message(
                request, "club-news", found_club, _("Your news is published, and the members are notified.")
            )
    page = Page.of(posts.club_posts(found_club), request.GET.get("page", ""), POSTS_PER_PAGE)
    return render_form(
        request, "club_pages/news.html", {**page_context(request, found_club, "news"), "page": page}, form
    )


@login_required
@get_or_post
def change_post(request: HttpRequest, club: str) -> HttpResponse:
    """Edit or delete a news post."""
    found_club = find_club(club)
    check_permission(may_organise(request.user, found_club))
    post = get_object_or_404(ClubPost, club=found_club, pk=parse_id(request.GET.get("post", "")))
    if request.POST.get("do") == "delete":
        question = Question(
            "delete_post",
            title=_("Delete “{title}”?").format(title=post.title),
            follows=_("The post is removed from the club’s news. The club’s log records the deletion."),
            button=_("Delete post"),
            back=reverse("club-news", args=[found_club.slug]),
        )
        if (page := ask_unless_confirmed(request, question)) is not None:
            return page
        text = _("The post has been deleted.")
        run_service(request, lambda: posts.delete_post(post=post, user=request.user), text)
        return redirect("club-news", found_club.slug)
    form = PostForm(
        request.POST if request.method == "POST" else None, initial={"title": post.title, "text": post.text}
    )
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            posts.edit_post(post=post, user=request.user, **form.cleaned_data)
            return redirect_with_message(request, "club-news", found_club, _("The post has been changed."))
    return render_form(
        request, "club_pages/change_news.html", {**page_context(request, found_club, "news"), "post": post}, form
    )


@policy(visible_in_impersonation=True)
def calendar_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show a month of the club's calendar."""
    found_club = find_club(club)
    month = club_calendar.month_of(found_club, club_calendar.parse_month(request.GET.get("month", ""), found_club.zone))
    return render(
        request, "club_pages/calendar.html", {**page_context(request, found_club, "calendar"), "month": month}
    )


@get_or_post
@policy(visible_in_impersonation=True)
@cached_page(people_version)
def members_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show the members, and to organisers also the requests to join."""
    found_club = find_club(club)
    if request.method == "POST":
        return change_members(request, found_club)
    context = {
        **page_context(request, found_club, "members"),
        "page": Page.of(members.members_of(found_club), request.GET.get("page", ""), MEMBERS_PER_PAGE, wide=True),
        "roles": club_activity.ROLE_LABELS,
    }
    if context["may_organise"]:
        context["requests"] = members.open_requests(found_club)[:MEMBERS_PER_PAGE]
    return render(request, "club_pages/members.html", context)


def change_members(request: HttpRequest, club: Club) -> HttpResponse:
    """Answer a request to join, or change a member's role."""
    check_permission(may_organise(request.user, club))
    wanted, pk = request.POST.get("do", ""), parse_id(request.POST.get("id", ""))
    if wanted in ("accept", "decline"):
        asked = get_object_or_404(JoinRequest, club=club, pk=pk)
        text = (
            _("The person is now a member and has been notified.")
            if wanted == "accept"
            else _("The person has been notified.")
        )
        run_service(
            request, lambda: members.answer_request(request=asked, user=request.user, accept=wanted == "accept"), text
        )
    else:
        membership = get_object_or_404(Membership, club=club, pk=pk)
        run_service(
            request,
            lambda: members.set_role(membership=membership, user=request.user, role=wanted),
            _("The person has been notified."),
        )
    return redirect("club-members", club.slug)


@login_required
@get_or_post
def remove_member(request: HttpRequest, club: str) -> HttpResponse:
    """Remove a member, after asking for the reason."""
    found_club = find_club(club)
    check_permission(may_organise(request.user, found_club))
    membership = get_object_or_404(members.members_of(found_club), pk=parse_id(request.GET.get("member", "")))
    question = Question(
        "remove_member",
        title=_("Remove {name} from {club}?").format(name=people.display(membership.user), club=found_club),
        follows=_(
            "This person stays in the seasons they have entered; withdraw them there. To come back, they "
            "must ask or be invited again."
        ),
        button=_("Remove"),
        back=reverse("club-members", args=[found_club.slug]),
        stay=_("Keep member"),
        name="reason",
        hint=_("The person sees the reason, and organisers can read it in the log."),
        longest=REASON_MAX_LENGTH,
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    reason = request.POST["reason"]
    text = _("The member was removed and notified of the reason.")
    run_service(request, lambda: members.remove_member(membership=membership, user=request.user, reason=reason), text)
    return redirect("club-members", found_club.slug)


@login_required
@get_or_post
@policy(visible_in_impersonation=True)
def join_page(request: HttpRequest, club: str) -> HttpResponse:
    """Join the club, ask to join, or withdraw the request."""
    found_club = find_club(club)
    if request.POST.get("do") == "withdraw":
        run_service(
            request,
            lambda: members.withdraw_request(club=found_club, user=request.user),
            _("You have withdrawn your request."),
        )
        return redirect("club", found_club.slug)
    form = JoinForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            asked = members.join_club(club=found_club, user=request.user, words=form.cleaned_data["words"])
            text = _("The organisers have been notified and will answer you.") if asked else _("You are now a member.")
            return redirect_with_message(request, "club", found_club, text)
    return render_form(request, "club_pages/join.html", page_context(request, found_club, "club"), form)


@login_required
@get_or_post
@policy(visible_in_impersonation=True)
def leave_page(request: HttpRequest, club: str) -> HttpResponse:
    """Leave the club, after a confirmation."""
    found_club = find_club(club)
    follows = _("You stay in the seasons that you have entered, and must still play their games.")
    if found_club.is_private:
        follows += " " + _("You can no longer see the club, only the games that you play in.")
    question = Question(
        "leave_club",
        title=_("Leave {club}?").format(club=found_club),
        follows=follows,
        button=_("Leave"),
        back=reverse("club", args=[found_club.slug]),
        stay=_("Stay"),
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    gone = run_service(
        request, lambda: members.leave_club(club=found_club, user=request.user), _("You have left the club.")
    )
    return redirect("club-list") if gone else redirect("club", found_club.slug)


@login_required
@never_cache
@policy(visible_in_impersonation=True)
def activity_page(request: HttpRequest, club: str) -> HttpResponse:
    """Show the club's log of changes, to organisers."""
    found_club = find_club(club)
    check_permission(may_organise(request.user, found_club))
    events = found_club.events.select_related("by__player__bot_version", "about__player__bot_version")
    page = Page.of(events, request.GET.get("page", ""), EVENTS_PER_PAGE)
    lines = page.map(lambda event: (event, club_activity.event_segments(event)))
    return render(request, "club_pages/log.html", {**page_context(request, found_club, "log"), "page": lines})


# helpers of these pages


def find_club(slug: str) -> Club:
    """Return the club with that slug. `tournaments.clubs.visibility` has checked that the viewer may see it."""
    found = first_row(_club_with(slug=slug))
    if found is None:
        raise Http404(_("There is no such club."))
    return found


@prepared
def _club_with(*, slug: str) -> QuerySet[Club]:
    return Club.objects.filter(slug=slug).select_related("owner__player", "offered_to")[:1]


def page_context(request: HttpRequest, club: Club, here: str) -> dict[str, Any]:
    """Return the context that all pages of a club share: its header, with the pages that the viewer may open."""
    role = role_of(request.user, club)
    admin = is_admin(request.user)
    return {
        "nav": "clubs",
        "club": club,
        "here": here,
        "role": role,
        "role_words": club_activity.ROLE_LABELS.get(role, ""),
        "may_organise": admin or role in ORGANISER_ROLES,
        "may_own": admin or role in OWNER_ROLES,
        "offered": club.offered_to_id is not None and club.offered_to_id == request.user.pk,
    }


def render_form(request: HttpRequest, template: str, context: dict[str, Any], form: Any) -> HttpResponse:
    """Render the page with its form, with status 422 if the form has errors."""
    status = 422 if form.is_bound and form.errors else 200
    return render(request, template, {**context, "form": form}, status=status)


def check_permission(may: bool) -> None:
    """Raise PermissionDenied unless `may` is true."""
    if not may:
        raise PermissionDenied(_("Only the organisers of the club can do that."))


def refusals_in(form: ServiceForm) -> Refusals:
    """Return a context that shows a service's refusal in the form; if a right is missing, as a page of its own."""
    return Refusals(form.refuse, passing=NO_RIGHT)


def run_service(request: HttpRequest, act: Callable[[], object], message: str) -> bool:
    """Run a service; show its success message or its error, and return whether it succeeded."""
    with as_message(request, passing=NO_RIGHT):
        act()
        messages.success(request, message)
        return True
    return False


def redirect_with_message(request: HttpRequest, name: str, club: Club, message: str) -> HttpResponse:
    """Redirect to a page of the club, with a message."""
    messages.success(request, message)
    return redirect(name, club.slug)


def parse_id(text: str) -> int:
    """Return the id in an address or a form; 0, which no row has, if it is not a number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
