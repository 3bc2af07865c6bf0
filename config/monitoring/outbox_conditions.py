"""Alert conditions about what is not sent: emails, invitations, messages to webhooks."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.monitoring.alert_types import AlertAction, AlertCase
from games.operations.failures import MailFailures
from tournaments.maintenance.status import FailingWebhook, LeagueStatus


def mail_does_not_go_out(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case if emails wait for the mail server, are unsure, or were given up within a week."""
    mails = status.mails
    if _no_delivery_text(mails):
        return
    counts = _counts_text(
        mails,
        ngettext("{n} email is waiting", "{n} emails are waiting", mails.waiting),
        ngettext("{n} email was given up.", "{n} emails were given up.", mails.failed),
        ngettext(
            "{n} email may not have arrived: the connection broke while it was being sent.",
            "{n} emails may not have arrived: the connection broke while they were being sent.",
            mails.unsure,
        ),
    )
    actions = _outbox_actions(mails, "try_mails", "resend_mail", _("Send email {n} again"))
    title = None if mails.waiting else _("Some emails were not sent")
    yield _unsent_alert(mails, title, counts, reverse("admin:accounts_notice_changelist"), actions)


def invitations_do_not_go_out(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield a case for invitations by email, as `mail_does_not_go_out` does."""
    mails = status.invitations
    if _no_delivery_text(mails):
        return
    counts = _counts_text(
        mails,
        ngettext("{n} invitation is waiting", "{n} invitations are waiting", mails.waiting),
        ngettext("{n} invitation was given up.", "{n} invitations were given up.", mails.failed),
        ngettext(
            "{n} invitation may not have arrived: the connection broke while it was being sent.",
            "{n} invitations may not have arrived: the connection broke while they were being sent.",
            mails.unsure,
        ),
    )
    actions = _outbox_actions(mails, "try_invitations", "resend_invitation", _("Send invitation {n} again"))
    title = None if mails.waiting else _("Some invitations were not sent")
    yield _unsent_alert(mails, title, counts, reverse("admin:clubs_invitation_changelist"), actions)


def _counts_text(mails: MailFailures, waiting: str, failed: str, unsure: str) -> str:
    """Return those of the three sentences whose number is not 0."""
    parts = []
    if mails.waiting:
        parts.append(_waiting_text(waiting.format(n=mails.waiting), mails))
    if mails.failed:
        parts.append(failed.format(n=mails.failed))
    if mails.unsure:
        parts.append(unsure.format(n=mails.unsure))
    return " ".join(parts)


def _outbox_actions(mails: MailFailures, try_all: str, resend: str, words: str) -> list[AlertAction]:
    """Return the actions: send all that wait or were given up, and send each unsure one again."""
    again = (
        [AlertAction(try_all, "", _("Try now"), _("The mail server works again."))]
        if mails.waiting + mails.failed
        else []
    )
    return again + [AlertAction(resend, str(pk), words.format(n=pk)) for pk in mails.unsure_ids]


def _no_delivery_text(mails: MailFailures) -> bool:
    return not (mails.waiting or mails.unsure or mails.failed)


def _waiting_text(words: str, mails: MailFailures) -> str:
    answer = _("the mail server answers “{trouble}”").format(trouble=mails.trouble)
    return f"{words}: {answer}." if mails.trouble else f"{words}."


def _unsent_alert(
    mails: MailFailures, title: str | None, sentence: str, page: str, actions: list[AlertAction]
) -> AlertCase:
    since = min(each for each in (mails.waiting_since, mails.unsettled_since) if each)
    state, word = ("due", _("Waiting")) if mails.waiting else ("failed", _("Given up"))
    state, word = ("unsure", _("Uncertain")) if not (mails.waiting or mails.failed) else (state, word)
    page = f"{page}?send_state__exact={state}"
    return AlertCase(since, title=title, sentence=sentence, word=word, page=page, actions=actions)


def webhooks_are_not_taken(status: LeagueStatus) -> Iterator[AlertCase]:
    """Yield each webhook whose receiver does not answer. Its owners can fix it; admins only need to know."""
    for hook in status.hooks.listed:
        yield AlertCase(
            hook.since,
            {"number": hook.webhook, "whose": hook.whose},
            sentence=_webhook_text(hook),
            word=_("Off") if hook.off else None,
            code=f"hook-{hook.webhook}",
            page=reverse("admin:webhooks_webhook_change", args=[hook.webhook]),
            actions=_webhook_actions(hook),
        )


def _webhook_text(hook: FailingWebhook) -> str:
    if hook.off:
        words = _("{host}: {trouble}. The webhook is off: {why}. Its owner was notified.")
        return words.format(host=hook.host, trouble=hook.trouble or _("never tried"), why=hook.off_label)
    tries = ngettext("one attempt failed", "{n} consecutive attempts failed", hook.failures).format(n=hook.failures)
    waits = ngettext("{n} message is waiting.", "{n} messages are waiting.", hook.waiting).format(n=hook.waiting)
    return f"{hook.host}: {tries} ({hook.trouble}). {waits}"


def _webhook_actions(hook: FailingWebhook) -> list[AlertAction]:
    number = str(hook.webhook)
    if hook.off:
        return [AlertAction("start_webhook", number, _("Switch on"), _("The receiver works again."))]
    again = [AlertAction("try_webhook", number, _("Try now"), _("The receiver works again."))] if hook.waiting else []
    return [*again, AlertAction("stop_webhook", number, _("Switch off"))]
