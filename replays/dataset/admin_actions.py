"""Admin actions for the dataset; see `games.admin_actions.registry`."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from games.admin_actions.registry import Facts, admin_action
from replays.dataset.job import DATASET


@admin_action(
    "export_dataset",
    title=gettext_lazy("Export dataset"),
    help=gettext_lazy(
        "A worker writes the decisions of all finished public games into one file, with people only if they have "
        "consented. Everyone with an account can download it. The dashboard shows the progress."
    ),
    done=gettext_lazy("A worker starts the export. The dashboard shows its progress."),
)
def ask_for_dataset(platform: None, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Ask for an export. Raises `DomainError` job_going (409)."""
    DATASET.request(by=by)
    return {}
