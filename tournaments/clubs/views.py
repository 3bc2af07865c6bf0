"""The pages of clubs. Whatever they do, the API does through the same doors."""

from __future__ import annotations

from collections.abc import Callable
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
from games.common.confirmation import Question, unconfirmed
from games.common.page_pagination import Page
from tournaments import views as league_pages
from tournaments.calendar import club_calendar
from tournaments.clubs import activity as club_activity
from tournaments.clubs import lifecycle as club_lifecycle
from tournaments.clubs import members, posts
from tournaments.clubs.forms import ClubForm, JoinForm, PostForm
from tournaments.clubs.invitations import waiting_for
from tournaments.clubs.locking import LONGEST_REASON
from tournaments.clubs.permissions import ORGANISING, OWNING, listed_for, may_organise, role_of
from tournaments.core.errors import LeagueError
from tournaments.models import Club, ClubPost, Entrant, JoinRequest, Membership, Season

CLUBS_A_PAGE = 30
SEASONS_A_PAGE = 20
MEMBERS_A_PAGE = 50
POSTS_A_PAGE = 10
EVENTS_A_PAGE = 50
POSTS_ON_TOP = 2
BOTH = require_http_methods(["GET", "HEAD", "POST"])
STATES = {
    "": gettext_lazy("All"),
    "running": gettext_lazy("Under way"),
    "open": gettext_lazy("Open for entries"),
    "past": gettext_lazy("Past"),
}
STATUS = {
    "running": (Season.Status.RUNNING, Season.Status.PAUSED),
    "open": (Season.Status.OPEN,),
    "past": (Season.Status.FINISHED, Season.Status.ABANDONED),
}


def club_list(request: HttpRequest) -> HttpResponse:
    """The clubs that the viewer may see; their own, and to which they are invited, first."""
    running = Count("leagues__seasons", filter=Q(leagues__seasons__status=Season.Status.RUNNING), distinct=True)
    clubs = listed_for(request.user).annotate(running=running, leagues_count=Count("leagues", distinct=True))
    own = Membership.objects.none()
    if request.user.pk is not None:
        own = Membership.objects.filter(user=request.user.pk).select_related("club").order_by("club__name")
    context = {
        "nav": "clubs",
        "page": Page.of(clubs.order_by("name"), request.GET.get("page", ""), CLUBS_A_PAGE),
        "own": own,
        "invited": waiting_for(request.user),
    }
    return render(request, "tournaments/clubs.html", context)


def club(request: HttpRequest, club: str) -> HttpResponse:
    """A club: what it is, its news, its seasons, its latest results."""
    found = the_club(club)
    state = request.GET.get("state", "")
    if state not in STATES:
        raise Http404("There are no such seasons.")
    page = Page.of(seasons_of(found, state), request.GET.get("page", ""), SEASONS_A_PAGE)
    seasons = Season.objects.filter(league__club=found)
    facts = {
        "leagues": found.leagues.count(),
        "running": seasons.filter(status=Season.Status.RUNNING).count(),
        "players": Entrant.objects.filter(season__in=seasons).values("player").distinct().count(),
    }
    context = {
        **around(request, found, "club"),
        "page": page,
        "state": state,
        "states": STATES,
        "facts": facts,
        "members": found.memberships.count(),
        "posts": list(posts.of(found)[:POSTS_ON_TOP]),
        "asked": members.request_of(request.user, found),
        "results": league_pages.latest_matches(page.items),
    }
    return render(request, "tournaments/club.html", context)


def seasons_of(club: Club, state: str) -> QuerySet[Any]:
    """The seasons as lists show them, those under way first, then the open ones."""
    rank = Case(
        When(status__in=STATUS["running"], then=Value(0)),
        When(status=Season.Status.OPEN, then=Value(1)),
        default=Value(2),
    )
    found = league_pages.seasons().filter(league__club=club).order_by(rank, "-starts_at", "-pk")
    return found.filter(status__in=STATUS[state]) if state else found


@login_required
@BOTH
def new(request: HttpRequest) -> HttpResponse:
    """Found a club."""
    usual = {"zone": getattr(getattr(request.user, "profile", None), "zone", "") or "UTC"}
    form = ClubForm(request.POST if request.method == "POST" else None, usual)
    if form.is_bound and form.is_valid():
        try:
            made = club_lifecycle.found(user=request.user, **form.cleaned_data)
        except LeagueError as error:
            form.refuse(error)
        else:
            messages.success(request, _("{club} is founded, and yours.").format(club=made))
            return redirect("club", made.slug)
    return shown_form(request, "clubs/new.html", {"nav": "clubs"}, form)


def news_page(request: HttpRequest, club: str) -> HttpResponse:
    """What the organisers had to tell; a form for more, for them."""
    found = the_club(club)
    form = PostForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            posts.post(club=found, user=request.user, **form.cleaned_data)
        except LeagueError as error:
            refuse(error, form)
        else:
            return back(request, "club-news", found, _("Your news stand here, and the members are told."))
    page = Page.of(posts.of(found), request.GET.get("page", ""), POSTS_A_PAGE)
    return shown_form(request, "clubs/news.html", {**around(request, found, "news"), "page": page}, form)


@login_required
@BOTH
def change_news(request: HttpRequest, club: str) -> HttpResponse:
    """Change a post, or delete it."""
    found = the_club(club)
    check(may_organise(request.user, found))
    post = get_object_or_404(ClubPost, club=found, pk=number(request.GET.get("post", "")))
    if request.POST.get("do") == "delete":
        question = Question(
            "delete_post",
            title=_("Delete “{title}”?").format(title=post.title),
            follows=_("The post goes from the club’s news for everybody. That it was deleted stays in the club’s log."),
            button=_("Delete the post"),
            back=reverse("club-news", args=[found.slug]),
        )
        if (page := unconfirmed(request, question)) is not None:
            return page
        told = _("The post is deleted.")
        done(request, lambda: posts.delete(post=post, user=request.user), told)
        return redirect("club-news", found.slug)
    form = PostForm(
        request.POST if request.method == "POST" else None, initial={"title": post.title, "text": post.text}
    )
    if form.is_bound and form.is_valid():
        try:
            posts.edit(post=post, user=request.user, **form.cleaned_data)
        except LeagueError as error:
            refuse(error, form)
        else:
            return back(request, "club-news", found, _("The post is changed."))
    return shown_form(request, "clubs/change_news.html", {**around(request, found, "news"), "post": post}, form)


def calendar_page(request: HttpRequest, club: str) -> HttpResponse:
    """A month of the club."""
    found = the_club(club)
    month = club_calendar.month_of(found, club_calendar.first_of(request.GET.get("month", ""), found.zone))
    return render(request, "clubs/calendar.html", {**around(request, found, "calendar"), "month": month})


@BOTH
def members_page(request: HttpRequest, club: str) -> HttpResponse:
    """Who belongs to the club; for its organisers also who asks to."""
    found = the_club(club)
    if request.method == "POST":
        return change_members(request, found)
    context = {
        **around(request, found, "members"),
        "page": Page.of(members.members_of(found), request.GET.get("page", ""), MEMBERS_A_PAGE, wide=True),
        "roles": club_activity.ROLES,
    }
    if context["may_organise"]:
        context["requests"] = members.open_requests(found)[:MEMBERS_A_PAGE]
    return render(request, "clubs/members.html", context)


def change_members(request: HttpRequest, club: Club) -> HttpResponse:
    """Answer a request, or give a role."""
    check(may_organise(request.user, club))
    wanted, pk = request.POST.get("do", ""), number(request.POST.get("id", ""))
    if wanted in ("accept", "decline"):
        asked = get_object_or_404(JoinRequest, club=club, pk=pk)
        told = _("They are in, and told so.") if wanted == "accept" else _("They are told.")
        done(request, lambda: members.answer(request=asked, user=request.user, accept=wanted == "accept"), told)
    else:
        one = get_object_or_404(Membership, club=club, pk=pk)
        done(request, lambda: members.give_role(membership=one, user=request.user, role=wanted), _("They are told."))
    return redirect("club-members", club.slug)


@login_required
@BOTH
def remove_member(request: HttpRequest, club: str) -> HttpResponse:
    """Remove a member: asks for the reason."""
    found = the_club(club)
    check(may_organise(request.user, found))
    one = get_object_or_404(members.members_of(found), pk=number(request.GET.get("member", "")))
    question = Question(
        "remove_member",
        title=_("Remove {name} from {club}?").format(name=people.display(one.user), club=found),
        follows=_(
            "They stay in the seasons that they have entered: withdraw them there. To come back they ask, or are "
            "invited anew."
        ),
        button=_("Remove"),
        back=reverse("club-members", args=[found.slug]),
        stay=_("Keep them"),
        name="reason",
        hint=_("They are told it, and it is kept where organisers see it."),
        longest=LONGEST_REASON,
    )
    if (page := unconfirmed(request, question)) is not None:
        return page
    reason = request.POST["reason"]
    told = _("They are removed, and told why.")
    done(request, lambda: members.remove(membership=one, user=request.user, reason=reason), told)
    return redirect("club-members", found.slug)


@login_required
@BOTH
def join(request: HttpRequest, club: str) -> HttpResponse:
    """Become a member, or ask to; take the request back."""
    found = the_club(club)
    if request.POST.get("do") == "withdraw":
        done(request, lambda: members.withdraw(club=found, user=request.user), _("You have taken your request back."))
        return redirect("club", found.slug)
    form = JoinForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            asked = members.join(club=found, user=request.user, words=form.cleaned_data["words"])
        except LeagueError as error:
            refuse(error, form)
        else:
            told = _("Its organisers are told; you hear from them.") if asked else _("You are a member now.")
            return back(request, "club", found, told)
    return shown_form(request, "clubs/join.html", around(request, found, "club"), form)


@login_required
@BOTH
def leave(request: HttpRequest, club: str) -> HttpResponse:
    """Leave the club: asks first."""
    found = the_club(club)
    follows = _("Seasons that you have entered stay entered: games in them wait for you as before.")
    if found.is_private:
        follows += " " + _("You will not see the club any more, only the games that you sit in.")
    question = Question(
        "leave_club",
        title=_("Leave {club}?").format(club=found),
        follows=follows,
        button=_("Leave"),
        back=reverse("club", args=[found.slug]),
        stay=_("Stay"),
    )
    if (page := unconfirmed(request, question)) is not None:
        return page
    gone = done(request, lambda: members.leave(club=found, user=request.user), _("You have left."))
    return redirect("club-list") if gone else redirect("club", found.slug)


@login_required
@never_cache
def log(request: HttpRequest, club: str) -> HttpResponse:
    """Who changed what; for organisers."""
    found = the_club(club)
    check(may_organise(request.user, found))
    events = found.events.select_related("by__player__bot_version", "about__player__bot_version")
    page = Page.of(events, request.GET.get("page", ""), EVENTS_A_PAGE)
    lines = page.map(lambda event: (event, club_activity.parts(event)))
    return render(request, "clubs/log.html", {**around(request, found, "log"), "page": lines})


# what they share


def the_club(slug: str) -> Club:
    """The club at that address; that the viewer may see it was seen to before (`tournaments.clubs.visibility`)."""
    return get_object_or_404(Club.objects.select_related("owner__player", "offered_to"), slug=slug)


def around(request: HttpRequest, club: Club, here: str) -> dict[str, Any]:
    """What every page of a club shows: its head with the parts that the viewer may go to."""
    role = role_of(request.user, club)
    admin = is_admin(request.user)
    return {
        "nav": "clubs",
        "club": club,
        "here": here,
        "role": role,
        "role_words": club_activity.ROLES.get(role, ""),
        "may_organise": admin or role in ORGANISING,
        "may_own": admin or role in OWNING,
        "offered": club.offered_to_id is not None and club.offered_to_id == request.user.pk,
    }


def shown_form(request: HttpRequest, template: str, context: dict[str, Any], form: Any) -> HttpResponse:
    """The page with its form; 422 where what was sent is refused."""
    status = 422 if form.is_bound and form.errors else 200
    return render(request, template, {**context, "form": form}, status=status)


def check(may: bool) -> None:
    """Raise PermissionDenied unless the viewer `may`."""
    if not may:
        raise PermissionDenied(_("Only those who run the club may do that."))


def refuse(error: LeagueError, form: Any) -> None:
    """Say what a door refused at the form, or as a page of its own where it is not for this person at all."""
    if error.code in ("not_organiser", "not_owner"):
        raise PermissionDenied(error.sentence) from error
    form.refuse(error)


def done(request: HttpRequest, act: Callable[[], object], told: str) -> bool:
    """Whether a door let `act` be done; said either way. Raises PermissionDenied."""
    try:
        act()
    except LeagueError as error:
        if error.code in ("not_organiser", "not_owner"):
            raise PermissionDenied(error.sentence) from error
        messages.error(request, error.sentence)
        return False
    messages.success(request, told)
    return True


def back(request: HttpRequest, name: str, club: Club, told: str) -> HttpResponse:
    """To a page of the club with a word."""
    messages.success(request, told)
    return redirect(name, club.slug)


def number(text: str) -> int:
    """An id in an address or a form; 0, which nothing has, for one that is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else 0
