"""Admin actions for webhooks; see `games.admin_actions.registry`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy, ngettext

from games.admin_actions.registry import Facts, admin_action, admin_target
from tournaments.webhooks import services as webhooks
from tournaments.webhooks.delivery import MESSAGES
from tournaments.webhooks.models import Delivery, Webhook

admin_target("webhook", Webhook, find=lambda named: Webhook.objects.get(pk=int(named)), name=lambda row: str(row.pk))
admin_target(
    "delivery",
    Delivery,
    find=lambda named: Delivery.objects.select_related("webhook").get(message_id=named),
    name=lambda row: row.message_id,
)


def _messages_sent(n: int, number: int) -> str:
    words = ngettext(
        "{n} message for webhook {number} is being sent.", "{n} messages for webhook {number} are being sent.", n
    )
    return words.format(n=n, number=number)


@admin_action(
    "try_webhook",
    done=_messages_sent,
    title=gettext_lazy("Try now"),
    target=Webhook,
    help=gettext_lazy("Waiting messages are sent immediately, one after another while the receiver accepts them."),
    fits=lambda hook: not hook.off and hook.failures > 0,
)
def retry_webhook(hook: Webhook, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Send the webhook's waiting messages now. Raises as `webhooks.services.retry_now` does."""
    count = webhooks.retry_now(hook)
    return {"n": count, "number": hook.pk}


@admin_action(
    "stop_webhook",
    title=gettext_lazy("Switch off"),
    target=Webhook,
    help=gettext_lazy(
        "No more messages are sent, and waiting messages are given up. The owners are notified and can "
        "switch it on again."
    ),
    fits=lambda hook: not hook.off,
    stop=True,
    done=gettext_lazy("Webhook {number} has been switched off."),
)
def stop_webhook(hook: Webhook, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Switch a webhook off. Raises as `webhooks.services.disable_as_admin` does."""
    return {"number": webhooks.disable_as_admin(hook).pk}


@admin_action(
    "start_webhook",
    title=gettext_lazy("Switch on"),
    target=Webhook,
    help=gettext_lazy("Messages about new events are sent. Messages that were given up are not."),
    fits=lambda hook: bool(hook.off),
    done=gettext_lazy("Webhook {number} has been switched on."),
)
def start_webhook(hook: Webhook, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Switch a webhook on. Raises as `webhooks.services.enable_as_admin` does."""
    return {"number": webhooks.enable_as_admin(hook).pk}


@admin_action(
    "resend_delivery",
    title=gettext_lazy("Send again"),
    target=Delivery,
    help=gettext_lazy("The message is sent immediately, with the same id."),
    fits=lambda message: message.send_state in MESSAGES.resendable and not message.webhook.off,
    done=gettext_lazy("Message {number} is being sent again."),
)
def resend_delivery(message: Delivery, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Send a message again. Raises as `webhooks.services.resend_message` does."""
    webhooks.resend_message(message)
    return {"number": str(message.message_id)}
