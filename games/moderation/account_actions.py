"""Actions of admins on accounts. They call `account_recovery`; see `games.admin_actions.registry`.

None of this can be edited in a form: each action asks for a reason and is recorded.
"""

from __future__ import annotations

from django import forms
from django.contrib.auth.models import Group, User
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.accounts import tokens
from games.accounts.models import AccessToken
from games.admin_actions.registry import Facts, admin_action, admin_target
from games.moderation import account_recovery

admin_target("token", AccessToken, find=tokens.find_token, name=lambda row: row.prefix)
admin_target("group", Group, find=lambda named: Group.objects.get(name=named), name=lambda row: row.name)

SUPERUSERS = "auth.change_permission"  # a permission that nobody is given, so only superusers have it


@admin_action(
    "new_password",
    title=gettext_lazy("Reset the password"),
    target=User,
    help=gettext_lazy(
        "The password and all sessions end immediately. You get a link to give to the person, who chooses "
        "a new password with it. Access tokens keep working: if the account was stolen, ban it instead."
    ),
    stop=True,
    done=gettext_lazy("The link works for one hour: {path}"),
)
def new_password(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001  the audit keeps it
    """Raises as `account_recovery.invalidate_password` does."""
    account_recovery.invalidate_password(user=user, by=by)
    return {"path": reverse("support-password", args=[user.pk])}


@admin_action(
    "remove_second_factor",
    title=gettext_lazy("Remove two-factor authentication"),
    target=User,
    help=gettext_lazy(
        "For a person who has lost the app and the recovery codes. All sessions end. An admin must set up "
        "two-factor authentication again before anything else."
    ),
    fits=lambda user: bool(user.authenticator_set.all()),
    stop=True,
    done=gettext_lazy("Two-factor authentication has been removed."),
)
def remove_second_factor(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `account_recovery.remove_second_factor` does."""
    account_recovery.remove_second_factor(user=user, by=by)
    return {}


@admin_action(
    "confirm_address",
    title=gettext_lazy("Confirm an email address"),
    target=User,
    help=gettext_lazy(
        "For a platform that cannot send emails. The owner of the address gets emails and can choose a new password."
    ),
    fields={"address": forms.EmailField(label=gettext_lazy("Email address that you have verified"))},
    fits=lambda user: any(not each.verified for each in user.emailaddress_set.all()),
    private={"address"},
    done=gettext_lazy("The email address has been confirmed."),
)
def confirm_address(user: User, *, reason: str, by: User, address: str) -> Facts:  # noqa: ARG001
    """Raises as `account_recovery.confirm_address` does."""
    account_recovery.confirm_address(user=user, by=by, address=address)
    return {}


@admin_action(
    "revoke_token",
    title=gettext_lazy("Revoke token"),
    target=AccessToken,
    help=gettext_lazy(
        "The token stops working immediately and its open streams end. Its owner is notified and can create a new one."
    ),
    fits=lambda token: token.revoked_at is None,
    stop=True,
    done=gettext_lazy("The token has been revoked."),
)
def revoke_token(token: AccessToken, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `account_recovery.revoke_token` does."""
    account_recovery.revoke_token(token=token, by=by)
    return {}


def _admin_made(group: str) -> str:
    """`group`: "" for a superuser."""
    if not group:
        return _("The person is now a superuser.")
    return _("The person is now an admin of {group}.").format(group=group)


@admin_action(
    "make_admin",
    done=_admin_made,
    title=gettext_lazy("Make admin"),
    target=User,
    help=gettext_lazy("The person gets the rights of a group in addition to their own, or all rights."),
    fields={
        "group": forms.ModelChoiceField(
            label=gettext_lazy("Rights"),
            queryset=Group.objects.order_by("name"),
            to_field_name="name",
            required=False,
            empty_label=gettext_lazy("All rights (superuser)"),
        )
    },
    fits=lambda user: not user.is_superuser,
    permission=SUPERUSERS,
)
def make_admin(user: User, *, reason: str, by: User, group: Group | None = None) -> Facts:  # noqa: ARG001
    """Raises as `account_recovery.make_admin` does."""
    account_recovery.make_admin(user=user, by=by, group=group)
    return {"group": group.name if group else ""}


@admin_action(
    "end_admin",
    title=gettext_lazy("Remove admin rights"),
    target=User,
    help=gettext_lazy("All admin rights end immediately. The account remains."),
    fits=lambda user: user.is_staff or user.is_superuser,
    permission=SUPERUSERS,
    stop=True,
    done=gettext_lazy("The person is no longer an admin."),
)
def end_admin(user: User, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Raises as `account_recovery.end_admin` does."""
    account_recovery.end_admin(user=user, by=by)
    return {}


@admin_action(
    "delete_group",
    title=gettext_lazy("Delete group"),
    target=Group,
    help=gettext_lazy("Its members lose the rights of this group."),
    permission=SUPERUSERS,
    stop=True,
    done=gettext_lazy("The group has been deleted."),
)
def delete_group(group: Group, *, reason: str, by: User) -> Facts:  # noqa: ARG001
    """Delete a group. Its members remain admins with their other permissions."""
    group.delete()
    return {}
