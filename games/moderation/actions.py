"""What admins do about people and bots: short doors to `measures`, `takedown`, `reports` and `support`, see
`games.admin_actions.registry`. The outcomes name nobody: the audit names the target, which goes with the account."""

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
from games.admin_actions.registry import admin_action, admin_target
from games.common import clock
from games.models import Bot, BotVersion
from games.moderation import impersonation, reports, sanctions, takedown
from games.moderation.models import Report

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise  # which django-stubs knows and Django makes as it goes

admin_target("report", Report, find=lambda named: Report.objects.get(pk=int(named)), name=lambda row: str(row.pk))
admin_target("measure", Sanction, find=lambda named: Sanction.objects.get(pk=int(named)), name=lambda row: str(row.pk))
admin_target(
    "held-name", ReservedName, find=lambda named: ReservedName.objects.get(key=named), name=lambda row: row.key
)

NOTIFIED_HINT = gettext_lazy("The person is told, and reads the reason that you give.")
MAX_DAYS = 3660


def days_field() -> forms.Field:
    """For how many days."""
    return forms.IntegerField(
        label=gettext_lazy("For how many days?"),
        required=False,
        min_value=1,
        max_value=MAX_DAYS,
        help_text=gettext_lazy("Empty: for good."),
    )


def words_field(label: str | _StrPromise, *, required: bool = False) -> forms.Field:
    """What somebody is told besides the reason, which the audit keeps."""
    return forms.CharField(label=label, required=required, max_length=1000, widget=forms.Textarea(attrs={"rows": "3"}))


def name_field() -> forms.Field:
    return forms.CharField(
        label=gettext_lazy("The new name"),
        required=False,
        max_length=40,
        help_text=gettext_lazy("Empty: one by lot, as Player 48213."),
    )


def _until(days: int | None) -> datetime | None:
    return clock.now() + timedelta(days=days) if days else None


def _has(kind: str) -> Callable[[User], bool]:
    """Asks `user.sanctions`, which a list has looked up for all its rows."""
    return lambda user: any(each.kind == kind and speech.is_in_force(each) for each in user.sanctions.all())


# people


@admin_action("warn", title=gettext_lazy("Warn"), target=User, help=NOTIFIED_HINT)
def warn(user: User, *, reason: str, by: User) -> str:
    """Raises what `sanctions.check_may` does."""
    sanctions.warn(user=user, by=by, reason=reason)
    return _("A warning, to be read before they write to others again.")


@admin_action("mute", title=gettext_lazy("Mute"), target=User, help=NOTIFIED_HINT, fields={"days": days_field()})
def mute(user: User, *, reason: str, by: User, days: int | None = None) -> str:
    """Raises what `measures.mute` does."""
    made = sanctions.mute(user=user, by=by, reason=reason, until=_until(days))
    return _("Muted {until}.").format(until=speech.until_text(made))


@admin_action("unmute", title=gettext_lazy("End the mute"), target=User, fits=_has("mute"))
def unmute(user: User, *, reason: str, by: User) -> str:  # noqa: ARG001  the audit keeps it
    """Raises what `measures.unmute` does."""
    sanctions.unmute(user=user, by=by)
    return _("The mute is over.")


@admin_action(
    "rename",
    title=gettext_lazy("Take the name away"),
    target=User,
    help=gettext_lazy("Everywhere at once, in old games too. Nobody gets the old name; its owner still logs in by it."),
    fields={"to": name_field()},
    private={"to"},
)
def rename(user: User, *, reason: str, by: User, to: str = "") -> str:  # noqa: ARG001
    """Raises what `measures.rename` does."""
    sanctions.rename(user=user, by=by, to=to)
    return _("The name is taken away; their page has the new one.")


@admin_action(
    "ban",
    title=gettext_lazy("Ban"),
    target=User,
    help=gettext_lazy(
        "Log-ins and tokens end at once; games are left as the terms of each say; seasons withdraw them; their bots "
        "play no more. When they log in they read the reason that you give, until when it is, and how to object."
    ),
    fields={"days": days_field()},
    fits=lambda user: not _has("ban")(user),
    stop=True,
)
def ban(user: User, *, reason: str, by: User, days: int | None = None) -> str:
    """Raises what `measures.ban` does."""
    made = sanctions.ban(user=user, by=by, reason=reason, until=_until(days))
    return _("Banned {until}.").format(until=speech.until_text(made))


@admin_action("unban", title=gettext_lazy("End the ban"), target=User, fits=_has("ban"))
def unban(user: User, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `measures.unban` does."""
    sanctions.unban(user=user, by=by)
    return _("The ban is over. Games and seasons that were left stay so.")


@admin_action(
    "support_view",
    title=gettext_lazy("Look on in support"),
    target=User,
    help=gettext_lazy(
        "For half an hour you see the pages that they see: no hidden cards, tokens, addresses or sources, and nothing "
        "can be changed. Every page that you open is written down."
    ),
)
def support_view(user: User, *, reason: str, by: User) -> str:
    """Raises what `support.begin` does."""
    view = impersonation.begin_impersonation(admin=by, user=user, reason=reason)
    path = reverse("impersonation", args=[view.pk])
    return _("View {pk} is there for half an hour: {path}").format(pk=view.pk, path=path)


@admin_action("export_person", title=gettext_lazy("Export their data"), target=User)
def export_person(user: User, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `sanctions.check_may` does."""
    sanctions.check_may(by, user)
    return _("The file is there for an hour: {path}").format(path=reverse("support-export", args=[user.pk]))


@admin_action(
    "delete_person",
    title=gettext_lazy("Delete the account"),
    target=User,
    help=gettext_lazy("Games stay, the name goes; nobody can bring it back. Whoever owns a club hands it over first."),
    stop=True,
)
def delete_person(user: User, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `sanctions.check_may` and `delete_account` do."""
    sanctions.check_may(by, user)
    people.delete_account(user)
    return _("The account is deleted.")


@admin_action("release_name", title=gettext_lazy("Let people have this name"), target=ReservedName)
def release_name(held: ReservedName, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Anybody may take it from now on."""
    ReservedName.objects.filter(pk=held.pk).delete()
    return _("The name is free.")


# bots


@admin_action(
    "take_down_bot",
    title=gettext_lazy("Take the bot down"),
    target=Bot,
    help=gettext_lazy("No version of it plays, nor any that is to come. Its author reads the reason that you give."),
    fits=lambda bot: bot.owner_id is not None and bot.stopped != Bot.Stopped.TAKEN_DOWN,
    stop=True,
)
def take_down_bot(bot: Bot, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `takedown.take_down` does."""
    takedown.take_down(bot, reason)
    return _("No version of it plays any more.")


@admin_action(
    "restore_bot",
    title=gettext_lazy("Let the bot play again"),
    target=Bot,
    fits=lambda bot: bot.stopped == Bot.Stopped.TAKEN_DOWN,
)
def restore_bot(bot: Bot, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `takedown.restore` does."""
    takedown.restore(bot)
    return _("Its versions may play again.")


@admin_action(
    "rename_bot",
    title=gettext_lazy("Take the bot’s name away"),
    target=Bot,
    fields={"to": name_field()},
    fits=lambda bot: bot.owner_id is not None,
)
def rename_bot(bot: Bot, *, reason: str, by: User, to: str = "") -> str:  # noqa: ARG001
    """Raises what `measures.rename_bot` does."""
    return _("The new name is {name}.").format(name=sanctions.rename_bot(bot=bot, by=by, to=to).name)


@admin_action(
    "take_down_version",
    title=gettext_lazy("Take this version down"),
    target=BotVersion,
    help=gettext_lazy(
        "It plays no more; games that are on end as for one in quarantine. Its author reads your reason."
    ),
    fits=lambda version: (
        version.state in (BotVersion.State.PASSED, BotVersion.State.QUARANTINED) and not version.is_built_in
    ),
    stop=True,
)
def take_down_version(version: BotVersion, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `takedown.take_down_version` does."""
    takedown.take_down_version(version, reason)
    return _("It plays no more.")


@admin_action(
    "restore_version",
    title=gettext_lazy("Let this version play again"),
    target=BotVersion,
    fits=lambda version: version.state == BotVersion.State.TAKEN_DOWN,
)
def restore_version(version: BotVersion, *, reason: str, by: User) -> str:  # noqa: ARG001
    """Raises what `takedown.restore_version` does."""
    takedown.restore_version(version)
    return _("It may play again.")


# reports and objections


def _is_open(report: Report) -> bool:
    return report.state == Report.State.OPEN


@admin_action(
    "uphold_report",
    title=gettext_lazy("Uphold the report"),
    target=Report,
    help=gettext_lazy("Act first, on the person, bot or club; then say here that you have. The reporter is told."),
    fields={"words": words_field(gettext_lazy("What else is the reporter told?"))},
    fits=_is_open,
)
def uphold_report(report: Report, *, reason: str, by: User, words: str = "") -> str:  # noqa: ARG001
    """Raises what `answer_report` does."""
    reports.answer_report(report, state=Report.State.UPHELD, by=by, words=words)
    return _("Upheld; the reporter is told.")


@admin_action(
    "dismiss_report",
    title=gettext_lazy("Dismiss the report"),
    target=Report,
    help=gettext_lazy("Nothing is done. The reporter is told."),
    fields={"words": words_field(gettext_lazy("What else is the reporter told?"))},
    fits=_is_open,
)
def dismiss_report(report: Report, *, reason: str, by: User, words: str = "") -> str:  # noqa: ARG001
    """Raises what `answer_report` does."""
    reports.answer_report(report, state=Report.State.DISMISSED, by=by, words=words)
    return _("Dismissed; the reporter is told.")


@admin_action(
    "answer_objection",
    title=gettext_lazy("Answer the objection"),
    target=Sanction,
    help=gettext_lazy("If it is right, end the mute or the ban first. What you say here is read by the person."),
    fields={"words": words_field(gettext_lazy("The answer"), required=True)},
    fits=lambda measure: bool(measure.objection) and not measure.answer,
)
def answer_objection(measure: Sanction, *, reason: str, by: User, words: str) -> str:  # noqa: ARG001
    """Raises what `measures.answer` does."""
    sanctions.answer_objection(measure=measure, by=by, words=words)
    return _("Answered.")
