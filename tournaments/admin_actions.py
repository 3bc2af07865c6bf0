"""What admins do about seasons, and the rebuild of standings and ratings; see `games.admin_actions`."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.admin_actions import admin_action, admin_target
from tournaments import notes, rebuild_job, running
from tournaments.models import Club, Note, Season


def _season(named: str) -> Season:
    """lantern-street/plates/winter."""
    club, league, slug = named.split("/")
    found = Season.objects.select_related("league__club", "stream")
    return found.get(league__club__slug=club, league__slug=league, slug=slug)


def _path(season: Season) -> str:
    return f"{season.league.club.slug}/{season.league.slug}/{season.slug}"


admin_target("season", Season, find=_season, name=_path)
admin_target("note", Note, find=lambda named: Note.objects.get(pk=int(named)), name=lambda note: str(note.pk))
admin_target("club", Club, find=lambda named: Club.objects.get(slug=named), name=lambda club: club.slug)


@admin_action(
    "pause_season",
    title=gettext_lazy("Pause the season"),
    target=Season,
    help=gettext_lazy(
        "No round begins until it goes on; what is on is played and counted. Its players are told, and read the reason."
    ),
    fits=lambda season: season.status == Season.Status.RUNNING,
    stop=True,
)
def pause_season(season: Season, *, reason: str, by: User) -> str:
    """Raises `LeagueError` not_running (409)."""
    running.pause(season=season, by=by, note=reason)
    return _("{season} is paused.").format(season=season)


@admin_action(
    "resume_season",
    title=gettext_lazy("Let the season go on"),
    target=Season,
    help=gettext_lazy("Rounds begin again, all later by as long as it was paused. Its players are told."),
    fits=lambda season: season.status == Season.Status.PAUSED,
)
def resume_season(season: Season, *, reason: str, by: User) -> str:
    """Raises `LeagueError` not_paused (409)."""
    running.resume(season=season, by=by, note=reason)
    return _("{season} goes on.").format(season=season)


@admin_action(
    "blank_note",
    title=gettext_lazy("Blank the words"),
    target=Note,
    help=gettext_lazy("What somebody wrote is taken back for everybody; the event that speaks of it stays."),
    fits=lambda note: bool(note.text),
    stop=True,
)
def blank_note(note: Note, *, reason: str, by: User) -> str:  # noqa: ARG001
    notes.blank(note)
    return _("The words are gone.")


@admin_action(
    "rebuild",
    title=gettext_lazy("Rebuild standings and ratings"),
    help=gettext_lazy(
        "A worker computes all standings and ratings anew from the logs and compares. How far it is, and what "
        "came of it, stands on the dashboard. To put rows right the league waits meanwhile."
    ),
    fields={
        "write": forms.BooleanField(label=gettext_lazy("Put rows right that differ"), required=False, initial=False)
    },
)
def rebuild(house: None, *, reason: str, by: User, write: bool) -> str:  # noqa: ARG001
    """Raises `LeagueError` job_going (409)."""
    rebuild_job.ask(by=by, write=write)
    return _("A worker begins the rebuild; the dashboard says how far it is.")
