"""Consent to the dataset (docs/reference/dataset.md). It has only the decisions of people who agreed."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db import transaction

from games.accounts.models import DatasetConsent
from games.common import clock


def has_consented(user: AbstractBaseUser) -> bool:
    """Return what `user` decided last; False if they decided nothing."""
    last = DatasetConsent.objects.filter(user_id=user.pk).values_list("given", flat=True).first()
    return bool(last)


@transaction.atomic
def set_consent(*, user: User, given: bool) -> None:
    """Store what `user` decides, with the time. Nothing is stored if it does not change."""
    User.objects.select_for_update(of=("self",)).get(pk=user.pk)
    if has_consented(user) != given:
        DatasetConsent.objects.create(user=user, given=given, at=clock.now())


def consenting_users() -> set[int]:
    """Return the ids of all users who have consented and not withdrawn it."""
    newest = DatasetConsent.objects.order_by("user", "-pk").distinct("user").values_list("user", "given")
    return {user for user, given in newest if given}


def changes_of(user: User) -> list[dict[str, Any]]:
    """Return what `user` decided and when, the newest first, as JSON data."""
    return [dict(change) for change in DatasetConsent.objects.filter(user=user).values("given", "at")]
