"""Admin actions for seasons, clubs, their texts, and the rebuild of standings and ratings; see
`games.admin_actions.registry`."""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from games.accounts import people
from games.admin_actions.registry import Facts, admin_action, admin_target
from games.common.errors import DomainError
from tournaments.clubs.invitation_mail import INVITATION_MAILS
from tournaments.clubs.models import Club, ClubPost, Invitation
from tournaments.lifecycle import running
from tournaments.maintenance import moderation as league_moderation
from tournaments.maintenance import rebuild_job
from tournaments.seasons.models import League, Note, Season


def _find_season(named: str) -> Season:
    """Return the season at a path such as lantern-street/plates/winter."""
    club, league, slug = named.split("/")
    found = Season.objects.select_related("league__club", "stream")
    return found.get(league__club__slug=club, league__slug=league, slug=slug)


def _find_league(named: str) -> League:
    """Return the league at a path such as lantern-street/plates."""
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
    title=gettext_lazy("Pause season"),
    target=Season,
    help=gettext_lazy(
        "No round begins until the season is resumed. Running games are played and count. The players are "
        "notified and see your reason."
    ),
    fits=lambda season: season.status == Season.Status.RUNNING,
    stop=True,
    done=gettext_lazy("{season} is paused."),
)
def pause_season(season: Season, *, reason: str, by: User) -> Facts:
    """Pause a season as an admin. Raises `DomainError` not_running (409)."""
    running.pause_season(season=season, by=by, note=reason)
    return {"season": str(season)}


@admin_action(
    "resume_season",
    title=gettext_lazy("Resume season"),
    target=Season,
    help=gettext_lazy(
        "Rounds begin again; all remaining rounds are later by the length of the pause. The players are notified."
    ),
    fits=lambda season: season.status == Season.Status.PAUSED,
    done=gettext_lazy("{season} has been resumed."),
)
def resume_season(season: Season, *, reason: str, by: User) -> Facts:
    """Resume a season as an admin. Raises `DomainError` not_paused (409)."""
    running.resume_season(season=season, by=by, note=reason)
    return {"season": str(season)}


@admin_action(
    "rename_league",
    title=gettext_lazy("Rename league"),
    target=League,
    help=gettext_lazy("The name changes on all pages, also in finished seasons. The league’s address does not change."),
    fields={"to": forms.CharField(label=gettext_lazy("New name"), max_length=60)},
    done=gettext_lazy("The league’s name is now {name}."),
)
def rename_league(league: League, *, reason: str, by: User, to: str) -> Facts:  # noqa: ARG001
    """Change a league's name. Two leagues may have the same name."""
    League.objects.filter(pk=league.pk).update(name=to)
    return {"name": to}


def _new_owner_field() -> forms.Field:
    return forms.CharField(
        label=gettext_lazy("New owner"),
        max_length=200,
        help_text=gettext_lazy("Name of a member of the club."),
    )


@admin_action(
    "transfer_club",
    title=gettext_lazy("Transfer club"),
    target=Club,
    help=gettext_lazy("For a club whose owner does not answer. The former owner stays a member. Both are notified."),
    fields={"to": _new_owner_field()},
    private={"to"},
    done=gettext_lazy("The club has a new owner."),
)
def transfer_club(club: Club, *, reason: str, by: User, to: str) -> Facts:
    """Give a club to another member. Raises `DomainError` not_member, owner_already (409)."""
    heir = User.objects.filter(username=people.login_name(to)).first()
    if heir is None:
        raise DomainError(409, "not_member", _("A club can only be transferred to one of its members."), "to")
    league_moderation.transfer_club(club, heir, by, reason)
    return {}


@admin_action(
    "resend_invitation",
    title=gettext_lazy("Send now"),
    target=Invitation,
    help=gettext_lazy(
        "The invitation is sent immediately with a new link; the old link stops working. If its state is "
        "“uncertain”, it may arrive twice."
    ),
    fits=lambda row: row.send_state in INVITATION_MAILS.resendable,
    done=gettext_lazy("Invitation {number} is being sent."),
)
def resend_invitation(invitation: Invitation, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises `DomainError` invitation_over, not_unsent (409)."""
    INVITATION_MAILS.resend(invitation)
    return {"number": invitation.pk}


def _invitations_sent(n: int) -> str:
    return ngettext("{n} invitation is being sent.", "{n} invitations are being sent.", n).format(n=n)


@admin_action(
    "try_invitations",
    done=_invitations_sent,
    title=gettext_lazy("Send all invitations now"),
    help=gettext_lazy(
        "Sends all invitations that wait for the mail server or were given up within a week, but none "
        "whose state is “uncertain”."
    ),
)
def retry_invitations(platform: None, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    count = INVITATION_MAILS.retry_all_now()
    return {"n": count}


@admin_action(
    "remove_news",
    title=gettext_lazy("Remove news"),
    target=ClubPost,
    help=gettext_lazy("The news is removed immediately. The club’s log names an admin and your reason."),
    stop=True,
    done=gettext_lazy("The news has been removed."),
)
def remove_post(post: ClubPost, *, reason: str, by: User) -> Facts:
    """Remove a club's news. Raises `DomainError` post_gone (409)."""
    league_moderation.remove_post(post, by, reason)
    return {}


@admin_action(
    "blank_note",
    title=gettext_lazy("Remove text"),
    target=Note,
    help=gettext_lazy("The event in the season’s timeline stays, without the text."),
    fits=lambda note: bool(note.text),
    stop=True,
    done=gettext_lazy("The text has been removed."),
)
def blank_note(note: Note, *, reason: str, by: User) -> Facts:  # noqa: ARG001  the audit keeps both
    """Remove the text of a note. Raises `DomainError` blank_already (409)."""
    league_moderation.blank_note(note)
    return {}


@admin_action(
    "rebuild",
    title=gettext_lazy("Rebuild standings and ratings"),
    help=gettext_lazy(
        "A worker makes all rows of games, seasons and ratings again from the logs and compares them. The dashboard "
        "shows the progress and the result. While the rows of a season are corrected, this season waits."
    ),
    fields={"write": forms.BooleanField(label=gettext_lazy("Correct rows that differ"), required=False, initial=False)},
    done=gettext_lazy("A worker starts the rebuild. The dashboard shows its progress."),
)
def ask_for_rebuild(platform: None, *, reason: str, by: User, write: bool) -> Facts:  # noqa: ARG001
    """Ask for a rebuild. Raises `DomainError` job_going (409)."""
    rebuild_job.REBUILD.request(by=by, write=write)
    return {}
