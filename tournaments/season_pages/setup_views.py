"""The pages by which organisers set up, change, start and cancel a season, and people enter it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from games.common.confirmation import Question, ask_unless_confirmed
from games.common.option_fields import parse_ids
from games.common.refusals import Refusals, as_message
from scorebook_games.registry import first_kind
from tournaments.calendar.month_grid import months_of
from tournaments.clubs.models import Club
from tournaments.clubs.permissions import may_organise
from tournaments.entries.eligibility import other_live_season
from tournaments.lifecycle import setup
from tournaments.lifecycle.drafts import draft_like, draft_of_preset, season_presets
from tournaments.season_pages import overview
from tournaments.season_pages.action_views import new_start_question, start_question
from tournaments.season_pages.setup_form import SetupForm
from tournaments.seasons.addresses import season_url
from tournaments.seasons.labels import why_unplayable
from tournaments.seasons.models import Entrant, League, Season

PART_TEMPLATES = {
    "options": "season_pages/parts/setup_options.html",
    "format": "season_pages/parts/setup_format.html",
    "people": "season_pages/parts/setup_people.html",
    "made": "season_pages/parts/setup_made_with_gists.html",
    "ties": "season_pages/parts/setup_ties_with_gists.html",
}
SAVE_BUTTON, START_BUTTON, SHOW_BUTTON = "save", "start", "show"
FORMER_SHOWN = 12  # former seasons that a new one may be like
CALENDAR_ITEMS_SHOWN = 6  # months of the calendar, or rounds if they are less than a day apart


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def create_season_page(request: HttpRequest, club: str) -> HttpResponse:
    """Set up a season. Nothing is saved before the save or start button is pressed."""
    found_club = get_object_or_404(Club, slug=club)
    require_organiser(request, found_club)
    form = SetupForm(found_club, request.POST or None, draft=draft_asked_for(request, found_club))
    wanted = request.POST.get("do")
    if wanted in (SAVE_BUTTON, START_BUTTON) and form.is_valid():
        plan = form.plan()
        asked = new_start_question(plan.name, plan.entrants, plan.starts_at, request.get_full_path())
        question = replace(asked, edit=SHOW_BUTTON)
        if wanted == START_BUTTON and (page := ask_unless_confirmed(request, question)) is not None:
            return page
        with Refusals(form.refuse):
            season = setup.set_up(club=found_club, user=request.user, plan=plan, start=wanted == START_BUTTON)
            messages.success(
                request,
                " ".join([_("{season} has been set up.").format(season=season), *setup.invitation_notes(season)]),
            )
            return redirect(season_url(season))
    return setup_page(request, form, tried=wanted in (SAVE_BUTTON, START_BUTTON))


def draft_asked_for(request: HttpRequest, club: Club) -> dict[str, Any] | None:
    """Return what the new season begins from: the preset, or the former season of the club, in the address."""
    if request.method == "POST":  # everything is in the form
        return None
    if like := parse_ids([request.GET.get("like", "")]):
        return draft_like(get_object_or_404(Season, pk=like[0], league__club=club))
    if key := request.GET.get("preset"):
        played = [season.kind for season in former_seasons(club, club.leagues.first())]
        return draft_of_preset(key, played[0] if played else first_kind(), club.zone)
    return None


def former_seasons(club: Club, league: League | None = None) -> list[Season]:
    """Return the latest season of each league of the club, or the latest ones of one league, that can be played here
    again, the newest first."""
    seasons = Season.objects.select_related("league").order_by("-starts_at", "-pk")
    if league:
        seasons = seasons.filter(league=league)
    else:
        latest = (
            Season.objects.filter(league__club=club).order_by("league_id", "-starts_at", "-pk").distinct("league_id")
        )
        seasons = seasons.filter(pk__in=latest.values("pk"))
    return [season for season in seasons[:FORMER_SHOWN] if not why_unplayable(season.settings)]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Change a season that has not started."""
    found_season = overview.find_season(club, league, season)
    require_organiser(request, found_season.league.club)
    if found_season.status != Season.Status.OPEN:
        messages.info(request, _("The season has started, so its settings cannot be changed."))
        return redirect(season_url(found_season))
    form = SetupForm(found_season.league.club, request.POST if request.method == "POST" else None, found_season)
    wanted = request.POST.get("do")
    if wanted == SAVE_BUTTON and form.is_valid():
        with Refusals(form.refuse):
            changed = setup.update_season(season=found_season, user=request.user, plan=form.plan())
            messages.success(
                request,
                " ".join([_("{season} has been changed.").format(season=changed), *setup.invitation_notes(changed)]),
            )
            return redirect(season_url(changed))
    return setup_page(request, form, tried=wanted == SAVE_BUTTON)


def setup_page(request: HttpRequest, form: SetupForm, *, tried: bool) -> HttpResponse:
    """Show the form, or the part of it that is asked for. Errors are shown only after the user `tried` to save."""
    filled = form if form.is_bound else SetupForm(form.club, form.initial, form.season)
    outlook = filled.outlook()
    made = (outlook.opens, outlook.ends, form.club.zone, CALENDAR_ITEMS_SHOWN, outlook.is_off) if outlook else None
    opened = form.opened_topics() if form.is_bound else set()
    context: dict[str, Any] = {
        "nav": "clubs",
        "club": form.club,
        "season": form.season,
        "form": form,
        "tried": tried,
        "found": form.found() if form.is_bound else [],
        "outlook": outlook,
        "gists": filled.gists(),
        "opened": opened,
        "alone": len(opened - {""}) < 2,  # one part at a time unfolds, unless several have errors
        "presets": [] if form.season else list(season_presets().values()),
        "preset": request.GET.get("preset", ""),
        "former": [] if form.season else former_seasons(form.club),
        "like": request.GET.get("like", ""),
        "months": months_of(*made) if made else [],
        "first": outlook.opens[:CALENDAR_ITEMS_SHOWN] if outlook else (),
    }
    template = PART_TEMPLATES.get(request.GET.get("part", ""), "season_pages/setup.html")
    return render(request, template, context, status=422 if tried and form.errors else 200)


@login_required
@require_POST
def start_season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Close entries and start the season, which then runs automatically, after a confirmation."""
    found_season = overview.find_season(club, league, season)
    require_organiser(request, found_season.league.club)
    if found_season.status == Season.Status.OPEN:
        question = start_question(found_season, season_url(found_season))
        if (page := ask_unless_confirmed(request, question)) is not None:
            return page
    return run_and_redirect(request, found_season, START_BUTTON)


@login_required
@require_POST
def enter_season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Enter the season as a player, or with a bot."""
    return run_and_redirect(request, overview.find_season(club, league, season), "join")


def run_and_redirect(request: HttpRequest, season: Season, what: str) -> HttpResponse:
    """Start or join `season`, then show its page with a message."""
    with as_message(request, passing=[403]):
        if what == START_BUTTON:
            setup.start_as_organiser(season=season, user=request.user)
            text = _("The season has started. From now on it runs automatically.")
        else:
            player = request.POST.get("player", "")
            chosen = int(player) if player.isdecimal() and len(player) < 10 else None
            entered = setup.enter_as_user(season=season, user=request.user, player=chosen)
            text = _entered_text(entered)
            if (other := other_live_season(entered)) is not None:
                warning = _("You also play live games in {season}: two of them may begin at the same time.")
                messages.warning(request, warning.format(season=other))
        messages.success(request, text)
    return redirect(season_url(season))


def _entered_text(entrant: Entrant) -> str:
    """Return the message about an entry."""
    if entrant.status != Entrant.Status.IN:
        return _("{name}: {state}.").format(name=entrant, state=entrant.get_status_display())
    bot = entrant.player.bot_version
    return _("{bot} has entered the season.").format(bot=bot) if bot else _("You have entered the season.")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def cancel_season_page(request: HttpRequest, club: str, league: str, season: str) -> HttpResponse:
    """Cancel a season in which nothing was played, after a confirmation."""
    found_season = overview.find_season(club, league, season)
    require_organiser(request, found_season.league.club)
    others = setup.other_users_in(found_season, request.user)
    question = Question(
        "remove_season",
        title=_("Cancel {season}?").format(season=found_season),
        follows=_("No game has been played. The season and its entries are deleted. This cannot be undone."),
        button=_("Cancel season"),
        back=season_url(found_season),
        stay=_("Keep season"),
        hint=_("All entrants are notified.") if others else "",
        needed=bool(others),
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    with as_message(request):
        setup.cancel_season(season=found_season, user=request.user, note=request.POST.get("note", ""))
        messages.success(request, _("{season} has been cancelled.").format(season=found_season))
        return redirect("club", club)
    return redirect(season_url(found_season))


def require_organiser(request: HttpRequest, club: Club) -> None:
    """Raise PermissionDenied unless the viewer organises the club."""
    if not may_organise(request.user, club):
        raise PermissionDenied(_("Only the organisers of {club} can set up its seasons.").format(club=club))
