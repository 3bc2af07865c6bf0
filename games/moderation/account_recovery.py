"""What an admin can do about a person's access, and about who is an admin. The person is notified each time.

It covers a new password, a lost second factor, and an address that no email reaches yet.
"""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _

from games.accounts import access, notices, tokens
from games.accounts.models import AccessToken, Profile
from games.common import clock
from games.common.errors import DomainError
from games.moderation.sanctions import check_may
from games.moderation.subjects import (
    ACCOUNT,
    address_confirmed,
    made_admin,
    no_longer_admin,
    password_ended,
    second_factor_removed,
    token_revoked,
)
from scorebook_games.presentation.coded_text import Sentence


def invalidate_password(*, user: User, by: User) -> None:
    """Make the password and all logins of `user` void. They choose a new password by `link_for`.

    Raises as `check_may` does, and `DomainError` guest (409).
    """
    check_may(by, user)
    if Profile.objects.filter(user=user, guest=True).exists():
        raise DomainError(409, "guest", _("Guests have no password. They must sign up first."))
    with transaction.atomic():
        locked = _locked_user(user)
        locked.set_unusable_password()
        locked.save(update_fields=["password"])
        access.end_all(locked.pk)
        _notify_person(locked, password_ended())


def link_for(user: User) -> str:
    """Return the path of the page on which `user` chooses a password.

    It works for three days, and until one is chosen.
    """
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def remove_second_factor(*, user: User, by: User) -> None:
    """Let `user`, who has lost app and codes, log in by the password alone.

    Raises as `check_may` does, and `DomainError` no_second_factor (409).
    """
    check_may(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        if not Authenticator.objects.filter(user=locked).delete()[0]:
            raise DomainError(409, "no_second_factor", _("This person does not use two-factor authentication."))
        access.end_all(locked.pk)
        _notify_person(locked, second_factor_removed())


def confirm_address(*, user: User, by: User, address: str) -> None:
    """Confirm an address of `user` without an email to it.

    Raises as `check_may` does, and `DomainError` no_address, address_taken (409).
    """
    check_may(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        found = EmailAddress.objects.filter(user=locked, email__iexact=address, verified=False).first()
        if found is None:
            raise DomainError(409, "no_address", _("This person has no such unconfirmed email address."))
        if not found.set_verified():
            raise DomainError(409, "address_taken", _("Another person has already confirmed this email address."))
        found.set_as_primary(conditional=True)
        _notify_person(locked, address_confirmed())


def revoke_token(*, token: AccessToken, by: User) -> None:
    """Revoke a leaked token, which may be the admin's own.

    Raises as `check_may` does, and `DomainError` token_revoked (409).
    """
    if token.user_id != by.pk:
        check_may(by, token.user)
    with transaction.atomic():
        if not tokens.revoke(token):
            raise DomainError(409, "token_revoked", _("This token is already revoked."))
        _notify_person(token.user, token_revoked(token.name))


def make_admin(*, user: User, by: User, group: Group | None = None) -> None:
    """Add the permissions of `group` to `user`; without a group, all permissions.

    Raises as `check_may` does, and `DomainError` not_superuser (403).
    """
    _check_superuser(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        locked.is_staff = True
        if group is None:
            locked.is_superuser = True
        else:
            locked.groups.add(group)
        locked.save(update_fields=["is_staff", "is_superuser"])
        _notify_person(locked, made_admin())


def end_admin(*, user: User, by: User) -> None:
    """End the admin rights of `user`. Raises as `make_admin` does, and `DomainError` no_admin (409)."""
    _check_superuser(by, user)
    with transaction.atomic():
        locked = _locked_user(user)
        if not (locked.is_staff or locked.is_superuser):
            raise DomainError(409, "no_admin", _("This person is not an admin."))
        locked.is_staff = locked.is_superuser = False
        locked.save(update_fields=["is_staff", "is_superuser"])
        locked.groups.clear()
        locked.user_permissions.clear()
        _notify_person(locked, no_longer_admin())


def _locked_user(user: User) -> User:
    return User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _check_superuser(by: User, user: User) -> None:
    check_may(by, user)
    if not by.is_superuser:
        raise DomainError(403, "not_superuser", _("Only a superuser can change admin rights."))


def _notify_person(user: User, sentence: Sentence) -> None:
    key = f"account:{clock.now().isoformat()}"
    notices.notify_users([user.pk], ACCOUNT, key=key, sentences=[sentence], url=reverse("me"))
