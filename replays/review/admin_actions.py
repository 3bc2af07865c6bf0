"""Admin actions for ledgers; see `games.admin_actions.registry`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy, ngettext

from games.admin_actions.registry import Facts, admin_action
from replays.review import ledgers


def _tried_again(n: int) -> str:
    return ngettext("{n} luck ledger is tried again.", "{n} luck ledgers are tried again.", n).format(n=n)


@admin_action(
    "retry_ledgers",
    title=gettext_lazy("Retry luck ledgers"),
    help=gettext_lazy("Workers compute the luck ledgers again that failed. The incidents say why they failed."),
    done=_tried_again,
)
def retry_ledgers(platform: None, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Let workers try failed ledgers again."""
    return {"n": ledgers.retry_failed()}
