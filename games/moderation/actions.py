"""Actions of admins on people and bots. They call `sanctions`, `takedown`, `reports` and `impersonation`.

See `games.admin_actions.registry`. The outcomes name nobody: the audit log names the target, which is anonymous once
the account is deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import people, speech
from games.accounts.models import ReservedName, Sanction
from games.admin_actions.registry import Facts, admin_action, admin_target
from games.common import clock
from games.common.errors import DomainError
from games.models import Bot, BotVersion
from games.moderation import impersonation, reports, sanctions, takedown
from games.moderation.models import Report

if TYPE_CHECKING:
    # django-stubs knows this type, and Django creates it when it is needed
    from django.utils.functional import _StrPromise

admin_target("report", Report, find=lambda named: Report.objects.get(pk=int(named)), name=lambda row: str(row.pk))
admin_target("measure", Sanction, find=lambda named: Sanction.objects.get(pk=int(named)), name=lambda row: str(row.pk))
admin_target(
    "held-name", ReservedName, find=lambda named: ReservedName.objects.get(key=named), name=lambda row: row.key
)

NOTIFIED_HINT = gettext_lazy("The person is notified and sees your reason.")
MAX_DAYS = 3660


def length_fields() -> dict[str, forms.Field]:
    """Return the fields for how long a measure lasts: a number of days, or permanently."""
    return {
        "days": forms.IntegerField(
            label=gettext_lazy("Number of days"), required=False, min_value=1, max_value=MAX_DAYS
        ),
        "permanent": forms.BooleanField(label=gettext_lazy("Permanently"), required=False),
    }


def words_field(label: str | _StrPromise, *, required: bool = False) -> forms.Field:
    """Return the field for what the person is told in addition to the reason, which the audit log keeps."""
    return forms.CharField(label=label, required=required, max_length=1000, widget=forms.Textarea(attrs={"rows": "3"}))


def name_field() -> forms.Field:
    return forms.CharField(
        label=gettext_lazy("The new name"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Empty: a random name such as Player 48213."),
    )


def _until(days: int | None, *, permanent: bool) -> datetime | None:
    """Return the end of a measure; None if it is permanent. Raises `DomainError` bad_fields (400) unless one of both
    was chosen."""
    if bool(days) == permanent:
        sentence = _("Give the number of days, or choose “Permanently”.")
        raise DomainError(400, "bad_fields", sentence, fields={"days": [sentence]})
    return clock.now() + timedelta(days=days) if days else None


def _has(kind: str) -> Callable[[User], bool]:
    """Return whether a person has a sanction of this kind.

    Reads `user.sanctions`, which a list has loaded for all its rows.
    """
    return lambda user: any(sanction.kind == kind and speech.is_in_force(sanction) for sanction in user.sanctions.all())


# -- people


def _muted(until: str | None) -> str:
    return _("Muted {until}.").format(until=_end_text(until))


def _banned(until: str | None) -> str:
    return _("Banned {until}.").format(until=_end_text(until))


def _end_text(until: str | None) -> str:
    return speech.end_text(datetime.fromisoformat(until) if until else None)


@admin_action(
    "warn",
    title=gettext_lazy("Warn"),
    target=User,
    help=NOTIFIED_HINT,
    done=gettext_lazy("The person has a warning and must read it before posting again."),
)
def warn(user: User, *, reason: str, by: User) -> Facts:
    """Raises as `sanctions.check_may` does."""
    sanctions.warn(user=user, by=by, reason=reason)
    return {}


@admin_action("mute", title=gettext_lazy("Mute"), target=User, help=NOTIFIED_HINT, fields=length_fields(), done=_muted)
def mute(user: User, *, reason: str, by: User, days: int | None = None, permanent: bool = False) -> Facts:
    """Raises as `sanctions.mute` does, and `DomainError` bad_fields (400)."""
    made = sanctions.mute(user=user, by=by, reason=reason, until=_until(days, permanent=permanent))
    return {"until": made.until.isoformat() if made.until else None}


@admin_action(
    "unmute", title=gettext_lazy("End mute"), target=User, fits=_has("mute"), done=gettext_lazy("The mute has ended.")
)
def unmute(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001  the audit keeps it
    """Raises as `sanctions.unmute` does."""
    sanctions.unmute(user=user, by=by)
    return {}


@admin_action(
    "rename",
    title=gettext_lazy("Remove name"),
    target=User,
    help=gettext_lazy(
        "The name changes everywhere, in old games too. Nobody can take the old name; its owner can still log "
        "in with it."
    ),
    fields={"to": name_field()},
    private={"to"},
    done=gettext_lazy("The name has been removed; the person’s page shows the new one."),
)
def rename(user: User, *, reason: str, by: User, to: str = "") -> Facts:  # noqa: ARG001
    """Raises as `sanctions.rename` does."""
    sanctions.rename(user=user, by=by, to=to)
    return {}


@admin_action(
    "ban",
    title=gettext_lazy("Ban"),
    target=User,
    help=gettext_lazy(
        "All sessions and tokens end immediately. The person leaves their games as each game’s terms say, "
        "is withdrawn from seasons, and their bots stop playing. At login they see your reason, the end "
        "of the ban, and how to appeal."
    ),
    fields=length_fields(),
    fits=lambda user: not _has("ban")(user),
    stop=True,
    done=_banned,
)
def ban(user: User, *, reason: str, by: User, days: int | None = None, permanent: bool = False) -> Facts:
    """Raises as `sanctions.ban` does, and `DomainError` bad_fields (400)."""
    made = sanctions.ban(user=user, by=by, reason=reason, until=_until(days, permanent=permanent))
    return {"until": made.until.isoformat() if made.until else None}


@admin_action(
    "unban",
    title=gettext_lazy("End ban"),
    target=User,
    fits=_has("ban"),
    done=gettext_lazy("The ban has ended. The person does not return to the games and seasons they have left."),
)
def unban(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `sanctions.unban` does."""
    sanctions.unban(user=user, by=by)
    return {}


@admin_action(
    "support_view",
    title=gettext_lazy("View as this person"),
    target=User,
    help=gettext_lazy(
        "For half an hour you see the pages that this person sees, without hidden cards, tokens, "
        "addresses and sources. You cannot change anything, and every page you open is logged."
    ),
    done=gettext_lazy("View {pk} works for half an hour: {path}"),
)
def support_view(user: User, *, reason: str, by: User) -> Facts:
    """Raises as `impersonation.begin_impersonation` does."""
    view = impersonation.begin_impersonation(admin=by, user=user, reason=reason)
    path = reverse("impersonation", args=[view.pk])
    return {"pk": view.pk, "path": path}


@admin_action(
    "export_person",
    title=gettext_lazy("Export data"),
    target=User,
    done=gettext_lazy("The file can be downloaded for one hour: {path}"),
)
def export_person(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `sanctions.check_may` does."""
    sanctions.check_may(by, user)
    return {"path": reverse("support-export", args=[user.pk])}


@admin_action(
    "delete_person",
    title=gettext_lazy("Delete account"),
    target=User,
    help=gettext_lazy(
        "The games remain without the name. This cannot be undone. An owner of a club must first transfer it "
        "to somebody else."
    ),
    stop=True,
    done=gettext_lazy("The account has been deleted."),
)
def delete_person(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `sanctions.check_may` and `delete_account` do."""
    sanctions.check_may(by, user)
    people.delete_account(user)
    return {}


@admin_action(
    "release_name",
    title=gettext_lazy("Release name"),
    target=ReservedName,
    done=gettext_lazy("The name can be used again."),
)
def release_name(held: ReservedName, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Delete the reservation; anybody may take the name from now on."""
    ReservedName.objects.filter(pk=held.pk).delete()
    return {}


# -- bots


@admin_action(
    "take_down_bot",
    title=gettext_lazy("Take bot down"),
    target=Bot,
    help=gettext_lazy("No present or future version of the bot can play. Its author sees your reason."),
    fits=lambda bot: bot.owner_id is not None and bot.stopped != Bot.Stopped.TAKEN_DOWN,
    stop=True,
    done=gettext_lazy("The bot has been taken down; none of its versions can play."),
)
def take_down_bot(bot: Bot, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `takedown.take_down` does."""
    takedown.take_down(bot, reason)
    return {}


@admin_action(
    "restore_bot",
    title=gettext_lazy("Restore bot"),
    target=Bot,
    fits=lambda bot: bot.stopped == Bot.Stopped.TAKEN_DOWN,
    done=gettext_lazy("The bot’s versions may play again."),
)
def restore_bot(bot: Bot, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `takedown.restore` does."""
    takedown.restore(bot)
    return {}


@admin_action(
    "rename_bot",
    title=gettext_lazy("Remove bot’s name"),
    target=Bot,
    fields={"to": name_field()},
    fits=lambda bot: bot.owner_id is not None,
    done=gettext_lazy("The new name is {name}."),
)
def rename_bot(bot: Bot, *, reason: str, by: User, to: str = "") -> Facts:  # noqa: ARG001
    """Raises as `sanctions.rename_bot` does."""
    return {"name": sanctions.rename_bot(bot=bot, by=by, to=to).name}


@admin_action(
    "take_down_version",
    title=gettext_lazy("Take version down"),
    target=BotVersion,
    help=gettext_lazy(
        "The version cannot play any more; its running games end as if it were in quarantine. Its author "
        "sees your reason."
    ),
    fits=lambda version: (
        version.state in (BotVersion.State.PASSED, BotVersion.State.QUARANTINED) and not version.is_built_in
    ),
    stop=True,
    done=gettext_lazy("The version has been taken down."),
)
def take_down_version(version: BotVersion, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `takedown.take_down_version` does."""
    takedown.take_down_version(version, reason)
    return {}


@admin_action(
    "restore_version",
    title=gettext_lazy("Restore version"),
    target=BotVersion,
    fits=lambda version: version.state == BotVersion.State.TAKEN_DOWN,
    done=gettext_lazy("The version may play again."),
)
def restore_version(version: BotVersion, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `takedown.restore_version` does."""
    takedown.restore_version(version)
    return {}


# -- reports and appeals


def _is_open(report: Report) -> bool:
    return report.state == Report.State.OPEN


@admin_action(
    "uphold_report",
    title=gettext_lazy("Uphold report"),
    target=Report,
    help=gettext_lazy("First act on the person, bot or club; then uphold the report. The reporter is notified."),
    fields={"words": words_field(gettext_lazy("Message to the reporter (optional)"))},
    fits=_is_open,
    done=gettext_lazy("The report was upheld, and the reporter was notified."),
)
def uphold_report(report: Report, *, reason: str, by: User, words: str = "") -> Facts:  # noqa: ARG001
    """Raises as `answer_report` does."""
    reports.answer_report(report, state=Report.State.UPHELD, by=by, words=words)
    return {}


@admin_action(
    "dismiss_report",
    title=gettext_lazy("Dismiss report"),
    target=Report,
    help=gettext_lazy("The report is closed without action. The reporter is notified."),
    fields={"words": words_field(gettext_lazy("Message to the reporter (optional)"))},
    fits=_is_open,
    done=gettext_lazy("The report was dismissed, and the reporter was notified."),
)
def dismiss_report(report: Report, *, reason: str, by: User, words: str = "") -> Facts:  # noqa: ARG001
    """Raises as `answer_report` does."""
    reports.answer_report(report, state=Report.State.DISMISSED, by=by, words=words)
    return {}


@admin_action(
    "answer_objection",
    title=gettext_lazy("Answer appeal"),
    target=Sanction,
    help=gettext_lazy("If the appeal is justified, end the mute or ban first. The person sees your answer."),
    fields={"words": words_field(gettext_lazy("Answer"), required=True)},
    fits=lambda measure: bool(measure.objection) and not measure.answer,
    done=gettext_lazy("The appeal was answered."),
)
def answer_objection(measure: Sanction, *, reason: str, by: User, words: str) -> Facts:  # noqa: ARG001
    """Raises as `sanctions.answer_objection` does."""
    sanctions.answer_objection(measure=measure, by=by, words=words)
    return {}
