"""What admins do about seasons, clubs and what is written in them, and the rebuild of standings and ratings;
see `games.admin_actions.registry`."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts import people
from games.admin_actions.registry import admin_action, admin_target
from games.common.errors import DomainError
from tournaments.clubs import invitation_mail
from tournaments.clubs.models import Club, ClubPost, Invitation
from tournaments.lifecycle import running
from tournaments.maintenance import moderation as league_moderation
from tournaments.maintenance import rebuild_job
from tournaments.seasons.models import League, Note, Season


def _find_season(named: str) -> Season:
    """lantern-street/plates/winter."""
    club, league, slug = named.split("/")
    found = Season.objects.select_related("league__club", "stream")
    return found.get(league__club__slug=club, league__slug=league, slug=slug)


def _find_league(named: str) -> League:
    """lantern-street/plates."""
    club, slug = named.split("/")
    return League.objects.select_related("club").get(club__slug=club, slug=slug)


admin_target("club", Club, find=lambda named: Club.objects.get(slug=named), name=lambda club: club.slug)
admin_target(
    "club-news", ClubPost, find=lambda named: ClubPost.objects.get(pk=int(named)), name=lambda row: str(row.pk)
)
admin_target(
    "invitation", Invitation, find=lambda named: Invitation.objects.get(pk=int(named)), name=lambda row: str(row.pk)
)
admin_target("league", League, find=_find_league, name=lambda league: f"{league.club.slug}/{league.slug}")
admin_target("season", Season, find=_find_season, name=lambda season: season.path)
admin_target("note", Note, find=lambda named: Note.objects.get(pk=int(named)), name=lambda row: str(row.pk))


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
    """Raises `DomainError` not_running (409)."""
    running.pause_season(season=season, by=by, note=reason)
    return _("{season} is paused.").format(season=season)


@admin_action(
    "resume_season",
    title=gettext_lazy("Let the season go on"),
    target=Season,
    help=gettext_lazy("Rounds begin again, all later by as long as it was paused. Its players are told."),
    fits=lambda season: season.status == Season.Status.PAUSED,
)
def resume_season(season: Season, *, reason: str, by: User) -> str:
    """Raises `DomainError` not_paused (409)."""
    running.resume_season(season=season, by=by, note=reason)
    return _("{season} goes on.").format(season=season)


@admin_action(
    "rename_league",
    title=gettext_lazy("Call the league otherwise"),
    target=League,
    help=gettext_lazy("On all pages, in seasons that are over too. Its address stays."),
    fields={"to": forms.CharField(label=gettext_lazy("The new name"), max_length=60)},
)
def rename_league(league: League, *, reason: str, by: User, to: str) -> str:  # noqa: ARG001
    """Whatever the name is: it need not be another than those of other leagues."""
    League.objects.filter(pk=league.pk).update(name=to)
    return _("The league is called {name}.").format(name=to)


def _new_owner_field() -> forms.Field:
    return forms.CharField(
        label=gettext_lazy("To whom?"),
        max_length=200,
        help_text=gettext_lazy("The name of a member of the club, who owns it from then on."),
    )


@admin_action(
    "transfer_club",
    title=gettext_lazy("Give the club to somebody"),
    target=Club,
    help=gettext_lazy("For a club whose owner is gone. Whoever owned it stays a member; both are told."),
    fields={"to": _new_owner_field()},
    private={"to"},
)
def transfer_club(club: Club, *, reason: str, by: User, to: str) -> str:
    """Raises `DomainError` not_member, owner_already (409)."""
    heir = User.objects.filter(username=people.login_name(to)).first()
    if heir is None:
        raise DomainError(409, "not_member", _("A club is handed over to a member of it."), "to")
    league_moderation.transfer_club(club, heir, by, reason)
    return _("The club has another owner.")


@admin_action(
    "resend_invitation",
    title=gettext_lazy("Send it now"),
    target=Invitation,
    help=gettext_lazy(
        "It goes out at once with a new link; an older one is good no more. An unsure one may come twice."
    ),
    fits=lambda row: row.mail in (Invitation.Mail.DUE, Invitation.Mail.UNSURE, Invitation.Mail.FAILED),
)
def resend_invitation(invitation: Invitation, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `invitation_mail.send_again` does."""
    invitation_mail.send_again(invitation)
    return _("Invitation {number} goes out now.").format(number=invitation.pk)


@admin_action(
    "try_invitations",
    title=gettext_lazy("Try all invitations now"),
    help=gettext_lazy(
        "Those that wait for the mail server and those given up within a week are tried at once; none that is unsure."
    ),
)
def retry_invitations(platform: None, *, reason: str, by: User) -> str:  # noqa: ARG001
    count = invitation_mail.INVITATION_MAILS.retry_all_now()
    return ngettext("{n} invitation is tried now.", "{n} invitations are tried now.", count).format(n=count)


@admin_action(
    "remove_news",
    title=gettext_lazy("Take the news away"),
    target=ClubPost,
    help=gettext_lazy("It is gone at once; the club’s log says that an admin did it, and your reason."),
    stop=True,
)
def remove_post(post: ClubPost, *, reason: str, by: User) -> str:
    """Raises `DomainError` post_gone (409)."""
    league_moderation.remove_post(post, by, reason)
    return _("The news is gone.")


@admin_action(
    "blank_note",
    title=gettext_lazy("Take the words back"),
    target=Note,
    help=gettext_lazy("The event of the season that speaks of them stays, without them."),
    fits=lambda note: bool(note.text),
    stop=True,
)
def blank_note(note: Note, *, reason: str, by: User) -> str:  # noqa: ARG001  the audit keeps both
    """Raises `DomainError` blank_already (409)."""
    league_moderation.blank_note(note)
    return _("The words are taken back.")


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
def ask_for_rebuild(platform: None, *, reason: str, by: User, write: bool) -> str:  # noqa: ARG001
    """Raises `DomainError` job_going (409)."""
    rebuild_job.request_rebuild(by=by, write=write)
    return _("A worker begins the rebuild; the dashboard says how far it is.")
